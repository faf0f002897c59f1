"""Upgrades on AKS."""

from ...catalog import charts, images
from ...catalog.in_place import CHARTS
from ...catalog.machine import Source
from ...upgrades.record import IN_CLUSTER, OTHER_MACHINE, Cell, CloudUpgrades, Outcome, Part, Roll, installed
from .node_pool import POOL_LABEL

_DRA_DRIVER = charts.NVIDIA_DRA_DRIVER
_SEEN = "2026-11-23"
_ROLLING = Source(
    "learn.microsoft.com/azure/aks/upgrade-aks-node-pools-rolling; containerservice 2025-09-01, "
    "AgentPoolUpgradeSettings",
    _SEEN,
)

UPGRADES = CloudUpgrades(
    "AKS",
    POOL_LABEL,
    {
        Part.KUBERNETES: Cell(
            Outcome.DONE,
            "`kubernetes.version` moves the control plane alone (github.com/Azure/AKS/issues/2905), `nodeVersion` each "
            "pool; the system pool is moved by `az aks nodepool upgrade`",
            _ROLLING,
        ),
        Part.NODE_IMAGE: Cell(
            Outcome.CLOUD,
            "an upgrade of a pool's version brings its newest image, `az aks nodepool upgrade --node-image-only` the "
            "image alone, and `kubernetes.nodeOsUpgrades` lets AKS do it; no input of a pool names an image",
            Source("learn.microsoft.com/azure/aks/auto-upgrade-cluster", _SEEN),
        ),
        Part.DRIVER: installed(
            "with its operators, the driver of the GPUs",
            images.GPU_DRIVER.image.rpartition(":")[2],
            "none by itself: the operators leave running drivers alone (upgradePolicy.autoUpgrade is off). After `up` "
            "cordon and drain node by node, and delete its driver pods, which come back with the new drivers",
            images.GPU_DRIVER.source,
        ),
        Part.DRA_DRIVER: installed(
            "NVIDIA's driver beside DraNet", _DRA_DRIVER.version, CHARTS[_DRA_DRIVER.name].told, _DRA_DRIVER.source
        ),
        Part.NCCL_PLUGIN: Cell(
            Outcome.REFUSED,
            "there is none: NCCL speaks InfiniBand by itself, from the image of each job",
            Source("github.com/Azure/aks-rdma-infiniband", _SEEN),
        ),
        Part.IN_CLUSTER: IN_CLUSTER,
        Part.MACHINE: Cell(Outcome.REFUSED, OTHER_MACHINE, _ROLLING),
    },
    roll=Roll(
        0,
        1,
        "AKS cordons and drains a node, waiting up to 30 minutes for its pods, and installs it anew on its host; a "
        "node that it cannot drain ends the upgrade in an error",
        _ROLLING,
    ),
    node_keys={Part.KUBERNETES: "nodeVersion"},
    system_nodes="system nodes stay as they are",
    first="pulumi refresh: AKS is sent the list of its pools as the state has it",
    then="az aks nodepool upgrade --name system, with the stack's resource group, cluster and version",
)
