"""What the clusters of all clouds with Kubernetes share: keys of their args, and fields of their plans."""

from collections.abc import Mapping
from typing import Any, NotRequired

from typing_extensions import TypedDict
from ...base.args import Hidden, Texts, args_schema
from ...base.other_names import other_names
from ..addons import AddOnArgs
from ..addons.storage.store import Store
from .acceptance import AcceptanceOptions
from .artifacts import ArtifactOptions
from .claim_templates import ClaimOptions
from .context import InClusterOptions


@args_schema
class FabricArgs(TypedDict):
    """How pods get the fabric, and how it is proved."""

    claims: NotRequired[ClaimOptions]
    """Which claim templates to offer, and in which namespaces workloads run."""
    acceptance: NotRequired[AcceptanceOptions]
    """How the fabric is proved before `up` ends."""


@other_names(  # NeMo Platform's chart, and SkyPilot
    {
        "did you mean injection: {enabled: true, nemo: true}? NeMo's switches then stay false": "multinodeNetworking",
        "did you mean skypilot: true?": "network_tier",
        "leave it out: GPUDirect is on in every pool; on plain machines, too (cloud: gce)": "enable_gpu_direct",
    }
)
@args_schema
class BaseRdmaClusterArgs(FabricArgs, AddOnArgs):
    """What a user chooses on every cloud in the same words."""

    tags: NotRequired[Texts]
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


def in_cluster_options(args: Mapping[str, Any], drivers: Any, store: Store | None) -> InClusterOptions:
    """What the user chooses for the inside of the cluster; drivers and storage in the words that all clouds share."""
    always = {key: args.get(key, {}) for key in ("claims", "acceptance", "registries")}
    addons = AddOnArgs(**{key: args[key] for key in AddOnArgs.__annotations__ if args.get(key) is not None})
    digests_only = args.get("artifacts", {}).get("digests_only", False)
    return InClusterOptions(
        drivers=drivers,
        **always,
        addons=addons,
        digests_only=digests_only,
        storage=store,
        pull_secret=args.get("pull_secret"),
    )
