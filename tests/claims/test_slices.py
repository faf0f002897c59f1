"""Synthetic slices show what each version of each driver publishes of a machine, and nothing that nobody knows."""

import re
from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog import Machine, machines
from rdma_cluster.catalog.machine import Gpu, NicKind, PcieRoot
from rdma_cluster.claims import Target, driver_of
from rdma_cluster.claims.device import Device, ResourceSlice, Version
from rdma_cluster.claims.layout import has_nvidia_gpus
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.conform.redact import ATTRIBUTES, OTHERS
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.fabrics.efa import AWS_DRANET
from tests.claims.nodes import A4, AZURE, H100_V5, OF_GKE, P4D
from tests.machines import known_machine

NEWEST = Target(kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")
PCIE_ROOT, NUMA_NODE = "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/numaNode"
BUS_ID = "resource.kubernetes.io/pciBusID"
INDEX, OWN_BUS_ID = "gpu.nvidia.com/index", "gpu.nvidia.com/pcieBusID"


def attributes(row: Machine, name: str, target: Target) -> dict[str, Any]:
    """Return the attributes of one device of a node."""
    found = {each.name: each for of in resource_slices(row, target) for each in of.devices}
    return dict(found[name].attributes)


def names(row: Machine, target: Target) -> dict[str, list[str]]:
    """Return the names of a node's devices by driver."""
    return {each.driver: [one.name for one in each.devices] for each in resource_slices(row, target)}


@pytest.mark.parametrize("nvidia", ["25.3.2", "25.8.0", "0.5.0"])
def test_attributes_have_the_names_forms_and_types_of_living_clusters(nvidia: str):
    """The reader of living clusters knows every name, and the form of every text that is not made up or an id."""
    ids = {"gpu.nvidia.com/uuid", "dra.net/mac", "dra.net/ipv4"}
    kinds: dict[str, type] = {"driverVersion": Version, "cudaDriverVersion": Version, "cudaComputeCapability": Version}
    kinds |= dict.fromkeys(("numaNode", "mtu", "index", "minor"), int)
    kinds |= dict.fromkeys(("rdma", "virtual", "sriov", "ebpf"), bool)
    made_up = re.compile(r"0000:f[ef]:[0-9a-f]{2}\.[01]|rdmapff\d+|railff\d+|mlx5_fe\d+|Elastic Fabric Adapter.*")
    for row in machines():
        newest = Target(driver_of(row), nvidia=nvidia, kubernetes=(1, 37), dranet="1.5.0")
        slices = [each for target in (Target(nvidia=nvidia), newest) for each in resource_slices(row, target)]
        for name, value in (item for each in slices for device in each.devices for item in device.attributes.items()):
            kind = kinds.get(name.rpartition("/")[2], str)
            assert type(value) is kind, (row.name, name)
            if kind is not str:
                assert name.rpartition("/")[2] in OTHERS, name
            elif name not in ids and not name.endswith(("productName", "brand", "pciBusID")):
                text = str(value)
                known = re.fullmatch(ATTRIBUTES[name], text) or made_up.fullmatch(text) or text == "unknown"
                assert known, (row.name, name, value)


@pytest.mark.parametrize(
    ("row", "name", "target", "has", "lacks"),
    [
        (A4, "gpu-5", Target(nvidia="25.3.2"), {INDEX: 5, "gpu.nvidia.com/minor": 5}, {PCIE_ROOT, OWN_BUS_ID}),
        (A4, "gpu-5", Target(nvidia="25.8.0"), {OWN_BUS_ID: "0000:c5:00.0", PCIE_ROOT: "pciffff:02"}, {INDEX, BUS_ID}),
        (A4, "gpu-5", Target(nvidia="0.4.0"), {BUS_ID: "0000:c5:00.0"}, {INDEX, OWN_BUS_ID, NUMA_NODE}),
        (A4, "gpu-5", NEWEST, {NUMA_NODE: 1, "gpu.nvidia.com/productName": "NVIDIA B200"}, {INDEX}),
        (A4, "rail-5", Target(), {PCIE_ROOT: "pciffff:02", "dra.net/numaNode": 1}, {BUS_ID, NUMA_NODE}),
        (A4, "rail-5", NEWEST, {NUMA_NODE: 1, "dra.net/ifName": "gpu5rdma0", "dra.net/sriov": False}, set()),
        (A4, "rail-5", Target(dranet="0.5.0"), {"dra.net/rdmaDevice": "mlx5_5", "dra.net/rdma": True}, {PCIE_ROOT}),
        (A4, "eth1", Target(), {"dra.net/rdma": False, "dra.net/mtu": 1500}, {"dra.net/rdmaDevice", PCIE_ROOT}),
        (H100_V5, "eth0", Target(AZURE), {"dra.net/rdma": True, "dra.net/numaNode": 0}, {PCIE_ROOT}),
        (H100_V5, "rail-7", Target(AZURE), {"dra.net/pciAddress": "0108:00:00.0"}, {PCIE_ROOT, "dra.net/ifName"}),
        (P4D, "rail-2", Target(AWS_DRANET), {"dra.net/rdmaDevice": "rdmap144s27"}, {"dra.net/ifName"}),
        (A4, "nic-5", Target(OF_GKE), {PCIE_ROOT: "pciffff:02"}, {"dra.net/rdma", "dra.net/pciAddress"}),
    ],
)
def test_a_device_has_the_attributes_of_its_drivers_version(
    row: Machine, name: str, target: Target, has: dict[str, Any], lacks: set[str]
):
    found = attributes(row, name, target)

    assert has.items() <= found.items()
    assert not lacks & found.keys()


def test_interfaces_that_a_claim_must_not_take_stand_before_the_rails():
    """GPUs come first; a device plugin publishes none, and NVIDIA's driver none of another vendor."""
    gpus, rails = ([f"{kind}-{index}" for index in range(8)] for kind in ("gpu", "rail"))

    assert list(names(A4, Target()).items()) == [("gpu.nvidia.com", gpus), ("dra.net", ["eth0", "eth1", *rails])]
    assert names(H100_V5, Target(AZURE)) == {"gpu.nvidia.com": gpus, "dra.net": ["eth0", *rails]}
    assert names(P4D, Target(AWS_DRANET))["dra.net"] == rails[:4]
    assert names(A4, Target(OF_GKE))["mrdma.google.com"] == [f"nic-{index}" for index in range(8)]
    assert names(A4, Target(gpus=GpuAllocation.DEVICE_PLUGIN)) == {"dra.net": ["eth0", "eth1", *rails]}
    assert names(known_machine("BM.GPU.MI300X.8"), Target()) == {"dra.net": ["eth0", *rails]}
    assert not [each for each in names(known_machine("a3-megagpu-8g"), Target())["dra.net"] if "rail" in each]


def test_what_nobody_published_is_made_up():
    """Made-up addresses are on bus ff and made-up roots in domain fffe; a device without a root has no NUMA node."""
    lost: dict[str, Any] = dict.fromkeys(("gpu_pci", "nic_pci", "rdma_names", "nic_names", "roots"))
    unknown = replace(A4, **lost, gpu=Gpu("NVIDIA X", None, "X"))
    rail, gpu = attributes(unknown, "rail-3", NEWEST), attributes(unknown, "gpu-3", NEWEST)

    assert [rail[f"dra.net/{key}"] for key in ("pciAddress", "rdmaDevice", "ifName")] == [
        *("0000:ff:03.1", "rdmapff3", "railff3")
    ]
    assert not {PCIE_ROOT, NUMA_NODE, "dra.net/numaNode"} & rail.keys()
    assert (gpu[BUS_ID], gpu[PCIE_ROOT], NUMA_NODE in gpu) == ("0000:ff:03.0", "pcifffe:03", False)
    (sized, *_), (sizeless, *_) = (resource_slices(row, NEWEST)[0].devices for row in (A4, unknown))
    assert (sized.capacity, sizeless.capacity) == ({"memory": "180Gi"}, {})
    plain = replace(unknown, nic_kind=NicKind.RDMA_ONLY)
    assert not {"dra.net/ifName", "dra.net/sriov"} & attributes(plain, "rail-3", NEWEST).keys()


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
        (known_machine("BM.GPU.GB200-v3.4"), 3, "pci0019:00", "pci0002:00"),
    ],
)
def test_a_root_shows_by_its_name_unless_that_would_pair_strangers(
    row: Machine, index: int, of_gpu: str, of_rail: str | None
):
    """Where GPUs and NICs share no root, a root that would say so is left out."""
    driver = AZURE if row is H100_V5 else Target().nics
    found = [attributes(row, f"{kind}-{index}", Target(driver)).get(PCIE_ROOT) for kind in ("gpu", "rail")]

    assert found == [of_gpu, of_rail]


