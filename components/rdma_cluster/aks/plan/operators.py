"""What NVIDIA's two operators are told on AKS, and what is told between them, so that each thing has one owner."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired

from ...args import shape
from ...catalog import charts, images
from ...catalog.aks import AksMachine
from ...catalog.artifact import Image
from ...fabrics import ExtendedResource, GpuAllocation
from ...fabrics.rollout import GPU_TOLERATION, ROLL_AT_ONCE, one_by_one_seconds, tolerations
from ...faults import Faults
from ...incluster.plan.charts import Settings
from ...incluster.plan.nodes import NodeSet
from .drivers import AksDriverChoice, AksDrivers, AksGpuDriver, AksMemoryLock, AksRdmaDriver, decide_drivers
from .machines import machine_for
from .node_pool import SPOT_TAINT

GPU_NAMESPACE = "gpu-operator"
NETWORK_NAMESPACE = "network-operator"
PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}
"""Both operators' pods write to the host."""
NIC_LABEL = "feature.node.kubernetes.io/pci-15b3.present"
"""The Network Operator's pods go to nodes with this label, and no other can be named."""
POLICY_KIND = ("mellanox.com/v1alpha1", "NicClusterPolicy")
RULE_KIND = ("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule")
POLICY = "nic-cluster-policy"
"""The only name that the operator looks at."""
SHARED_PODS = 63
"""Pods of a node that may share its NICs; Azure/aks-rdma-infiniband@700dabb rdma.yaml."""

DRIVER_SECONDS = 2700
"""Time-out for the InfiniBand driver to be compiled and loaded, all nodes at once. No figure is published."""

_EVICTION_LABEL = {"name": "NODE_LABEL_FOR_GPU_POD_EVICTION", "value": "nvidia.com/dra-kubelet-plugin"}


@shape
class AksOperatorsArgs(AksDriverChoice):
    """NVIDIA's operators for the nodes of some pools."""

    machines: list[str]
    """Sizes of the nodes."""
    nodes: NodeSet
    """Exactly the nodes that they serve."""
    gpu_allocation: NotRequired[GpuAllocation]
    """Who hands out GPUs and NICs. Default: ``dra``."""
    spot: NotRequired[bool]
    """Whether some of the nodes are spot nodes, which have a taint of their own. Default: false."""


@dataclass(frozen=True)
class OperatorsPlan:
    """What ``AksOperators`` installs; ``None`` where a part has no work."""

    gpu: Settings | None
    """The GPU Operator."""
    network: Settings | None
    """The Network Operator."""
    policy: dict[str, Any]
    """What the Network Operator does: the spec of its NicClusterPolicy."""
    lifts_memory_limit: bool

    def __bool__(self) -> bool:
        """Whether anything is installed."""
        return bool(self.gpu or self.network or self.lifts_memory_limit)


def decide_operators(args: AksOperatorsArgs, faults: Faults) -> OperatorsPlan | None:
    """All choices of ``AksOperators``. Returns ``None`` when a fault was added."""
    machines = [machine_for(name, faults.at("machines", i)) for i, name in enumerate(args["machines"])]
    drivers = decide_drivers(args, [args.get("gpu_allocation", GpuAllocation.DRA)], faults)
    if not args["nodes"]["values"]:
        faults.at("nodes", "values").add("empty; name the pools that need the drivers, e.g. h100")
    if faults:
        return None
    known = [machine for machine in machines if machine is not None]
    return plan_operators(drivers, known, args["nodes"], SPOT_TAINT if args.get("spot") else {})


def plan_operators(
    drivers: AksDrivers, machines: Sequence[AksMachine], nodes: NodeSet, other_taints: Mapping[str, str]
) -> OperatorsPlan:
    """The same from drivers that were decided; ``other_taints`` are what some nodes have beside the GPU taint."""
    tolerated = tolerations(other_taints)
    # What they install on GPU nodes comes after, and is waited for by itself; NFD is theirs, and rolls node by node.
    seconds = one_by_one_seconds(nodes["nodes"])
    gpu = Settings(charts.GPU_OPERATOR, GPU_NAMESPACE, gpu_operator_values(drivers, tolerated), seconds)
    network = Settings(charts.NETWORK_OPERATOR, NETWORK_NAMESPACE, network_operator_values(tolerated), seconds)
    return OperatorsPlan(
        gpu=gpu if drivers.gpu_operator else None,
        network=network if drivers.network_operator else None,
        policy=nic_policy(drivers, machines, nodes, tolerated) if drivers.network_operator else {},
        lifts_memory_limit=drivers.memory_lock is AksMemoryLock.NODE,
    )


