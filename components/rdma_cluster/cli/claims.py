"""``rdma-cluster claims``: templates for one machine, and the proof that a node of it can satisfy them."""

import re

from ..catalog import find, nearest
from ..claims import GpuMode, Groups, Intent, NicDriver, Nics, Numa, Pairs, Target, Unsatisfiable, Whole, prove
from ..claims import nic_driver_of as own_driver
from ..door import Fault, Refused
from ..versions import parse
from .output import as_json

_GROUPS = re.compile(r"(?:(\d+)\*)?(\d+)x(\d+)")


def show_claims(
    machine: str,
    intents: list[Intent],
    kubernetes: str,
    driver: NicDriver | None,
    gpu_mode: GpuMode,
    namespace: str,
    yaml: bool,
    json: bool,
) -> int:
    """Print the templates or the proof. Returns 1 when no node can satisfy them. Raises ``Refused`` for wrong input."""
    row = find(machine)
    version = parse(kubernetes)
    faults = []
    if row is None:
        faults.append(Fault((), f"unknown machine {machine!r}; nearest are {', '.join(nearest(machine))}"))
    if len(intents) != 1:
        faults.append(Fault((), "name exactly one of --pairs, --groups, --numa, --whole and --nics"))
    if version is None:
        faults.append(Fault(("--kubernetes",), f"got {kubernetes!r}; write e.g. 1.35"))
    if faults or row is None or version is None:
        raise Refused(faults)
    target = Target(driver or own_driver(row.cloud), gpu_mode, (version[0], version[1]))
    try:
        proof = prove(row, intents[0], target)
    except Unsatisfiable as refusal:
        print(as_json({"satisfiable": False, "reason": str(refusal)}) if json else refusal.explain())
        return 1
    if json:
        print(as_json({"satisfiable": True, **proof.to_json()}))
    elif yaml:
        from yaml import safe_dump_all

        print(safe_dump_all([each.manifest(namespace) for each in proof.all_templates], sort_keys=False), end="")
    else:
        print(proof.explain())
    return 0


def intents_of(pairs: int | None, groups: str | None, numa: bool, whole: bool, nics: bool) -> list[Intent]:
    """What the options ask for. ``groups`` is ``GxN``, or ``C*GxN`` for C groups in one pod."""
    asked: list[Intent] = []
    try:
        if pairs is not None:
            asked.append(Pairs(pairs))
        if groups is not None:
            if (match := _GROUPS.fullmatch(groups)) is None:
                raise Refused([Fault(("--groups",), f"got {groups!r}; write GxN, e.g. 1x4, or 8*1x4 for eight of them")])
            asked.append(Groups(int(match[1] or 1), int(match[2]), int(match[3])))
    except ValueError as error:
        if isinstance(error, Refused):
            raise
        raise Refused([Fault((), str(error))]) from None
    asked += [Numa()] if numa else []
    asked += [Whole()] if whole else []
    asked += [Nics()] if nics else []
    return asked
