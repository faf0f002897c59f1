"""A cluster, as what runs in it must know it, and what the user chooses of that."""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...frozen import frozen
from ..addons.inference.args import InferenceOptions
from ..addons.injection.args import InjectionOptions
from ..addons.monitoring.args import ExporterPods, MonitoringOptions
from ..addons.queues.args import QueueOptions
from ..addons.readiness.args import ReadinessOptions
from ..addons.storage.store import Store
from .acceptance import AcceptanceOptions
from .claim_templates import ClaimOptions
from .dra_drivers import DriverOptions

if TYPE_CHECKING:
    from ..addons.inference.args import DistributedInferenceArgs
    from ..addons.inference.plan import InferencePlan
    from ..addons.injection.args import FabricInjectionArgs
    from ..addons.injection.plan import InjectionPlan
    from ..addons.monitoring.args import MonitoringArgs
    from ..addons.monitoring.plan import MonitoringPlan
    from ..addons.queues.args import QueuesArgs
    from ..addons.queues.plan import QueuesPlan
    from ..addons.readiness.args import NodeReadinessArgs
    from ..addons.readiness.plan import ReadinessPlan

A = TypeVar("A")
P = TypeVar("P")


@frozen
class ClusterContext:
    """A cluster, as what runs in it must know it."""

    host: str
    """Operating system of the GPU nodes, a name in ``catalog.hosts``."""
    version: str
    """Kubernetes version."""
    pool_label: str
    """Node label that holds a pool's name."""
    taint: tuple[str, str]
    """Key and value of the GPU nodes' taint."""
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
    gpu_exporter: ExporterPods | None = None
    """The DCGM exporter that the cloud or an operator brings, where one does."""

    @property
    def taint_args(self) -> dict[str, str]:
        """The GPU nodes' taint, as args of a component have it."""
        key, value = self.taint
        return {"key": key, "value": value}


@frozen
class InClusterOptions:
    """What the user chooses for it."""

    drivers: DriverOptions
    claims: ClaimOptions
    acceptance: AcceptanceOptions
    registries: Mapping[str, str] = field(default_factory=dict)
    """Where mirrors hold what is fetched, by prefix of its reference."""
    pull_secret: Any = field(default=None, repr=False)
    """A docker config, or an output that becomes one; ``None`` where mirrors want no login."""
    injection: InjectionOptions | None = None
    queues: QueueOptions | None = None
    inference: InferenceOptions | None = None
    monitoring: MonitoringOptions | None = None
    readiness: ReadinessOptions | None = None
    digests_only: bool = False
    """Whether nothing may run in our namespaces but the plan's own images, each by its digest."""
    storage: Store | None = None
    """What the cloud's own choice of storage offers to pods."""

    @property
    def has_addons(self) -> bool:
        """Whether the user switches on anything beyond the fabric and its proof."""
        addons = (self.injection, self.queues, self.inference, self.monitoring, self.readiness)
        return any(each is not None for each in addons)


@frozen
class Planned(Generic[A, P]):
    """A component's args, and the plan that was made of them."""

    args: A
    plan: P


@frozen
class Addons:
    """What a user switches on; each is ``None`` where nobody asks for it."""

    injection: "Planned[FabricInjectionArgs, InjectionPlan] | None" = None
    queues: "Planned[QueuesArgs, QueuesPlan] | None" = None
    inference: "Planned[DistributedInferenceArgs, InferencePlan] | None" = None
    monitoring: "Planned[MonitoringArgs, MonitoringPlan] | None" = None
    readiness: "Planned[NodeReadinessArgs, ReadinessPlan] | None" = None
    warnings: tuple[str, ...] = ()
