"""The gates that NCCL's own lines decide: its network, no fall-back to sockets, its NICs, and GPUDirect RDMA."""

from collections import Counter
from collections.abc import Iterable

from .evidence import Process
from .expectation import Expectation
from .gate import RERUN, UNSAID, Gate, collective_of, few, listing, rail_of
from .header import Rank
from .run import Run

_ONE_WAY = ("sendrecv", "gather", "scatter", "hypercube")
"""Collectives that need not touch every rail."""
_LOOK = (
    "on {host} run nvidia-smi topo -m in the pod, and lsmod | grep nvidia_peermem beside dmesg -T on the node; it is "
    "probably neither cable nor switch"
)
_DIRECT = "GDRDMA on every channel between nodes"
_PARTIAL = ("gather", "scatter")
"""Collectives of which not every process prints its channels."""


def transport(run: Run, want: Expectation) -> Gate:
    """Every process uses the fabric's network, and every NIC in use is one of the fabric's."""
    network, evidence = want.network, run.evidence
    wanted = f"{network.transport}: `Using network {network.names[0]}` from every process"
    if evidence.silent:
        return Gate("transport", False, "not shown: no process names its network", wanted, (), UNSAID, then=RERUN)
    if wrong := foreign_network(run, want):
        return wrong
    silent = run.processes - {process for process, _ in evidence.networks}
    if silent or not run.processes:
        seen = f"{len(silent)} of {len(run.processes)} processes do not say theirs: {where(run, silent)}"
        cause = (
            "NCCL_DEBUG=INFO did not reach those ranks (mpirun -x), or their output is not in this log: it says "
            "nothing of their NICs, good or bad"
        )
        if not run.processes:
            seen, cause = "not shown whose: no list of devices", "the list `# Using devices` is missing"
        return Gate("transport", False, seen, wanted, few(evidence.networks.values()), cause, then=RERUN)
    if wrong := wrong_devices(run, want):
        return wrong
    seen = ", ".join(sorted({name for _, name in evidence.networks}))
    return Gate("transport", True, f"{seen} from all {len(run.processes)}", wanted, few(evidence.networks.values()))


def foreign_network(run: Run, want: Expectation) -> Gate | None:
    """That a process or a channel uses another network than the fabric's."""
    network, evidence = want.network, run.evidence
    wanted = f"{network.transport}: `Using network {network.names[0]}` from every process"
    foreign = {name: line for name, line in evidence.names().items() if not network.has(name)}
    if foreign:
        hosts = {host for host, name in evidence.channels.networks if name in foreign}
        processes = {process for process, name in evidence.networks if name in foreign}
        seen = f"network {listing(foreign)} on {where(run, processes, hosts)}"
        cause = (
            "NCCL fell back to TCP"
            if "Socket" in next(iter(foreign))
            else f"another plugin than {network.transport}'s was loaded: look at NCCL_NET, NCCL_NET_PLUGIN and "
            "LD_LIBRARY_PATH"
        )
        host = min((*hosts, *(each for each, _ in processes)), default="")
        return Gate("transport", False, seen, wanted, few(foreign.values()), cause, host=host)
    return None


def wrong_devices(run: Run, want: Expectation) -> Gate | None:
    """That libfabric's provider or a NIC in use is not the fabric's."""
    wanted = f"{want.network.transport} by {want.network.provider or want.network.link_layer or 'its NICs'}"
    wrong = _wrong_provider(run, want) or _wrong_link_layer(run, want)
    return Gate("transport", False, wrong[0], wanted, *wrong[1:]) if wrong else None


def _wrong_provider(run: Run, want: Expectation) -> tuple[str, tuple[int, ...], str] | None:
    """A host whose libfabric uses another provider, or does not name one: what is seen, its lines, the cause."""
    if not want.network.provider:
        return None
    providers = run.evidence.providers
    for (host, provider), line in providers.items():
        if not provider.startswith(want.network.provider):
            cause = f"libfabric did not find {want.network.transport}: {want.network.where_to_look}"
            return f"libfabric provider {provider} on {host}", (line,), cause
    if silent := sorted(set(run.hosts) - {host for host, _ in providers}):
        return f"no `Selected provider is {want.network.provider}` from {listing(silent)}", (), UNSAID
    return None


