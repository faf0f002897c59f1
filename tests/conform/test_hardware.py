"""Which of the devices that a node shows is which promised one."""

from typing import Any

import pytest
from rdma_cluster.conform.hardware import driver_of, gpus_of, matched, nics_of, views
from rdma_cluster.conform.reader import _by_node, read_answers
from tests.conform.pools import machine
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
        ([B], [{**A, "pci": B["pci"]}, B], False, [None, B]),
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


ROOT, NUMA = "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/numaNode"


def device(driver: str = "gpu.nvidia.com", **attributes: Any) -> dict[str, Any]:
    """A device of a ResourceSlice."""
    return {"driver": driver, "name": "x", **attributes}


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"strings": {"gpu.nvidia.com/type": "gpu"}}, {"pci": ""}),
        ({"strings": {"gpu.nvidia.com/type": "mig"}}, None),
        ({"strings": {"gpu.nvidia.com/pcieBusID": "0000:11:00.0"}}, {"pci": "0000:11:00.0"}),
        ({"strings": {"gpu.nvidia.com/pcieBusID": "a", "resource.kubernetes.io/pciBusID": "b"}}, {"pci": "b"}),
        (
            {"strings": {"gpu.nvidia.com/productName": "NVIDIA B200", ROOT: "pci0000:10"}, "numbers": {NUMA: 0}},
            {"pci": "", "model": "NVIDIA B200", "root": "pci0000:10", "numa": 0},
        ),
        ({"numbers": {NUMA: -1}}, {"pci": ""}),
        ({"strings": {NUMA: "1"}}, {"pci": ""}),
    ],
)
def test_a_gpu_that_a_driver_publishes(attributes: dict[str, Any], told: dict[str, Any] | None):
    """A whole one, by its standard address where it has both; a node of -1 is none (Linux)."""
    node: Any = {"devices": [device("dra.net"), device(**attributes)]}

    assert gpus_of(node) == (None if told is None else [told])


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({}, {}),
        (
            {"strings": {"dra.net/pciAddress": "0000:13:00.0", "dra.net/ifName": "gpu0rdma0"}},
            {"pci": "0000:13:00.0", "interface": "gpu0rdma0"},
        ),
        (
            {"strings": {"dra.net/rdmaDevice": "mlx5_0"}, "numbers": {"dra.net/mtu": 8896, "dra.net/numaNode": 1}},
            {"rdma": "mlx5_0", "mtu_bytes": 8896, "numa": 1},
        ),
        ({"numbers": {NUMA: 0, "dra.net/numaNode": 1}}, {"numa": 0}),
        ({"strings": {"dra.net/state": "up"}}, {"active": True}),
        ({"strings": {"dra.net/state": "down"}}, {"active": False}),
        ({"strings": {"dra.net/state": "lowerlayerdown"}}, {"active": False}),
        ({"strings": {"dra.net/state": "unknown"}}, {}),
    ],
)
def test_a_nic_that_a_driver_publishes(attributes: dict[str, Any], told: dict[str, Any]):
    """By DraNet's attributes; a state that says nothing of the link is not told."""
    node: Any = {"devices": [device(), device("mrdma.google.com", **attributes)]}

    assert nics_of(node, machine("a4-highgpu-8g")) == [told]


@pytest.mark.parametrize(
    ("driver", "flags", "rail"),
    [
        ("dra.net", {"dra.net/rdma": True}, True),
        ("dra.net", {"dra.net/rdma": False}, False),
        ("dra.net", {}, False),
        ("dra.net", {"dra.net/virtual": True}, False),
        ("mrdma.google.com", {}, True),
        ("mrdma.google.com", {"dra.net/rdma": False}, False),
    ],
)
def test_a_published_device_is_a_rail_if_it_does_rdma(driver: str, flags: dict[str, bool], rail: bool):
    """DraNet publishes every interface, and says of each; rails of gVNICs do none."""
    node: Any = {"devices": [device(driver, flags=flags, strings={"dra.net/ifName": "eth1"})]}

    assert nics_of(node, machine("a4-highgpu-8g")) == ([{"interface": "eth1"}] if rail else None)
    assert nics_of(node, machine("a3-highgpu-8g")) == [{"interface": "eth1"}]


@pytest.mark.parametrize(
    ("name", "nics", "rails"),
    [
        ("a4-highgpu-8g", [{"pci": "a"}, {"rdma": "mlx5_0"}], [{"rdma": "mlx5_0"}]),
        ("a4-highgpu-8g", [{"pci": "a"}, {"pci": "b"}], [{"pci": "a"}, {"pci": "b"}]),
        ("a3-highgpu-8g", [{"pci": "a"}, {"rdma": "mlx5_0"}], [{"pci": "a"}, {"rdma": "mlx5_0"}]),
        ("a4-highgpu-8g", [], []),
    ],
)
def test_what_a_pod_saw_comes_before_what_drivers_publish(name: str, nics: list[Any], rails: list[Any]):
    """RDMA devices where the machine's rails are some and any is there, else all."""
    node: Any = {"nics": nics, "devices": [device("mrdma.google.com")], "gpus": [{"pci": "b"}, {"pci": "a"}]}

    assert nics_of(node, machine(name)) == rails
    assert gpus_of(node) == [{"pci": "a"}, {"pci": "b"}]
    assert nics_of({**node, "nics": nics, "devices": []}, machine(name)) == rails
