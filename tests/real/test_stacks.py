"""Every stack through its life with the real engine and the providers' own plugins, all that its cloud has at once."""

from collections.abc import Sequence
from contextlib import chdir, closing
from pathlib import Path

import pytest
from rdma_cluster.cli.stack_file import read_stack
from rdma_rehearsal.real.course import PARTS, Course
from rdma_rehearsal.real.record import real_provider
from rdma_rehearsal.scenario import Outcome
from tests.clouds import CloudTests, clouds
from tests.real.plugins import missing, of_cloud
from tests.rehearsal.stages import FIRST, wrong
from tests.stacks import ROOT

STACKS = [pytest.param(cloud, stack, id=stack) for cloud in clouds() for stack in cloud.stacks]
OTHERS = [each for each in STACKS if each.id not in FIRST]


def course(cloud: CloudTests, stack: str, folder: Path, parts: Sequence[str]) -> list[Outcome]:
    """The outcomes of some parts, with the plugins that there are."""
    lack = {package: missing(package) for package in of_cloud(cloud)}
    if all(lack.values()):
        pytest.skip("; ".join(dict.fromkeys(lack.values())))
    real = [real_provider(package) for package, what in lack.items() if not what]
    with chdir(ROOT):
        made = Course(ROOT, lambda further: read_stack(stack, None, further)[1], 64, real)
        with closing(made.rehearse(folder, parts)) as run:
            return [shown(each) for each in run]


def shown(outcome: Outcome) -> Outcome:
    """With `-rP`, or where a test fails, pytest prints what each part took."""
    print(f"{outcome.seconds:6.1f} s  {outcome.what}: {outcome.said}")
    return outcome


@pytest.mark.parametrize(("cloud", "stack"), [each for each in STACKS if each.id in FIRST])
def test_one_stack_of_each_cloud_lives(cloud: CloudTests, stack: str, tmp_path: Path):
    """It is made, stays as it is, is found by a refresh; what vanishes comes back, all changes, nothing is left."""
    assert wrong(course(cloud, stack, tmp_path, PARTS)) == {}


@pytest.mark.parametrize(("cloud", "stack"), OTHERS)
def test_a_stack_stands_and_goes(cloud: CloudTests, stack: str, tmp_path: Path):
    """It is made, stays as it is, is found by a refresh; nothing is left."""
    assert wrong(course(cloud, stack, tmp_path, ("up",))) == {}


@pytest.mark.thorough
@pytest.mark.parametrize(("cloud", "stack"), OTHERS)
def test_a_stack_lives(cloud: CloudTests, stack: str, tmp_path: Path):
    """The rest of it: what vanishes comes back, all changes."""
    assert wrong(course(cloud, stack, tmp_path, ("own", "changes"))) == {}
