"""Who brings which driver to AKS nodes, and what NVIDIA's operators do: each thing has one owner."""

import json
from itertools import product
from typing import Any, Unpack

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
from rdma_cluster.aks.plan.operators import AksOperatorsArgs, OperatorsPlan, plan_operators, plan_operators_from_drivers
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import charts, images
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.incluster.plan.pool import NodeSet
from tests.aks.plans import places, row

H100, A100 = row("Standard_ND96isr_H100_v5"), row("Standard_ND96asr_v4")
NODES = NodeSet(label="kubernetes.azure.com/agentpool", values=["h100"], nodes=2)
DRA, PLUGIN = GpuAllocation.DRA, GpuAllocation.DEVICE_PLUGIN
EVERY = list(product(AksGpuDriver, AksRdmaDriver, GpuAllocation))
GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
SPOT = "kubernetes.azure.com/scalesetpriority"


def chosen(
    allocation: GpuAllocation = PLUGIN, taints: Any = None, registries: Any = None, **choice: Unpack[AksDriverOptions]
) -> tuple[AksDrivers, OperatorsPlan]:
    """The drivers and the operators of a choice that is allowed."""
    errors = ErrorList()
    drivers = plan_drivers(choice, [allocation], errors)
    assert errors.found() == []
    return drivers, plan_operators_from_drivers(drivers, [H100, A100, H100], NODES, taints or {}, registries or {})


def operators(**more: Any) -> OperatorsPlan:
    """The operators of a program of one's own."""
    base = {"machines": [H100.name, A100.name], "nodes": {"label": "l", "values": ["a"], "nodes": 3}}
    return plan_from(AksOperatorsArgs, plan_operators, {**base, **more})


def values_of(plan: OperatorsPlan) -> dict[str, Any]:
    """The values of the GPU Operator, which is installed."""
    assert plan.gpu is not None
    return plan.gpu.values


@pytest.mark.parametrize(("gpu", "rdma", "allocation"), EVERY)
def test_each_thing_has_one_owner(gpu: AksGpuDriver, rdma: AksRdmaDriver, allocation: GpuAllocation):
    """The pool or the operator has the driver, one operator has NFD, and a plugin or claims hand out devices."""
    drivers, plan = chosen(allocation, gpu_driver=gpu, rdma_driver=rdma)
    plugged = allocation is PLUGIN
    values = plan.gpu.values if plan.gpu else {}

    assert (drivers.gpu_driver.in_pool == "Install") is not values.get("driver", {}).get("enabled", False)
    nfd = [each.values["nfd"]["enabled"] for each in (plan.gpu, plan.network) if each]
    assert nfd.count(True) == min(1, len(nfd))
    assert values.get("devicePlugin", {}).get("enabled", False) is plugged
    assert plan.gpu is None or ("NODE_LABEL_FOR_GPU_POD_EVICTION" in str(values)) is not plugged
    assert ("ofedDriver" in plan.policy) is (rdma is AksRdmaDriver.DOCA)
    assert len({"sriovDevicePlugin", "rdmaSharedDevicePlugin"} & plan.policy.keys()) == plugged
    # Neither operator is there without work.
    assert (plan.gpu is None, plan.network is None) == (
        gpu is AksGpuDriver.AKS and not plugged,
        rdma is AksRdmaDriver.INBOX and not plugged,
    )


@pytest.mark.parametrize(("allocation", "rdma"), [(DRA, AksRdmaDriver.INBOX), (PLUGIN, AksRdmaDriver.DOCA)])
def test_device_plugins_go_with_nvidias_driver_and_claims_with_the_kernels(
    allocation: GpuAllocation, rdma: AksRdmaDriver
):
    """The GPU driver is the operator's, and containers lock memory by a capability."""
    drivers, plan = chosen(allocation)

    assert (drivers.rdma_driver, drivers.gpu_driver) == (rdma, AksGpuDriver.OPERATOR)
    assert plan.memory_lock is None and "IPC_LOCK" in drivers.fabric.pod_patch_on(H100).capabilities


def test_the_toolkit_ends_no_containerd_and_gives_no_gpu_by_a_variable():
    """It reads containerd's file, and a pod that sets NVIDIA_VISIBLE_DEVICES gets only its own GPUs."""
    env = {each["name"]: each["value"] for each in values_of(chosen()[1])["toolkit"]["env"]}

    assert env["RUNTIME_CONFIG_SOURCE"] == "file"
    assert env["ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED"] == "false"


@pytest.mark.parametrize(("resource", "rdma"), list(product(AksRdmaResource, AksRdmaDriver)))
def test_the_resource_that_pods_ask_for_is_the_one_that_is_handed_out(resource: AksRdmaResource, rdma: AksRdmaDriver):
    """InfiniBand alone is: by its link, or by id where NVIDIA's driver makes no network interface."""
    drivers, plan = chosen(rdma_resource=resource, rdma_driver=rdma)
    exclusive = resource is AksRdmaResource.IB
    config = plan.policy["sriovDevicePlugin" if exclusive else "rdmaSharedDevicePlugin"]["config"]
    (only,) = next(iter(json.loads(config).values()))
    ids = {"devices" if exclusive else "deviceIDs": ["101c", "101e"]}

    assert f"{only['resourcePrefix']}/{only['resourceName']}" == resource.value
    assert getattr(drivers.fabric.nic_attachment, "resource", "") == resource.value
    by = {"linkTypes": ["infiniband"]} if rdma is AksRdmaDriver.DOCA else ids
    assert only["selectors"].items() >= {"vendors": ["15b3"], **by}.items()
    assert ("rdmaHcaMax" in only) is not exclusive
    assert only["selectors"].get("isRdma", False) is exclusive
    # The operator's template puts it between single quotes.
    assert "'" not in config


