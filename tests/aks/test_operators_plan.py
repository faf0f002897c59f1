"""What NVIDIA's operators are told: each thing has one owner."""

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
    plan_drivers,
)
from rdma_cluster.aks.plan.operator_values import NIC_LABEL, node_rule
from rdma_cluster.aks.plan.operators import OperatorsPlan, plan_operators_from_drivers
from rdma_cluster.catalog import charts, images
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from rdma_cluster.incluster.plan.pool import NodeSet
from tests.aks.plans import pool, row, stack_plan

H100, A100 = row("Standard_ND96isr_H100_v5"), row("Standard_ND96asr_v4")
NODES = NodeSet(label="kubernetes.azure.com/agentpool", values=["h100"], nodes=2)
EVERY = list(product(AksGpuDriver, AksRdmaDriver, GpuAllocation))


def told(
    allocation: GpuAllocation = GpuAllocation.DEVICE_PLUGIN, **choice: Unpack[AksDriverOptions]
) -> tuple[AksDrivers, OperatorsPlan]:
    """Drivers and operators of a choice."""
    drivers = plan_drivers(choice, [allocation], ErrorList())
    return drivers, plan_operators_from_drivers(drivers, [H100, A100], NODES, {}, {})


@pytest.mark.parametrize(("gpu", "rdma", "allocation"), EVERY)
def test_each_thing_has_one_owner(gpu: AksGpuDriver, rdma: AksRdmaDriver, allocation: GpuAllocation):
    """GPU driver: pool or operator. NFD: one operator. GPUs: device plugin or DRA driver. NICs: one plugin or none."""
    drivers, plan = told(allocation, gpu_driver=gpu, rdma_driver=rdma)
    plugged = allocation is GpuAllocation.DEVICE_PLUGIN
    values = plan.gpu.values if plan.gpu else {}

    assert (drivers.gpu_driver.in_pool == "Install") is not values.get("driver", {}).get("enabled", False)
    nfd = [each.values["nfd"]["enabled"] for each in (plan.gpu, plan.network) if each]
    assert nfd.count(True) == min(1, len(nfd))
    assert values.get("devicePlugin", {}).get("enabled", False) is plugged
    assert ("ofedDriver" in plan.policy) is (rdma is AksRdmaDriver.DOCA)
    assert len({"sriovDevicePlugin", "rdmaSharedDevicePlugin"} & plan.policy.keys()) == plugged


def test_pool_and_operator_agree():
    """Both halves of each tuple: driver, toolkit, runtime class, and where the DRA driver finds the driver."""
    drivers, plan = told(gpu_driver=AksGpuDriver.OPERATOR)
    assert plan.gpu is not None
    assert (drivers.gpu_driver.in_pool, plan.gpu.values["driver"]["enabled"]) == ("None", True)
    assert (plan.gpu.values["toolkit"]["enabled"], plan.gpu.values["operator"]["runtimeClass"]) == (True, "nvidia")
    assert drivers.host == "ubuntu-operator"

    drivers, plan = told(gpu_driver=AksGpuDriver.AKS)
    assert plan.gpu is not None
    assert (drivers.gpu_driver.in_pool, plan.gpu.values["driver"]["enabled"]) == ("Install", False)
    assert plan.gpu.values["toolkit"]["enabled"] is False
    assert plan.gpu.values["operator"]["runtimeClass"] == "nvidia-container-runtime"
    assert drivers.host == "ubuntu-aks"


def test_toolkit_does_not_end_containerd():
    """It reads the file, and asks no running containerd."""
    _, plan = told()
    assert plan.gpu is not None
    env = {each["name"]: each["value"] for each in plan.gpu.values["toolkit"]["env"]}

    assert env["RUNTIME_CONFIG_SOURCE"] == "file"


@pytest.mark.parametrize(("gpu", "rdma", "allocation"), EVERY)
def test_peermem_is_built_where_it_can_be(gpu: AksGpuDriver, rdma: AksRdmaDriver, allocation: GpuAllocation):
    """Beside NVIDIA's own InfiniBand driver, out of the operator's container; never the host's."""
    _, plan = told(allocation, gpu_driver=gpu, rdma_driver=rdma)
    wanted = gpu is AksGpuDriver.OPERATOR and rdma is AksRdmaDriver.DOCA

    built = plan.gpu.values["driver"].get("rdma") if plan.gpu is not None else None
    if gpu is AksGpuDriver.OPERATOR:
        assert built == {"enabled": wanted, "useHostMofed": False}
    else:
        assert built is None


