"""The scale set of an AKS pool whole: what Azure's API is told, and what the engine is told."""

from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph
from tests.aks.plans import RESERVATIONS, SUBNET, built, made


@cache
def pool(spot: bool = False) -> Graph:
    """A pool with all its choices, or one of spot nodes."""
    base = {"name": "h100", "machine": "Standard_ND96isr_H100_v5", "nodes": 2, "resource_group": "g", "cluster": "c"}
    more: dict[str, Any] = {
        "capacity": {"reservation": {"group": RESERVATIONS}},
        "zone": "2",
        "node_version": "1.35",
        "os_disk_gb": 256,
        "os_disk": "Ephemeral",
        "labels": {"team": "a"},
        "gpu_driver": "aks",
    }
    args = {**base, "subnet": SUBNET, "infiniband_feature": "taken-as-right"}
    return built("AksGpuNodePool", {**args, **({"capacity": {"spot": True}} if spot else more)})


OF_POOL = {
    "resourceGroupName": "g",
    "resourceName": "c",
    "agentPoolName": "h100",
    "vmSize": "Standard_ND96isr_H100_v5",
    "count": 2,
    "mode": "User",
    "type": "VirtualMachineScaleSets",
    "osType": "Linux",
    "osSKU": "Ubuntu",
    "kubeletDiskType": "OS",
    "vnetSubnetID": SUBNET,
    "enableNodePublicIP": False,
    "enableAutoScaling": False,
    "scaleDownMode": "Delete",
    "upgradeSettings": {"maxSurge": "0", "maxUnavailable": "1"},
    "nodeTaints": ["nvidia.com/gpu=present:NoSchedule"],
}


@pytest.mark.parametrize("spot", [False, True])
def test_pool(spot: bool):
    """One scale set that nobody scales, whose nodes go before their successors come."""
    inputs, options, after = made(pool(spot), "AgentPool", "aks")
    of_spot = {
        "osDiskType": "Managed",
        "osDiskSizeGB": 512,
        "gpuProfile": {"driver": "None"},
        "scaleSetPriority": "Spot",
        "scaleSetEvictionPolicy": "Delete",
        "spotMaxPrice": -1,
        "nodeLabels": {},
    }
    reserved = {
        "osDiskType": "Ephemeral",
        "osDiskSizeGB": 256,
        "gpuProfile": {"driver": "Install"},
        "scaleSetPriority": "Regular",
        "capacityReservationGroupID": RESERVATIONS,
        "availabilityZones": ["2"],
        "orchestratorVersion": "1.35",
        "nodeLabels": {"team": "a"},
    }

    assert inputs == {**OF_POOL, **(of_spot if spot else reserved)}
    assert options == {
        "customTimeouts": {"create": "61m", "update": "120m", "delete": "60m"},
        "deleteBeforeReplace": True,
        "replaceOnChanges": [
            "availabilityZones",
            "capacityReservationGroupID",
            "gpuProfile",
            "osDiskSizeGB",
            "osDiskType",
            "scaleSetPriority",
            "vnetSubnetID",
        ],
    }
    assert after == set()
