"""What a change does to the work that runs on a cluster: what restarts, on which pools, how many nodes at a time."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from math import ceil
from typing import Any

from pulumi_offline import Graph, GraphDiff, Resource, diff
from pulumi_offline.aliases import as_known
from pulumi_offline.replacements import replacements
from ..catalog.in_place import CHARTS, KINDS, WORKLOADS, InPlace

_RELEASE = "kubernetes:helm.sh/v3:Release"
_DAEMON_SET, _DEPLOYMENT = "kubernetes:apps/v1:DaemonSet", "kubernetes:apps/v1:Deployment"
_CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
_JOBS = ("kubernetes:batch/v1:Job", "kubernetes:kubeflow.org/v2beta1:MPIJob")
_RUNS = ("inputs.chart", "inputs.version", "inputs.values", "inputs.repositoryOpts")
"""What of a release becomes objects; all else says how Helm goes about it."""
_UNKNOWN = "what that does to pods that run is not known"
_AT_START = "pods that run keep what they read at their start, and the next ones read the new"


def on_running(before: Graph, after: Graph) -> list[str]:
    """What the change from one graph to another does to work that goes on, a line for each part that it touches.

    What a cluster takes along when it is made anew is left out: nothing runs on there.
    """
    before = as_known(before, after)
    changes, anew = diff(before, after), replacements(before, after)
    old = {each.urn: each for each in before.resources}
    pools = _pools(after)
    there = {each.urn for each in after.resources}
    lines: dict[str, list[str]] = {}
    for resource in after.resources:
        if resource.urn in old and resource.provider not in anew:
            for what, line in _changed(resource, old[resource.urn], changes, resource.urn in anew, after, pools):
                lines.setdefault(line, []).append(what)
    for resource in changes.removed:
        if resource.provider in there and resource.provider not in anew:
            for what, line in _removed(resource, _pools(before)):
                lines.setdefault(line, []).append(what)
    return [f"{_named(names)}: {line}" for line, names in lines.items()]


def what_restarts(graph: Graph) -> list[str]:
    """What another version of each part would do to work that runs, as ``on_running`` puts it."""
    pools = _pools(graph)
    found = ((each, row_of(each)) for each in graph.resources if each.type in (_RELEASE, _DAEMON_SET, _DEPLOYMENT))
    return [f"{_name(each)}{_version(each)}: {_restarts(each, row, pools)}" for each, row in found]


def row_of(resource: Resource) -> InPlace | None:
    """What the catalogue knows of a part; ``None`` where it knows nothing."""
    name = _name(resource)
    if resource.type == _RELEASE:
        return CHARTS.get(name)
    table, key = (WORKLOADS, name) if resource.type in (_DAEMON_SET, _DEPLOYMENT) else (KINDS, resource.type)
    return next((row for known, row in table.items() if fnmatchcase(key, known)), None)


# More than 6 parameters: both sides of one resource, and both graphs' readings.
def _changed(
    now: Resource, old: Resource, changes: GraphDiff, anew: bool, after: Graph, pools: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    paths = [each.path for each in changes.changed.get(now.urn, ()) if each.path.startswith("inputs.")]
    row = row_of(now)
    if not (paths or anew):
        return
    if now.type == _RELEASE:
        if any(path.startswith(_RUNS) for path in paths):
            yield f"{_name(now)}{_moved(old, now)}", _restarts(now, row, pools)
        else:
            yield _name(now), "`helm upgrade` of what is there: its hooks run, and nothing restarts"
    elif now.type in (_DAEMON_SET, _DEPLOYMENT):
        if anew:
            yield _name(now), f"made anew: its pods end on all nodes at once, and start again; {_told(row)}"
        elif any(path.startswith("inputs.spec.template") for path in paths):
            yield _name(now), _restarts(now, row, pools)
    elif now.type == _CONFIG_MAP:
        yield from _read_again(now, changes, after)
    elif row is not None and row.running:
        yield f"{now.type.rpartition(':')[2]} {_name(now)}", _restarts(now, row, pools) if row.at_once else row.told


def _read_again(config: Resource, changes: GraphDiff, after: Graph) -> Iterator[tuple[str, str]]:
    """A file that other pods read: those whose own template changes restart, and their own lines say so."""
    readers = [each for each in after.resources if _reads(each, config)]
    restarted = {urn for urn, paths in changes.changed.items() if any("spec.template" in each.path for each in paths)}
    stay = [_name(each) for each in readers if each.type not in _JOBS and each.urn not in restarted]
    if stay or not readers:
        by = f" (of {', '.join(stay)})" if stay else ""
        yield f"ConfigMap {_name(config)}{by}", _AT_START


def _reads(resource: Resource, config: Resource) -> bool:
    if not resource.type.startswith("kubernetes:") or resource.provider != config.provider:
        return False
    names = {value for key, value in _entries(resource.inputs.get("spec", {})) if key in ("configMap", "configMapRef")}
    metadata, own = resource.inputs.get("metadata", {}), config.inputs["metadata"]
    return metadata.get("namespace") == own.get("namespace") and own.get("name") in names


def _entries(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The names of what a spec refers to, each with the key that it stands under."""
    if isinstance(value, dict):
        if isinstance(name := value.get("name"), str):
            yield key, name
        for below, item in value.items():
            yield from _entries(item, below)
    elif isinstance(value, list):
        for item in value:
            yield from _entries(item, key)


