"""Pools that cannot be tested, and what helps; racks, whose nodes are joined twice."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.fabrics import Launcher
from tests.acceptance.plans import args, efa, plan, pool
from tests.acceptance.test_choice import handed, refused
from tests.incluster.pools import CLAIMED_RACKS, GIB, RACKS


@pytest.mark.parametrize(
    ("some", "told"),
    [
        (pool(nodes=15_000), []),
        (pool(nodes=15_001), ["pools[0].nodes: got 15001; a cluster holds 15,000 nodes at the most"]),
        (pool(machine="hpc7a.96xlarge", fabric="efa"), ["pools[0].machine: hpc7a.96xlarge has no GPU"]),
        (pool(machine="p5.48xlarge"), ["pools[0].fabric: got 'gib'; choose one of efa"]),
        (pool(machine="a3-megagpu-8g", fabric="tcpxo"), []),
    ],
)
def test_pools_that_can_be_tested(some: Any, told: list[str]):
    """By their size, their GPUs and their fabric; each error alone."""
    if not told:
        assert plan(args(some)).tests
    else:
        found = refused(args(some))
        assert len(found) == 1 and found[0].startswith(told[0])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (args(launcher=Launcher.INDEXED_JOB), []),
        (efa(launcher=Launcher.MPI_JOB), []),
        (efa(launcher=Launcher.INDEXED_JOB), ["launcher: got indexed-job; the image for efa holds no ssh keys"]),
        (args(images={"operator": "o:1"}), ["images.operator: not used"]),
        (efa(images={"operator": "o:1"}), []),
        (args(pool(), pool("b", machine="p5.48xlarge", fabric="efa"), images={"operator": "o:1"}), []),
        # Nothing is tested, so nothing need be used.
        (args(enabled=False, images={"operator": "o:1"}), []),
        (args(pool("a"), pool("b"), pool("a")), ["pools[2].name: a is listed twice"]),
    ],
)
def test_launchers_and_their_operator(given: Any, told: list[str]):
    """An image without ssh keys takes an MPIJob; an operator's image is of use where one is."""
    if not told:
        assert plan(given)
    else:
        found = refused(given)
        assert len(found) == 1 and found[0].startswith(told[0])


def test_a_pool_behind_one_that_is_listed_twice():
    """Is judged as well."""
    found = refused(args(pool("a"), pool("a"), pool("b", machine="hpc7a.96xlarge", fabric="efa")))

    assert [each.partition(": ")[0] for each in found] == ["pools[1].name", "pools[2].machine"]


@pytest.mark.parametrize(
    ("waive", "told"),
    [
        ([], ["no figure for gate bandwidth is published for p5e.48xlarge, so it cannot pass; give one of"]),
        (["bandwidth"], []),
        (["nics"], ["no figure for gate bandwidth"]),
    ],
)
def test_gates_without_a_figure(waive: list[str], told: list[str]):
    """Are refused until they are waived; each by its name."""
    given = efa(pool(machine="p5e.48xlarge", fabric="efa"), waive=waive)
    if not told:
        assert plan(given)
    else:
        (line,) = refused(given)
        assert line.startswith(f"waive: {told[0]}")
        assert line.endswith("add bandwidth to acceptance.waive, or set acceptance.enabled: false")


def test_a_figure_of_ones_own():
    """Is one."""
    given = efa(pool(machine="p5e.48xlarge", fabric="efa"), thresholds={"p5e.48xlarge": ["all_reduce:1G=5"]})

    assert plan(given).tests[0].expectation.thresholds_from == "yours"


def test_channels_of_a_rack():
    """NVLink is tested where pods get channels and a run of two nodes is published; elsewhere it is switched off."""
    tests = {
        name: [test.measure.nvlink for test in handed(some).tests]
        for name, some in (
            ("channels", replace(RACKS, channels=True)),
            ("none", RACKS),
            ("no figure", replace(CLAIMED_RACKS, channels=True, machine=replace(RACKS.machine, thresholds=_of_nics()))),
            ("no rack", replace(GIB, channels=True)),
        )
    }

    assert tests == {"channels": [False, True], "none": [False], "no figure": [False], "no rack": [None]}


def _of_nics() -> Any:
    return tuple(each for each in RACKS.machine.thresholds if not each.nvlink)
