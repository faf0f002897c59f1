"""A rehearsal takes, of several values, one that changes something."""

from collections.abc import Sequence
from contextlib import chdir

import pytest
from pulumi_offline.project import Settings
from rdma_cluster.cli.stack_file import read_stack
from rdma_rehearsal.changes import ADD_ONS, Configure, choose, ordinary, switched_on
from tests.clouds import CloudTests, clouds
from tests.stacks import ROOT


def configure(stack: str) -> Configure:
    """The settings of one of our stacks."""

    def of(further: Sequence[str]) -> Settings:
        with chdir(ROOT):
            return read_stack(stack, None, further)[1]

    return of


@pytest.mark.parametrize(
    ("stack", "change", "chosen"),
    [
        ("aks", "GPU allocation", "pools[0].gpuAllocation=dra"),
        ("gke", "GPU allocation", "pools[0].gpuAllocation=device-plugin"),
        ("oke", "capacity", "pools[0].capacity={dedicated: true}"),
        ("oke-gb200", "capacity", "pools[0].capacity={onDemand: true}"),
    ],
)
def test_a_choice_is_taken_that_the_stack_has_not_and_its_plan_does_not_refuse(stack: str, change: str, chosen: str):
    taken = choose(configure(stack), ordinary([])[change])

    assert (taken.choice, taken.refused) == ((chosen,), None)


@pytest.mark.parametrize("add_on", ADD_ONS)
@pytest.mark.parametrize("cloud", [each for each in clouds() if each.has_kubernetes], ids=lambda each: each.name)
def test_every_add_on_is_switched_on_somewhere(cloud: CloudTests, add_on: str):
    """The stack with a whole course takes one of the choices."""
    taken = switched_on(configure(cloud.name), ADD_ONS[add_on])

    assert taken.refused is None, str(taken.refused)
