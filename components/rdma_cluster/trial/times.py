"""When each phase of a run began and ended: what the engine made, and when nodes, drivers and tests were ready."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pulumi_offline.errors import refusal
from pulumi_offline.immutable import FIXED
from rdma_agent.kube_api import seconds_of
from rdma_agent.names import POOL
from ..catalog.latencies import LATENCIES
from ..conform.redact import daemon_names
from .archive import Phase

ENGINE = "--engine"
RESOURCE = "resource"


class Span(NamedTuple):
    """One phase, in seconds since 1970."""

    phase: str
    """``up``, ``resource``, ``nodes``, ``driver`` or ``test``."""
    of: str
    """A resource's type, a pool's number or a DaemonSet's name."""
    begin: float
    end: float


def of_engine(texts: Mapping[str, str]) -> list[Span]:
    """What files of the engine tell, by name: an event log, an export of the state, a history. Raises ``Refused``."""
    spans: list[Span] = []
    for name, text in texts.items():
        try:
            spans += _read(text)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            forms = "an event log, `pulumi stack export`, or `pulumi stack history --json`"
            raise refusal(f"{name} is none of {forms}", ENGINE) from None
    return spans


def _read(text: str) -> list[Span]:
    first, _, rest = text.strip().partition("\n")
    if first.startswith("{") and first.endswith("}") and (not rest or rest.startswith("{")):
        events = [json.loads(line) for line in text.splitlines() if line.strip()]
        if "deployment" not in events[0]:
            return list(_events(events))
    whole = json.loads(text)
    return list(_history(whole) if isinstance(whole, list) else _state(whole["deployment"].get("resources") or []))


def _events(events: Iterable[Mapping[str, Any]]) -> Iterator[Span]:
    """Each creation, from its first event to its last; the engine's times are whole seconds."""
    begun: dict[str, float] = {}
    for event in events:
        at = float(event["timestamp"])
        if (began := event.get("resourcePreEvent")) is not None:
            begun[began["metadata"]["urn"]] = at
        ended = event.get("resOutputsEvent")
        if ended is None or ended["metadata"]["op"] != "create" or ended["metadata"]["urn"] not in begun:
            continue
        if (of := ended["metadata"]["type"]) in FIXED.keys() | LATENCIES.keys():
            yield Span(RESOURCE, of, begun[ended["metadata"]["urn"]], at)


def _state(resources: Sequence[Mapping[str, Any]]) -> Iterator[Span]:
    """Each resource, from when the last that it needs was there until it was."""
    made = {each["urn"]: _time(each["created"]) for each in resources if "created" in each}
    for each in resources:
        if each["urn"] not in made or each["type"] not in FIXED.keys() | LATENCIES.keys():
            continue
        needed = [
            *(each.get("dependencies") or []),
            each.get("parent", ""),
            each.get("provider", "").rpartition("::")[0],
        ]
        if before := [made[of] for of in needed if of in made]:
            yield Span(RESOURCE, each["type"], max(before), made[each["urn"]])


def _history(updates: Iterable[Mapping[str, Any]]) -> Iterator[Span]:
    for each in updates:
        if each["kind"] == "update" and each.get("result") == "succeeded":
            yield Span("up", "stack", _time(each["startTime"]), _time(each["endTime"]))


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def of_cluster(
    nodes: Iterable[Any], pods: Iterable[Any], tests: Iterable[Any], pool_label: str, pools: Sequence[str]
) -> Iterator[Span]:
    """What objects of Kubernetes tell: nodes until all are ready, drivers on them, tests."""
    of_pool = {each["metadata"]["name"]: each["metadata"].get("labels", {}).get(pool_label) for each in nodes}
    for i, pool in enumerate(pools):
        yield from _ready("nodes", f"pool-{i}", [each for each in nodes if of_pool[each["metadata"]["name"]] == pool])
    by_daemon: dict[str, list[Any]] = {}
    for pod in pods:
        owner = next((each["name"] for each in pod["metadata"].get("ownerReferences", [])), "")
        if owner in daemon_names() and of_pool.get(pod["spec"].get("nodeName")) in pools:
            by_daemon.setdefault(owner, []).append(pod)
    for name, own in sorted(by_daemon.items()):
        yield from _ready("driver", name, own)
    for test in tests:
        status, pool = test.get("status", {}), test["metadata"].get("labels", {}).get(POOL)
        ended = [each for each in status.get("conditions") or [] if each["type"] in ("Complete", "Succeeded", "Failed")]
        end = status.get("completionTime") or next((each.get("lastTransitionTime") for each in ended), None)
        if pool in pools and status.get("startTime") and end:
            yield Span("test", f"pool-{pools.index(pool)}", seconds_of(status["startTime"]), seconds_of(end))


def _ready(phase: str, of: str, objects: Sequence[Any]) -> Iterator[Span]:
    """From the first object to the last that became ready; nothing while one is not."""
    begun = [seconds_of(each["metadata"].get("creationTimestamp")) for each in objects]
    conditions = [
        {one["type"]: one for one in each.get("status", {}).get("conditions") or [] if one["status"] == "True"}
        for each in objects
    ]
    ends = [seconds_of(of["Ready"].get("lastTransitionTime")) for of in conditions if "Ready" in of]
    if objects and len(ends) == len(objects) and min(*begun, *ends) > 0:
        yield Span(phase, of, min(begun), max(ends))


def relative(spans: Iterable[Span]) -> list[Phase]:
    """The phases in order, in seconds since the first; of resources of one type the one that took longest."""
    longest: dict[tuple[str, str], Span] = {}
    for each in spans:
        known = longest.setdefault((each.phase, each.of), each)
        if each.end - each.begin > known.end - known.begin:
            longest[each.phase, each.of] = each
    start = min((each.begin for each in longest.values()), default=0.0)
    ordered = sorted(longest.values(), key=lambda each: (each.begin, each.end, each.of))
    return [
        Phase(phase=each.phase, of=each.of, begin=round(each.begin - start), end=round(each.end - start))
        for each in ordered
    ]
