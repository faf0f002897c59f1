"""What a cloud's upgrades are: which parts are upgraded through a stack's file, and how the nodes of a pool follow."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from pulumi_offline.frozen import frozen
from .. import __version__
from ..catalog.machine import Source


class Part(str, Enum):
    """What can be newer."""

    KUBERNETES = "kubernetes"
    """The control plane, the system nodes, then the pools."""
    NODE_IMAGE = "node-image"
    """The system that a pool's nodes boot."""
    DRIVER = "driver"
    """The kernel driver of GPUs and NICs."""
    DRA_DRIVER = "dra-driver"
    """The drivers that hand out devices by claims."""
    NCCL_PLUGIN = "nccl-plugin"
    """What NCCL finds the NICs by."""
    IN_CLUSTER = "in-cluster"
    """All that runs in the cluster: charts, DaemonSets, operators. Its version is this library's."""
    MACHINE = "machine"
    """The machine type of a pool."""


class Outcome(str, Enum):
    """Who upgrades a part."""

    DONE = "done"
    """We, by edits of the stack's file or by a release of this library."""
    REFUSED = "refused"
    """Nobody, for a reason."""
    CLOUD = "the cloud's own"
    """The user, with the cloud's own tools."""


@frozen
class Cell:
    """What comes of one part on one cloud."""

    outcome: Outcome
    words: str
    source: Source
    installed: str = ""
    """The one version that this release of the library installs; empty where a stack's file names one."""
    jobs: str = ""
    """What another version does to running jobs, where it comes with a release of the library."""


@frozen
class Roll:
    """How a cloud makes the nodes of a pool anew, one after the other, as our pools are set."""

    surge: int
    """Nodes beyond the pool's own that there may be meanwhile; a reservation has room for none."""
    unavailable: int
    """Nodes of the pool that may be gone at once, unless the pool says how many."""
    pods: str
    """What becomes of the pods of a node that goes."""
    source: Source
    minutes: int | None = None
    """How long one turn was seen to take; ``None`` where nobody published a figure."""
    seen: str = ""
    """Where that was seen."""


@frozen
class CloudUpgrades:
    """One cloud."""

    service: str
    pool_label: str
    """The node label by which kubectl finds a pool."""
    cells: Mapping[Part, Cell]
    roll: Roll | None = None
    """``None`` where the cloud makes no nodes anew by our edits."""
    node_keys: Mapping[Part, str] = field(default_factory=dict)
    """The key of a pool that moves its nodes, by part."""
    exact: str = ""
    """The form of a version that nodes of the part ``kubernetes`` can be on; empty where any will do."""
    pools_follow: bool = False
    """Whether pools that have ``upgrade`` move in the same `up` as the control plane; their ``node_keys`` are none."""
    system_nodes: str = ""
    """What becomes of the system nodes when the control plane moves."""
    first: str = ""
    """What to do by hand before the control plane moves."""
    then: str = ""
    """What is left to do by other means once the control plane has moved."""


IN_CLUSTER = Cell(
    Outcome.DONE,
    "each release of the library brings its own versions: `pulumi up` updates them where they run. `upgrade --part "
    "in-cluster` says of each what restarts, on how many nodes at a time, and what that does to pods that run; `plan "
    "--since` says it of what does change",
    Source("the catalogue: catalog/in_place.py, a row for each part with its own source", "2026-11-27"),
    __version__,
    "each part that changes restarts, as below; what does not change stays",
)
ONE_PLUGIN = "the pods of a job must all have one version: let the jobs that run end before"


def installed(what: str, version: str, jobs: str, source: Source) -> Cell:
    """A part of which a release of this library installs one version, as one row with what it fits."""
    words = (
        f"{what} {version} comes with this release of the library, beside what it was tested with: another version "
        "comes with another release, by `pulumi up`, which proves the pools again"
    )
    return Cell(Outcome.DONE, words, source, version, jobs)


OTHER_MACHINE = (
    "another machine is another pool, since capacity is of one machine type: list it in `pools` with capacity of its "
    "own, move the jobs when it is proven, then remove the old one"
)
