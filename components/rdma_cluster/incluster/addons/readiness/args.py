"""The user's options for nodes that are kept ready, and the args of ``NodeReadiness``."""

from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict
from ....base.args import Choice, args_schema
from ...plan.acceptance.args import AcceptanceOptions
from ...plan.pool import ClusterFacts, NodePools


class OnFault(str, Enum):
    """What happens to a node that shows a fault."""

    OBSERVE = "observe"
    """A condition of the node, an event and an alert; nothing else."""
    QUARANTINE = "quarantine"
    """Besides, the node takes no new work; what runs on it goes on."""
    REPAIR = "repair"
    """The same, and the cloud's own repair is counted on: a warning says what it repairs, and by which switch."""


class RenewWhen(str, Enum):
    """Which nodes are tested again."""

    IDLE = "idle"
    """Those without work, a few at a time, and none while work waits for nodes."""
    NEVER = "never"
    """None: a proof holds until the node boots."""


@args_schema
class ReadinessRenewal(TypedDict):
    """How old a proof may be."""

    every: NotRequired[str]
    """After how long, in hours or days. Example: ``12h``. Default: ``7d``."""
    when: NotRequired[Choice[RenewWhen]]
    """Which nodes are tested again. Default: ``idle``."""


@args_schema
class ReadinessSettings(TypedDict):
    """What keeps nodes ready."""

    renew: NotRequired[ReadinessRenewal]
    """How old a proof may be. Default: idle nodes are tested again after 7 days."""
    leave_existing: NotRequired[bool]
    """Hold only nodes that register with the taint, and let those take work unproven that did not, such as nodes that
    existed before; they are proven when they are idle. Default: false, every unproven node is held."""
    on_fault: NotRequired[Choice[OnFault]]
    """What happens to a node that shows a fault. Default: ``observe``."""
    evict: NotRequired[bool]
    """Whether a fault also ends the pods that hold the device, or run on the node, that is tainted for it. Default:
    false."""


@args_schema
class ReadinessOptions(ReadinessSettings):
    """Whether a node takes work only while its fabric is proven."""

    enabled: bool
    """Hold nodes until their fabric is proven, and prove it again."""


@args_schema
class NodeReadinessArgs(ReadinessSettings, NodePools, ClusterFacts):
    """The pools whose nodes are kept ready, and how their fabric is proved."""

    acceptance: NotRequired[AcceptanceOptions]
    """How the fabric is proved: the options that the acceptance test of these pools has."""
    taint_on_join: NotRequired[bool]
    """Whether a policy gives nodes the start-up taint as they register, from Kubernetes 1.36 on; not needed where their
    cloud does. Default: true."""
    pull_secret_name: NotRequired[str]
    """Secret in ``rdma-acceptance`` by which the tests pull their images. Default: none."""
