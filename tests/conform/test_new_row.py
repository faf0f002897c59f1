"""A row made of a node that was written by hand: what each device tells, and what is open where some tell nothing."""

from typing import Any

import pytest
from rdma_cluster.catalog.machine import Gpu, Known, NicKind, PcieRoot, Source, Transport
from rdma_cluster.conform.row import as_source, cloud_of, row_of

OPEN = "no snapshot of one node tells it"
SOURCE = Source("a snapshot", "2026-11-23", Known.MEASURED)
FIRST = PcieRoot("pci0000:10", 0, (0,), (0,))


def node(**changes: Any) -> Any:
    """Two GPUs and three rails on two roots, beside an interface of the node and a slower NIC; in no order."""
    front = [{"pci": "0000:01:00.0", "interface": "eth0", "rdma": "mlx5_9", "gbps": 400}]
    slow = [{"pci": "0000:02:00.0", "interface": "eth1", "rdma": "mlx5_8", "gbps": 100}]
    plain = [{"pci": "0000:03:00.0", "interface": "eth2", "gbps": 400}]
    rails = [
        {
            "pci": f"0000:{bus}:00.0",
            "rdma": f"mlx5_{i}",
            "interface": f"rdma{i}",
            "gbps": 400,
            "root": root,
            "numa": numa,
        }
        for bus, i, root, numa in ((22, 2, "pci0000:20", 1), (12, 0, "pci0000:10", 0), (21, 1, "pci0000:20", 1))
    ]
    gpus = [
        {"pci": "0000:23:00.0", "model": "NVIDIA B200", "root": "pci0000:20", "numa": 1},
        {"pci": "0000:11:00.0", "model": "NVIDIA B200", "root": "pci0000:10", "numa": 0},
    ]
    told = {"pool": 0, "machine": "x9-highgpu-2g", "cpus": 96, "gpus": gpus, "nics": [*front, *rails, *slow, *plain]}
    return {key: value for key, value in {**told, **changes}.items() if value is not None}


def rails(**changes: Any) -> list[Any]:
    """The rails, of which the first in the list shows something else; ``None`` takes a value away."""
    nics = node()["nics"]
    nics[1] = {key: value for key, value in {**nics[1], **changes}.items() if value is not None}
    return nics


def row(**changes: Any) -> Any:
    """Its row."""
    made = row_of(node(**changes), SOURCE)
    assert made is not None
    return made


def test_a_row_is_in_bus_order():
    """GPUs, and RDMA devices of the highest rate that are not the node's own interface."""
    made = row()

    assert (made.name, made.cloud, made.architecture, made.vcpus) == ("x9-highgpu-2g", "gke", "amd64", 96)
    assert (made.gpus, made.gpu) == (2, Gpu("NVIDIA B200", None, ""))
    assert made.gpu_pci == ("0000:11:00.0", "0000:23:00.0")
    assert (made.nics, made.nic_gbps, made.nic_kind) == (3, 400, NicKind.NETDEV_RDMA)
    assert made.nic_pci == ("0000:12:00.0", "0000:21:00.0", "0000:22:00.0")
    assert (made.rdma_names, made.nic_names) == (("mlx5_0", "mlx5_1", "mlx5_2"), ("rdma0", "rdma1", "rdma2"))
    assert made.roots == (FIRST, PcieRoot("pci0000:20", 1, (1,), (1, 2)))
    assert (made.transport, made.pcie_root_comparable, made.capacity) == (Transport.GIB, True, ())