def test_further_taints_are_tolerated_beside_the_gpu_taint():
    """The operator's daemons and NFD's worker tolerate the GPU taint by themselves only where no other is named."""
    _, claimed = chosen(DRA, {SPOT: "spot"})
    _, plugged = chosen(PLUGIN, {SPOT: "spot"})
    assert plugged.network is not None
    (spot,) = plugged.policy["tolerations"]

    assert (spot["key"], spot["value"]) == (SPOT, "spot")
    for values in (values_of(claimed)["daemonsets"], values_of(claimed)["node-feature-discovery"]["worker"]):
        assert values["tolerations"] == [GPU_TAINT, spot]
    assert plugged.network.values["node-feature-discovery"]["worker"]["tolerations"] == [GPU_TAINT, spot]
    assert "tolerations" not in values_of(chosen(DRA)[1])["daemonsets"]
    assert operators(gpu_allocation="device-plugin", spot=True).policy["tolerations"] == [spot]
    assert "tolerations" not in operators(gpu_allocation="device-plugin").policy


def test_limits_of_locked_memory_are_lifted_where_that_is_asked_for():
    """A mirror may hold the images; pods then need no capability."""
    registry = images.PAUSE.image.partition("/")[0]
    drivers, plan = chosen(memory_lock=AksMemoryLock.NODE, registries={registry: "m.example/q"})
    lock = plan.memory_lock

    assert lock is not None and lock.pause == images.PAUSE.image.replace(registry, "m.example/q")
    assert lock.installer == images.JUDGE_PYTHON.image and lock.nodes == NODES
    assert "IPC_LOCK" not in drivers.fabric.pod_patch_on(H100).capabilities
    assert operators(gpu_driver="aks", memory_lock="node") and not operators(gpu_driver="aks")


def test_switches_reduce_where_that_is_asked_for():
    for sharp in (False, True):
        assert ("NCCL_COLLNET_ENABLE" in chosen(sharp=sharp)[0].fabric.pod_patch_on(H100).env) is sharp


def test_operators_are_waited_for_by_the_node():
    """NFD rolls one node after the other."""
    few, many = operators(), operators(nodes={"label": "l", "values": ["a"], "nodes": 300})

    assert few.gpu is not None and many.gpu is not None and few.gpu.timeout_seconds < many.gpu.timeout_seconds


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"machines": ["x", H100.name]}, ["machines[0]"]),
        ({"nodes": {"label": "l", "values": [], "nodes": 0}}, ["nodes.values"]),
        ({"rdma_resource": "rdma/ib"}, ["rdma_resource"]),
        ({"rdma_resource": "rdma/ib", "gpu_allocation": "device-plugin"}, []),
        ({"nic": "managed"}, ["nic"]),
        ({"nic": "existing"}, []),
    ],
)
def test_operators_without_machines_nodes_or_use_are_refused(more: dict[str, Any], found: list[str]):
    """Pods with claims ask for no resource, and the SDK cannot ask AKS for its own DraNet."""
    assert places(operators, **more) == found


OPEN = "NVIDIA's open kernel modules"
DETECTOR, ALL = "node problem detector", "NVIDIA_VISIBLE_DEVICES=all"


@pytest.mark.parametrize(
    ("gpu", "rdma", "allocation", "words"),
    [
        ("operator", "doca", PLUGIN, [DETECTOR]),
        ("operator", "inbox", DRA, [f"DMA-BUF, which wants {OPEN}", DETECTOR]),
        ("operator", "inbox", PLUGIN, [OPEN, "picks NICs by PCI id", DETECTOR]),
        ("aks", "inbox", DRA, [f"{OPEN}, the default of the installer that AKS runs", ALL]),
        ("aks", "doca", DRA, ["nvidia-peermem of AKS's driver", ALL]),
    ],
)
def test_what_a_driver_gives_up_is_warned_of(gpu: str, rdma: str, allocation: GpuAllocation, words: list[str]):
    """The warnings of other drivers are left out."""
    drivers, _ = chosen(allocation, gpu_driver=AksGpuDriver(gpu), rdma_driver=AksRdmaDriver(rdma))
    warnings = driver_warnings(drivers)

    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))


def test_parts_of_an_operator_are_of_one_release():
    """Coupled versions are raised together."""
    version = charts.NETWORK_OPERATOR.version
    parts = (
        images.NETWORK_OPERATOR_INIT,
        images.NETWORK_OPERATOR_NFD,
        images.RDMA_SHARED_DEVICE_PLUGIN,
        images.SRIOV_DEVICE_PLUGIN,
    )
    year, month, _ = version.split(".")

    assert {part.image.rpartition(":")[2] for part in parts} == {f"network-operator-v{version}"}
    assert images.NETWORK_OPERATOR.image.endswith(f":v{version}")
    assert f"-{year}.{int(month):02}-" in images.DOCA_DRIVER.image
    assert images.GPU_OPERATOR.image.endswith(f":{charts.GPU_OPERATOR.version}")
