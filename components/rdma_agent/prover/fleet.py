"""The nodes and tests of a cluster, as the prover's decision reads them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..proof import FAILED, Attempts, Mark, Proof, Report


@dataclass(frozen=True)
class Pool:
    """What the plan says of a pool."""

    name: str
    fingerprint: str
    """Digest of everything that a test of its nodes proves now."""
    holds: bool = True
    """Whether a node without a proof is tainted, also one that did not register with the taint."""
    renew_seconds: int = 0
    """How old a proof of an idle node may be; 0 is any age."""
    gather_seconds: int = 300
    """How long newcomers wait for others of the same scale-up."""
    most_in_ring: int = 16
    """Nodes of one test."""
    most_at_once: int = 128
    """Nodes in tests at one time."""


@dataclass(frozen=True)
class Node:
    """A node of a pool that is proved."""

    name: str
    pool: str
    boot: str
    joined: int = 0
    """The time since which Kubernetes calls it Ready."""
    waits_for: str = ""
    """What it lacks before it can be tested, in words: it is not Ready, is cordoned, or has too few devices."""
    tainted: str = ""
    """A device of it that no new pod gets, in words, where a rule of the cluster names the node."""
    busy: bool = False
    """Whether it has work on it."""
    taint: str | None = None
    label: str | None = None
    proof: Proof | None = None
    attempts: Attempts = field(default_factory=Attempts)

    @property
    def is_proven(self) -> bool:
        """Whether it showed its fabric in this boot, and nothing took the label of that away since."""
        shown = self.proof
        return shown is not None and shown.boot == self.boot and self.label == shown.fingerprint

    @property
    def is_failed(self) -> bool:
        """Whether it is known to be bad in this boot."""
        return self.label == FAILED and self.attempts.tests > 0

    @property
    def takes_work(self) -> bool:
        """Whether nothing of ours keeps pods away from it."""
        return self.taint is None

    def marked(self, mark: Mark) -> "Node":
        """The node as it is once it carries ``mark``."""
        return replace(
            self,
            taint=mark.taint,
            label=mark.label,
            proof=self.proof if mark.keep_proof else mark.proof,
            attempts=mark.attempts or Attempts(self.boot),
        )


@dataclass(frozen=True)
class Test:
    """A test of the prover's that exists as a Job."""

    name: str
    pool: str
    nodes: tuple[str, ...]
    """Its nodes in the order of their places in the ring."""
    subjects: tuple[str, ...]
    """The nodes that are to be proven; the others are neighbours that are proven already."""
    boots: tuple[str, ...]
    """The boots of its nodes when it started."""
    started: int
    ended: int = 0
    """0 while it runs."""
    report: Report | None = None
    """``None`` of one that ended without a verdict."""
    message: str = ""
    """The judge's own words, or why there are none."""


@dataclass(frozen=True)
class Start:
    """Make a test of these nodes."""

    pool: str
    nodes: tuple[str, ...]
    subjects: tuple[str, ...]
    boots: tuple[str, ...]


@dataclass(frozen=True)
class End:
    """Delete a test."""

    test: str
    why: str


@dataclass(frozen=True)
class SetMark:
    """Make a node carry a mark, and tell of it."""

    node: str
    mark: Mark
    reason: str
    message: str


@dataclass(frozen=True)
class Condition:
    """The node condition ``RdmaFabricProven``."""

    is_proven: bool
    reason: str
    message: str


Action = Start | End | SetMark


@dataclass(frozen=True)
class Seen:
    """Everything that a decision is made of: what the API server holds, and the time."""

    pools: Sequence[Pool]
    nodes: Sequence[Node]
    tests: Sequence[Test] = ()
    tested_by_up: frozenset[str] = frozenset()
    """Pools whose nodes `up` tests just now."""
    waiting_since: int = 0
    """When the youngest pod was made that asks for GPUs and has no node; 0 where there is none."""
    now: int = 0
