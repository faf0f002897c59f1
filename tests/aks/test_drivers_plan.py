"""Who brings which driver to AKS nodes: what a choice leaves open, and what follows from it."""

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.drivers import (
    AksDriverOptions,
    AksDrivers,
    AksGpuDriver,
    AksMemoryLock,
    AksRdmaDriver,
    AksRdmaResource,
    driver_warnings,
    plan_drivers,
)
from rdma_cluster.aks.plan.operators import OperatorsPlan, plan_operators_from_drivers
from rdma_cluster.catalog.images import DOCA_DRIVER, GPU_DRIVER, JUDGE_PYTHON, PAUSE
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.incluster.plan.dra_drivers import InstalledBy, ManagedBy
from rdma_cluster.incluster.plan.pool import NodeSet
from tests.aks.plans import row

H100 = row("Standard_ND96isr_H100_v5")
DRA, PLUGIN = GpuAllocation.DRA, GpuAllocation.DEVICE_PLUGIN
NODES = NodeSet(label="kubernetes.azure.com/agentpool", values=["h100"], nodes=2)
DETECTOR = "node problem detector checks neither"
OPEN = "which wants NVIDIA's open kernel modules"


def planned(choice: AksDriverOptions, *allocations: GpuAllocation) -> AksDrivers:
    """The drivers of a choice that is allowed."""
    errors = ErrorList()
    drivers = plan_drivers(choice, allocations, errors)
    assert errors.found() == []
    return drivers


@pytest.mark.parametrize(
    ("allocations", "rdma", "fabric", "plugged"),
    [
        ((DRA,), AksRdmaDriver.INBOX, "infiniband", False),
        ((PLUGIN,), AksRdmaDriver.DOCA, "infiniband-rdma-ib", True),
        # Pools that differ are refused elsewhere, and so is a stack without any.
        ((PLUGIN, DRA), AksRdmaDriver.DOCA, "infiniband-rdma-ib", True),
        ((), AksRdmaDriver.INBOX, "infiniband", False),
    ],
)
def test_what_is_left_open(allocations: tuple[GpuAllocation, ...], rdma: AksRdmaDriver, fabric: str, plugged: bool):
    """Device plugins go with NVIDIA's InfiniBand driver, claims with the kernel's; the GPU driver is the operator's."""
    drivers = planned({}, *allocations)

    assert (drivers.rdma_driver, drivers.gpu_driver, drivers.memory_lock) == (
        rdma,
        AksGpuDriver.OPERATOR,
        AksMemoryLock.ROOT,
    )
    assert (drivers.fabric.name, drivers.plugged, drivers.dra) == (fabric, plugged, {})


@pytest.mark.parametrize(
    ("gpu", "rdma", "allocation", "gpu_operator", "network_operator", "peermem", "seconds", "host"),
    [
        ("operator", "doca", PLUGIN, True, True, True, 1200, "ubuntu-operator"),
        ("operator", "inbox", PLUGIN, True, True, False, 1200, "ubuntu-operator"),
        ("operator", "doca", DRA, True, True, True, 1200, "ubuntu-operator"),
        ("operator", "inbox", DRA, True, False, False, 1200, "ubuntu-operator"),
        ("aks", "doca", PLUGIN, True, True, False, 0, "ubuntu-aks"),
        ("aks", "inbox", PLUGIN, True, True, False, 0, "ubuntu-aks"),
        ("aks", "doca", DRA, False, True, False, 0, "ubuntu-aks"),
        ("aks", "inbox", DRA, False, False, False, 0, "ubuntu-aks"),
    ],
)
def test_what_follows(
    gpu: str,
    rdma: str,
    allocation: GpuAllocation,
    gpu_operator: bool,
    network_operator: bool,
    peermem: bool,
    seconds: int,
    host: str,
):  # fmt: skip
    """Each operator is there for its driver or its device plugin; peermem is built against both of NVIDIA's drivers."""
    drivers = planned({"gpu_driver": AksGpuDriver(gpu), "rdma_driver": AksRdmaDriver(rdma)}, allocation)

    assert (drivers.gpu_operator, drivers.network_operator) == (gpu_operator, network_operator)
    assert (drivers.peermem, drivers.seconds, drivers.host) == (peermem, seconds, host)
    assert drivers.on_nodes == (
        GPU_DRIVER.image if gpu == "operator" else "the node image's",
        DOCA_DRIVER.image if rdma == "doca" else "the kernel's",
    )
    assert drivers.gpu_driver.in_pool == ("None" if gpu == "operator" else "Install")