def _removed(resource: Resource, pools: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    row = row_of(resource)
    if resource.type in (_RELEASE, _DAEMON_SET, _DEPLOYMENT):
        what = row.removed if row is not None and row.removed else ""
        yield _name(resource), f"removed{_where(resource, pools)}, at once: {what or 'its pods end; others go on'}"
    elif row is not None and row.removed:
        yield f"{resource.type.rpartition(':')[2]} {_name(resource)}", f"removed: {row.removed}"


def _restarts(resource: Resource, row: InPlace | None, pools: Mapping[str, int]) -> str:
    """``restarts on pool a4, 1 of 2 nodes at a time: ...``."""
    at_once = _at_once(resource, row)
    where = _where(resource, pools)
    if not at_once:
        return f"restarts, on no node of a pool: {_told(row)}"
    nodes = sum(pools[name] for name in _chosen(resource, pools)) if where else 0
    some = f"{_scaled(at_once, nodes)} of {nodes} nodes" if nodes else f"{at_once} of its nodes"
    return f"restarts{where}, {some} at a time: {_told(row)}"


def _told(row: InPlace | None) -> str:
    return _UNKNOWN if row is None else row.told


def _at_once(resource: Resource, row: InPlace | None) -> str:
    """As its own values say, or as the catalogue knows of the chart; empty where no node of a pool restarts it."""
    said = next(_values_of("maxUnavailable", resource.inputs), None)
    if said is not None:
        return str(said)
    return "1" if resource.type == _DAEMON_SET else row.at_once if row is not None else ""


def _scaled(at_once: str, nodes: int) -> int:
    """A share counts up, as the controller of DaemonSets rounds it (kubernetes pkg/controller/daemon/update.go)."""
    return min(nodes, ceil(nodes * int(at_once[:-1]) / 100) if at_once.endswith("%") else int(at_once))


def _values_of(key: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        for item in value.values():
            yield from _values_of(key, item)
    elif isinstance(value, list):
        for item in value:
            yield from _values_of(key, item)


def _where(resource: Resource, pools: Mapping[str, int]) -> str:
    names = _chosen(resource, pools)
    return f" on pool{'s' if names[1:] else ''} {', '.join(names)}" if names else ""


def _chosen(resource: Resource, pools: Mapping[str, int]) -> list[str]:
    """The pools that a spec or a chart's values name; all of them where what runs on nodes names none."""
    named = {each for values in _values_of("values", resource.inputs) if isinstance(values, list) for each in values}
    return [name for name in pools if name in named] or list(pools)


def _pools(graph: Graph) -> dict[str, int]:
    """Nodes by the name of a GPU pool, from the whole that the program makes."""
    listed = (each.inputs.get("pools", []) for each in graph.resources if each.type.endswith("RdmaCluster"))
    return {each["name"]: each["nodes"] for pools in listed for each in pools if isinstance(each.get("nodes"), int)}


def _moved(old: Resource, now: Resource) -> str:
    """`` 1.3.0 -> 1.4.0``, or which of its values are others."""
    was, is_ = old.inputs.get("version"), now.inputs.get("version")
    if was != is_:
        return f" {was} -> {is_}"
    before, after = old.inputs.get("values", {}), now.inputs.get("values", {})
    others = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    return f" (values: {', '.join(others)})" if others else ""


def _version(resource: Resource) -> str:
    return f" {resource.inputs['version']}" if resource.type == _RELEASE else ""


def _name(resource: Resource) -> str:
    own: str = resource.inputs.get("metadata", resource.inputs).get("name") or resource.name
    return own


def _named(names: Sequence[str]) -> str:
    return f"{names[0]} and {len(names) - 1} others of its kind" if names[2:] else " and ".join(names)
