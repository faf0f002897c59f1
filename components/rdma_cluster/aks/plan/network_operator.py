"""Values of NVIDIA's Network Operator: which nodes have InfiniBand, who drives its NICs, and who hands them out."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...catalog import images
from ...catalog.aks import AksMachine
from ...catalog.artifact import Image
from ...fabrics import ExtendedResource
from ...incluster.plan.nodes import NodeSet
from .drivers import AksDrivers, AksRdmaDriver
from .pieces import feature_discovery, in_pieces

NIC_LABEL = "feature.node.kubernetes.io/pci-15b3.present"
"""The Network Operator's pods go to nodes with this label, and no other can be named."""
POLICY_KIND = ("mellanox.com/v1alpha1", "NicClusterPolicy")
RULE_KIND = ("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule")
POLICY = "nic-cluster-policy"
"""The only name that the operator looks at."""
SHARED_PODS = 63
"""Pods of a node that may share its NICs; Azure/aks-rdma-infiniband@700dabb rdma.yaml."""


def network_operator_values(tolerated: list[dict[str, str]], registries: Mapping[str, str]) -> dict[str, Any]:
    """Values of the Network Operator's chart.

    Its own rule labels every node with a Mellanox NIC, and accelerated networking gives one to each of Azure's: the
    driver would go to system nodes. Ours stands in its place.
    """
    return {
        "nfd": {"enabled": True, "deployNodeFeatureRules": False},
        # It would refuse `rdma/`, which has no dot, although its plugins take it (nicpolicy_webhook.go, fqdnRegex).
        "operator": {
            **in_pieces(images.NETWORK_OPERATOR, registries, version="tag"),
            "admissionController": {"enabled": False},
            "ofedDriver": {"initContainer": in_pieces(images.NETWORK_OPERATOR_INIT, registries)},
        },
        "node-feature-discovery": feature_discovery(images.NETWORK_OPERATOR_NFD, tolerated, registries),
    }


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
    drivers: AksDrivers,
    machines: Sequence[AksMachine],
    nodes: NodeSet,
    tolerated: list[dict[str, str]],
    registries: Mapping[str, str],
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
    if drivers.rdma_driver == AksRdmaDriver.DOCA:
        spec["ofedDriver"] = _driver(registries)
    exposure = drivers.fabric.exposure
    if isinstance(exposure, ExtendedResource):
        prefix, _, name = exposure.resource.partition("/")
        selectors = _selectors(drivers, machines, exposure.whole_node)
        if exposure.whole_node:
            row = {"resourceName": name, "resourcePrefix": prefix, "rdmaHcaMax": SHARED_PODS, "selectors": selectors}
            spec["rdmaSharedDevicePlugin"] = _plugin(
                images.RDMA_SHARED_DEVICE_PLUGIN, {"configList": [row]}, registries
            )
        else:
            row = {"resourceName": name, "resourcePrefix": prefix, "selectors": {**selectors, "isRdma": True}}
            spec["sriovDevicePlugin"] = _plugin(images.SRIOV_DEVICE_PLUGIN, {"resourceList": [row]}, registries)
    return spec


def _driver(registries: Mapping[str, str]) -> dict[str, Any]:
    """NVIDIA's InfiniBand driver, compiled on the node: no image for Azure's kernels is published in this release."""
    return {
        **in_pieces(images.DOCA_DRIVER, registries),
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
    """InfiniBand functions, and not the Ethernet one beside them; ``shared`` is of the plugin that shares them."""
    if drivers.rdma_driver == AksRdmaDriver.DOCA:
        return {"vendors": ["15b3"], "linkTypes": ["infiniband"]}
    # The kind of a link is its network interface's, and the kernel's own driver makes none until ib_ipoib is loaded.
    devices = "deviceIDs" if shared else "devices"
    return {"vendors": ["15b3"], devices: sorted({machine.vf_device_id or "" for machine in machines})}


def _plugin(image: Image, config: dict[str, Any], registries: Mapping[str, str]) -> dict[str, Any]:
    return {
        **in_pieces(image, registries),
        # The operator puts this between single quotes.
        "config": json.dumps(config, sort_keys=True),
    }