def test_what_is_measured_and_what_is_open():
    """All that a device told; the memory of GPUs and more stay open, each with its reason."""
    made = row()

    told = {"gpu", "gpus", "gpu_pci", "nics", "nic_gbps", "nic_kind", "nic_names", "rdma_names", "nic_pci", "roots"}
    assert made.evidence == dict.fromkeys(told, SOURCE) and made.sources == (SOURCE,)
    assert made.unverified == {
        "transport": "the usual one of the cloud",
        "capacity": "no snapshot of one node tells it",
    }
    assert set(made.unknown.values()) <= {OPEN} and not made.unknown.keys() & told


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"nics": rails(interface=None)}, "nic_names", None),
        ({"nics": rails(interface=None)}, "nic_kind", NicKind.RDMA_ONLY),
        ({"nics": rails(pci=None)}, "nic_pci", None),
        ({"nics": rails(rdma=None)}, "nics", 2),
        ({"nics": rails(root=None)}, "roots", None),
        ({"nics": rails(numa=0)}, "roots", (FIRST, PcieRoot("pci0000:20", None, (1,), (1, 2)))),
        ({"nics": rails(root="pci0000:30")}, "pcie_root_comparable", True),
        ({"nics": [{**each, "root": "pci0000:99"} for each in rails()]}, "pcie_root_comparable", False),
        ({"cpus": None}, "vcpus", None),
        ({"architecture": "arm64"}, "architecture", "arm64"),
        ({"gpus": [{"pci": "0000:11:00.0"}]}, "gpu", None),
        (
            {"gpus": [{"pci": f"0000:1{i}:00.0", "model": model} for i, model in enumerate(["A", "B", "B"])]},
            "gpu",
            Gpu("B", None, ""),
        ),
        (
            {"devices": [{"strings": {}}, {"strings": {"gpu.nvidia.com/architecture": "Blackwell"}}, {}]},
            "gpu",
            Gpu("NVIDIA B200", None, "Blackwell"),
        ),
    ],
)  # fmt: skip
def test_what_some_device_does_not_tell(changes: dict[str, Any], field: str, value: Any):
    """Names count where all have one; a root's NUMA node where its devices agree; most GPUs decide the model."""
    made = row(**changes)

    assert getattr(made, field) == value
    if value is None:
        assert field not in made.evidence


@pytest.mark.parametrize(
    "changes", [{"machine": "other"}, {"gpus": None}, {"nics": None}, {"nics": []}, {"nics": [{"interface": "eth1"}]}]
)
def test_a_node_that_gives_no_row(changes: dict[str, Any]):
    """Without GPUs or rails that somebody told of, or of no cloud."""
    assert row_of(node(**changes), SOURCE) is None


@pytest.mark.parametrize(
    ("name", "cloud"),
    [
        ("BM.GPU.X1.8", "oke"),
        ("VM.GPU.A10.1", "oke"),
        ("Standard_ND1_v9", "aks"),
        ("p9.48xlarge", "eks"),
        ("p6-b200.48xlarge", "eks"),
        ("a9-highgpu-8g", "gke"),
        ("other", None),
        ("XX.GPU.1", None),
    ],
)
def test_clouds_by_the_form_of_a_name(name: str, cloud: str | None):
    """Each has its own."""
    assert cloud_of(name) == cloud


def test_the_text_of_a_row():
    """Python as a person writes it, without what a row has by default."""
    text = as_source(row(gpus=[{"pci": "0000:11:00.0", "model": "NVIDIA B200"}], nics=rails()[1:2]))

    lines = [line.strip() for line in text.splitlines()]
    assert lines[0] == "GkeMachine(" and lines[-1] == ")"
    assert "name='x9-highgpu-2g'," in lines and "gpu_pci=('0000:11:00.0',)," in lines
    assert "nic_kind=NicKind.NETDEV_RDMA," in lines and "transport=Transport.GIB," in lines
    assert "sources=(Source('a snapshot', '2026-11-23', Known.MEASURED),)," in lines and "capacity=()," in lines
    assert (
        "unverified={'transport': 'the usual one of the cloud', 'capacity': 'no snapshot of one node tells it'},"
        in lines
    )
    assert not any(line.startswith(("thresholds", "min_kubernetes", "rdma_front_end")) for line in lines)
