"""Every stack on Google Cloud through its life with the real engine and the provider's own plugin."""

from contextlib import chdir, closing
from pathlib import Path

import pytest
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.rehearsal.real.course import PARTS, Course
from rdma_cluster.rehearsal.real.record import real_provider

from tests.clouds import clouds
from tests.rehearsal.stages import wrong
from tests.stacks import ROOT

STACKS = [stack for cloud in clouds() if cloud.sdk_package == "gcp" for stack in cloud.stacks]


@pytest.mark.parametrize("stack", STACKS)
def test_a_stack_lives(stack: str, tmp_path: Path):
    """It is made, stays as it is, is found again by a refresh, changes, leaves nothing; the API takes each request."""
    with chdir(ROOT):
        made = Course(ROOT, lambda further: read_stack(stack, None, further)[1], 64, real_provider("gcp"), None)
        with closing(made.rehearse(tmp_path, PARTS)) as run:
            assert wrong(list(run)) == {}
