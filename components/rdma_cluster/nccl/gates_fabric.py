"""The gates that NCCL's own lines decide: the fabric's network, its NICs, GPUDirect, and no fall-back to sockets."""

from collections.abc import Iterable

from .expectation import NETWORKS, Expectation
from .gates import Gate, collective_of
from .run import Run

_LINKS = {"InfiniBand": "IB", "RoCE": "RoCE"}


def transport(run: Run, want: Expectation) -> Gate:
    names = NETWORKS[want.transport]
    wanted = f"{want.transport}: `Using network {names[0]}` from every process"
    evidence = run.evidence
    used = {**{name: line for (_, name), line in evidence.networks.items()}}
    used.update({name.decode("utf-8", "replace"): line for (_, name), line in evidence.channels.items()})
    foreign = {name: line for name, line in used.items() if not _is(name, names)}
    if foreign:
        name, line = next(iter(foreign.items()))
        return Gate("transport", False, f"network {name}", wanted, (line,))
    processes = {(rank.host, rank.pid) for rank in run.ranks.values()}
    silent = sorted(processes - {process for process, _ in evidence.networks})
    if silent or not processes:
        seen = f"{len(silent)} of {len(processes)} processes do not show theirs" if evidence.networks else "not shown"
        return Gate("transport", False, seen, wanted, _few(evidence.networks.values()))
    if fault := _provider_fault(run, want) or _link_fault(run, want):
        return Gate("transport", False, fault[0], wanted, fault[1])
    seen = ", ".join(sorted({name for _, name in evidence.networks}))
    return Gate("transport", True, f"{seen} from all {len(processes)}", wanted, _few(evidence.networks.values()))


def socket(run: Run, want: Expectation) -> Gate:
    wanted = "no process and no channel on NET/Socket"
    evidence = run.evidence
    lines = [line for (_, name), line in evidence.networks.items() if "Socket" in name]
    lines += [line for (_, name), line in evidence.channels.items() if b"Socket" in name]
    if lines:
        return Gate("socket", False, "fell back to TCP sockets", wanted, _few(lines))
    if not evidence.networks:
        return Gate("socket", False, "not shown: no process names its network", wanted)
    return Gate("socket", True, "none", wanted)


def nics(run: Run, want: Expectation) -> Gate:
    if want.nics is None:
        return Gate("nics", False, "a part of a node", "a NIC count, and none is known for this part of the machine")
    wanted = f"{want.nics} NICs on every node"
    hosts = run.hosts
    if not hosts:
        return Gate("nics", False, "not shown", wanted)
    counts: dict[str, tuple[set[int], list[int]]] = {}
    for (host, count), line in run.evidence.provider_nics.items():
        held = counts.setdefault(host, (set(), []))
        held[0].add(count)
        held[1].append(line)
    counts = counts or _listed(run)
    for host in hosts:
        seen, lines = counts.get(host, (set(), []))
        if seen != {want.nics}:
            said = "/".join(str(n) for n in sorted(seen)) + " NICs" if seen else "no list of NICs"
            return Gate("nics", False, f"{said} on {host}", wanted, _few(lines))
    shown = _few(line for host in hosts for line in counts[host][1])
    return Gate("nics", True, f"{want.nics} on every node", wanted, shown)


def gdr(run: Run, want: Expectation) -> Gate:
    wanted = "GDRDMA on every channel between nodes"
    evidence = run.evidence
    if evidence.indirect_total:
        return Gate("gdr", False, f"{evidence.indirect_total} without", wanted, tuple(evidence.indirect))
    silent = sorted(set(run.hosts) - {host for host, _ in evidence.channels})
    if silent or not run.hosts:
        seen = f"no channel of {silent[0]}" if silent and evidence.channels else "not shown: no channel line"
        return Gate("gdr", False, seen, wanted, _few(evidence.channels.values()))
    if (lost := evidence.lost_channels()) and collective_of(run, want) not in ("gather", "scatter"):
        return Gate("gdr", False, f"at least {lost} lines of channels are lost", wanted)
    return Gate("gdr", True, f"on all {len(evidence.sends)} channels", wanted, _few(evidence.channels.values()))


def _listed(run: Run) -> dict[str, tuple[set[int], list[int]]]:
    """Host to the numbers of NICs that it lists: each process must list all, and all the same."""
    together: dict[str, dict[str, int]] = {}
    sizes: dict[str, set[int]] = {}
    for (host, _), named in run.evidence.nics.items():
        together.setdefault(host, {}).update(named)
        sizes.setdefault(host, set()).add(len(named))
    return {host: (sizes[host] | {len(named)}, list(named.values())) for host, named in together.items()}


def _provider_fault(run: Run, want: Expectation) -> tuple[str, tuple[int, ...]] | None:
    if want.transport != "EFA":
        return None
    providers = run.evidence.providers
    for (host, provider), line in providers.items():
        if not provider.startswith("efa"):
            return f"libfabric provider {provider} on {host}", (line,)
    silent = sorted(set(run.hosts) - {host for host, _ in providers})
    return (f"no `Selected provider is efa` from {silent[0]}", ()) if silent else None


def _link_fault(run: Run, want: Expectation) -> tuple[str, tuple[int, ...]] | None:
    link = _LINKS.get(want.transport)
    if link is None:
        return None
    for seen, line in run.evidence.links.items():
        if seen != link:
            return f"link layer {seen}", (line,)
    return None


def _is(name: str, names: tuple[str, ...]) -> bool:
    return any(name == each or name.startswith(f"{each}_v") for each in names)


def _few(lines: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(lines)[:8])
