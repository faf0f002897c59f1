"""What a node's GPUs and NICs show otherwise than its machine's row says."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pulumi_offline.frozen import frozen
from ..catalog import Machine, NicKind, PcieRoot
from ..catalog.machine import Known
from ..catalog.questions import figures
from .difference import CONSEQUENCES, TOPOLOGY_FILE, Difference, difference
from .hardware import gpus_of, matched, nics_of
from .snapshot import SeenNode

Where = tuple[int, ...]


@frozen
class _Told:
    """A device of the row: what it is called, its root, and what was seen of it."""

    kind: str
    """``gpu`` or ``nic``."""
    what: str
    root: int | None
    seen: Mapping[str, Any] | None


# Rate and MTU of NICs have rules of their own; all else is compared as it stands.
_GPU_FIELDS = {
    "pci": ("gpu address", "gpu_pci"),
    "model": ("gpu model", "gpu.model"),
    "numa": ("gpu NUMA node", "roots.numa"),
}
_NIC_FIELDS = {
    "interface": ("nic name", "nic_names"),
    "rdma": ("nic RDMA name", "rdma_names"),
    "pci": ("nic address", "nic_pci"),
    "numa": ("nic NUMA node", "roots.numa"),
}
_SMALLEST_MTU = {"RoCE": 4192, "gIB": 4192}
"""Bytes of an interface that let RDMA packets of 4096 through: its headers are 96 (Linux, include/rdma/ib_addr.h,
iboe_get_mtu)."""


def device_differences(machine: Machine, node: SeenNode, where: Where) -> list[Difference]:
    """Every difference of a node's devices from the machine's row, as if no claim rested on it."""
    known = {figure.field: figure.known for figure in figures(machine)}
    gpus, nics = _gpus(machine, node), _nics(machine, node)
    found = [*_gpu_differences(machine, gpus, where), *_nic_differences(machine, nics, where)]
    found += _root_differences(machine.roots or (), machine.pcie_root_comparable, [*gpus, *nics], where)
    return [replace(each, known=_known(each, known)) for each in found]


def by_claims(found: Sequence[Difference], unfit: Sequence[str], topology_file: bool) -> list[Difference]:
    """The same with what follows from them on a node where these claims do not fit."""
    some = ", ".join(unfit[:3]) + (f" and {len(unfit) - 3} more" if len(unfit) > 3 else "")
    told = []
    for each in found:
        if CONSEQUENCES[each.kind].by_claims and unfit:
            each = replace(each, follows=f"claims fail on this node: {some}", breaks=True)
        elif each.kind in ("gpu address", "nic address") and topology_file:
            each = replace(each, follows=TOPOLOGY_FILE, breaks=True)
        told.append(each)
    return told


def _known(each: Difference, known: Mapping[str, Known]) -> Known | None:
    fields = dict((*_GPU_FIELDS.values(), *_NIC_FIELDS.values()))
    fields |= {"gpus": "gpus", "nics": "nics", "gpu root": "roots", "nic root": "roots", "roots in one": "roots"}
    fields |= {"root name": "roots.name", "nic rate": "nic_gbps", "nic rate beyond": "nic_gbps"}
    field = fields.get(each.kind, "")
    return known.get(field, known.get(field.partition(".")[0]))


def _gpus(machine: Machine, node: SeenNode) -> list[_Told]:
    seen = gpus_of(node)
    if seen is None or machine.gpu is None:
        return []
    names = [{"pci": machine.gpu_pci[i] if machine.gpu_pci else None} for i in range(machine.gpus)]
    told = matched(seen, names, False, lambda gpu: gpu["pci"])
    return [_Told("gpu", f"GPU {i}", machine.root_of_gpu(i), each) for i, each in enumerate(told)]


def rail_names(machine: Machine, rail: int) -> dict[str, str | None]:
    """What the row calls a rail."""
    names = {"pci": machine.nic_pci, "rdma": machine.rdma_names, "interface": machine.nic_names}
    return {key: of[rail] if of else None for key, of in names.items()}


def _nics(machine: Machine, node: SeenNode) -> list[_Told]:
    seen = nics_of(node, machine)
    if seen is None:
        return []
    names = [rail_names(machine, rail) for rail in range(machine.nics)]
    others = machine.rdma_front_end or machine.nic_kind is NicKind.NETDEV  # the node's own interface looks the same
    told = matched(seen, names, others, lambda nic: (nic.get("pci", ""), nic.get("rdma", "")))
    return [_Told("nic", f"rail {i}", machine.root_of_nic(i), each) for i, each in enumerate(told)]


def _gpu_differences(machine: Machine, gpus: Sequence[_Told], where: Where) -> Iterator[Difference]:
    here = sum(gpu.seen is not None for gpu in gpus)
    if gpus and here < machine.gpus:
        yield difference("gpus", where, "GPUs", machine.gpus, here)
    for i, gpu in enumerate(gpus):
        if gpu.seen is not None:
            promised = {
                "pci": machine.gpu_pci[i] if machine.gpu_pci else None,
                "model": machine.gpu.model if machine.gpu else None,
                "numa": _numa(machine, gpu.root),
            }
            yield from _fields(_GPU_FIELDS, promised, gpu, where)


def _nic_differences(machine: Machine, nics: Sequence[_Told], where: Where) -> Iterator[Difference]:
    here = sum(nic.seen is not None for nic in nics)
    if nics and here < machine.nics:
        lost = ", ".join(nic.what for nic in nics if nic.seen is None)
        yield difference("nics", where, lost, machine.nics, here)
    for i, nic in enumerate(nics):
        if nic.seen is not None:
            promised = rail_names(machine, i) | {"numa": _numa(machine, nic.root)}
            yield from _fields(_NIC_FIELDS, promised, nic, where)
            yield from _port(machine, nic, where)


def _port(machine: Machine, nic: _Told, where: Where) -> Iterator[Difference]:
    """Rate, link and MTU of a rail."""
    seen = nic.seen or {}
    rate, gbps = machine.nic_gbps, seen.get("gbps")
    if rate and gbps and gbps != rate:
        kind = "nic rate" if gbps < rate else "nic rate beyond"
        yield difference(kind, where, nic.what, f"{rate} Gb/s", f"{gbps} Gb/s")
    if seen.get("active") is False:
        yield difference("nic link", where, nic.what, "a link", "none")
    mtu, planned = seen.get("mtu_bytes"), machine.mtu_bytes
    if planned and mtu and mtu < planned:
        each = difference("nic MTU", where, nic.what, f"MTU {planned}", f"MTU {mtu}")
        whole = mtu >= _SMALLEST_MTU.get(machine.transport.value, planned)
        yield replace(each, breaks=False, follows="RDMA packets of 4096 bytes still pass") if whole else each


def _fields(
    fields: Mapping[str, tuple[str, str]], promised: Mapping[str, Any], told: _Told, where: Where
) -> Iterator[Difference]:
    for key, (kind, _) in fields.items():
        seen = (told.seen or {}).get(key)
        if promised.get(key) is not None and seen not in (None, "") and seen != promised[key]:
            yield difference(kind, where, told.what, promised[key], seen)


def _numa(machine: Machine, root: int | None) -> int | None:
    return machine.roots[root].numa if machine.roots and root is not None else None


def _root_differences(
    roots: Sequence[PcieRoot], comparable: bool, devices: Sequence[_Told], where: Where
) -> Iterator[Difference]:
    """Devices that the row puts on one root and that show several, and the other way round.

    Of a root without a name, the name that most of its devices show is its own. Where nothing shares a root, drivers
    may name roots as they like: names that the row has are all that is compared.
    """
    of_root: dict[int, list[tuple[_Told, str]]] = {}
    for device in devices:
        name = (device.seen or {}).get("root")
        if device.root is not None and name and (comparable or roots[device.root].name):
            of_root.setdefault(device.root, []).append((device, name))
    own: dict[int, str] = {}
    for root, members in sorted(of_root.items()):
        own[root] = Counter(name for _, name in members).most_common(1)[0][0]
        promised = roots[root].name or own[root]
        if own[root] != promised and len(members) > 1:
            yield difference("root name", where, f"root {root}", promised, own[root])
            promised = own[root]
        for device, name in members:
            if name != promised:
                yield difference(f"{device.kind} root", where, device.what, promised, name)
    first: dict[str, int] = {}
    for root, name in own.items() if comparable else ():
        if (other := first.setdefault(name, root)) != root:
            yield difference("roots in one", where, f"roots {other} and {root}", "two roots", f"both {name}")