def test_a_root_of_unknown_numa_node_gives_its_devices_none():
    known, unknown = (attributes(ROOTS, f"rail-{index}", NEWEST) for index in (3, 4))

    assert (known["dra.net/numaNode"], known[NUMA_NODE]) == (0, 0)
    assert not {"dra.net/numaNode", NUMA_NODE} & unknown.keys()
    assert [attributes(ROOTS, f"gpu-{index}", NEWEST).get(NUMA_NODE) for index in (3, 4, 5)] == [0, None, 1]


def test_a_model_has_the_compute_capability_that_nvidia_publishes():
    """Every model of the catalogue has one; an architecture alone does not tell it (developer.nvidia.com/cuda/gpus)."""
    capability = "gpu.nvidia.com/cudaComputeCapability"
    rows = {row.gpu.model: row for row in machines() if row.gpu and has_nvidia_gpus(row)}
    found = {model: str(attributes(row, "gpu-0", NEWEST)[capability]) for model, row in rows.items()}

    assert "0.0.0" not in found.values()
    assert found.items() >= {"Tesla T4": "7.5.0", "NVIDIA A10G": "8.6.0", "NVIDIA GB300": "10.3.0"}.items()


def test_a_slice_is_written_as_the_api_has_it():
    """A value stands under its type; attributes of the driver's own domain are written without it."""
    given = {"x/a": True, "x/b": 7, "y/c": "text", "x/d": Version("1.0.0")}
    made = ResourceSlice("x", "n", (Device("x", "one", given, {"memory": "1Gi"}), Device("x", "two", {}))).manifest()
    one, two = made["spec"]["devices"]

    assert made["metadata"] == {"name": "n-x"}
    assert (made["spec"]["driver"], made["spec"]["nodeName"], made["spec"]["pool"]["name"]) == ("x", "n", "n")
    assert one["attributes"] == {
        "a": {"bool": True},
        "b": {"int": 7},
        "y/c": {"string": "text"},
        "d": {"version": "1.0.0"},
    }
    assert one["capacity"] == {"memory": {"value": "1Gi"}} and two == {"name": "two", "attributes": {}}


def test_slices_keep_to_the_limits_of_the_api():
    """A slice has 128 devices at the most, a device 32 attributes and capacities, and a string 64 characters."""
    for row in machines():
        made = [each.manifest() for node in "ab" for each in resource_slices(row, NEWEST, node)]
        assert len({each["metadata"]["name"] for each in made}) == len(made)
        for devices in (each["spec"]["devices"] for each in made):
            assert 0 < len(devices) <= 128 and len({device["name"] for device in devices}) == len(devices)
            for device in devices:
                assert len(device["attributes"]) + len(device.get("capacity", {})) <= 32
                assert all(len(value.get("string", "")) <= 64 for value in device["attributes"].values())
