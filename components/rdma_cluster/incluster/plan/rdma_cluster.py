"""What the clusters of all clouds with Kubernetes share: keys of their args, and fields of their plans."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ..addons.inference.args import InferenceChoice
from ..addons.injection.args import InjectionChoice
from ..addons.monitoring.args import MonitoringChoice
from ..addons.queues.args import QueueChoice
from ..addons.storage.store import Store
from .acceptance import AcceptanceChoice
from .claim_templates import ClaimChoice
from .site import WholeChoice
from .whole import WholePlan


@shape
class BaseRdmaClusterArgs(TypedDict):
    """What a user chooses on every cloud in the same words."""

    claims: NotRequired[ClaimChoice]
    """Which claim templates to offer, and in which namespaces workloads run."""
    acceptance: NotRequired[AcceptanceChoice]
    """How the fabric is proved before `up` ends."""
    injection: NotRequired[InjectionChoice]
    """Whether pods that only ask for GPUs are given the fabric at admission. Default: they are not."""
    queues: NotRequired[QueueChoice]
    """Whether jobs wait in queues that know GPUs, NICs and the network. Default: there are none."""
    inference: NotRequired[InferenceChoice]
    """A model that is served from several nodes once the fabric is proved. Default: none."""
    monitoring: NotRequired[MonitoringChoice]
    """Whether GPUs and NICs are watched: exporters, alerts, a dashboard. Default: they are not."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold charts and images, by prefix of their references. Example:
    ``{"registry.k8s.io": "mirror.example/k8s"}``. `rdma-cluster artifacts` lists what a stack fetches."""


@dataclass(frozen=True, kw_only=True)
class BaseRdmaClusterPlan:
    """What every plan of a whole cluster holds."""

    whole: WholePlan
    """What goes into the cluster."""
    warnings: tuple[str, ...]


def whole_choice(args: Mapping[str, Any], drivers: Any, store: Store | None) -> WholeChoice:
    """What the user chooses for the inside of the cluster; drivers and storage in the words that all clouds share."""
    always = {key: args.get(key, {}) for key in ("claims", "acceptance", "registries")}
    addons = {key: args.get(key) for key in ("injection", "queues", "inference", "monitoring")}
    return WholeChoice(drivers=drivers, **always, **addons, storage=store)
