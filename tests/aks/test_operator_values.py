"""Values of NVIDIA's two operators, whole: they follow from who drives, who hands out, and further taints."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.drivers import (
    AksDriverOptions,
    AksDrivers,
    AksGpuDriver,
    AksRdmaDriver,
    AksRdmaResource,
    plan_drivers,
)
from rdma_cluster.aks.plan.operator_values import gpu_operator_values, network_operator_values, nic_policy, node_rule
from rdma_cluster.aks.plan.operators import AksOperatorsArgs, OperatorsPlan, plan_operators
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import images
from rdma_cluster.catalog.artifact import Image
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.incluster.plan.pool import NodeSet
from tests.aks.plans import refused, row

H100, A100 = row("Standard_ND96isr_H100_v5"), row("Standard_ND96asr_v4")
NODES = NodeSet(label="kubernetes.azure.com/agentpool", values=["b", "a"], nodes=3)
DRA, PLUGIN = GpuAllocation.DRA, GpuAllocation.DEVICE_PLUGIN
SPOT = [{"key": "spot", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}]
OFF = {"enabled": False}


def drivers(allocation: GpuAllocation = PLUGIN, **choice: Any) -> AksDrivers:
    """The drivers of a choice that is allowed."""
    errors = ErrorList()
    given: AksDriverOptions = {**choice}
    found = plan_drivers(given, [allocation], errors)
    assert errors.found() == []
    return found


def pieces(image: Image, version: str = "version") -> dict[str, str]:
    """An image's reference in three."""
    place, _, tag = image.image.partition("@")[0].rpartition(":")
    repository, _, name = place.rpartition("/")
    return {"repository": repository, "image": name, version: tag}


def test_gpu_operator_that_does_all():
    """Driver, toolkit and device plugin; the Network Operator brings NFD."""
    values = gpu_operator_values(drivers(), [], {})
    operator, plugin = pieces(images.GPU_OPERATOR), pieces(images.NVIDIA_DEVICE_PLUGIN)

    assert values == {
        "nfd": OFF,
        "operator": {**operator, "runtimeClass": "nvidia"},
        "validator": operator,
        "driver": {
            **pieces(images.GPU_DRIVER),
            "enabled": True,
            "rdma": {"enabled": True, "useHostMofed": False},
            "upgradePolicy": {"autoUpgrade": False},
            "manager": pieces(images.GPU_DRIVER_MANAGER),
        },
        "toolkit": {
            **pieces(images.CONTAINER_TOOLKIT),
            "enabled": True,
            "env": [
                {"name": "RUNTIME_CONFIG_SOURCE", "value": "file"},
                {"name": "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED", "value": "false"},
                {"name": "ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS", "value": "true"},
            ],
        },
        "devicePlugin": {**plugin, "enabled": True},
        "gfd": plugin,
        "dcgmExporter": pieces(images.DCGM_EXPORTER),
        "daemonsets": {"rollingUpdate": {"maxUnavailable": "25%"}},
        **dict.fromkeys(
            (
                "ccManager",
                "kataSandboxDevicePlugin",
                "migManager",
                "sandboxDevicePlugin",
                "vfioManager",
                "vgpuDeviceManager",
            ),
            OFF,
        ),
    }


def test_gpu_operator_beside_claims():
    """Neither device plugin nor peermem; its own NFD; who claims a GPU leaves before a driver is exchanged."""
    values = gpu_operator_values(drivers(DRA), [], {})

    assert (values["devicePlugin"], values["nfd"]) == (OFF, {"enabled": True})
    assert values["driver"]["rdma"] == {"enabled": False, "useHostMofed": False}
    assert values["driver"]["manager"] == {
        **pieces(images.GPU_DRIVER_MANAGER),
        "env": [{"name": "NODE_LABEL_FOR_GPU_POD_EVICTION", "value": "nvidia.com/dra-kubelet-plugin"}],
    }
    nfd = pieces(images.NFD)
    assert values["node-feature-discovery"] == {
        "image": {"repository": f"{nfd['repository']}/{nfd['image']}", "tag": nfd["version"]}
    }


def test_gpu_operator_beside_akss_driver():
    """The node image's runtime class, and nothing that the image brings."""
    values = gpu_operator_values(drivers(gpu_driver=AksGpuDriver.AKS), [], {})

    assert (values["driver"], values["toolkit"]) == (OFF, OFF)
    assert values["operator"]["runtimeClass"] == "nvidia-container-runtime"
    assert values["devicePlugin"]["enabled"] is True