def _wrong_link_layer(run: Run, want: Expectation) -> tuple[str, tuple[int, ...], str] | None:
    """A NIC in use with another link layer; NICs that are only listed may have any."""
    layer = want.network.link_layer
    for (host, number), nic in run.evidence.nics.items():
        if layer and number in run.evidence.channels.used.get(host, {}) and any(link != layer for link in nic.links):
            cause = f"NCCL took NICs outside the fabric: set NCCL_IB_HCA to the {layer} ones, or fix the pod's claim"
            return f"link layer {'/'.join(nic.links)} of {'+'.join(nic.names)} on {host}", (nic.line,), cause
    return None


def socket(run: Run, want: Expectation) -> Gate:
    """No process and no channel uses TCP sockets."""
    wanted = "no process and no channel on NET/Socket"
    evidence = run.evidence
    processes = {process: line for (process, name), line in evidence.networks.items() if "Socket" in name}
    channels = {host: line for (host, name), line in evidence.channels.networks.items() if "Socket" in name}
    if processes or channels:
        spots = [spot for spot in evidence.channels.spots.values() if spot.host in channels and run.groups == 1]
        ranks = [run.ranks[spot.rank] for spot in spots if spot.rank in run.ranks]
        seen = f"fell back to TCP sockets on {where(run, {*processes, *((r.host, r.pid) for r in ranks)}, channels)}"
        found_none = f"NCCL found no {want.network.transport} NIC or could not load its plugin"
        cause = f"{found_none}: {want.network.where_to_look}; it is probably neither cable nor switch"
        lines, host = few([*processes.values(), *channels.values()]), min((*channels, *(each for each, _ in processes)))
        return Gate("socket", False, seen, wanted, lines, cause, host=host)
    if not evidence.networks:
        return Gate("socket", False, "not shown: no process names its network", wanted)
    return Gate("socket", True, "none", wanted)


def nics(run: Run, want: Expectation, hosts: Iterable[str] = ()) -> Gate:
    """Every node uses as many NICs as the machine has; ``hosts`` are those of a log without a list of devices."""
    hosts = list(hosts) or run.hosts
    if want.nics is None:
        wanted = "a NIC count, and none is known for this part of the machine"
        return Gate("nics", False, "a part of a node", wanted, (), "its count is not known: waive this gate by name")
    wanted = f"{want.nics} NICs on every node"
    if run.evidence.silent or not hosts:
        return Gate("nics", False, "not shown", wanted, (), UNSAID)
    all_lines: list[int] = []
    count = _libfabric_nics if want.network.provider else _nics_in_use
    for host in hosts:
        seen, lines, enough = count(run, want, want.nics, host)
        if not enough:
            cause = (
                f"the pod's claim holds other NICs than the machine has, or one is down: on {host} run ibv_devinfo or "
                f"fi_info; {want.network.where_to_look}; it is probably neither the GPUs nor the switches"
            )
            return Gate("nics", False, f"{seen} on {host}", wanted, few(lines), cause, host=host)
        all_lines += lines
    return Gate("nics", True, f"{want.nics} on every node", wanted, few(all_lines))


def _nics_in_use(run: Run, want: Expectation, wanted: int, host: str) -> tuple[str, list[int], bool]:
    """The NICs that carry a host's channels, their lines, and whether they are enough.

    NCCL may list more than it uses, front-end NICs among them.
    """
    evidence = run.evidence
    used = evidence.channels.used.get(host, {})
    listed = {number: nic.line for (nic_host, number), nic in evidence.nics.items() if nic_host == host}
    ports_used, ports_listed = (sum(evidence.fused.get((host, nic), 1) for nic in some) for some in (used, listed))
    if not used:
        return (f"{ports_listed} NICs listed, none used" if listed else "no NIC"), list(listed.values()), False
    lines = list(used.values())
    all_listed = ports_listed == wanted and _one_for_each_gpu(len(used), want, wanted)
    few_needed = ports_used < wanted <= ports_listed and collective_of(run, want) in _ONE_WAY
    enough = ports_used == wanted or all_listed or few_needed
    idle = [evidence.nics[host, number] for number in listed if number not in used]
    names = [nic.names[0] for nic in idle if nic.names]
    return f"{ports_used} NICs in use{f', {listing(names)} idle' if names else _without_nic(run, host)}", lines, enough


