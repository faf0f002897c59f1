"""A cluster, as what runs in it must know it, and what the user chooses of that."""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pulumi_offline.frozen import frozen
from ...catalog import releases

if TYPE_CHECKING:  # some of these read what stands here
    from ..addons.monitoring.args import ExporterPods
    from ..addons.storage.store import Store
    from .acceptance.args import AcceptanceOptions
    from .claim_templates import ClaimOptions
    from .dra_drivers import DriverOptions
    from .statements import Statement

Options = TypeVar("Options", bound=Mapping[str, Any])
P = TypeVar("P")


@frozen
class ClusterContext:
    """A cluster, as what runs in it must know it."""

    host: str
    """Operating system of the GPU nodes, a name in ``catalog.clouds.HOSTS``."""
    version: str
    """Kubernetes version."""
    pool_label: str
    """Node label that holds a pool's name."""
    taint: tuple[str, str]
    """Key and value of the GPU nodes' taint; both empty where they have none."""
    makes_namespaces: bool
    """Whether the namespaces of claim templates are ours to make."""
    nic_registry: str = ""
    """Registry of the NIC drivers' images, where the nodes cannot reach the charts' own."""
    other_taints: Mapping[str, str] = field(default_factory=dict)
    """Values by key of taints that some of the GPU nodes have besides, such as a cloud's own of spot nodes."""
    channels_beside_plugins: bool = False
    """Whether racks whose GPUs a device plugin hands out get IMEX channels by claims all the same."""
    claimed_when: str = "set gpuAllocation: dra on its pool"
    """What a user changes so that claims hand out GPUs and NICs of a pool where they do not."""
    driver_seconds: int = 0
    """How much longer than a pull of images a new node takes until its devices are there."""
    enforces_policies: bool = True
    """Whether the network of pods enforces NetworkPolicies. Of a cluster that exists already nobody asks."""
    pools_taint: bool = True
    """Whether nodes of its pools register with a start-up taint that the cloud does not set again."""
    gpu_exporter: "ExporterPods | None" = None
    """The DCGM exporter that the cloud or an operator brings, where one does."""
    registries: Mapping[str, str] = field(default_factory=dict)
    """Where mirrors hold what is fetched, by prefix of its reference; in a stack the user's choice."""
    pull_secret: str = ""
    """Secret by which pods of ours pull their images; empty where they need none."""

    @property
    def taints(self) -> dict[str, str]:
        """Values by key of all taints that the GPU nodes may have."""
        key, value = self.taint
        return {**({key: value} if key else {}), **self.other_taints}


def context_of(args: Mapping[str, Any]) -> ClusterContext:
    """The cluster of a component that is used alone, as its args describe it; a key means the same in all of them."""
    taint = args.get("taint", {})
    return ClusterContext(
        host=args.get("host", ""),
        version=args.get("version", releases.KUBERNETES),
        pool_label=args.get("pool_label", ""),
        taint=(taint.get("key", ""), taint.get("value", "")),
        makes_namespaces=args.get("create_namespaces", False),
        other_taints=args.get("other_taints", {}),
        driver_seconds=args.get("driver_seconds", 0),
        pools_taint=not args.get("taint_on_join", True),
        gpu_exporter=args.get("managed_exporter"),
        registries=args.get("registries", {}),
        pull_secret=args.get("pull_secret_name", ""),
    )


@frozen
class InClusterOptions:
    """What the user chooses for the inside of a cluster."""

    drivers: "DriverOptions"
    claims: "ClaimOptions"
    acceptance: "AcceptanceOptions"
    registries: Mapping[str, str] = field(default_factory=dict)
    """Where mirrors hold what is fetched, by prefix of its reference."""
    pull_secret: Any = field(default=None, repr=False)
    """A docker config, or an output that becomes one; ``None`` where mirrors want no login."""
    addons: Mapping[str, Any] = field(default_factory=dict)
    """Options of add-ons by their keys, those of ``AddOnArgs``; a key that is missing switches its add-on off."""
    digests_only: bool = False
    """Whether nothing may run in our namespaces but the plan's own images, each by its digest."""
    storage: "Store | None" = None
    """What the cloud's own choice of storage offers to pods."""


@frozen
class Part(Generic[Options, P]):
    """A part of what runs in a cluster."""

    options: Options
    """The user's own choice of it, which its component shows as inputs."""
    plan: P
    statements: "tuple[Statement, ...]" = ()
    """What it takes for granted of the cluster."""