def test_nothing_is_installed_without_work():
    """AKS's driver, claims and the kernel's InfiniBand driver: neither operator."""
    _, plan = told(GpuAllocation.DRA, gpu_driver=AksGpuDriver.AKS)

    assert not plan
    assert told(GpuAllocation.DRA, gpu_driver=AksGpuDriver.AKS, memory_lock=AksMemoryLock.NODE)[1].gpu is None


def test_driver_goes_to_infiniband_nodes_alone():
    """Neither by the operator's own rule, nor by ours, is an Ethernet function a reason."""
    _, plan = told()
    (rule,) = node_rule()["rules"]
    (term,) = plan.policy["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert plan.network is not None
    assert plan.network.values["nfd"]["deployNodeFeatureRules"] is False
    assert rule["labels"] == {NIC_LABEL: "true"}
    assert rule["matchFeatures"][0]["matchExpressions"]["class"] == {"op": "In", "value": ["0207"]}
    assert {each["key"]: each["values"] for each in term["matchExpressions"]} == {
        NIC_LABEL: ["true"],
        "kubernetes.azure.com/agentpool": ["h100"],
    }


def test_no_job_is_drained_for_a_driver():
    """Upgrades wait for whoever rolls the nodes."""
    _, plan = told()
    assert plan.gpu is not None

    assert plan.policy["ofedDriver"]["upgradePolicy"] == {"autoUpgrade": False}
    assert plan.gpu.values["driver"]["upgradePolicy"] == {"autoUpgrade": False}


@pytest.mark.parametrize(
    ("resource", "plugin", "row"),
    [
        ("rdma/ib", "sriovDevicePlugin", {"resourceName": "ib", "resourcePrefix": "rdma"}),
        ("rdma/shared_ib", "rdmaSharedDevicePlugin", {"resourceName": "shared_ib", "rdmaHcaMax": 63}),
        ("rdma/hca_shared_devices_a", "rdmaSharedDevicePlugin", {"resourceName": "hca_shared_devices_a"}),
    ],
)
def test_resource_is_what_pods_ask_for(resource: str, plugin: str, row: dict[str, Any]):
    """One constant feeds the plugin and the workload; InfiniBand alone is handed out."""
    drivers, plan = told(rdma_resource=AksRdmaResource(resource))
    config = plan.policy[plugin]["config"]
    (only,) = next(iter(json.loads(config).values()))

    assert only.items() >= row.items()
    assert only["selectors"].items() >= {"vendors": ["15b3"], "linkTypes": ["infiniband"]}.items()
    assert getattr(drivers.fabric.nic_attachment, "resource", "") == resource
    # The operator's template puts it between single quotes.
    assert "'" not in config


def test_inbox_driver_is_known_by_id():
    """Without NVIDIA's driver there is no network interface whose kind could be asked."""
    _, plan = told(rdma_driver=AksRdmaDriver.INBOX)
    _, shared = told(rdma_driver=AksRdmaDriver.INBOX, rdma_resource=AksRdmaResource.SHARED_IB)

    (exclusive,) = json.loads(plan.policy["sriovDevicePlugin"]["config"])["resourceList"]
    (common,) = json.loads(shared.policy["rdmaSharedDevicePlugin"]["config"])["configList"]
    assert exclusive["selectors"]["devices"] == ["101c", "101e"]
    assert common["selectors"] == {"vendors": ["15b3"], "deviceIDs": ["101c", "101e"]}


def test_managed_dranet_is_refused_with_the_reason():
    """The SDK's API version does not have it."""
    errors = ErrorList()
    plan_drivers({"nic": ManagedBy.MANAGED}, [GpuAllocation.DRA], errors)

    (error,) = errors.found()
    assert error.path == ("nic",) and "2026-08-01" in error.reason


@pytest.mark.parametrize("drivers", [{"rdma_driver": "doca"}, {"gpu_driver": "aks"}])
def test_other_drivers_are_proved_anew(drivers: dict[str, Any]):
    """By claims, too, whose fabric names neither of them."""

    def job(**args: Any) -> str:
        (test,) = stack_plan(pool(), acceptance={}, **args).in_cluster.acceptance.plan.tests
        return test.job["metadata"]["name"]

    assert job() != job(drivers=drivers)
    assert job(drivers=drivers) == job(drivers=drivers)


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