def where(run: Run, processes: Iterable[Process], hosts: Iterable[str] = ()) -> str:
    """``node-1 rank 9 (rail 1)``: processes by node, rank and rail; a node alone where it is all of its ranks."""
    ranks = {(rank.host, rank.pid): rank for rank in run.ranks.values()}
    by_host: dict[str, list[Rank]] = {}
    for host, pid in processes:
        by_host.setdefault(host, []).extend([ranks[host, pid]] if (host, pid) in ranks else [])
    for host in hosts:
        by_host.setdefault(host, [])
    totals = Counter(rank.host for rank in ranks.values())
    return listing(f"{host}{_ranks(found, totals[host])}" for host, found in sorted(by_host.items()))


def _ranks(ranks: list[Rank], total: int) -> str:
    found = sorted(ranks, key=lambda rank: rank.rank)
    if len(found) == total:
        return ""
    if len(found) == 1:
        return f" rank {found[0].rank} (rail {found[0].device})"
    return f" ranks {listing((str(rank.rank) for rank in found), 8)}" if found else ""


def _libfabric_nics(run: Run, want: Expectation, wanted: int, host: str) -> tuple[str, list[int], bool]:
    """The NICs that libfabric found on a host, of which NCCL sees groups, and the groups in use.

    Old plugins print no count; then those in use must be enough.
    """
    counts = {count: line for (each, count), line in run.evidence.provider_nics.items() if each == host}
    used = run.evidence.channels.used.get(host, {})
    lines = [*counts.values(), *used.values()]
    if counts and set(counts) != {wanted}:
        return f"{'/'.join(str(count) for count in sorted(counts))} NICs found", lines, False
    few_needed = bool(counts) and collective_of(run, want) in _ONE_WAY
    enough = bool(used) and (few_needed or _one_for_each_gpu(len(used), want, wanted))
    return f"{len(used)} groups of NICs in use{_without_nic(run, host)}", lines, enough


def _without_nic(run: Run, host: str) -> str:
    """The GPUs of a host that use no NIC themselves, in words; nothing where all do or none is known."""
    used = {rank for (each, rank), nics in run.evidence.channels.own.items() if each == host and nics}
    idle = sorted(rank.device for rank in run.ranks.values() if rank.host == host and rank.rank not in used)
    return f", none by GPU {listing(map(str, idle))}" if used and idle and run.groups == 1 else ""


def _one_for_each_gpu(used: int, want: Expectation, wanted: int) -> bool:
    """Whether as many NICs are in use as there are GPUs: NCCL may take several NICs of a GPU as one."""
    return used >= min(want.gpus_per_node, wanted) and wanted % used == 0


def gdr(run: Run, want: Expectation) -> Gate:
    """Every channel between nodes goes by GPUDirect RDMA."""
    wanted = "no GPUDirect RDMA: the machine has none" if want.without_gdr else _DIRECT
    channels = run.evidence.channels
    if broken := without_gdr(run, want):
        return broken
    silent = sorted(set(run.hosts) - channels.hosts)
    lines = few(channels.networks.values())
    if not channels.total or not run.hosts:
        if not want.uses_wire or any(has for has, _ in run.evidence.nvlink.values()):
            cause = "the nodes share an NVLink domain: set NCCL_MNNVL_ENABLE=0 to prove the NICs, or judge it as NVLink"
            return Gate("gdr", False, "not shown: no channel line", wanted, lines, cause)
        cause = "no line of a channel: run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET on every rank"
        return Gate("gdr", False, "not shown: no channel line", wanted, lines, cause, then=RERUN)
    if silent:
        cause = "the output of that node's processes is not in this log"
        return Gate("gdr", False, f"no channel of {listing(silent)}", wanted, lines, cause)
    if stray := _stray(run):
        rank, host, line = stray
        seen = f"{host} prints channels of rank {rank}, which runs on {run.ranks[rank].host}"
        return Gate("gdr", False, seen, wanted, (line,), "logs of several runs are mixed, or lines were changed")
    if (lost := channels.lost()) and collective_of(run, want) not in _PARTIAL:
        cause = "each channel is said by sender and receiver: the output of some process is not whole"
        return Gate("gdr", False, f"at least {lost} lines of channels are lost", wanted, lines, cause)
    if (broken := channels.broken(run.hosts)) and run.groups == 1:
        seen = f"ring {broken[0]} never leaves or enters {broken[1]}: lines of channels are lost"
        return Gate("gdr", False, seen, wanted, lines, "keep the whole output of every rank, standard error included")
    return Gate("gdr", True, f"on all {channels.total} channels", wanted, lines)


