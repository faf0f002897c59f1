"""What follows from driver and Kubernetes versions, and the pure side's imports."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.catalog import machines
from rdma_cluster.claims import Groups, Target, driver_of, kubernetes_minor
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from rdma_cluster.fabrics.dranet import DRANET
from rdma_cluster.fabrics.efa import AWS_DRANET

A4 = next(row for row in machines() if row.name == "a4-highgpu-8g")
P4D = next(row for row in machines() if row.name == "p4d.24xlarge")
H100_V5 = next(row for row in machines() if row.name == "Standard_ND96isr_H100_v5")


def keys(target: Target, driver: str, device: str) -> set[str]:
    """The attributes of one device of an A4 node."""
    for each in resource_slices(A4, target):
        for one in each.devices:
            if one.driver == driver and one.name == device:
                return set(one.attributes)
    raise AssertionError(device)


@pytest.mark.parametrize(
    ("nvidia", "has", "lacks"),
    [
        ("25.3.2", {"gpu.nvidia.com/index", "gpu.nvidia.com/minor"}, {"resource.kubernetes.io/pcieRoot"}),
        ("25.8.0", {"resource.kubernetes.io/pcieRoot", "gpu.nvidia.com/pcieBusID"}, {"gpu.nvidia.com/index"}),
        ("0.4.1", {"resource.kubernetes.io/pciBusID"}, {"gpu.nvidia.com/index", "resource.kubernetes.io/numaNode"}),
        ("0.5.0", {"resource.kubernetes.io/pciBusID"}, {"gpu.nvidia.com/minor"}),
    ],
)
def test_gpu_attributes_by_version(nvidia: str, has: set[str], lacks: set[str]) -> None:
    """Versions count by date: 0.4.0 came after 25.12."""
    found = keys(Target(nvidia=nvidia), "gpu.nvidia.com", "gpu-0")
    assert has <= found
    assert not lacks & found


def test_nic_attributes() -> None:
    """DraNet publishes pcieRoot and its own names, no standard bus id, and numaNode only after 1.4.0."""
    found = keys(Target(), "dra.net", "rail-0")
    assert {"dra.net/ifName", "dra.net/rdma", "dra.net/pciAddress", "resource.kubernetes.io/pcieRoot"} <= found
    assert not {"resource.kubernetes.io/pciBusID", "resource.kubernetes.io/numaNode"} & found
    new = Target(kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")
    assert "resource.kubernetes.io/numaNode" in keys(new, "dra.net", "rail-0")


@pytest.mark.parametrize(
    ("fact", "least", "before"),
    [
        ("has_pcie_root", {"nvidia": "25.8.0"}, {"nvidia": "25.7.9"}),
        ("has_pcie_root", {"dranet": "1.0.1"}, {"dranet": "1.0.0"}),
        ("has_pcie_root", {"dranet": "1.1.0"}, {"dranet": "0.9.9"}),
        ("has_numa_node", {"kubernetes": (1, 37)}, {"kubernetes": (1, 36)}),
        ("has_numa_node", {"nvidia": "0.5.0"}, {"nvidia": "0.4.1"}),
        ("has_numa_node", {"dranet": "1.4.1"}, {"dranet": "1.4.0"}),
    ],
)
def test_floors(fact: str, least: dict[str, Any], before: dict[str, Any]) -> None:
    """The first version that has it, and the last that has not; all else is new enough."""
    new: dict[str, Any] = {"kubernetes": (1, 37), "dranet": "1.5.0", "nvidia": "0.5.0"}

    assert getattr(Target(**{**new, **least}), fact)
    assert not getattr(Target(**{**new, **before}), fact)


def test_each_driver_of_a_node_has_a_slice() -> None:
    """Of its own name: the API server keeps one object a name, and a scheduler would see one driver's devices."""
    made = [each.manifest() for node in ("a", "b") for each in resource_slices(A4, Target(), node)]

    assert len({each["metadata"]["name"] for each in made}) == len(made) == 4
    assert {(each["spec"]["nodeName"], each["spec"]["driver"]) for each in made} == {
        (node, driver) for node in ("a", "b") for driver in ("gpu.nvidia.com", "dra.net")
    }


def test_other_interfaces_are_there() -> None:
    """What a claim must not take: eth0 and the gVNIC on GKE, an RDMA-capable front end on Azure, none behind EFA's
    filter."""
    gke = [d for each in resource_slices(A4, Target()) for d in each.devices if d.name.startswith("eth")]
    assert [(d.name, d.attributes["dra.net/rdma"]) for d in gke] == [("eth0", False), ("eth1", False)]
    azure = next(each for each in resource_slices(H100_V5, Target()) if each.driver == "dra.net")
    assert not any("resource.kubernetes.io/pcieRoot" in device.attributes for device in azure.devices)
    aks = [d for each in resource_slices(H100_V5, Target()) for d in each.devices if d.name.startswith("eth")]
    assert [(d.name, d.attributes["dra.net/rdma"]) for d in aks] == [("eth0", True)]
    efa = resource_slices(P4D, Target(AWS_DRANET))[1]
    assert {d.attributes["dra.net/pciDevice"] for d in efa.devices} == {"Elastic Fabric Adapter (EFA)"}
    assert all("dra.net/ifName" not in d.attributes for d in efa.devices)


def test_slices_are_valid_objects() -> None:
    """Limits of the API: 128 devices a slice, 32 attributes and capacities a device, strings up to 64."""
    for row in machines():
        for each in resource_slices(row, Target(kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")):
            spec = each.manifest()["spec"]
            assert 0 < len(spec["devices"]) <= 128
            assert len({device["name"] for device in spec["devices"]}) == len(spec["devices"])
            for device in spec["devices"]:
                assert len(device["attributes"]) + len(device.get("capacity", {})) <= 32
                assert all(len(value.get("string", "")) <= 64 for value in device["attributes"].values())
                assert all(len(value) == 1 for value in device["attributes"].values())


def test_device_plugin_publishes_no_gpu() -> None:
    """Its GPUs are an extended resource, not devices."""
    assert [each.driver for each in resource_slices(A4, Target(gpus=GpuAllocation.DEVICE_PLUGIN))] == ["dra.net"]


def test_own_class() -> None:
    """We make a DeviceClass where the driver ships none."""
    own = Target().own_class
    assert own is not None
    assert own == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "dranet"},
        "spec": {"selectors": [{"cel": {"expression": 'device.driver == "dra.net"'}}]},
    }
    assert Target(AWS_DRANET).own_class is None
    assert Target(NIC_DRIVERS["gke-managed"]).own_class is None


def test_words_of_the_command() -> None:
    """The short forms that a user types."""
    assert kubernetes_minor("1.35") == kubernetes_minor("v1.35.2-gke.100") == (1, 35)
    assert Groups.parse("1x4") == Groups(1, 1, 4)
    assert [driver_of(machine) for machine in (P4D, A4)] == [AWS_DRANET, DRANET]
    for text in ("0x4", "1X4", "4", "1x4x1", ""):
        with pytest.raises(ValueError, match="such as 1x4"):
            Groups.parse(text)
    with pytest.raises(ValueError, match=r"such as 1\.35"):
        kubernetes_minor("latest")


def test_imports_stay_left_of_the_wall() -> None:
    """No Pulumi, and the CEL library only at the first expression."""
    code = (
        "import sys, rdma_cluster.claims; "
        "print([m for m in sys.modules if m.split('.')[0] in ('pulumi', 'cel_expr_python', 'google')])"
    )
    path = str(Path(__file__).parents[2] / "components")
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": path}
    )
    assert shown.stdout.strip() == "[]"
