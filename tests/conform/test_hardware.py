"""Which of the devices that a node shows is which promised one."""

from typing import Any

import pytest
from rdma_cluster.conform.hardware import driver_of, matched, views
from rdma_cluster.conform.reader import _by_node, read_answers

from tests.conform.synthetic import answers, promised

A, B, C = ({"name": name, "pci": f"0000:0{i}:00.0"} for i, name in enumerate("abc", 1))
UNNAMED: dict[str, Any] = {"name": None, "pci": None}
RENAMED = {**A, "name": "eth7"}


@pytest.mark.parametrize(
    ("seen", "promised", "others", "told"),
    [
        ([B, A], [A, B], False, [A, B]),
        ([RENAMED, B], [A, B], False, [RENAMED, B]),
        ([{**A, "pci": "0000:09:00.0"}, RENAMED, B], [A, B], False, [RENAMED, B]),
        ([C, B], [A, B], False, [C, B]),
        ([C, B], [A, B], True, [None, B]),
        ([B], [A, B], False, [None, B]),
        ([C], [A, B], False, [None, None]),
        ([C], [{**A, "pci": None}, {**B, "pci": None}], False, [None, None]),
        ([C, B], [UNNAMED, UNNAMED], True, [B, C]),
        ([C], [UNNAMED, UNNAMED], False, [C, None]),
    ],
)
def test_who_is_who(seen: list[Any], promised: list[Any], others: bool, told: list[Any]):
    """By names and addresses; what is left takes a place only where nothing is missing and nothing strange is there."""
    assert matched(seen, promised, others, lambda each: each["pci"]) == told


@pytest.mark.parametrize("looked", [{"gpus": []}, {"nics": []}, {"gpus": [], "nics": []}])
def test_a_pod_that_looked_is_one_witness_and_the_drivers_another(looked: dict[str, Any]):
    """Also where it could look at one kind alone; where no pod looked there are the drivers."""
    of_drivers: Any = {"pool": "p", "machine": "m", "devices": []}

    assert views({**of_drivers, **looked}) == [{**of_drivers, **looked}, of_drivers]
    assert views(of_drivers) == [of_drivers]


@pytest.mark.parametrize(
    "pool", [{"name": ["n1"], "generation": 1}, {"name": "n1", "generation": "1"}, {"generation": 1}, "n1", None]
)
def test_a_slice_that_is_none_is_passed_over(pool: Any):
    """Whatever stands where a name should."""
    sound = {"spec": {"driver": "d", "nodeName": "n1", "pool": {"name": "n1", "generation": 2}}}
    broken = {"spec": {"driver": "d", "nodeName": "n1", "pool": pool}}

    assert _by_node([broken, sound]) == {"n1": [sound]}


def test_the_newest_slices_count():
    """Of a driver's pool, and each driver's by themselves."""
    old, new, other = (
        {"spec": {"driver": driver, "nodeName": "n1", "pool": {"name": "n1", "generation": generation}}}
        for driver, generation in (("d", 1), ("d", 2), ("e", 1))
    )

    assert _by_node([new, old, other]) == {"n1": [new, other]}


def test_what_a_cluster_has_is_told_in_one_order():
    """Two snapshots of it are the same file, whatever order an API server answers in."""
    of = promised("gke")
    given = answers(of)
    given.templates[0].reverse()
    given.classes.reverse()

    snapshot = read_answers(given, of.pool_label, [pool.name for pool in of.pools], "0.1.0").snapshot

    assert snapshot["templates"] == sorted(snapshot["templates"]) and len(snapshot["templates"]) > 10
    assert snapshot["classes"] == sorted(snapshot["classes"])


def test_the_driver_is_whoever_tells_its_version():
    """The kernel first; then the first device that has one, behind others that have none."""
    told = {"versions": {"gpu.nvidia.com/driverVersion": "580.95.5"}}
    node: Any = {"devices": [{}, {"versions": {}}, told]}
    by_kernel: Any = {**node, "driver": "570.1"}
    silent: Any = {"devices": [{}]}

    assert driver_of(node) == "580.95.5"
    assert driver_of(by_kernel) == "570.1"
    assert driver_of(silent) is None