def without_gdr(run: Run, want: Expectation) -> Gate | None:
    """That channels lack GPUDirect RDMA, or that it is off for a NIC; nothing on a machine that has none."""
    channels = run.evidence.channels
    if want.without_gdr:
        return None
    if channels.spots:
        return _by_place(run, _DIRECT)
    if disabled := _disabled(run):
        host, nic, line = disabled
        names = run.evidence.nics[host, nic].names if (host, nic) in run.evidence.nics else ()
        rails = sorted({rail_of(run, rank, nic) for rank in channels.ranks_on(host, [nic])})
        where_it_is = f"{'+'.join(names) or f'NIC {nic}'} on {host}{f', {listing(rails)}' if rails else ''}"
        cause = f"neither nvidia-peermem nor DMA-BUF works for it: {_LOOK.format(host=host)}"
        return Gate("gdr", False, f"disabled for {where_it_is}", _DIRECT, (line,), cause, host=host)
    return None


def _by_place(run: Run, wanted: str) -> Gate:
    """How many channels of how many lack it, and whether they have a node or a rail in common."""
    channels = run.evidence.channels
    spots = list(channels.spots.values())
    bad, total = sum(spot.total for spot in spots), channels.total
    hosts = sorted({spot.host for spot in spots})
    rails = sorted({rail_of(run, spot.rank, spot.device) for spot in spots})
    if bad == total:
        where = "on every node"
        cause = "GPUDirect is off everywhere: NCCL_NET_GDR_LEVEL, nvidia-peermem or DMA-BUF, or IOMMU and ACS on"
    elif len(hosts) == 1 and len(rails) == 1:
        where = f"all on {hosts[0]} {rails[0]}"
        cause = "its NIC is missing from the claim, or is not the GPU's neighbour on PCIe"
    elif len(rails) == 1:
        where = f"all on {rails[0]} of {listing(hosts)}"
        cause = "that rail's NIC is not the GPU's neighbour on PCIe: the claims pair the wrong devices"
    elif len(hosts) == 1:
        where = f"all on {hosts[0]}, {listing(rails, 8)}"
        cause = "that node's driver has no nvidia-peermem or DMA-BUF, or its IOMMU or ACS is on"
    else:
        where = f"on {listing(hosts)}, {listing(rails, 8)}"
        cause = "GPUs and NICs of these pods are not neighbours on PCIe: look at the claims"
    cause = f"{cause}: {_LOOK.format(host=hosts[0])}"
    lines = few(line for spot in spots for line in spot.lines)
    return Gate("gdr", False, f"{bad} of {total} channels without GDRDMA, {where}", wanted, lines, cause, host=hosts[0])


def _stray(run: Run) -> tuple[int, str, int] | None:
    """A rank, a host that prints channels of it and is not its own, and the line. Groups number their own ranks."""
    for (host, rank), nics in run.evidence.channels.own.items():
        if run.groups == 1 and rank in run.ranks and run.ranks[rank].host != host:
            return rank, host, min(nics.values(), default=run.ranks[rank].line)
    return None


def _disabled(run: Run) -> tuple[str, int, int] | None:
    """A NIC in use of which a process prints only that GPUDirect is disabled: host, NIC and line.

    HPC-X prints that one way is disabled and the other enabled.
    """
    for ((host, _), nic), enabled in run.evidence.direct.items():
        if True not in enabled and nic in run.evidence.channels.used.get(host, {nic: 0}):
            return host, nic, enabled[False]
    return None
