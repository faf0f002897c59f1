"""The proof of a pool: the values on which it rests, and which changes void it. Pure.

A value has a name that stays from release to release: ``drivers``, ``environment``, ``threshold``. How a test is run
(scripts, paths, time-outs, images of ours) is none of them.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nccl_verdict.expectation import size_text

AT_LEAST = {"nodes", "threshold"}
"""Values of which a proof of more is a proof of less."""
AT_MOST = {"waived"}
"""Lists of which a proof with fewer entries is a proof with more of them."""


@dataclass(frozen=True)
class PoolProof:
    """A test that a pool passed."""

    at: str
    """When its test ended, as Kubernetes writes times: ``2026-11-27T21:40:00Z``."""
    by: str
    """The release that asked for the test: ``0.2.0``."""
    values: Mapping[str, Any]
    """What it rests on, by name. A value that is not there is not known and voids nothing."""
    seconds: int = 0
    """How long the test took."""
    due: str = ""
    """Why another test is due, where nodes were in use when it should have run; empty where none is."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What a newer release wrote besides, kept as it is."""

    def to_json(self) -> str:
        """For the ConfigMap that keeps it."""
        known = {"at": self.at, "by": self.by, "values": self.values, "seconds": self.seconds, "due": self.due}
        return json.dumps({**self.more, **known}, sort_keys=True)


def read(text: str) -> PoolProof | None:
    """The proof that was kept; ``None`` for a text that is none."""
    try:
        data: dict[str, Any] = json.loads(text)
        known = {key: data.pop(key) for key in ("at", "by", "values", "seconds", "due") if key in data}
        return PoolProof(**known, more=data) if isinstance(known["values"], dict) else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def voided(proof: PoolProof, now: Mapping[str, Any]) -> list[str]:
    """What differs from what the proof rests on, a line for each value: ``drivers: dranet 1.4.0 -> dranet 1.5.0``."""
    shared = [name for name in now if name in proof.values]
    return [f"{name}: {change}" for name in shared for change in _changes(name, proof.values[name], now[name])]


def _changes(name: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}):
            if not _holds(name, old.get(key), new.get(key)):
                yield f"{key} {_text(old.get(key))} -> {_text(new.get(key))}"
    elif not _holds(name, old, new):
        yield f"{_text(old)} -> {_text(new)}"


def _holds(name: str, old: Any, new: Any) -> bool:
    """Whether a proof under ``old`` is one under ``new``."""
    if name in AT_LEAST and isinstance(old, int | float) and isinstance(new, int | float):
        return old >= new
    if name in AT_LEAST and new is None:
        return True
    if name in AT_MOST and isinstance(old, list) and isinstance(new, list):
        return set(old) <= set(new)
    return old == new


def _text(value: Any) -> str:
    if value in (None, "", []):
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def of_release(
    test: Mapping[str, Any], expectation: Mapping[str, Any], now: Mapping[str, Any], pins: Mapping[str, Any], by: str
) -> PoolProof:
    """The proof that a passed test of an earlier release is, which kept none: a Job or an MPIJob tells its environment.

    ``expectation`` is what it had to show, and ``pins`` what that release installed for such a pool. A value that
    neither tells, as the nodes' image, is not known: whoever asks looks at when nodes joined.
    """
    spec = test["spec"]
    pod = spec["mpiReplicaSpecs"]["Launcher"]["template"] if "mpiReplicaSpecs" in spec else spec["template"]
    (lead,) = (each for each in pod["spec"]["containers"] if each["name"] == "test")
    env = {each["name"]: each.get("value", "") for each in lead.get("env", [])}
    told = {name: env[name] for name in now.get("environment", {}) if name in env}
    lines = expectation.get("thresholds", {})
    values = {
        **pins,
        "nodes": int(env.get("NODES", 0)),
        "gpus": int(env.get("GPUS", 0)),
        "collectives": [env.get("COLLECTIVE", ""), *env.get("ALSO", "").split()],
        "machine": expectation.get("machine"),
        "environment": told,
        "threshold": {
            threshold_name(of, each["size_bytes"]): each["busbw_gbytes"] for of in lines for each in lines[of]
        },
    }
    return PoolProof(ended_at(test), by, {name: value for name, value in values.items() if value not in (None, 0)})


def threshold_name(collective: str, size_bytes: int) -> str:
    """``all_reduce from 1 GiB``: one figure of a threshold."""
    return f"{collective} from {size_text(size_bytes)}"


def ended_at(test: Mapping[str, Any]) -> str:
    """When a test ended, as Kubernetes writes times."""
    status = test.get("status", {})
    ends = [each.get("lastTransitionTime", "") for each in status.get("conditions") or [] if each["status"] == "True"]
    return status.get("completionTime") or max(ends, default="")
