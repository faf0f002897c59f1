"""Values of NVIDIA's two operators: the GPU Operator does what the pool's driver leaves to it, and nothing that another
part does; the Network Operator drives the InfiniBand NICs of the nodes that have them, and hands them out."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...catalog import images
from ...catalog.aks import AksMachine
from ...catalog.artifact import Image, in_parts, mirrored
from ...fabrics import ExtendedResource
from ...fabrics.rollout import GPU_TOLERATION, IN_WAVES, ROLL_AT_ONCE
from ...incluster.plan.pool import NodeSet
from .drivers import AksDrivers, AksGpuDriver, AksRdmaDriver

NIC_LABEL = "feature.node.kubernetes.io/pci-15b3.present"
"""The Network Operator's pods go to nodes with this label, and no other can be named."""
POLICY_KIND = ("mellanox.com/v1alpha1", "NicClusterPolicy")
RULE_KIND = ("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule")
POLICY = "nic-cluster-policy"
"""Name of the NicClusterPolicy: the operator looks at no other."""
SHARED_PODS = 63
"""Pods of a node that may share its NICs; Azure/aks-rdma-infiniband@700dabb rdma.yaml."""

_TOOLKIT = {
    # Else it asks containerd, and writes a configuration of a version that AKS's root file does not have: containerd
    # ends, and the nodes with it (NVIDIA/gpu-operator#2646, NVIDIA/aicr#1688).
    "RUNTIME_CONFIG_SOURCE": "file",
    # A pod that sets NVIDIA_VISIBLE_DEVICES=all itself gets only the GPUs that are allocated to it.
    "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED": "false",
    "ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS": "true",
}
_WITHOUT_WORK = (
    "ccManager",
    "kataSandboxDevicePlugin",
    "migManager",
    "sandboxDevicePlugin",
    "vfioManager",
    "vgpuDeviceManager",
)
_EVICTION_LABEL = {"name": "NODE_LABEL_FOR_GPU_POD_EVICTION", "value": "nvidia.com/dra-kubelet-plugin"}


def gpu_operator_values(
    drivers: AksDrivers, tolerated: list[dict[str, str]], registries: Mapping[str, str]
) -> dict[str, Any]:
    """Values of the GPU Operator's chart. Its pods tolerate the GPU taint by themselves."""
    by_operator = drivers.gpu_driver == AksGpuDriver.OPERATOR
    operator = _in_pieces(images.GPU_OPERATOR, registries)
    plugin = _in_pieces(images.NVIDIA_DEVICE_PLUGIN, registries)
    eviction = {} if drivers.plugged else {"env": [_EVICTION_LABEL]}
    tolerates = {"tolerations": [GPU_TOLERATION, *tolerated]} if tolerated else {}
    off = {"enabled": False}
    values: dict[str, Any] = {
        # One NFD a cluster: the Network Operator's, where that is installed.
        "nfd": {"enabled": not drivers.network_operator},
        # The node image's toolkit has registered its own runtime class where AKS installs the driver.
        "operator": {**operator, "runtimeClass": "nvidia" if by_operator else "nvidia-container-runtime"},
        "validator": operator,
        "driver": off,
        "toolkit": off,
        # GPUs have one owner: the device plugin here, or the DRA driver.
        "devicePlugin": {**plugin, "enabled": True} if drivers.plugged else off,
        "gfd": plugin,
        "dcgmExporter": _in_pieces(images.DCGM_EXPORTER, registries),
        "daemonsets": {"rollingUpdate": {"maxUnavailable": ROLL_AT_ONCE}, **tolerates},
        # Whole GPUs in containers need none of these.
        **dict.fromkeys(_WITHOUT_WORK, off),
    }
    if not drivers.network_operator:
        values["node-feature-discovery"] = _feature_discovery(images.NFD, tolerated, registries)
    if by_operator:
        values["driver"] = {
            **_in_pieces(images.GPU_DRIVER, registries),
            "enabled": True,
            # Built by the driver's pod after the InfiniBand driver's, whose headers it needs: that of a container, so
            # that the host has none to offer.
            "rdma": {"enabled": drivers.peermem, "useHostMofed": False},
            # A new driver comes when somebody asks for it: it would evict what runs.
            "upgradePolicy": {"autoUpgrade": False},
            "manager": {**_in_pieces(images.GPU_DRIVER_MANAGER, registries), **eviction},
        }
        values["toolkit"] = {
            **_in_pieces(images.CONTAINER_TOOLKIT, registries),
            "enabled": True,
            "env": [{"name": key, "value": value} for key, value in _TOOLKIT.items()],
        }
    return values


def network_operator_values(tolerated: list[dict[str, str]], registries: Mapping[str, str]) -> dict[str, Any]:
    """Values of the Network Operator's chart.

    Its own rule labels every node with a Mellanox NIC, and accelerated networking gives one to each of Azure's: the
    driver would go to system nodes. Ours stands in its place.
    """
    return {
        "nfd": {"enabled": True, "deployNodeFeatureRules": False},
        # It would refuse `rdma/`, which has no dot, although its plugins take it (nicpolicy_webhook.go, fqdnRegex).
        "operator": {
            **_in_pieces(images.NETWORK_OPERATOR, registries, version="tag"),
            "admissionController": {"enabled": False},
            "ofedDriver": {"initContainer": _in_pieces(images.NETWORK_OPERATOR_INIT, registries)},
        },
        "node-feature-discovery": _feature_discovery(images.NETWORK_OPERATOR_NFD, tolerated, registries),
    }