def gpu_operator_values(drivers: AksDrivers, tolerated: list[dict[str, str]]) -> dict[str, Any]:
    """Values of the GPU Operator's chart. Its pods tolerate the GPU taint by themselves."""
    by_operator = drivers.gpu_driver is AksGpuDriver.OPERATOR
    off = {"enabled": False}
    return {
        # One NFD a cluster: the Network Operator's, where that is installed.
        "nfd": {"enabled": not drivers.network_operator},
        **_nfd(tolerated),
        # The node image's toolkit has registered its own runtime class where AKS installs the driver.
        "operator": {"runtimeClass": "nvidia" if by_operator else "nvidia-container-runtime"},
        "driver": {
            "enabled": by_operator,
            # Built by the driver's pod after the InfiniBand driver's, whose headers it needs: that of a container, so
            # that the host has none to offer.
            "rdma": {"enabled": drivers.peermem, "useHostMofed": False},
            # A new driver comes when somebody asks for it: it would evict what runs.
            "upgradePolicy": {"autoUpgrade": False},
            **({"manager": {"env": [_EVICTION_LABEL]}} if not drivers.plugged else {}),
        },
        "toolkit": {
            "enabled": by_operator,
            "env": [
                # Else it asks containerd, and writes a configuration of a version that AKS's root file does not have:
                # containerd ends, and the nodes with it (NVIDIA/gpu-operator#2646, NVIDIA/aicr#1688).
                {"name": "RUNTIME_CONFIG_SOURCE", "value": "file"},
                # A pod's own NVIDIA_VISIBLE_DEVICES=all gives it no GPU that nobody allocated.
                {"name": "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED", "value": "false"},
                {"name": "ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS", "value": "true"},
            ],
        },
        # GPUs have one owner: the device plugin here, or the DRA driver.
        "devicePlugin": {"enabled": drivers.plugged},
        "daemonsets": {
            "rollingUpdate": {"maxUnavailable": ROLL_AT_ONCE},
            **({"tolerations": [GPU_TOLERATION, *tolerated]} if tolerated else {}),
        },
        # For whole GPUs in containers none of these has work.
        **dict.fromkeys(
            ("migManager", "vgpuDeviceManager", "vfioManager", "sandboxDevicePlugin", "kataSandboxDevicePlugin"), off
        ),
        "ccManager": off,
    }


def network_operator_values(tolerated: list[dict[str, str]]) -> dict[str, Any]:
    """Values of the Network Operator's chart.

    Its own rule labels every node with a Mellanox NIC, and accelerated networking gives one to each of Azure's: the
    driver would go to system nodes. Ours stands in its place.
    """
    return {
        "nfd": {"enabled": True, "deployNodeFeatureRules": False},
        # It would refuse `rdma/`, which has no dot, although its plugins take it (nicpolicy_webhook.go, fqdnRegex).
        "operator": {"admissionController": {"enabled": False}},
        **_nfd(tolerated),
    }


def _nfd(tolerated: list[dict[str, str]]) -> dict[str, Any]:
    """NFD as both charts hold it: its worker tolerates the GPU taint by itself, and no other."""
    worker = {"tolerations": [GPU_TOLERATION, *tolerated]}
    return {"node-feature-discovery": {"worker": worker}} if tolerated else {}


def node_rule() -> dict[str, Any]:
    """Nodes with InfiniBand: by the class of the device, which no Ethernet function has, whatever its id."""
    matches = {"vendor": {"op": "In", "value": ["15b3"]}, "class": {"op": "In", "value": ["0207"]}}
    return {
        "rules": [
            {
                "name": "InfiniBand",
                "labels": {NIC_LABEL: "true"},
                "matchFeatures": [{"feature": "pci.device", "matchExpressions": matches}],
            }
        ]
    }


def nic_policy(
    drivers: AksDrivers, machines: Sequence[AksMachine], nodes: NodeSet, tolerated: list[dict[str, str]]
) -> dict[str, Any]:
    """What the Network Operator does on the nodes of these pools."""
    terms = [
        {"key": NIC_LABEL, "operator": "In", "values": ["true"]},
        {"key": nodes["label"], "operator": "In", "values": nodes["values"]},
    ]
    wanted = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
    spec: dict[str, Any] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": wanted}}
    if tolerated:
        spec["tolerations"] = tolerated
    if drivers.rdma_driver is AksRdmaDriver.DOCA:
        spec["ofedDriver"] = _driver()
    exposure = drivers.fabric.exposure
    if isinstance(exposure, ExtendedResource):
        prefix, _, name = exposure.resource.partition("/")
        selectors = _selectors(drivers, machines)
        if exposure.whole_node:
            row = {"resourceName": name, "resourcePrefix": prefix, "rdmaHcaMax": SHARED_PODS, "selectors": selectors}
            spec["rdmaSharedDevicePlugin"] = _plugin(images.RDMA_SHARED_DEVICE_PLUGIN, {"configList": [row]})
        else:
            row = {"resourceName": name, "resourcePrefix": prefix, "selectors": {**selectors, "isRdma": True}}
            spec["sriovDevicePlugin"] = _plugin(images.SRIOV_DEVICE_PLUGIN, {"resourceList": [row]})
    return spec


def _driver() -> dict[str, Any]:
    """NVIDIA's InfiniBand driver, compiled on the node: no image for Azure's kernels is published in this release."""
    return {
        **_fetched(images.DOCA_DRIVER),
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


def _selectors(drivers: AksDrivers, machines: Sequence[AksMachine]) -> dict[str, Any]:
    """InfiniBand functions, and not the Ethernet one beside them."""
    if drivers.rdma_driver is AksRdmaDriver.DOCA:
        return {"vendors": ["15b3"], "linkTypes": ["infiniband"]}
    # The kind of a link is its network interface's, and the kernel's own driver makes none until ib_ipoib is loaded.
    devices = "devices" if not _shared(drivers) else "deviceIDs"
    return {"vendors": ["15b3"], devices: sorted({machine.vf_device_id or "" for machine in machines})}


def _shared(drivers: AksDrivers) -> bool:
    exposure = drivers.fabric.exposure
    return isinstance(exposure, ExtendedResource) and exposure.whole_node


def _plugin(image: Image, config: dict[str, Any]) -> dict[str, Any]:
    return {
        **_fetched(image),
        # The operator puts this between single quotes.
        "config": json.dumps(config, sort_keys=True),
    }


def _fetched(image: Image) -> dict[str, Any]:
    """An image in the operator's own three pieces."""
    place, _, version = image.image.rpartition(":")
    repository, _, name = place.rpartition("/")
    return {"repository": repository, "image": name, "version": version}
