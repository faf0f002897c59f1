"""A snapshot becomes a row: what hardware told is measured, all else is open, and the text is Python."""

from typing import Any

import pytest
from rdma_cluster.catalog import Machine, NicKind, machine, machines
from rdma_cluster.catalog.machine import Gpu, Known, PcieRoot, Source, Transport
from rdma_cluster.catalog.serialization import record_of
from rdma_cluster.conform.reader import read_answers
from rdma_cluster.conform.row import as_source, cloud_of, row_of
from tests.conform.synthetic import one_node

SOURCE = Source("a snapshot", "2026-11-23", Known.MEASURED)
WITH_GPUS = [each for each in machines() if each.gpu and each.nic_kind is not NicKind.NETDEV]
FIRST = PcieRoot("pci0000:10", 0, (0,), (0,))


@pytest.mark.parametrize("known", WITH_GPUS, ids=lambda known: known.name)
def test_a_node_of_a_known_machine_gives_its_row_again(known: Machine):
    """It does so in all that hardware can tell; the row can be pasted, and each figure is measured or open."""
    seen = read_answers(one_node(known), "pool", ["a"], "0.1.0").snapshot["nodes"][0]
    row = row_of(seen, SOURCE)

    assert row is not None
    assert (row.name, row.cloud, row.gpus, row.nics) == (known.name, known.cloud, known.gpus, known.nics)
    for field in ("gpu_pci", "nic_pci", "rdma_names", "nic_names", "nic_gbps"):
        if (promised := getattr(known, field)) is not None:
            told = getattr(row, field)
            assert sorted(told) == sorted(promised) if isinstance(promised, tuple) else told == promised
    if known.pcie_root_comparable and known.roots:
        sizes = [
            sorted((len(root.gpus), len(root.nics)) for root in of.roots or () if root.gpus or root.nics)
            for of in (row, known)
        ]
        assert sizes[0] == sizes[1]
    assert eval(as_source(row), {**vars(machine), type(row).__name__: record_of(row.cloud)}) == row
    assert set(row.evidence.values()) == {SOURCE}
    assert not row.evidence.keys() & (row.unknown.keys() | row.unverified.keys())


def node(**changes: Any) -> Any:
    """Two GPUs and three rails on two roots, beside the node's own interface and a slower NIC, in no order."""
    front = {"pci": "0000:01:00.0", "interface": "eth0", "rdma": "mlx5_9", "gbps": 400}
    slow = {"pci": "0000:02:00.0", "interface": "eth1", "rdma": "mlx5_8", "gbps": 100}
    plain = {"pci": "0000:03:00.0", "interface": "eth2", "gbps": 400}
    rails = [
        {"pci": f"0000:{bus}:00.0", "rdma": f"mlx5_{i}", "interface": f"rdma{i}", "gbps": 400, "root": root, "numa": at}
        for bus, i, root, at in ((22, 2, "pci0000:20", 1), (12, 0, "pci0000:10", 0), (21, 1, "pci0000:20", 1))
    ]
    gpus = [
        {"pci": "0000:23:00.0", "model": "NVIDIA B200", "root": "pci0000:20", "numa": 1},
        {"pci": "0000:11:00.0", "model": "NVIDIA B200", "root": "pci0000:10", "numa": 0},
    ]
    told = {"pool": 0, "machine": "x9-highgpu-2g", "cpus": 96, "gpus": gpus, "nics": [front, *rails, slow, plain]}
    return {key: value for key, value in {**told, **changes}.items() if value is not None}


def rails(**changes: Any) -> list[Any]:
    """The NICs, of which the first rail shows something else; ``None`` takes a value away."""
    nics = node()["nics"]
    nics[1] = {key: value for key, value in {**nics[1], **changes}.items() if value is not None}
    return nics


def row(**changes: Any) -> Any:
    """The row of that node."""
    made = row_of(node(**changes), SOURCE)
    assert made is not None
    return made


def test_rails_are_the_fastest_rdma_devices_in_bus_order():
    """The node's own interface is none of them."""
    made = row()

    assert (made.cloud, made.architecture, made.vcpus, made.transport) == ("gke", "amd64", 96, Transport.GIB)
    assert made.gpu_pci == ("0000:11:00.0", "0000:23:00.0")
    assert (made.nics, made.nic_gbps, made.nic_kind) == (3, 400, NicKind.NETDEV_RDMA)
    assert (made.rdma_names, made.nic_names) == (("mlx5_0", "mlx5_1", "mlx5_2"), ("rdma0", "rdma1", "rdma2"))
    assert made.roots == (FIRST, PcieRoot("pci0000:20", 1, (1,), (1, 2)))
    assert not any(line.strip().startswith(("thresholds", "min_kubernetes")) for line in as_source(made).splitlines())


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"nics": rails(interface=None)}, "nic_names", None),
        ({"nics": rails(interface=None)}, "nic_kind", NicKind.RDMA_ONLY),
        ({"nics": rails(pci=None)}, "nic_pci", None),
        ({"nics": rails(rdma=None)}, "nics", 2),
        ({"nics": rails(root=None)}, "roots", None),
        ({"nics": rails(numa=0)}, "roots", (FIRST, PcieRoot("pci0000:20", None, (1,), (1, 2)))),
        ({"nics": [{**each, "root": "pci0000:99"} for each in rails()]}, "pcie_root_comparable", False),
        ({"gpus": [{"pci": "0000:11:00.0"}]}, "gpu", None),
        ({"gpus": [{"pci": f"0000:1{i}:00.0", "model": of} for i, of in enumerate("ABB")]}, "gpu", Gpu("B", None, "")),
        ({"devices": [{"strings": {}}, {"strings": {"gpu.nvidia.com/architecture": "Blackwell"}}, {}]}, "gpu",
         Gpu("NVIDIA B200", None, "Blackwell")),
    ],
)  # fmt: skip
def test_what_some_device_does_not_tell_stays_open(changes: dict[str, Any], field: str, value: Any):
    """Names count where all devices have one; most GPUs decide the model."""
    made = row(**changes)

    assert getattr(made, field) == value
    assert value is not None or field not in made.evidence


@pytest.mark.parametrize("changes", [{"machine": "other"}, {"gpus": None}, {"nics": None}, {"nics": []}])
def test_a_node_of_no_cloud_without_gpus_or_rails_gives_no_row(changes: dict[str, Any]):
    assert row_of(node(**changes), SOURCE) is None


def test_a_machine_type_names_its_cloud_by_its_form():
    assert [each.name for each in machines() if cloud_of(each.name) != each.cloud] == []
    assert cloud_of("p9.48xlarge") == "eks" and cloud_of("other") is cloud_of("XX.GPU.1") is None
