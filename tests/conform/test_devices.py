"""A node's GPUs and NICs held against a small row: each field, each edge, and how the promised figure is known."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog import NicKind, PcieRoot
from rdma_cluster.catalog.machine import Known, Source
from rdma_cluster.conform.devices import device_differences
from rdma_cluster.conform.difference import Difference
from tests.conform.pools import A4, machine, told

ROW = replace(
    A4, gpus=3, nics=3,
    gpu_pci=("0000:11:00.0", "0000:12:00.0", "0000:21:00.0"),
    nic_pci=("0000:13:00.0", "0000:22:00.0", "0000:23:00.0"),
    nic_names=("gpu0rdma0", "gpu1rdma0", "gpu2rdma0"),
    rdma_names=("mlx5_0", "mlx5_1", "mlx5_2"),
    roots=(PcieRoot("pci0000:10", 0, (0, 1), (0,)), PcieRoot(None, 1, (2,), (1, 2))),
    evidence={"gpu_pci": Source("a node", "2026-11-23", Known.MEASURED)},
    unverified={"roots": "inferred from another type"},
    unknown={"roots.name": "nobody told", "roots.numa": "nobody told"},
)  # fmt: skip
"""Three GPUs and three rails on two roots, of which the second has no published name."""
PLACES = [("pci0000:10", 0), ("pci0000:10", 0), ("pci0000:20", 1)]


def sound() -> dict[str, Any]:
    """What a pod sees on a node that is as the row says."""
    assert ROW.gpu and ROW.gpu_pci and ROW.nic_pci and ROW.rdma_names and ROW.nic_names
    gpus = [
        {"pci": pci, "model": ROW.gpu.model, "root": root, "numa": numa}
        for pci, (root, numa) in zip(ROW.gpu_pci, PLACES, strict=True)
    ]
    named = zip(ROW.nic_pci, ROW.rdma_names, ROW.nic_names, [PLACES[0], PLACES[2], PLACES[2]], strict=True)
    nics = [
        {"pci": pci, "rdma": rdma, "interface": name, "gbps": 400, "mtu_bytes": 8896, "active": True}
        | {"root": root, "numa": numa}
        for pci, rdma, name, (root, numa) in named
    ]
    return {"pool": 0, "machine": ROW.name, "gpus": gpus, "nics": nics}


def changed(kind: str, i: int, **values: Any) -> dict[str, Any]:
    """The same node with a device that shows something else; ``None`` takes a value away."""
    node = sound()
    node[kind][i] = {key: value for key, value in (node[kind][i] | values).items() if value is not None}
    return node


def found(node: Any, row: Any = ROW) -> list[Difference]:
    """How a node differs from a row."""
    return device_differences(row, node, (0, 0))


@pytest.mark.parametrize(
    ("part", "i", "values", "expected"),
    [
        ("gpus", 1, {"pci": "0000:1f:00.0"}, ("gpu address", "GPU 1", "0000:12:00.0", "0000:1f:00.0", Known.MEASURED)),
        ("gpus", 2, {"model": "NVIDIA T4"}, ("gpu model", "GPU 2", "NVIDIA B200", "NVIDIA T4", Known.PUBLISHED)),
        ("gpus", 0, {"numa": 1}, ("gpu NUMA node", "GPU 0", "0", "1", Known.UNKNOWN)),
        ("gpus", 2, {"root": "pci0000:aa"}, ("gpu root", "GPU 2", "pci0000:20", "pci0000:aa", Known.INFERRED)),
        ("nics", 0, {"pci": "0000:1f:00.0"}, (
            "nic address", "rail 0", "0000:13:00.0", "0000:1f:00.0", Known.PUBLISHED)),
        ("nics", 1, {"rdma": "mlx5_9"}, ("nic RDMA name", "rail 1", "mlx5_1", "mlx5_9", Known.PUBLISHED)),
        ("nics", 2, {"interface": "eth9"}, ("nic name", "rail 2", "gpu2rdma0", "eth9", Known.PUBLISHED)),
        ("nics", 2, {"numa": 0}, ("nic NUMA node", "rail 2", "1", "0", Known.UNKNOWN)),
        ("nics", 1, {"root": "pci0000:aa"}, ("nic root", "rail 1", "pci0000:20", "pci0000:aa", Known.INFERRED)),
        ("nics", 1, {"gbps": 399}, ("nic rate", "rail 1", "400 Gb/s", "399 Gb/s", Known.PUBLISHED)),
        ("nics", 1, {"gbps": 401}, ("nic rate beyond", "rail 1", "400 Gb/s", "401 Gb/s", Known.PUBLISHED)),
        ("nics", 1, {"active": False}, ("nic link", "rail 1", "a link", "none", None)),
        ("nics", 1, {"mtu_bytes": 1500}, ("nic MTU", "rail 1", "MTU 8896", "MTU 1500", None)),
        ("gpus", 1, {"model": None, "numa": None, "root": None}, None),
        ("nics", 1, {"mtu_bytes": 9000}, None),
        ("nics", 1, {"interface": "", "pci": None, "gbps": 0, "mtu_bytes": 0, "active": None}, None),
    ],
)  # fmt: skip
def test_a_device_that_shows_something_else_is_told_by_its_place(
    part: str, i: int, values: dict[str, Any], expected: tuple[Any, ...] | None
):
    """The difference says how the promised figure is known; what is not told does not differ."""
    differences = found(changed(part, i, **values))

    shown = [(*each, of.known) for each, of in zip(told(differences), differences, strict=True)]
    assert shown == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("name", "mtu", "breaks"),
    [
        ("a4-highgpu-8g", 8896, None),
        ("a4-highgpu-8g", 8895, False),
        ("a4-highgpu-8g", 4192, False),
        ("a4-highgpu-8g", 4191, True),
        ("BM.GPU.H100.8", 4220, None),
        ("a3-highgpu-8g", 8243, True),
    ],
)
def test_packets_of_4096_bytes_must_pass(name: str, mtu: int, breaks: bool | None):
    """RoCE adds 96 bytes of headers (Linux, include/rdma/ib_addr.h); TCPX sends packets of the whole MTU."""
    row = machine(name)
    (rail, *_) = row.nic_names or ("eth1",)
    nic = {"interface": rail, "mtu_bytes": mtu} | ({} if row.nic_kind is NicKind.NETDEV else {"rdma": "mlx5_0"})
    differences = [each for each in found({"pool": 0, "machine": name, "nics": [nic]}, row) if each.kind == "nic MTU"]

    assert [each.breaks for each in differences] == ([] if breaks is None else [breaks])


@pytest.mark.parametrize(
    ("front_end", "expected"), [(False, ["nic name", "nic RDMA name", "nic address"]), (True, ["nics"])]
)
def test_a_stranger_stands_for_a_lost_rail_only_where_all_rdma_devices_are_rails(front_end: bool, expected: list[str]):
    stranger = changed("nics", 1, pci="0000:e1:00.0", rdma="mlx5_9", interface="eth9")

    assert [each.kind for each in found(stranger, replace(ROW, rdma_front_end=front_end))] == expected


SPLIT = replace(ROW, roots=(PcieRoot("pci0000:10", 0, (2,), (1, 2)), PcieRoot(None, 1, (0, 1), (0,))))
"""The same roots the other way round, so that the first GPU is on the second."""
APART = replace(ROW, pcie_root_comparable=False)
"""A node on which no root is shared, so that names alone are compared."""
RENAMED = ("root name", "root 0", "pci0000:10", "A")


@pytest.mark.parametrize(
    ("row", "roots", "expected"),
    [
        pytest.param(ROW, "AABABB", [RENAMED], id="most devices say how a root is called"),
        pytest.param(ROW, "AABCBB", [RENAMED, ("nic root", "rail 0", "A", "C")], id="one is elsewhere"),
        pytest.param(ROW, "A-B-BB", [("gpu root", "GPU 0", "pci0000:10", "A")], id="one device may be what moved"),
        pytest.param(ROW, "----B-", [], id="an unknown name"),
        pytest.param(SPLIT, "AAAAAA", [RENAMED, ("roots in one", "roots 0 and 1", "two roots", "both A")], id="one"),
        pytest.param(APART, "AABACA", [RENAMED], id="none is shared"),
    ],
)
def test_devices_of_one_root_must_show_one_root(row: Any, roots: str, expected: list[Any]):
    node = sound()
    for device, name in zip((*node["gpus"], *node["nics"]), roots, strict=True):
        device["root"] = None if name == "-" else name
        del device["numa"]

    assert told(found(node, row)) == expected