def test_further_taints_are_tolerated():
    """Beside the GPU taint, by the operator's daemons and by NFD's worker; without any nothing is said."""
    values = gpu_operator_values(drivers(DRA), SPOT, {})
    gpu = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}

    assert values["daemonsets"]["tolerations"] == [gpu, *SPOT]
    assert values["node-feature-discovery"]["worker"]["tolerations"] == [gpu, *SPOT]
    assert "tolerations" not in gpu_operator_values(drivers(DRA), [], {})["daemonsets"]
    network = network_operator_values(SPOT, {})["node-feature-discovery"]
    assert network["worker"]["tolerations"] == [gpu, *SPOT]


def test_network_operator():
    """Its own rule is off, and so is the webhook that would refuse a resource without a dot."""
    nfd = pieces(images.NETWORK_OPERATOR_NFD)

    assert network_operator_values([], {}) == {
        "nfd": {"enabled": True, "deployNodeFeatureRules": False},
        "operator": {
            **pieces(images.NETWORK_OPERATOR, version="tag"),
            "admissionController": OFF,
            "ofedDriver": {"initContainer": pieces(images.NETWORK_OPERATOR_INIT)},
        },
        "node-feature-discovery": {
            "image": {"repository": f"{nfd['repository']}/{nfd['image']}", "tag": nfd["version"]}
        },
    }


def test_rule_of_infiniband_nodes():
    """By vendor and by class: no Ethernet function has it."""
    assert node_rule() == {
        "rules": [
            {
                "name": "InfiniBand",
                "labels": {"feature.node.kubernetes.io/pci-15b3.present": "true"},
                "matchFeatures": [
                    {
                        "feature": "pci.device",
                        "matchExpressions": {
                            "vendor": {"op": "In", "value": ["15b3"]},
                            "class": {"op": "In", "value": ["0207"]},
                        },
                    }
                ],
            }
        ]
    }


def policy(tolerated: list[dict[str, str]] | None = None, **choice: Any) -> dict[str, Any]:
    """What the Network Operator does for two sizes."""
    return nic_policy(drivers(**choice), [H100, A100, H100], NODES, tolerated or [], {})


def test_policy_of_the_network_operator():
    """NVIDIA's driver and a device plugin on InfiniBand nodes of these pools; nothing is drained for a driver."""
    spec = policy()
    config = spec["sriovDevicePlugin"].pop("config")

    assert spec == {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [
                            {
                                "key": "feature.node.kubernetes.io/pci-15b3.present",
                                "operator": "In",
                                "values": ["true"],
                            },
                            {"key": "kubernetes.azure.com/agentpool", "operator": "In", "values": ["b", "a"]},
                        ]
                    }
                ]
            }
        },
        "ofedDriver": {
            **pieces(images.DOCA_DRIVER),
            "forcePrecompiled": False,
            "env": [
                {"name": "OFED_BLACKLIST_MODULES_FILE", "value": "/host/etc/modprobe.d/blacklist-ofed-modules.conf"}
            ],
            "upgradePolicy": {"autoUpgrade": False},
            "startupProbe": {"initialDelaySeconds": 10, "periodSeconds": 20},
            "livenessProbe": {"initialDelaySeconds": 30, "periodSeconds": 30},
            "readinessProbe": {"initialDelaySeconds": 10, "periodSeconds": 30},
        },
        "sriovDevicePlugin": pieces(images.SRIOV_DEVICE_PLUGIN),
    }
    assert json.loads(config) == {
        "resourceList": [
            {
                "resourceName": "ib",
                "resourcePrefix": "rdma",
                "selectors": {"vendors": ["15b3"], "linkTypes": ["infiniband"], "isRdma": True},
            }
        ]
    }
    assert policy(SPOT)["tolerations"] == SPOT


