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
    A4,
    gpus=3,
    nics=3,
    gpu_pci=("0000:11:00.0", "0000:12:00.0", "0000:21:00.0"),
    nic_pci=("0000:13:00.0", "0000:22:00.0", "0000:23:00.0"),
    nic_names=("gpu0rdma0", "gpu1rdma0", "gpu2rdma0"),
    rdma_names=("mlx5_0", "mlx5_1", "mlx5_2"),
    roots=(PcieRoot("pci0000:10", 0, (0, 1), (0,)), PcieRoot(None, 1, (2,), (1, 2))),
    evidence={"gpu_pci": Source("a node", "2026-11-23", Known.MEASURED)},
    unverified={"roots": "inferred from another type"},
    unknown={"roots.name": "nobody told", "roots.numa": "nobody told"},
)
"""Three GPUs and three rails on two roots, of which the second has no published name."""


def sound() -> dict[str, Any]:
    """What a pod sees on a node that is as the row says."""
    places = [("pci0000:10", 0), ("pci0000:10", 0), ("pci0000:20", 1)]
    assert ROW.gpu and ROW.gpu_pci and ROW.nic_pci and ROW.rdma_names and ROW.nic_names
    gpus = [
        {"pci": pci, "model": ROW.gpu.model, "root": root, "numa": numa}
        for pci, (root, numa) in zip(ROW.gpu_pci, places, strict=True)
    ]
    nics = [
        {"pci": pci, "rdma": rdma, "interface": name, "gbps": 400, "mtu_bytes": 8896, "active": True}
        | {"root": root, "numa": numa}
        for pci, rdma, name, (root, numa) in zip(
            ROW.nic_pci, ROW.rdma_names, ROW.nic_names, [places[0], places[2], places[2]], strict=True
        )
    ]
    return {"pool": 0, "machine": ROW.name, "gpus": gpus, "nics": nics}


def changed(kind: str, i: int, **values: Any) -> dict[str, Any]:
    """The same with a device that shows something else; ``None`` takes a value away."""
    node = sound()
    device = node[kind][i] | values
    node[kind][i] = {key: value for key, value in device.items() if value is not None}
    return node


def found(node: Any, row: Any = ROW) -> list[Difference]:
    """What differs."""
    return device_differences(row, node, (0, 0))


def test_a_node_as_its_row_says():
    """Nothing differs, nor where nobody looked, nor where the row says nothing of a figure."""
    silent = replace(ROW, gpu_pci=None, nic_pci=None, nic_names=None, rdma_names=None, roots=None, nic_gbps=None)

    assert found(sound()) == []
    assert found({"pool": 0, "machine": ROW.name}) == []
    assert found(sound(), silent) == []


@pytest.mark.parametrize(
    ("part", "i", "values", "expected"),
    [
        ("gpus", 1, {"pci": "0000:1f:00.0"}, ("gpu address", "GPU 1", "0000:12:00.0", "0000:1f:00.0", Known.MEASURED)),
        ("gpus", 2, {"model": "NVIDIA T4"}, ("gpu model", "GPU 2", "NVIDIA B200", "NVIDIA T4", Known.PUBLISHED)),
        ("gpus", 0, {"numa": 1}, ("gpu NUMA node", "GPU 0", "0", "1", Known.UNKNOWN)),
        ("gpus", 0, {"root": "pci0000:aa"}, ("gpu root", "GPU 0", "pci0000:10", "pci0000:aa", Known.INFERRED)),
        ("gpus", 2, {"root": "pci0000:aa"}, ("gpu root", "GPU 2", "pci0000:20", "pci0000:aa", Known.INFERRED)),
        (
            "nics",
            0,
            {"pci": "0000:1f:00.0"},
            ("nic address", "rail 0", "0000:13:00.0", "0000:1f:00.0", Known.PUBLISHED),
        ),
        ("nics", 1, {"rdma": "mlx5_9"}, ("nic RDMA name", "rail 1", "mlx5_1", "mlx5_9", Known.PUBLISHED)),
        ("nics", 2, {"interface": "eth9"}, ("nic name", "rail 2", "gpu2rdma0", "eth9", Known.PUBLISHED)),
        ("nics", 2, {"numa": 0}, ("nic NUMA node", "rail 2", "1", "0", Known.UNKNOWN)),
        ("nics", 1, {"root": "pci0000:aa"}, ("nic root", "rail 1", "pci0000:20", "pci0000:aa", Known.INFERRED)),
        ("nics", 1, {"gbps": 399}, ("nic rate", "rail 1", "400 Gb/s", "399 Gb/s", Known.PUBLISHED)),
        ("nics", 1, {"gbps": 401}, ("nic rate beyond", "rail 1", "400 Gb/s", "401 Gb/s", Known.PUBLISHED)),
        ("nics", 1, {"active": False}, ("nic link", "rail 1", "a link", "none", None)),
        ("nics", 1, {"mtu_bytes": 1500}, ("nic MTU", "rail 1", "MTU 8896", "MTU 1500", None)),
        ("gpus", 1, {"pci": ""}, None),
        ("gpus", 1, {"model": None, "numa": None, "root": None}, None),
        ("nics", 1, {"interface": "", "pci": None, "gbps": 0, "mtu_bytes": 0, "active": None}, None),
        ("nics", 1, {"rdma": "mlx5_1", "gbps": None, "mtu_bytes": 9000}, None),
    ],
)
def test_one_device_shows_something_else(part: str, i: int, values: dict[str, Any], expected: Any):
    """By the device's place in the row, with how the promised figure is known; what is not told does not differ."""
    differences = found(changed(part, i, **values))

    shown = [(*each, of.known) for each, of in zip(told(differences), differences, strict=True)]
    assert shown == ([] if expected is None else [expected])
    assert all(each.where == (0, 0) for each in differences)


