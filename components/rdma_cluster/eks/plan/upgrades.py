"""Upgrades on EKS."""

from ...catalog import charts
from ...catalog.in_place import CHARTS
from ...catalog.machine import Source
from ...upgrades.record import IN_CLUSTER, OTHER_MACHINE, Cell, CloudUpgrades, Outcome, Part, Roll, installed
from .node_pool import POOL_LABEL

_DRA_DRIVER = charts.NVIDIA_DRA_DRIVER
_SEEN = "2026-11-23"
_UPDATE = Source(
    "docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupUpdateConfig.html; "
    "docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html",
    _SEEN,
)

UPGRADES = CloudUpgrades(
    "EKS",
    POOL_LABEL,
    {
        Part.KUBERNETES: Cell(
            Outcome.DONE,
            "`kubernetes.version` moves the control plane and then the system nodes; a pool moves by a node image of "
            "the new minor, add-ons by `kubernetes.addonVersions`",
            _UPDATE,
        ),
        Part.NODE_IMAGE: Cell(Outcome.DONE, "`releaseVersion` of a pool", _UPDATE),
        Part.DRIVER: Cell(
            Outcome.REFUSED,
            "AWS's node image holds the driver of the GPUs and that of EFA; upgrade the node image",
            Source("docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html", "2026-08-21"),
        ),
        Part.DRA_DRIVER: installed(
            "NVIDIA's driver beside AWS's", _DRA_DRIVER.version, CHARTS[_DRA_DRIVER.name].told, _DRA_DRIVER.source
        ),
        Part.NCCL_PLUGIN: Cell(
            Outcome.REFUSED,
            "aws-ofi-nccl is in the image of each job, with the NCCL that it is built for; take another image there",
            Source("github.com/aws/aws-ofi-nccl RELEASENOTES.md", _SEEN),
        ),
        Part.IN_CLUSTER: IN_CLUSTER,
        Part.MACHINE: Cell(Outcome.REFUSED, OTHER_MACHINE, _UPDATE),
    },
    # Its strategy is MINIMAL: by the default one EKS starts the new instances first.
    roll=Roll(0, 1, "EKS evicts a node's pods, terminates the instance, then starts its successor", _UPDATE),
    node_keys={Part.NODE_IMAGE: "releaseVersion"},
    system_nodes="system nodes follow in the same `up`",
    then="rdma-cluster upgrade STACK --part node-image --to RELEASE, with a release of AWS's node image of that minor",
)