@pytest.mark.parametrize(
    ("resource", "name"),
    [(AksRdmaResource.SHARED_IB, "shared_ib"), (AksRdmaResource.HCA_SHARED, "hca_shared_devices_a")],
)
@pytest.mark.parametrize("rdma", AksRdmaDriver)
def test_shared_devices(rdma: AksRdmaDriver, resource: AksRdmaResource, name: str):
    """63 pods of a node; by link where NVIDIA's driver makes interfaces, else by the ids of both sizes, each once."""
    spec = policy(rdma_driver=rdma, rdma_resource=resource)
    plugin = spec["rdmaSharedDevicePlugin"]
    by = {"linkTypes": ["infiniband"]} if rdma is AksRdmaDriver.DOCA else {"deviceIDs": ["101c", "101e"]}

    assert json.loads(plugin.pop("config")) == {
        "configList": [
            {"resourceName": name, "resourcePrefix": "rdma", "rdmaHcaMax": 63, "selectors": {"vendors": ["15b3"], **by}}
        ]
    }
    assert plugin == pieces(images.RDMA_SHARED_DEVICE_PLUGIN)
    assert ("ofedDriver" in spec) is (rdma is AksRdmaDriver.DOCA)


def test_claims_need_no_plugin():
    """The driver alone."""
    spec = policy(allocation=DRA, rdma_driver=AksRdmaDriver.DOCA)

    assert spec.keys() == {"nodeAffinity", "ofedDriver"}


def test_images_come_from_mirrors():
    """Of every part of both operators."""
    mirrors = {"nvcr.io": "m.example/n", "registry.k8s.io": "m.example/k", "ghcr.io": "m.example/g"}
    own = [
        *(gpu_operator_values(drivers(of), SPOT, mirrors) for of in GpuAllocation),
        network_operator_values(SPOT, mirrors),
        nic_policy(drivers(), [H100], NODES, SPOT, mirrors),
        nic_policy(drivers(rdma_resource=AksRdmaResource.SHARED_IB), [H100], NODES, SPOT, mirrors),
    ]
    repositories = [each for values in own for each in _repositories(values)]

    assert len(repositories) > 15 and [each for each in repositories if not each.startswith("m.example/")] == []


def _repositories(values: Any) -> list[str]:
    """Every repository that values name."""
    if isinstance(values, dict):
        return [found for key, of in values.items() for found in ([of] if key == "repository" else _repositories(of))]
    return [found for each in values for found in _repositories(each)] if isinstance(values, list) else []


def operators(**more: Any) -> OperatorsPlan:
    """The operators of a program of one's own."""
    base = {"machines": [H100.name, A100.name], "nodes": {"label": "l", "values": ["a"], "nodes": 3}}
    return plan_from(AksOperatorsArgs, plan_operators, {**base, **more})


def test_operators_alone():
    """By claims unless told otherwise: the GPU Operator has the driver, and the Network Operator no work."""
    usual, plugged = operators(), operators(gpu_allocation="device-plugin", spot=True, rdma_driver="inbox")
    none = operators(gpu_driver="aks")

    assert usual.gpu is not None and (usual.network, usual.policy) == (None, {})
    assert plugged.gpu is not None and plugged.network is not None
    assert (usual.gpu.namespace, plugged.network.namespace) == ("gpu-operator", "network-operator")
    (tolerated,) = plugged.policy["tolerations"]
    assert (tolerated["key"], tolerated["value"]) == ("kubernetes.azure.com/scalesetpriority", "spot")
    assert json.loads(plugged.policy["sriovDevicePlugin"]["config"])["resourceList"][0]["selectors"]["devices"] == [
        "101c",
        "101e",
    ]
    assert not none and usual and operators(gpu_driver="aks", memory_lock="node")
    assert "tolerations" not in operators(gpu_allocation="device-plugin", spot=False).policy


def test_operators_are_waited_for_by_the_node():
    """NFD rolls one node after the other."""
    few, many = operators(), operators(nodes={"label": "l", "values": ["a"], "nodes": 300})

    assert few.gpu is not None and many.gpu is not None and few.gpu.timeout_seconds < many.gpu.timeout_seconds


@pytest.mark.parametrize(
    ("more", "places"),
    [
        ({"machines": ["x", H100.name]}, ["machines[0]"]),
        ({"nodes": {"label": "l", "values": [], "nodes": 0}}, ["nodes.values"]),
        ({"rdma_resource": "rdma/ib"}, ["rdma_resource"]),
        ({"rdma_resource": "rdma/ib", "gpu_allocation": "device-plugin"}, []),
        ({"nic": "managed"}, ["nic"]),
    ],
)
def test_what_is_refused(more: dict[str, Any], places: list[str]):
    """Sizes that there are not, no nodes, and what pods never ask for."""
    assert [each.partition(": ")[0] for each in refused(operators, **more)] == places
