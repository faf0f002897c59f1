"""Reads a snapshot from what an API server answers and what a pod saw: only what has a form that no name has.

Objects are whatever a server sent. What is not there, or has another type than Kubernetes gives it, is not seen.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_offline.frozen import frozen
from ..catalog import find
from ..catalog.clouds import CLOUD_FACTS
from . import redact
from .redact import FORMS, begun, kept
from .snapshot import FORM, SeenDaemon, SeenDevice, SeenNode, Snapshot, checked, together

_HELM = "meta.helm.sh/release-name"


@frozen
class Answers:
    """What an API server answered, in its own form."""

    nodes: Sequence[Any]
    slices: Sequence[Any] = ()
    daemons: Sequence[Any] = ()
    templates: Sequence[Sequence[Any]] = ()
    """Claim templates of each of the stack's namespaces."""
    classes: Sequence[Any] = ()
    version: str = ""
    looks: Mapping[str, str] = field(default_factory=dict)
    """What the pod printed, by node."""


@frozen
class Seen:
    """A snapshot, and whose it is: names stay with who asked."""

    snapshot: Snapshot
    names: tuple[tuple[str, ...], ...]
    """Names of the nodes behind each node of the snapshot."""


def read_answers(answers: Answers, pool_label: str, pools: Sequence[str], made_by: str) -> Seen:
    """What the nodes of these pools show, and what runs on them; ``pools`` in the stack's order."""
    nodes: list[tuple[str, SeenNode]] = []
    slices = _by_node(answers.slices)
    for node in answers.nodes:
        labels, name = _labels(node), _at(node, "metadata", "name")
        if (pool := labels.get(pool_label)) in pools and isinstance(name, str):
            looked = _look(answers.looks.get(name, ""))
            nodes.append((name, _node(node, pools.index(str(pool)), slices.get(name, ())) | looked))
    alike = together([node for _, node in nodes])
    snapshot = Snapshot(form=FORM, made_by=made_by, nodes=alike)
    if version := begun(FORMS["kubernetes"], answers.version):
        snapshot["kubernetes"] = version
    snapshot["daemons"] = [daemon for each in answers.daemons if (daemon := _daemon(each)) is not None]
    form = redact.template_form()
    everywhere = [_named(of) for of in answers.templates]
    common = set.intersection(*everywhere) if everywhere else set()
    snapshot["templates"] = sorted(name for each in common if (name := kept(form, each)))
    snapshot["classes"] = sorted(_named(answers.classes) & redact.class_names())
    # In the schema's order, and in its form: what is judged now and what is read from a file later are the same.
    return Seen(checked(snapshot, "what was read"), tuple(_names(each, nodes) for each in alike))


def beside(answers: Answers, pool_label: str, pools: Sequence[str]) -> list[str]:
    """GPU nodes of other pools than these, which may be somebody's own, or a pool that a plan has no more."""
    labels = [_labels(node) for node in answers.nodes]
    others = Counter((str(of[pool_label]), _machine(of)) for of in labels if of.get(pool_label, pools[0]) not in pools)
    counted = ((pool, machine, count) for (pool, machine), count in sorted(others.items()) if find(machine))
    return [f"pool {pool}: {count} x {machine}, and the plan has no such pool" for pool, machine, count in counted]


def _named(objects: Any) -> set[str]:
    names = (_at(each, "metadata", "name") for each in _list(objects))
    return {name for name in names if isinstance(name, str)}


def _names(alike: SeenNode, nodes: Iterable[tuple[str, SeenNode]]) -> tuple[str, ...]:
    own = {key: value for key, value in alike.items() if key != "count"}
    return tuple(name for name, node in nodes if node == own)


