"""A pool's names are resolved to rows of the catalogue: its machine, and a fabric that the machine has."""

import re
from collections.abc import Sequence

from ...catalog import find, unknown
from ...fabrics import FABRICS, fabrics_of, unknown_fabric
from ...faults import Faults
from .pool import InClusterPool, SitePool

_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")


def resolve(pool: InClusterPool, faults: Faults, least_nodes: int | None = 0) -> SitePool | None:
    """The pool with its machine and fabric, or errors. ``check_fit`` says whether the two go together.

    ``least_nodes`` is ``None`` for a component that counts no nodes.
    """
    machine, name = find(pool["machine"]), pool.get("fabric", "")
    if machine is None:
        faults.at("machine").add(unknown(pool["machine"]))
    elif not name:
        name = next((each.name for each in fabrics_of(machine)), "")
    fabric = FABRICS.get(name)
    if fabric is None and name:
        faults.at("fabric").add(unknown_fabric(name))
    elif fabric is None and machine is not None:
        faults.at("fabric").add(f"no fabric is built for {machine.name}")
    if least_nodes is not None and "nodes" not in pool:
        faults.at("nodes").add("missing; it has no default")
    elif least_nodes is not None and pool["nodes"] < least_nodes:
        faults.at("nodes").add(f"got {pool['nodes']}; must be {least_nodes} or more")
    if machine is None or fabric is None:
        return None
    return SitePool(
        name=pool["name"],
        machine=machine,
        nodes=pool.get("nodes", 0),
        fabric=fabric,
        allocation=pool.get("gpu_allocation", fabric.default_allocation),
        not_proven=pool.get("not_proven", ""),
        made_of=pool.get("made_of", ""),
        disk_gb=pool.get("disk_gb"),
        channels=pool.get("channels", False),
    )


def check_fit(pool: SitePool, faults: Faults) -> bool:
    """Whether the pool's machine has its fabric."""
    fits = pool.fabric.is_for(pool.machine)
    if not fits:
        known = ", ".join(each.name for each in fabrics_of(pool.machine))
        choice = f"choose one of {known}" if known else f"no fabric is built for {pool.machine.name}"
        faults.at("fabric").add(f"got {pool.fabric.name!r}; {choice}")
    return fits


def resolve_all(pools: Sequence[InClusterPool], faults: Faults, least_nodes: int | None = 0) -> list[SitePool]:
    """At least one pool, each with a name of its own; those that have errors are left out."""
    resolved = []
    for i, pool in enumerate(pools):
        record = resolve(pool, faults.at(i), least_nodes)
        if record is not None and check_fit(record, faults.at(i)):
            resolved.append(record)
    if not pools:
        faults.add("empty; name at least one GPU pool")
    names = [pool["name"] for pool in pools]
    for i, name in enumerate(names):
        if not _LABEL_VALUE.fullmatch(name):
            faults.at(i, "name").add(f"got {name!r}; the value of a node label is 1 to 63 letters, digits, - _ and .")
        elif name in names[:i]:
            faults.at(i, "name").add(f"{name} is listed twice; name each pool once")
    return resolved
