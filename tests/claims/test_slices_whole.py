"""A device of each kind with every attribute, as each version of a driver has it, and what stands for the unknown."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog import Machine, find, machines
from rdma_cluster.catalog.machine import Gpu, NicKind, PcieRoot
from rdma_cluster.claims import Target
from rdma_cluster.claims.device import Device, Version
from rdma_cluster.claims.layout import has_nvidia_gpus
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from rdma_cluster.fabrics.efa import AWS_DRANET

AZURE, OF_GKE = NIC_DRIVERS["dranet-infiniband"], NIC_DRIVERS["gke-managed"]
NEWEST = Target(kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")
PCIE_ROOT, NUMA_NODE = "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/numaNode"
BUS_ID = "resource.kubernetes.io/pciBusID"


def machine(name: str) -> Machine:
    """A row that must be there."""
    row = find(name)
    assert row is not None
    return row


A4, H100_V5, P4D = machine("a4-highgpu-8g"), machine("Standard_ND96isr_H100_v5"), machine("p4d.24xlarge")
ORACLE = machine("BM.GPU.GB200-v3.4")


def device(row: Machine, name: str, target: Target) -> Device:
    """One of a node."""
    found = {each.name: each for of in resource_slices(row, target) for each in of.devices}
    return found[name]


def names(row: Machine, target: Target) -> dict[str, list[str]]:
    """The devices of a node by driver."""
    return {each.driver: [one.name for one in each.devices] for each in resource_slices(row, target)}


def interface(name: str, number: int) -> dict[str, Any]:
    """What DraNet publishes of a network interface."""
    facts = {
        "ifName": name, "mac": f"02:00:00:00:00:{number:02x}", "mtu": 1500, "encapsulation": "ether", "state": "up",
        "type": "device", "ipv4": f"192.0.2.{number}", "ebpf": False, "virtual": False,
    }  # fmt: skip
    return {f"dra.net/{key}": value for key, value in facts.items()}


def gpu(index: int, **standard: Any) -> dict[str, Any]:
    """What NVIDIA's driver publishes of a GPU of A4 in every version."""
    facts = {
        "type": "gpu", "uuid": f"GPU-00000000-0000-0000-0000-00000000000{index}", "productName": "NVIDIA B200",
        "brand": "Nvidia", "architecture": "Blackwell", "cudaComputeCapability": "10.0.0",
        "driverVersion": "580.95.5", "cudaDriverVersion": "13.0.0",
    }  # fmt: skip
    return {f"gpu.nvidia.com/{key}": value for key, value in facts.items()} | standard