def node_rule() -> dict[str, Any]:
    """The rule that labels nodes with InfiniBand: by the class of the device, which no Ethernet function has."""
    matches = {"vendor": {"op": "In", "value": ["15b3"]}, "class": {"op": "In", "value": ["0207"]}}
    features = [{"feature": "pci.device", "matchExpressions": matches}]
    return {"rules": [{"name": "InfiniBand", "labels": {NIC_LABEL: "true"}, "matchFeatures": features}]}


def nic_policy(
    drivers: AksDrivers,
    machines: Sequence[AksMachine],
    nodes: NodeSet,
    tolerated: list[dict[str, str]],
    registries: Mapping[str, str],
) -> dict[str, Any]:
    """The spec of the Network Operator's policy for the nodes of these pools."""
    terms = [
        {"key": NIC_LABEL, "operator": "In", "values": ["true"]},
        {"key": nodes["label"], "operator": "In", "values": nodes["values"]},
    ]
    wanted = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
    spec: dict[str, Any] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": wanted}}
    if tolerated:
        spec["tolerations"] = tolerated
    if drivers.rdma_driver == AksRdmaDriver.DOCA:
        spec["ofedDriver"] = _driver(registries)
    nic_attachment = drivers.fabric.nic_attachment
    if isinstance(nic_attachment, ExtendedResource):
        prefix, _, name = nic_attachment.resource.partition("/")
        selectors = _selectors(drivers, machines, nic_attachment.full_node)
        if nic_attachment.full_node:
            row = {"resourceName": name, "resourcePrefix": prefix, "rdmaHcaMax": SHARED_PODS, "selectors": selectors}
            config = {"configList": [row]}
            spec["rdmaSharedDevicePlugin"] = _plugin(images.RDMA_SHARED_DEVICE_PLUGIN, config, registries)
        else:
            row = {"resourceName": name, "resourcePrefix": prefix, "selectors": {**selectors, "isRdma": True}}
            spec["sriovDevicePlugin"] = _plugin(images.SRIOV_DEVICE_PLUGIN, {"resourceList": [row]}, registries)
    return spec


def _driver(registries: Mapping[str, str]) -> dict[str, Any]:
    """NVIDIA's InfiniBand driver, compiled on the node: compiled ones are published for one kernel of Azure each."""
    return {
        **_in_pieces(images.DOCA_DRIVER, registries),
        "forcePrecompiled": False,
        # Without it a restart of openibd fails on ND A100 v4 (Mellanox/doca-driver-build#52).
        "env": [{"name": "OFED_BLACKLIST_MODULES_FILE", "value": "/host/etc/modprobe.d/blacklist-ofed-modules.conf"}],
        # The operator's samples drain a node by force for a new driver. Here nothing happens to a job until somebody
        # rolls the nodes.
        "upgradePolicy": {"autoUpgrade": False},
        "startupProbe": {"initialDelaySeconds": 10, "periodSeconds": 20},
        "livenessProbe": {"initialDelaySeconds": 30, "periodSeconds": 30},
        "readinessProbe": {"initialDelaySeconds": 10, "periodSeconds": 30},
    }


def _selectors(drivers: AksDrivers, machines: Sequence[AksMachine], shared: bool) -> dict[str, Any]:
    """A selector of InfiniBand functions, without Ethernet's; ``shared`` is for the plugin that shares them."""
    if drivers.rdma_driver == AksRdmaDriver.DOCA:
        return {"vendors": ["15b3"], "linkTypes": ["infiniband"]}
    # The kind of a link is its network interface's, and the kernel's own driver makes none until ib_ipoib is loaded.
    devices = "deviceIDs" if shared else "devices"
    return {"vendors": ["15b3"], devices: sorted({machine.vf_device_id or "" for machine in machines})}


def _plugin(image: Image, config: dict[str, Any], registries: Mapping[str, str]) -> dict[str, Any]:
    # The operator puts the config between single quotes.
    return {**_in_pieces(image, registries), "config": json.dumps(config, sort_keys=True)}


def _in_pieces(image: Image, registries: Mapping[str, str], version: str = "version") -> dict[str, str]:
    """An image as the operators' values write it, where a mirror holds it; ``version`` is the key of its tag."""
    place, tag = in_parts(mirrored(image.image, registries))
    repository, _, name = place.rpartition("/")
    return {"repository": repository, "image": name, version: tag}


def _feature_discovery(image: Image, tolerated: list[dict[str, str]], registries: Mapping[str, str]) -> dict[str, Any]:
    """Values of NFD's chart, which both operators hold: its worker tolerates the GPU taint by itself, and no other."""
    repository, tag = in_parts(mirrored(image.image, registries))
    tolerates = {"tolerations": [GPU_TOLERATION, *tolerated]} if tolerated else {}
    return {"image": {"repository": repository, "tag": tag}, "worker": {"updateStrategy": IN_WAVES, **tolerates}}
