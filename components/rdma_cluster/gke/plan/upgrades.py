"""Upgrades on GKE."""

from ...catalog import charts, images, releases
from ...catalog.in_place import CHARTS
from ...catalog.machine import Source
from ...upgrades.record import (
    IN_CLUSTER,
    ONE_PLUGIN,
    OTHER_MACHINE,
    Cell,
    CloudUpgrades,
    Outcome,
    Part,
    Roll,
    installed,
)
from .node_pool import POOL_LABEL

_SEEN = "2026-11-23"
_SURGE = Source(
    "cloud.google.com/kubernetes-engine/docs/concepts/node-pool-upgrade-strategies; Container API v1, UpgradeSettings",
    _SEEN,
)
_RESERVED = Source("cloud.google.com/kubernetes-engine/docs/how-to/node-upgrades-quota", _SEEN)

UPGRADES = CloudUpgrades(
    "GKE",
    POOL_LABEL,
    {
        Part.KUBERNETES: Cell(
            Outcome.DONE,
            "`kubernetes.version` moves the control plane and then the system nodes, `nodeVersion` each pool; until "
            "then an exclusion holds nodes as they are",
            _SURGE,
        ),
        Part.NODE_IMAGE: Cell(
            Outcome.DONE, "`nodeVersion` of a pool: each patch of GKE has its node image and the driver in it", _SURGE
        ),
        Part.DRIVER: Cell(
            Outcome.REFUSED,
            "nodes have the driver that belongs to their GKE version; upgrade the node image",
            images.COS_DRIVER_INSTALLER.source,
        ),
        Part.DRA_DRIVER: installed(
            "NVIDIA's driver beside DraNet",
            charts.NVIDIA_DRA_DRIVER.version,
            CHARTS[charts.NVIDIA_DRA_DRIVER.name].told,
            charts.NVIDIA_DRA_DRIVER.source,
        ),
        Part.NCCL_PLUGIN: installed("gIB", releases.GIB_X86.version, ONE_PLUGIN, releases.GIB_X86.source),
        Part.IN_CLUSTER: IN_CLUSTER,
        Part.MACHINE: Cell(Outcome.REFUSED, OTHER_MACHINE, _RESERVED),
    },
    # A blue-green upgrade would need each node twice, and a reservation has it once.
    roll=Roll(
        0,
        1,
        "GKE cordons and drains a node, deletes it, and makes its successor in its place",
        _SURGE,
        9,
        "github.com/GoogleCloudPlatform/cluster-toolkit/issues/3343",
    ),
    node_keys={Part.KUBERNETES: "nodeVersion", Part.NODE_IMAGE: "nodeVersion"},
    exact="1.36.1-gke.1842000",
    system_nodes="system nodes follow in the same `up`, one more than there are at a time",
)