@pytest.mark.parametrize(
    ("name", "mtu", "breaks"),
    [
        ("a4-highgpu-8g", 8896, None),
        ("a4-highgpu-8g", 8895, False),
        ("a4-highgpu-8g", 4192, False),
        ("a4-highgpu-8g", 4191, True),
        ("BM.GPU.H100.8", 4220, None),
        ("BM.GPU.H100.8", 4192, False),
        ("BM.GPU.H100.8", 4191, True),
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
    assert all(("still pass" in each.follows) != each.breaks for each in differences)


def test_lost_devices_are_counted_and_rails_named():
    """Those that are there are compared all the same."""
    node = changed("nics", 2, gbps=100)
    node["gpus"].pop(1)
    del node["nics"][:2]

    assert told(found(node)) == [
        ("gpus", "GPUs", "3", "2"),
        ("nics", "rail 0, rail 1", "3", "1"),
        ("nic rate", "rail 2", "400 Gb/s", "100 Gb/s"),
    ]
    assert [each.known for each in found(node)] == [Known.PUBLISHED] * 3


@pytest.mark.parametrize(
    ("front_end", "expected"), [(False, ["nic name", "nic RDMA name", "nic address"]), (True, ["nics"])]
)
def test_a_stranger_stands_for_a_lost_rail_only_where_all_are_rails(front_end: bool, expected: list[str]):
    """Where a NIC of the front end shows as an RDMA device too, one that nothing names is none of the rails."""
    stranger = changed("nics", 1, pci="0000:e1:00.0", rdma="mlx5_9", interface="eth9")

    assert [each.kind for each in found(stranger, replace(ROW, rdma_front_end=front_end))] == expected


def on_roots(*names: str | None) -> dict[str, Any]:
    """Three GPUs and three rails that show these roots, and no NUMA node."""
    node = sound()
    for device, name in zip((*node["gpus"], *node["nics"]), names, strict=True):
        device["root"] = name
        del device["numa"]
    return node


SPLIT = replace(ROW, roots=(PcieRoot("pci0000:10", 0, (2,), (1, 2)), PcieRoot(None, 1, (0, 1), (0,))))
"""The same roots the other way round, so that the first GPU is on the second."""


@pytest.mark.parametrize(
    ("row", "roots", "expected"),
    [
        (
            ROW,  # most of its devices say how a root is called
            ("A", "A", "B", "A", "B", "B"),
            [("root name", "root 0", "pci0000:10", "A")],
        ),
        (
            ROW,
            ("A", "A", "B", "C", "B", "B"),
            [("root name", "root 0", "pci0000:10", "A"), ("nic root", "rail 0", "A", "C")],
        ),
        (
            ROW,  # of one device alone nobody knows whether it or the root is another
            ("A", None, "B", None, "B", "B"),
            [("gpu root", "GPU 0", "pci0000:10", "A")],
        ),
        (ROW, (None, None, None, None, "B", None), []),
        (ROW, ("pci0000:10", "", "B", "pci0000:10", "B", "B"), []),
        (ROW, ("pci0000:10",) * 6, [("roots in one", "roots 0 and 1", "two roots", "both pci0000:10")]),
        (
            SPLIT,
            ("A", "A", "A", "A", "A", "A"),
            [("root name", "root 0", "pci0000:10", "A"), ("roots in one", "roots 0 and 1", "two roots", "both A")],
        ),
        (
            replace(ROW, pcie_root_comparable=False),  # where nothing is shared, names alone are compared
            ("A", "A", "B", "A", "C", "A"),
            [("root name", "root 0", "pci0000:10", "A")],
        ),
        (replace(ROW, pcie_root_comparable=False), ("pci0000:10",) * 6, []),
    ],
)
def test_roots(row: Any, roots: tuple[str | None, ...], expected: list[Any]):
    """Devices that the row puts on one root and that show several, and the other way round."""
    assert told(found(on_roots(*roots), row)) == expected


def test_how_the_names_of_roots_are_known():
    """By what is said of their names, and not of where they are."""
    (renamed, together) = found(on_roots(*["A"] * 6))

    assert (renamed.known, together.known) == (Known.UNKNOWN, Known.INFERRED)
