"""Pools that cannot be tested, and what helps; racks, whose nodes are joined twice."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.fabrics import Launcher
from tests.acceptance.plans import args, efa, handed, plan, pool, refused
from tests.incluster.pools import CLAIMED_RACKS, GIB, RACKS


@pytest.mark.parametrize(
    ("some", "told"),
    [
        (pool(nodes=15_000), []),
        (pool(nodes=15_001), ["pools[0].nodes: got 15001"]),
        (pool(machine="hpc7a.96xlarge", fabric="efa"), ["pools[0].machine: hpc7a.96xlarge"]),
        (pool(machine="p5.48xlarge"), ["pools[0].fabric: got 'gib'"]),
        (pool(machine="a3-megagpu-8g", fabric="tcpxo"), []),
    ],
)
def test_a_pool_is_refused_for_its_size_its_gpus_or_its_fabric(some: Any, told: list[str]):
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
        (efa(launcher=Launcher.INDEXED_JOB), ["launcher: got indexed-job"]),
        (args(images={"operator": "o:1"}), ["images.operator: "]),
        (efa(images={"operator": "o:1"}), []),
        (args(pool(), pool("b", machine="p5.48xlarge", fabric="efa"), images={"operator": "o:1"}), []),
        # Nothing is tested, so nothing need be used.
        (args(enabled=False, images={"operator": "o:1"}), []),
        (args(pool("a"), pool("b"), pool("a")), ["pools[2].name: a "]),
    ],
)
def test_a_launcher_and_an_operators_image_fit_the_pools(given: Any, told: list[str]):
    """An image without ssh keys takes an MPIJob; an operator's image is of use where one runs."""
    if not told:
        assert plan(given)
    else:
        found = refused(given)
        assert len(found) == 1 and found[0].startswith(told[0])


def test_a_machine_without_figures_is_tested_once_its_gate_is_waived():
    """A waiver of another gate does not help, and a user's own figure does."""
    given = efa(pool(machine="p5e.48xlarge", fabric="efa"))

    for waive in ([], ["nics"]):
        (line,) = refused({**given, "waive": waive})
        assert line.startswith("waive: ") and "bandwidth" in line
    assert plan({**given, "waive": ["bandwidth"]}).tests[0].waived == ("bandwidth",)
    own = {**given, "thresholds": {"p5e.48xlarge": ["all_reduce:1G=5"]}}
    assert plan(own).tests[0].expectation.thresholds_from == "yours"


def test_nvlink_of_a_rack_is_tested_where_pods_get_channels():
    """A run of two nodes must be published, too; elsewhere NVLink is switched off."""
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