def test_what_else_is_carried_through():
    """DRA drivers, the lock of memory, and switches that reduce."""
    drivers = planned({"gpu": InstalledBy.EXISTING, "nic": ManagedBy.INSTALLED}, DRA)
    assert drivers.dra == {"gpu": InstalledBy.EXISTING, "nic": ManagedBy.INSTALLED}

    usual, tuned = planned({}, DRA), planned({"sharp": True, "memory_lock": AksMemoryLock.NODE}, DRA)
    assert tuned.memory_lock is AksMemoryLock.NODE
    root, node = (drivers.fabric.pod_patch_on(H100) for drivers in (usual, tuned))
    assert ("NCCL_COLLNET_ENABLE" in root.env, "NCCL_COLLNET_ENABLE" in node.env) == (False, True)
    assert ("IPC_LOCK" in root.capabilities, "IPC_LOCK" in node.capabilities) == (True, False)


@pytest.mark.parametrize(
    ("choice", "allocation", "places"),
    [
        ({"rdma_resource": AksRdmaResource.SHARED_IB}, PLUGIN, []),
        ({"rdma_resource": AksRdmaResource.SHARED_IB}, DRA, [("rdma_resource",)]),
        ({"nic": ManagedBy.MANAGED}, DRA, [("nic",)]),
        ({"nic": ManagedBy.EXISTING}, DRA, []),
    ],
)
def test_what_is_refused(choice: AksDriverOptions, allocation: GpuAllocation, places: list[tuple[str, ...]]):
    """A resource that nobody asks for, and what the SDK cannot ask AKS for."""
    errors = ErrorList()
    drivers = plan_drivers(choice, [allocation], errors)

    assert [error.path for error in errors.found()] == places
    assert drivers.dra.get("nic") in (None, ManagedBy.EXISTING)


@pytest.mark.parametrize(
    ("gpu", "rdma", "allocation", "words"),
    [
        ("operator", "doca", PLUGIN, [DETECTOR]),
        ("operator", "inbox", DRA, [f"DMA-BUF, {OPEN}", DETECTOR]),
        ("operator", "inbox", PLUGIN, [f"DMA-BUF, {OPEN}", "picks NICs by PCI id", DETECTOR]),
        ("aks", "inbox", DRA, [f"{OPEN}, the default of the installer that AKS runs", "NVIDIA_VISIBLE_DEVICES=all"]),
        ("aks", "doca", DRA, ["nvidia-peermem of AKS's driver", "NVIDIA_VISIBLE_DEVICES=all"]),
    ],
)
def test_warnings(gpu: str, rdma: str, allocation: GpuAllocation, words: list[str]):
    """What each driver gives up, in one order, and nothing of the others."""
    drivers = planned({"gpu_driver": AksGpuDriver(gpu), "rdma_driver": AksRdmaDriver(rdma)}, allocation)
    warnings = driver_warnings(drivers)

    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))
    assert gpu == "aks" or not any("the installer that AKS runs" in each for each in warnings)


def operators(choice: AksDriverOptions, registries: dict[str, str] | None = None) -> OperatorsPlan:
    """What the operators of a choice install, by device plugins."""
    return plan_operators_from_drivers(planned(choice, PLUGIN), [H100], NODES, {}, registries or {})


def test_limits_are_lifted_where_they_are_asked_for():
    """By images that a mirror may hold."""
    lock = operators({"memory_lock": AksMemoryLock.NODE}).memory_lock
    registry = PAUSE.image.partition("/")[0]
    mirrored = operators({"memory_lock": AksMemoryLock.NODE}, {registry: "mirror.example/q"}).memory_lock

    assert operators({}).memory_lock is None
    assert lock is not None and (lock.installer, lock.pause) == (JUDGE_PYTHON.image, PAUSE.image)
    assert mirrored is not None and mirrored.pause == PAUSE.image.replace(registry, "mirror.example/q")
