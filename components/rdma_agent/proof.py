"""What a node says of its own fabric, in labels, annotations and one taint; and what a test says of its nodes. Pure.

The judge of `up` and the prover both write nodes by these functions, so that there is one proof.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .names import ATTEMPTS, FABRIC_LABEL, FAILED, MEASURED, PROOF, STARTUP_TAINT, UNPROVEN

MOST_HISTORY = 8
Measured = tuple[tuple[int, float], ...]
"""Message sizes in bytes, each with out-of-place bus bandwidth in GB/s."""
SLOWER = 0.9
"""A result below this part of the node's own median is told."""


@dataclass(frozen=True)
class Proof:
    """A test that a node passed."""

    at: int
    """Seconds since 1970."""
    by: str
    """``up`` or ``prover``."""
    boot: str
    """The boot of the node that was tested: after another one it is another machine, or has other drivers."""
    fingerprint: str
    beside: tuple[str, ...] = ()
    """The neighbours in the test."""
    busbw: float = 0.0
    """The least out-of-place figure of its pairs at the largest size, GB/s; 0 where none is known."""
    floor: float = 0.0
    """The least that had to be shown there, GB/s; 0 where no figure is known."""
    history: tuple[tuple[int, float], ...] = ()
    """Earlier proofs, the oldest first: when, and GB/s."""

    @property
    def usual(self) -> float:
        """The median of its history; 0 where there is none."""
        known = sorted(figure for _, figure in self.history if figure)
        return known[len(known) // 2] if known else 0.0

    @property
    def is_slower(self) -> bool:
        """Whether the last figure lies well below the node's own."""
        return 0 < self.busbw < SLOWER * self.usual


@dataclass(frozen=True)
class Attempts:
    """What was tried on one boot of a node since its last proof."""

    boot: str = ""
    last: str = ""
    """Name of the last test whose outcome was taken over."""
    failed_with: tuple[str, ...] = ()
    """Nodes beside which it failed."""
    tests: int = 0
    """Tests with a verdict that decided nothing."""
    lost: int = 0
    """Tests in a row without a verdict."""
    next: int = 0
    """The time before which the node is not tested again."""
    why: str = ""
    """What the last test said."""


@dataclass(frozen=True)
class Report:
    """What a test says: its nodes, which pairs of them were well, and whom the judge suspects."""

    nodes: tuple[str, ...] = ()
    pairs: tuple[tuple[int, int, float, bool], ...] = ()
    """Two nodes by their place in ``nodes``, GB/s, and whether every gate passed."""
    suspects: tuple[int, ...] = ()
    floor: float = 0.0
    sizes: tuple[int, ...] = ()
    """Message sizes of the tests, in bytes."""
    figures: tuple[tuple[float, ...], ...] = ()
    """Of each pair, in the order of ``pairs``, GB/s at each size; empty where they are not told."""

    def partners(self, node: str, *, good: bool) -> tuple[str, ...]:
        """The nodes beside which ``node`` was good, or was not."""
        if node not in self.nodes:
            return ()
        own = self.nodes.index(node)
        found = [pair for pair in self.pairs if own in pair[:2] and pair[3] == good]
        return tuple(dict.fromkeys(self.nodes[pair[0] + pair[1] - own] for pair in found))

    def busbw(self, node: str) -> float:
        """The least figure of a node's good pairs."""
        own = self.nodes.index(node)
        return min((gbps for one, two, gbps, good in self.pairs if own in (one, two) and good and gbps), default=0.0)

    def measured(self, node: str) -> Measured:
        """The least figures of a node's good pairs by size."""
        own = self.nodes.index(node)
        told = zip(self.pairs, self.figures, strict=False)
        lines = [line for (one, two, _, good), line in told if own in (one, two) and good and line]
        return tuple(zip(self.sizes, map(min, zip(*lines, strict=False)), strict=False))

    def suspected(self) -> tuple[str, ...]:
        """Nodes that the judge suspects, and that failed beside two others or more whom it does not suspect."""
        named = {self.nodes[each] for each in self.suspects}
        return tuple(
            each for each in self.nodes if each in named and len({*self.partners(each, good=False)} - named) > 1
        )

    def passed(self, failed: Collection[str] = ()) -> tuple[str, ...]:
        """Nodes with a good pair whose bad ones, if any, are all with a node that is known to have failed."""
        known = {*failed, *self.suspected()}
        fine = (each for each in self.nodes if each not in known and self.partners(each, good=True))
        return tuple(node for node in fine if known.issuperset(self.partners(node, good=False)))


def proof_of(annotations: Mapping[str, str]) -> Proof | None:
    """The last proof that a node carries; ``None`` where it has none that can be read."""
    try:
        data: dict[str, Any] = json.loads(annotations[PROOF])
        data["history"] = tuple((int(at), float(gbps)) for at, gbps in data.get("history", ()))
        data["beside"] = tuple(data.get("beside", ()))
        return Proof(**data)
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def measured_of(annotations: Mapping[str, str], shown: Proof | None) -> Measured:
    """The figures by size of the proof that a node carries; none of another proof, and none that cannot be read."""
    try:
        data: dict[str, Any] = json.loads(annotations[MEASURED])
        read = tuple((int(size), float(gbps)) for size, gbps in data["busbw"])
        return read if shown is not None and data["at"] == shown.at else ()
    except (KeyError, ValueError, TypeError, AttributeError):
        return ()


def attempts_of(annotations: Mapping[str, str], boot: str) -> Attempts:
    """What was tried on this boot of a node."""
    try:
        data: dict[str, Any] = json.loads(annotations[ATTEMPTS])
        data["failed_with"] = tuple(data.get("failed_with", ()))
        read = Attempts(**data)
    except (KeyError, ValueError, TypeError, AttributeError):
        return Attempts(boot)
    return read if read.boot == boot else Attempts(boot)


def renewed(proof: Proof, before: Proof | None) -> Proof:
    """A proof with the history of the one before."""
    earlier = () if before is None else (*before.history, (before.at, before.busbw))
    return replace(proof, history=earlier[-MOST_HISTORY:])


@dataclass(frozen=True)
class Mark:
    """What a node is to carry from now on."""

    taint: str | None
    """``unproven``, ``failed``, or ``None`` for a node that takes work."""
    label: str | None
    proof: Proof | None = None
    attempts: Attempts | None = None
    keep_proof: bool = field(default=False)
    """Leave the annotations of the last proof as they are."""
    measured: Measured = ()
    """What the proof's test showed by message size."""

    def patch(self, node: Mapping[str, Any]) -> dict[str, Any] | None:
        """A merge patch that makes a node so; ``None`` where it is so already.

        The version makes the API refuse the list of taints where somebody else has written it meanwhile.
        """
        held = node.get("spec", {}).get("taints", [])
        # The label's key is that of the taint where nodes are not held.
        taints = [taint for taint in held if taint.get("key") not in (STARTUP_TAINT, FABRIC_LABEL)]
        if self.taint is not None:
            taints.append({"key": STARTUP_TAINT, "value": self.taint, "effect": "NoSchedule"})
        annotations = {ATTEMPTS: _text(self.attempts)}
        if not self.keep_proof:
            annotations[PROOF] = _text(self.proof)
        metadata = node["metadata"]
        same_labels = metadata.get("labels", {}).get(FABRIC_LABEL) == self.label
        has = metadata.get("annotations", {})
        if not self.keep_proof and (self.measured or MEASURED in has):
            annotations[MEASURED] = self._measured()
        if same_labels and all(has.get(key) == value for key, value in annotations.items()) and _alike(held, taints):
            return None
        changed = {"labels": {FABRIC_LABEL: self.label}, "annotations": annotations}
        return {"metadata": {"resourceVersion": metadata["resourceVersion"], **changed}, "spec": {"taints": taints}}

    def _measured(self) -> str | None:
        if self.proof is None or not self.measured:
            return None
        return json.dumps({"at": self.proof.at, "busbw": self.measured}, separators=(",", ":"))


def proven(proof: Proof, before: Proof | None, measured: Measured = ()) -> Mark:
    """The mark of a node that takes work."""
    return Mark(None, proof.fingerprint, renewed(proof, before), measured=measured)


def failed(attempts: Attempts) -> Mark:
    """The mark of a node that is out of service until it boots again or somebody clears the label."""
    return Mark(FAILED, FAILED, attempts=attempts, keep_proof=True)


def held(attempts: Attempts | None) -> Mark:
    """The mark of a node that is not proven yet, or no longer."""
    return Mark(UNPROVEN, None, attempts=attempts, keep_proof=True)


def taint_value(node: Mapping[str, Any]) -> str | None:
    """The value of our taint; ``None`` where a node has none."""
    held = node.get("spec", {}).get("taints", [])
    return next((taint.get("value", "") for taint in held if taint.get("key") == STARTUP_TAINT), None)


def boot_of(node: Mapping[str, Any]) -> str:
    """What changes when a node boots, or comes back as another machine."""
    info = node.get("status", {}).get("nodeInfo", {})
    return f"{node['metadata'].get('uid', '')[:8]}-{info.get('bootID', '')[:8]}"


def _alike(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    texts = [sorted(json.dumps(taint, sort_keys=True) for taint in taints) for taints in (one, other)]
    return texts[0] == texts[1]


def _text(record: Proof | Attempts | None) -> str | None:
    return None if record is None else json.dumps(asdict(record), separators=(",", ":"))
