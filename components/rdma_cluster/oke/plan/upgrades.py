"""Upgrades on OKE."""

from ...catalog import charts
from ...catalog.in_place import CHARTS
from ...catalog.machine import Source
from ...upgrades.record import IN_CLUSTER, OTHER_MACHINE, Cell, CloudUpgrades, Outcome, Part, Roll, installed
from .node_pool import POOL_LABEL

_DRA_DRIVER = charts.NVIDIA_DRA_DRIVER
_SEEN = "2026-11-23"
_CYCLING = Source(
    "blogs.oracle.com/cloud-infrastructure/post/node-cycling-container-engine-kubernetes-oke; "
    "oracle-terraform-modules.github.io/terraform-oci-oke/guide/workers_node_cycle.html",
    _SEEN,
)
_BY_OKE = (
    "nodes of a managed pool with `upgrade` follow in the same `up`; others keep what they have until OKE's node "
    "cycling makes them anew: `oci ce node-pool update` with nodePoolCyclingDetails, maximumSurge 0 and "
    "maximumUnavailable 1. Cluster networks, instances and GPU memory "
    "clusters have none: their hosts are terminated one by one, and come back with what the pool says"
)

UPGRADES = CloudUpgrades(
    "OKE",
    POOL_LABEL,
    {
        Part.KUBERNETES: Cell(
            Outcome.DONE,
            f"`kubernetes.version` moves the control plane, and what new nodes of all pools get; {_BY_OKE}",
            _CYCLING,
        ),
        Part.NODE_IMAGE: Cell(Outcome.CLOUD, f"`image` of a pool is what new nodes get; {_BY_OKE}", _CYCLING),
        Part.DRIVER: Cell(
            Outcome.REFUSED,
            "the node image holds the drivers; upgrade the node image",
            Source("github.com/oracle-quickstart/oci-hpc-oke, images", _SEEN),
        ),
        Part.DRA_DRIVER: installed(
            "NVIDIA's driver", _DRA_DRIVER.version, CHARTS[_DRA_DRIVER.name].told, _DRA_DRIVER.source
        ),
        Part.NCCL_PLUGIN: Cell(
            Outcome.REFUSED,
            "there is none: NCCL speaks RoCE by itself, from the image of each job",
            Source("github.com/oracle-quickstart/oci-hpc-oke docker/nccl-tests", _SEEN),
        ),
        Part.IN_CLUSTER: IN_CLUSTER,
        Part.MACHINE: Cell(Outcome.REFUSED, OTHER_MACHINE, _CYCLING),
    },
    roll=Roll(
        0,
        1,
        "OKE cordons and drains a node, terminates its host, and starts a successor",
        Source("docs.oracle.com/iaas/Content/ContEng/Tasks/balance-service-availability-cost.htm", "2026-11-27"),
    ),
    pools_follow=True,
    system_nodes="new nodes of all pools get it, too",
    then="the nodes of pools without upgrade: OKE's node cycling, with maximumSurge 0 and maximumUnavailable 1",
)
