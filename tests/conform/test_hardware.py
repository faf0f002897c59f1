"""Which of the devices that a node shows is which promised one."""

from typing import Any

import pytest
from rdma_cluster.conform.hardware import gpus_of, matched, nics_of
from tests.conform.pools import machine

A, B, C = ({"name": name, "pci": f"0000:0{i}:00.0"} for i, name in enumerate("abc", 1))
UNNAMED: dict[str, Any] = {"name": None, "pci": None}
RENAMED = {**A, "name": "eth7"}
ROOT, NUMA = "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/numaNode"


@pytest.mark.parametrize(
    ("seen", "promised", "others", "told"),
    [
        ([RENAMED, B], [A, B], False, [RENAMED, B]),
        ([{**A, "pci": "0000:09:00.0"}, RENAMED, B], [A, B], False, [RENAMED, B]),
        ([B], [{**A, "pci": B["pci"]}, B], False, [None, B]),
        ([C, B], [A, B], False, [C, B]),
        ([C, B], [A, B], True, [None, B]),
        ([B], [A, B], False, [None, B]),
        ([C], [{**A, "pci": None}, {**B, "pci": None}], False, [None, None]),
        ([C, B], [UNNAMED, UNNAMED], True, [B, C]),
    ],
    ids=["address", "address first", "name first", "all are there", "a stranger", "lost", "named", "unnamed"],
)
def test_a_device_is_known_by_its_name_and_its_address(seen: Any, promised: Any, others: bool, told: Any):
    """What is left takes a place only where nothing is missing and nothing strange is there."""
    assert matched(seen, promised, others, lambda each: each["pci"]) == told


def device(driver: str = "gpu.nvidia.com", **attributes: Any) -> dict[str, Any]:
    """A device of a ResourceSlice."""
    return {"driver": driver, "name": "x", **attributes}


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"strings": {"gpu.nvidia.com/type": "gpu"}}, {"pci": ""}),
        ({"strings": {"gpu.nvidia.com/type": "mig"}}, None),
        ({"strings": {"gpu.nvidia.com/pcieBusID": "a", "resource.kubernetes.io/pciBusID": "b"}}, {"pci": "b"}),
        (
            {"strings": {"gpu.nvidia.com/productName": "NVIDIA B200", ROOT: "pci0000:10"}, "numbers": {NUMA: 0}},
            {"pci": "", "model": "NVIDIA B200", "root": "pci0000:10", "numa": 0},
        ),
        ({"strings": {"gpu.nvidia.com/pcieBusID": "a"}, "numbers": {NUMA: -1}}, {"pci": "a"}),  # -1 is none
    ],
)
def test_a_driver_publishes_whole_gpus_by_their_standard_address(attributes: Any, told: dict[str, Any] | None):
    node: Any = {"devices": [device("dra.net"), device(**attributes)]}

    assert gpus_of(node) == (None if told is None else [told])


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"strings": {"dra.net/pciAddress": "p", "dra.net/ifName": "i"}}, {"pci": "p", "interface": "i"}),
        (
            {"strings": {"dra.net/rdmaDevice": "mlx5_0"}, "numbers": {"dra.net/mtu": 8896, "dra.net/numaNode": 1}},
            {"rdma": "mlx5_0", "mtu_bytes": 8896, "numa": 1},
        ),
        ({"numbers": {NUMA: 0, "dra.net/numaNode": 1}}, {"numa": 0}),
        ({"strings": {"dra.net/state": "lowerlayerdown"}}, {"active": False}),
        ({"strings": {"dra.net/state": "unknown"}}, {}),
    ],
)
def test_a_driver_publishes_nics_by_the_attributes_of_dranet(attributes: dict[str, Any], told: dict[str, Any]):
    """A state that says nothing of the link is not told."""
    node: Any = {"devices": [device(), device("mrdma.google.com", **attributes)]}

    assert nics_of(node, machine("a4-highgpu-8g")) == [told]


@pytest.mark.parametrize(
    ("driver", "flags", "rail"),
    [
        ("dra.net", {"dra.net/rdma": True}, True),
        ("dra.net", {}, False),
        ("mrdma.google.com", {}, True),
        ("mrdma.google.com", {"dra.net/rdma": False}, False),
    ],
)
def test_a_published_device_is_a_rail_if_it_does_rdma(driver: str, flags: dict[str, bool], rail: bool):
    """DraNet publishes every interface and says it of each; rails of gVNICs do none."""
    node: Any = {"devices": [device(driver, flags=flags, strings={"dra.net/ifName": "eth1"})]}

    assert nics_of(node, machine("a4-highgpu-8g")) == ([{"interface": "eth1"}] if rail else None)
    assert nics_of(node, machine("a3-highgpu-8g")) == [{"interface": "eth1"}]
