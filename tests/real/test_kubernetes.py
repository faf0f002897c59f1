"""Every stack on Kubernetes through its life with the real engine and the provider's own plugin."""

from collections.abc import Sequence
from contextlib import chdir, closing
from pathlib import Path

import pytest
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.rehearsal.real.course import Course
from rdma_cluster.rehearsal.real.record import real_provider
from rdma_cluster.rehearsal.scenario import Outcome

from tests.clouds import clouds
from tests.rehearsal.stages import wrong
from tests.stacks import ROOT

STACKS = [stack for cloud in clouds() if cloud.has_kubernetes for stack in cloud.stacks]
FIRST = [cloud.name for cloud in clouds() if cloud.has_kubernetes]
"""One stack of each cloud."""


def course(stack: str, folder: Path, parts: Sequence[str]) -> list[Outcome]:
    """The outcomes of some parts."""
    with chdir(ROOT):
        made = Course(ROOT, lambda further: read_stack(stack, None, further)[1], 64, real_provider("kubernetes"), None)
        with closing(made.rehearse(folder, parts)) as run:
            return list(run)


@pytest.mark.parametrize("stack", STACKS)
def test_a_stack_stands_and_goes(stack: str, tmp_path: Path):
    """It is made, stays as it is, is found again by a refresh; what vanishes comes back; nothing is left."""
    outcomes = course(stack, tmp_path, ("up", "own"))

    assert wrong(outcomes) == {}
    (made,) = (each.said for each in outcomes if each.what == "up")
    assert "was called" in made, made


@pytest.mark.parametrize("stack", FIRST)
def test_a_living_stack_changes(stack: str, tmp_path: Path):
    """Every change of the rehearsal and each add-on, on and off."""
    assert wrong(course(stack, tmp_path, ("changes",))) == {}