RAIL_5 = {
    "dra.net/pciAddress": "0000:c7:00.0", "dra.net/pciVendor": "Mellanox Technologies", "dra.net/pciDevice": "ConnectX",
    "dra.net/rdma": True, "dra.net/rdmaDevice": "mlx5_5", "dra.net/numaNode": 1, **interface("gpu5rdma0", 21),
    "dra.net/sriov": False, PCIE_ROOT: "pciffff:02",
}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "name", "target", "attributes"),
    [
        (A4, "gpu-5", Target(nvidia="25.3.2"), gpu(5, **{"gpu.nvidia.com/index": 5, "gpu.nvidia.com/minor": 5})),
        (A4, "gpu-5", Target(nvidia="25.8.0"),
         gpu(5, **{"gpu.nvidia.com/pcieBusID": "0000:c5:00.0", PCIE_ROOT: "pciffff:02"})),
        (A4, "gpu-5", Target(nvidia="0.4.0"), gpu(5, **{PCIE_ROOT: "pciffff:02", BUS_ID: "0000:c5:00.0"})),
        (A4, "gpu-5", NEWEST, gpu(5, **{PCIE_ROOT: "pciffff:02", BUS_ID: "0000:c5:00.0", NUMA_NODE: 1})),
        (A4, "rail-5", Target(), RAIL_5),
        (A4, "rail-5", NEWEST, RAIL_5 | {NUMA_NODE: 1}),
        (A4, "rail-5", Target(dranet="1.0.0"), {key: RAIL_5[key] for key in RAIL_5 if key != PCIE_ROOT}),
        (A4, "eth1", Target(), {**interface("eth1", 1), "dra.net/pciAddress": "0000:fe:01.0", "dra.net/rdma": False}),
        (H100_V5, "eth0", Target(AZURE),
         {**interface("eth0", 0), "dra.net/pciAddress": "0000:fe:00.0", "dra.net/rdma": True,
          "dra.net/rdmaDevice": "mlx5_fe0", "dra.net/numaNode": 0}),
        (H100_V5, "rail-7", Target(AZURE),
         {"dra.net/pciAddress": "0108:00:00.0", "dra.net/pciVendor": "Mellanox Technologies",
          "dra.net/pciDevice": "ConnectX", "dra.net/rdma": True, "dra.net/rdmaDevice": "mlx5_7",
          "dra.net/numaNode": 1}),
        (P4D, "rail-2", Target(AWS_DRANET),
         {"dra.net/pciAddress": "0000:90:1b.0", "dra.net/pciVendor": "Amazon.com, Inc.",
          "dra.net/pciDevice": "Elastic Fabric Adapter (EFA)", "dra.net/rdma": True,
          "dra.net/rdmaDevice": "rdmap144s27", "dra.net/numaNode": 1, PCIE_ROOT: "pci0000:90"}),
        (A4, "nic-5", Target(OF_GKE), {PCIE_ROOT: "pciffff:02"}),
    ],
)  # fmt: skip
def test_a_device(row: Machine, name: str, target: Target, attributes: dict[str, Any]) -> None:
    """Every attribute by its name, and no other."""
    assert dict(device(row, name, target).attributes) == attributes


def test_what_a_node_publishes() -> None:
    """GPUs first; of NICs the interfaces that a claim must not take stand before the rails, where they are seen."""
    gpus, rails = ([f"{kind}-{index}" for index in range(8)] for kind in ("gpu", "rail"))
    assert names(A4, Target()) == {"gpu.nvidia.com": gpus, "dra.net": ["eth0", "eth1", *rails]}
    assert list(names(A4, Target())) == ["gpu.nvidia.com", "dra.net"]
    assert names(H100_V5, Target(AZURE)) == {"gpu.nvidia.com": gpus, "dra.net": ["eth0", *rails]}
    assert names(P4D, Target(AWS_DRANET))["dra.net"] == rails[:4]
    assert names(A4, Target(OF_GKE))["mrdma.google.com"] == [f"nic-{index}" for index in range(8)]
    assert names(A4, Target(gpus=GpuAllocation.DEVICE_PLUGIN)) == {"dra.net": ["eth0", "eth1", *rails]}
    assert names(machine("BM.GPU.MI300X.8"), Target()) == {"dra.net": ["eth0", *rails]}
    assert names(replace(A4, gpu=None), Target()) == {"dra.net": ["eth0", "eth1", *rails]}
    gvnics = names(machine("a3-megagpu-8g"), Target())
    assert set(gvnics) == {"gpu.nvidia.com", "dra.net"} and not [name for name in gvnics["dra.net"] if "rail" in name]


UNKNOWN = replace(
    A4, gpu_pci=None, nic_pci=None, rdma_names=None, nic_names=None, roots=None, gpu=Gpu("NVIDIA X", None, "X"),
)  # fmt: skip


def test_what_nobody_published_is_made_up() -> None:
    """Addresses of bus ff, roots of domain fffe, and names with ff; a device without a root has no NUMA node."""
    rail, one = device(UNKNOWN, "rail-3", NEWEST).attributes, device(UNKNOWN, "gpu-3", NEWEST)
    assert (rail["dra.net/pciAddress"], rail["dra.net/rdmaDevice"], rail["dra.net/ifName"]) == (
        "0000:ff:03.1", "rdmapff3", "railff3",
    )  # fmt: skip
    assert not {PCIE_ROOT, NUMA_NODE, "dra.net/numaNode"} & set(rail)
    assert (one.attributes[BUS_ID], one.attributes[PCIE_ROOT], NUMA_NODE in one.attributes) == (
        "0000:ff:03.0", "pcifffe:03", False,
    )  # fmt: skip
    assert (one.attributes["gpu.nvidia.com/cudaComputeCapability"], one.capacity) == ("0.0.0", {})
    assert device(A4, "gpu-3", NEWEST).capacity == {"memory": "180Gi"}
    plain = replace(UNKNOWN, nic_kind=NicKind.RDMA_ONLY)
    assert not {"dra.net/ifName", "dra.net/sriov"} & set(device(plain, "rail-3", NEWEST).attributes)


