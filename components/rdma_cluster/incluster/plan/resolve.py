"""A pool's names are resolved to rows of the catalogue: its machine, and a fabric that the machine has."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList
from ...base.kubernetes_names import check_key, check_taint
from ...catalog import find, unknown
from ...catalog.clouds import HOSTS
from ...fabrics import FABRICS, fabrics_of, unknown_fabric
from .images import check_registries
from .pool import GpuPool, InClusterPool

_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")


def resolve(pool: InClusterPool, errors: ErrorList, least_nodes: int | None = 0) -> GpuPool | None:
    """The pool with its machine and fabric, or errors. ``check_fit`` says whether the two go together.

    ``least_nodes`` is ``None`` for a component that counts no nodes.
    """
    machine, name = find(pool["machine"]), pool.get("fabric", "")
    if machine is None:
        errors.at("machine").add(unknown(pool["machine"]))
    elif not name:
        name = next((each.name for each in fabrics_of(machine)), "")
    fabric = FABRICS.get(name)
    if fabric is None and name:
        errors.at("fabric").add(unknown_fabric(name))
    elif fabric is None and machine is not None:
        errors.at("fabric").add(f"no fabric is built for {machine.name}")
    if least_nodes is not None and "nodes" not in pool:
        errors.at("nodes").add("missing; it has no default")
    elif least_nodes is not None and pool["nodes"] < least_nodes:
        errors.at("nodes").add(f"got {pool['nodes']}; must be {least_nodes} or more")
    if machine is None or fabric is None:
        return None
    return GpuPool(
        name=pool["name"],
        machine=machine,
        nodes=pool.get("nodes", 0),
        fabric=fabric,
        allocation=pool.get("gpu_allocation", fabric.default_allocation),
        skip_reason=pool.get("skip_reason", ""),
        fingerprint=pool.get("fingerprint", ""),
        disk_gb=pool.get("disk_gb"),
        channels=pool.get("channels", False),
    )


def check_cluster(args: Mapping[str, Any], errors: ErrorList) -> None:
    """Check what a component used alone is told of its cluster; a key means the same in all of them."""
    if "pool_label" in args:
        check_key(args["pool_label"], errors.at("pool_label"))
    if "taint" in args:
        check_taint(args["taint"], errors.at("taint"))
    if "host" in args:
        check_host(args["host"], errors.at("host"))
    check_registries(args.get("registries", {}), errors.at("registries"))


def check_host(host: str, errors: ErrorList) -> None:
    """An operating system of nodes that the catalogue knows."""
    if host not in HOSTS:
        errors.add(f"got {host!r}; known are {', '.join(HOSTS)}")


def check_fit(pool: GpuPool, errors: ErrorList) -> bool:
    """Whether the pool's machine has its fabric."""
    fits = pool.fabric.is_for(pool.machine)
    if not fits:
        known = ", ".join(each.name for each in fabrics_of(pool.machine))
        choice = f"choose one of {known}" if known else f"no fabric is built for {pool.machine.name}"
        errors.at("fabric").add(f"got {pool.fabric.name!r}; {choice}")
    return fits


def resolve_all(pools: Sequence[InClusterPool], errors: ErrorList, least_nodes: int | None = 0) -> list[GpuPool]:
    """At least one pool, each with a name of its own; those that have errors are left out."""
    resolved = []
    for i, pool in enumerate(pools):
        record = resolve(pool, errors.at(i), least_nodes)
        if record is not None and check_fit(record, errors.at(i)):
            resolved.append(record)
    if not pools:
        errors.add("empty; name at least one GPU pool")
    names = [pool["name"] for pool in pools]
    for i, name in enumerate(names):
        if not _LABEL_VALUE.fullmatch(name):
            errors.at(i, "name").add(f"got {name!r}; the value of a node label is 1 to 63 letters, digits, - _ and .")
        elif name in names[:i]:
            errors.at(i, "name").add(f"{name} is listed twice; name each pool once")
    return resolved