def _node(node: Any, pool: int, slices: Iterable[Any]) -> SeenNode:
    labels, info = _labels(node), _at(node, "status", "nodeInfo")
    seen = SeenNode(pool=pool, machine=_machine(labels))
    conditions = _list(_at(node, "status", "conditions"))
    seen["ready"] = any(_at(each, "type") == "Ready" and _at(each, "status") == "True" for each in conditions)
    texts = {"kubelet": "kubeletVersion", "kernel": "kernelVersion", "os": "osImage"}
    texts |= {"architecture": "architecture", "runtime": "containerRuntimeVersion"}
    seen |= {key: text for key, of in texts.items() if (text := begun(FORMS[key], _at(info, of)))}  # ty: ignore
    seen["taints"] = [taint for each in _list(_at(node, "spec", "taints")) if (taint := _taint(each)) is not None]
    ours = {key: labels.get(key) for key in redact.LABELS}
    seen["labels"] = {key: value for key, of in ours.items() if (value := kept("true|false", of)) is not None}
    if cpus := kept(r"\d{1,5}", _at(node, "status", "capacity", "cpu")):
        seen["cpus"] = int(cpus)
    resources = _at(node, "status", "allocatable")
    amounts = {name: str(_at(resources, name)) for name in sorted(redact.resource_names())}
    seen["allocatable"] = {name: amount for name, amount in amounts.items() if kept(r"\d{1,18}[a-zA-Z]{0,2}", amount)}
    seen["devices"] = [device for each in slices for device in _devices(each)]
    return seen


def _machine(labels: Mapping[str, Any]) -> str:
    """The machine type that a node's labels name; of several words where some cloud's labels give them."""
    by_words = sorted({facts.machine_labels for facts in CLOUD_FACTS.values()}, key=len, reverse=True)
    for words in ([labels.get(label) for label in of_cloud] for of_cloud in by_words):
        name = ".".join(word for word in words if isinstance(word, str))
        if None not in words and (find(name) or kept(FORMS["machine"], name)):
            return name
    return "other"


def _taint(taint: Any) -> Any:
    key, value, effect = (_at(taint, each) for each in ("key", "value", "effect"))
    if not (effect := kept(FORMS["effect"], effect)) or not isinstance(key, str):
        return None
    if key.startswith(("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")):
        key = kept(r"node\.[a-z.]{1,30}/[a-z-]{1,40}", key) or "other"
    elif key not in redact.TAINTS:
        key = "other"
    told = {"value": value} if key != "other" and kept("present|true|spot|arm64|amd64|suspect|unproven", value) else {}
    return {"key": key, **told, "effect": effect}


def _devices(sliced: Any) -> Iterable[SeenDevice]:
    """The devices of a slice; the attributes of v1, or below ``basic`` as v1beta1 has them."""
    driver = str(_at(sliced, "spec", "driver"))
    if driver not in redact.driver_names():
        return
    for i, device in enumerate(_list(_at(sliced, "spec", "devices"))):
        own = _at(device, "attributes") or _at(device, "basic", "attributes")
        name = kept(
            rf"(?:gpu|net|nic|rail)-\d{{1,3}}|pci-[0-9a-f]{{4}}-[0-9a-f]{{2}}-[0-9a-f]{{2}}-[0-7]|{redact.INTERFACE}",
            _at(device, "name"),
        )
        seen = SeenDevice(driver=driver, name=name or f"device-{i}")
        for key, value in (own if isinstance(own, Mapping) else {}).items():
            _attribute(seen, str(key) if "/" in str(key) else f"{driver}/{key}", value)
        yield seen


_KINDS = {"string": "strings", "int": "numbers", "bool": "flags", "version": "versions"}


def _attribute(seen: SeenDevice, name: str, value: Any) -> None:
    """Adds an attribute where it is one that is read, and its value has its form."""
    for kind, group in _KINDS.items():
        of = _at(value, kind)
        if kind == "string":
            of = kept(redact.ATTRIBUTES[name], of) if name in redact.ATTRIBUTES else None
        elif name.rpartition("/")[2] not in redact.OTHERS or name.rpartition("/")[0] not in _DOMAINS:
            of = None
        elif kind == "version":
            of = begun(redact.FORMS["version"], of)
        elif type(of) is not (int if kind == "int" else bool) or abs(of) > 1_000_000:
            of = None
        if of is not None:
            seen.setdefault(group, {})[name] = of  # ty: ignore