ONE = PcieRoot("pci0000:10", 0, (0, 1, 2, 3), (0, 1, 2, 3))
BARE = PcieRoot(None, None, (4,), (4,))
GPUS, NICS = PcieRoot("pci0000:30", 1, (5, 6, 7), ()), PcieRoot(None, 1, (), (5, 6, 7))
ROOTS = replace(A4, roots=(ONE, BARE, GPUS, NICS))
APART = replace(ROOTS, pcie_root_comparable=False)


@pytest.mark.parametrize(
    ("row", "index", "of_gpu", "of_rail"),
    [
        (ROOTS, 3, "pci0000:10", "pci0000:10"),
        (ROOTS, 4, "pciffff:01", "pciffff:01"),
        (ROOTS, 5, "pci0000:30", "pciffff:03"),
        (APART, 3, "pci0000:10", None),
        (APART, 4, "pci0000:c4", None),
        (APART, 5, "pci0000:30", "pciffff:03"),
        (replace(APART, gpu_pci=None), 4, "pcifffe:04", None),
        (replace(ROOTS, nics_publish_root=False), 3, "pci0000:10", None),
        (H100_V5, 3, "pci0008:00", None),
        (ORACLE, 3, "pci0019:00", "pci0002:00"),
    ],
)
def test_roots(row: Machine, index: int, of_gpu: str, of_rail: str | None) -> None:
    """By their names, or made-up ones; where GPUs and NICs share none, a root that would say so is left out."""
    driver = AZURE if row is H100_V5 else Target().nics
    found = [device(row, f"{kind}-{index}", Target(driver)).attributes.get(PCIE_ROOT) for kind in ("gpu", "rail")]
    assert found == [of_gpu, of_rail]


def test_numa_nodes() -> None:
    """Both attributes where the root's node is known, and neither where it is not."""
    known, unknown = (device(ROOTS, f"rail-{index}", NEWEST).attributes for index in (3, 4))
    assert (known["dra.net/numaNode"], known[NUMA_NODE]) == (0, 0)
    assert not {"dra.net/numaNode", NUMA_NODE} & set(unknown)
    assert [device(ROOTS, f"gpu-{index}", NEWEST).attributes.get(NUMA_NODE) for index in (3, 4, 5)] == [0, None, 1]


CAPABILITIES = {
    "7.5.0": ["Tesla T4"], "8.0.0": ["NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB"], "8.6.0": ["NVIDIA A10G"],
    "8.9.0": ["NVIDIA L4", "NVIDIA L40S"], "9.0.0": ["NVIDIA H100 80GB HBM3", "NVIDIA H200"],
    "10.0.0": ["NVIDIA B200", "NVIDIA GB200"], "10.3.0": ["NVIDIA B300 SXM6 AC", "NVIDIA GB300"],
    "12.0.0": ["NVIDIA RTX PRO 4500 Blackwell Server Edition", "NVIDIA RTX PRO 6000 Blackwell Server Edition"],
}  # fmt: skip
"""As NVIDIA publishes them (developer.nvidia.com/cuda/gpus)."""


def test_compute_capabilities() -> None:
    """Each model of the catalogue has its own, which its architecture alone does not tell."""
    found: dict[str, list[str]] = {}
    for model, row in sorted({row.gpu.model: row for row in machines() if row.gpu and has_nvidia_gpus(row)}.items()):
        capability = device(row, "gpu-0", NEWEST).attributes["gpu.nvidia.com/cudaComputeCapability"]
        assert isinstance(capability, Version)
        found.setdefault(str(capability), []).append(model)
    assert found == {capability: sorted(models) for capability, models in CAPABILITIES.items()}
