"""Files that pods read, which ConfigMaps of their own namespaces bring."""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ...base.args import Link, Texts, args_schema
from .claim_templates import new_namespaces
from .pool import FromNodePools, InClusterPool
from .resolve import resolve
from .workload import Workload


@args_schema
class PodFilesArgs(FromNodePools):
    """The same files in some namespaces."""

    namespaces: list[str]
    """Namespaces of the pods."""
    pools: NotRequired[list[InClusterPool]]
    """Pools whose pods read files that their fabric brings, such as NCCL's topology. Default: none."""
    config_maps: NotRequired[dict[str, Texts]]
    """Files by name, by the name of their ConfigMap. Default: those of ``pools`` alone."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces that no cluster has from the start. Default: false."""


@frozen
class PodFilesPlan:
    """What ``PodFiles`` makes."""

    namespaces: tuple[str, ...]
    """Namespaces of the pods."""
    new_namespaces: tuple[str, ...]
    """Namespaces that are made here."""
    config_maps: Mapping[str, Mapping[str, Link]]
    """Files by name, by the name of their ConfigMap."""


def plan_pod_files(args: PodFilesArgs, errors: ErrorList) -> PodFilesPlan | None:
    """Plan ``PodFiles`` used alone. Returns ``None`` when an error was added."""
    namespaces = args["namespaces"]
    if not namespaces:
        errors.at("namespaces").add("empty; name at least one namespace, e.g. default")
        return None
    if not args.keys() & {"pools", "config_maps"}:
        errors.at("config_maps").add("missing; name files, or pools whose fabric brings some")
    found = [resolve(pool, errors.at("pools", i), None) for i, pool in enumerate(args.get("pools", []))]
    if errors:
        return None
    workloads = [Workload(pool.fabric, machine=pool.machine) for pool in found if pool is not None]
    maps = {**_maps(workloads), **args.get("config_maps", {})}
    new = new_namespaces(namespaces) if args.get("create_namespaces") else []
    return PodFilesPlan(tuple(namespaces), tuple(new), maps)


def anew_with(files: Mapping[str, str]) -> dict[str, str]:
    """An annotation of a pod that reads files at its start alone: others, in whatever order they stand, mean another
    pod."""
    return {"rdma-cluster/files": sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:12]}


def files_for(workloads: Iterable[Workload], namespaces: Sequence[str], new: bool) -> PodFilesPlan | None:
    """Files that workloads read, in their namespaces, or ``None``; ``new`` where nothing else makes the namespaces."""
    maps = _maps(workloads)
    created = tuple(new_namespaces(namespaces)) if new else ()
    return PodFilesPlan(tuple(namespaces), created, maps) if maps else None


def _maps(workloads: Iterable[Workload]) -> dict[str, dict[str, str]]:
    return {file.config_map: {file.name: file.text} for workload in workloads for file in workload.adds.files}