_DOMAINS = redact.driver_names() | {"resource.kubernetes.io"}


def _daemon(daemon: Any) -> SeenDaemon | None:
    """A DaemonSet of a chart by its release, or one of ours by its name."""
    meta, status = _at(daemon, "metadata"), _at(daemon, "status")
    name = str(_at(meta, "annotations", _HELM) or _at(meta, "name"))
    if name not in redact.daemon_names():
        return None
    counts = [_at(status, key) for key in ("desiredNumberScheduled", "numberReady")]
    wanted, ready = (each if isinstance(each, int) and not isinstance(each, bool) else 0 for each in counts)
    seen = SeenDaemon(name=name, wanted=wanted, ready=ready)
    of_chart = re.search(r"-(v?\d[\d.]*)$", str(_at(meta, "labels", "helm.sh/chart")), re.ASCII)
    spec = _at(daemon, "spec", "template", "spec")
    containers = [*_list(_at(spec, "initContainers")), *_list(_at(spec, "containers"))]
    of_image = re.search(r":(v?\d[\d.]*)(@|$)", str(_at(containers[0], "image")) if containers else "", re.ASCII)
    found = of_chart or of_image
    if found and (version := kept(FORMS["version"], found[1])):
        seen["version"] = version
    return seen


def _look(text: str) -> Any:
    """What the pod printed, each value in its form."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(told, Mapping):
        return {}
    seen: dict[str, Any] = {}
    for key in ("gpus", "nics"):
        if isinstance(told.get(key), list):
            parts = [_part(each) for each in told[key]]
            seen[key] = [each for each in parts if key == "nics" or "pci" in each]
    values = told.get("parameters")
    settings = {key: _at(values, key) for key in redact.PARAMETERS}
    seen["parameters"] = {
        key: value for key, value in settings.items() if kept(r"on|off|pt|strict|nomsi|\d{1,9}", value)
    }
    return seen | ({"driver": driver} if (driver := kept(FORMS["driver"], told.get("driver"))) else {})


def _part(told: Any) -> dict[str, Any]:
    """A GPU or NIC as the pod told it; what is no part of the form is not read."""
    part: dict[str, Any] = {}
    for key in ("pci", "root", "model", "id", "interface", "rdma"):
        if text := kept(FORMS[key], _at(told, key)):
            part[key] = text
    if firmware := begun(FORMS["firmware"], _at(told, "firmware")):
        part["firmware"] = firmware
    for key in ("numa", "mtu_bytes", "gbps"):
        number = _at(told, key)
        if type(number) is int and 0 <= number < 1_000_000:
            part[key] = number
    if type(_at(told, "active")) is bool:
        part["active"] = told["active"]
    return part


def _by_node(slices: Iterable[Any]) -> dict[str, list[Any]]:
    """The slices of each node; of a driver's pool those of the newest generation alone, as the scheduler takes them."""
    newest: dict[tuple[Any, Any], int] = {}
    read = []
    for each in slices:
        spec = _at(each, "spec")
        pool, generation = (_at(spec, "driver"), _at(spec, "pool", "name")), _at(spec, "pool", "generation")
        if isinstance(node := _at(spec, "nodeName"), str) and isinstance(generation, int) and _hashable(pool):
            newest[pool] = max(generation, newest.get(pool, generation))
            read.append((node, pool, generation, each))
    found: dict[str, list[Any]] = {}
    for node, pool, generation, each in read:
        if generation == newest[pool]:
            found.setdefault(node, []).append(each)
    return found


def _hashable(pool: tuple[Any, Any]) -> bool:
    return all(isinstance(each, str) for each in pool)


def _labels(node: Any) -> Mapping[str, Any]:
    labels = _at(node, "metadata", "labels")
    return labels if isinstance(labels, Mapping) else {}


def _at(value: Any, *path: str) -> Any:
    """What stands at a path; ``None`` where something on the way is no set of keys."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
