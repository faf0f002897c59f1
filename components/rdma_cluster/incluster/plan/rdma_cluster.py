"""What the clusters of all clouds with Kubernetes share: keys of their args, and fields of their plans."""

from collections.abc import Mapping
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import Hidden, args_schema
from ...frozen import frozen
from ..addons.inference.args import InferenceOptions
from ..addons.injection.args import InjectionOptions
from ..addons.monitoring.args import MonitoringOptions
from ..addons.queues.args import QueueOptions
from ..addons.storage.store import Store
from .acceptance import AcceptanceOptions
from .artifacts import ArtifactOptions
from .claim_templates import ClaimOptions
from .context import InClusterOptions
from .in_cluster import InClusterPlan


@args_schema
class BaseRdmaClusterArgs(TypedDict):
    """What a user chooses on every cloud in the same words."""

    claims: NotRequired[ClaimOptions]
    """Which claim templates to offer, and in which namespaces workloads run."""
    acceptance: NotRequired[AcceptanceOptions]
    """How the fabric is proved before `up` ends."""
    injection: NotRequired[InjectionOptions]
    """Whether pods that only ask for GPUs are given the fabric at admission. Default: they are not."""
    queues: NotRequired[QueueOptions]
    """Whether jobs wait in queues that know GPUs, NICs and the network. Default: there are none."""
    inference: NotRequired[InferenceOptions]
    """A model that is served from several nodes once the fabric is proved. Default: none."""
    monitoring: NotRequired[MonitoringOptions]
    """Whether GPUs and NICs are watched: exporters, alerts, a dashboard. Default: they are not."""
    tags: NotRequired[dict[str, str]]
    """Tags of every resource of the cloud that takes some, nodes and their disks with them; on Google they are labels.
    Example: ``{"team": "research", "cost-center": "4711"}``."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold charts and images, by prefix of their references. Example:
    ``{"registry.k8s.io": "mirror.example/k8s"}``. `rdma-cluster artifacts` lists what a stack fetches."""
    pull_secret: NotRequired[Hidden]
    """The login that mirrors want: a docker config as JSON, which becomes a Secret ``rdma-cluster-pull`` in each
    namespace where pods of this stack run, and all of them pull with it. Keep it encrypted. Example:
    ``{"auths": {"mirror.example": {"username": "robot", "password": "..."}}}``."""
    artifacts: NotRequired[ArtifactOptions]
    """What is demanded of everything that is fetched. Default: nothing."""


@frozen(kw_only=True)
class BaseRdmaClusterPlan:
    """What every plan of a whole cluster holds."""

    in_cluster: InClusterPlan
    """What goes into the cluster."""
    warnings: tuple[str, ...]


def in_cluster_options(args: Mapping[str, Any], drivers: Any, store: Store | None) -> InClusterOptions:
    """What the user chooses for the inside of the cluster; drivers and storage in the words that all clouds share."""
    always = {key: args.get(key, {}) for key in ("claims", "acceptance", "registries")}
    addons = {key: args.get(key) for key in ("injection", "queues", "inference", "monitoring")}
    digests_only = args.get("artifacts", {}).get("digests_only", False)
    return InClusterOptions(
        drivers=drivers,
        **always,
        **addons,
        digests_only=digests_only,
        storage=store,
        pull_secret=args.get("pull_secret"),
    )
