"""The gates that NCCL's own lines decide: the fabric's network, its NICs, and no fall-back to sockets."""

from .expectation import NETWORKS, Expectation, is_network_of
from .gate import UNSAID, Gate, collective_of, few, listing
from .run import Run

_LINKS = {"InfiniBand": "IB", "RoCE": "RoCE"}
_ONE_WAY = ("sendrecv", "gather", "scatter", "hypercube")
"""Collectives that need not touch every rail."""


def transport(run: Run, want: Expectation) -> Gate:
    wanted = f"{want.transport}: `Using network {NETWORKS[want.transport][0]}` from every process"
    evidence = run.evidence
    if evidence.silent:
        return Gate("transport", False, "not shown: no process names its network", wanted, (), UNSAID)
    foreign = {name: line for name, line in evidence.names().items() if not is_network_of(want.transport, name)}
    if foreign:
        hosts = {host for (host, _), name in evidence.networks if name in foreign}
        hosts |= {host for host, name in evidence.channels.networks if name in foreign}
        seen = f"network {listing(foreign)} on {listing(sorted(hosts))}"
        return Gate("transport", False, seen, wanted, few(foreign.values()), _foreign(next(iter(foreign)), want))
    processes = {(rank.host, rank.pid) for rank in run.ranks.values()}
    silent = sorted(processes - {process for process, _ in evidence.networks})
    if silent or not processes:
        hosts = listing(sorted({host for host, _ in silent}))
        seen = f"{len(silent)} of {len(processes)} processes do not say theirs, on {hosts}"
        cause = "NCCL_DEBUG=INFO did not reach those ranks (mpirun -x), or their output is not in this log"
        if not processes:
            seen, cause = "not shown whose: no list of devices", "the list `# Using devices` is missing"
        return Gate("transport", False, seen, wanted, few(evidence.networks.values()), cause)
    if fault := _provider_fault(run, want) or _link_fault(run, want):
        return Gate("transport", False, fault[0], wanted, fault[1], fault[2])
    seen = ", ".join(sorted({name for _, name in evidence.networks}))
    return Gate("transport", True, f"{seen} from all {len(processes)}", wanted, few(evidence.networks.values()))


def socket(run: Run, want: Expectation) -> Gate:
    wanted = "no process and no channel on NET/Socket"
    evidence = run.evidence
    fallen = {(host, line) for ((host, _), name), line in evidence.networks.items() if "Socket" in name}
    fallen |= {(host, line) for (host, name), line in evidence.channels.networks.items() if "Socket" in name}
    if fallen:
        hosts = sorted({host for host, _ in fallen})
        seen = f"fell back to TCP sockets on {listing(hosts)}"
        cause = f"NCCL found no {want.transport} NIC or could not load its plugin: {_where_to_look(want)}"
        return Gate("socket", False, seen, wanted, few(line for _, line in fallen), cause)
    if not evidence.networks:
        return Gate("socket", False, "not shown: no process names its network", wanted)
    return Gate("socket", True, "none", wanted)


def nics(run: Run, want: Expectation) -> Gate:
    if want.nics is None:
        seen, cause = "a part of a node", "its count is not known: waive this gate by name"
        wanted = "a NIC count, and none is known for this part of the machine"
        return Gate("nics", False, seen, wanted, (), cause)
    wanted = f"{want.nics} NICs on every node"
    if run.evidence.silent or not run.hosts:
        return Gate("nics", False, "not shown", wanted, (), UNSAID)
    shown: list[int] = []
    for host in run.hosts:
        said, lines, good = _found(run, want, host) if want.transport == "EFA" else _used(run, want, host)
        if not good:
            cause = f"the pod's claim holds other NICs than the machine has, or one is down: {_where_to_look(want)}"
            return Gate("nics", False, f"{said} on {host}", wanted, few(lines), cause)
        shown += lines
    return Gate("nics", True, f"{want.nics} on every node", wanted, few(shown))


def _used(run: Run, want: Expectation, host: str) -> tuple[str, list[int], bool]:
    """NICs that carry channels: what NCCL lists may be more, front-end NICs among them."""
    evidence = run.evidence
    used = evidence.channels.used.get(host, {})
    listed = {nic: seen.line for (each, nic), seen in evidence.nics.items() if each == host}
    if not used:
        ports = sum(evidence.fused.get((host, nic), 1) for nic in listed)
        return (f"{ports} NICs listed, none used" if ports else "no NIC"), list(listed.values()), False
    ports = sum(evidence.fused.get((host, nic), 1) for nic in used)
    if ports == want.nics:
        return f"{ports} NICs", list(used.values()), True
    seen = sum(evidence.fused.get((host, nic), 1) for nic in listed)
    if seen == want.nics and _each_gpu(len(used), want):
        return f"{ports} of {seen} NICs", list(used.values()), True
    if ports < (want.nics or 0) <= seen and collective_of(run, want) in _ONE_WAY:
        return f"{ports} of {seen} NICs", list(used.values()), True
    idle = sorted(set(listed) - set(used))
    named = [evidence.nics[host, nic].names[0] if evidence.nics[host, nic].names else str(nic) for nic in idle]
    return f"{ports} NICs in use" + (f", {listing(named)} idle" if named else ""), list(used.values()), False


def _found(run: Run, want: Expectation, host: str) -> tuple[str, list[int], bool]:
    """What libfabric found; NCCL sees groups of them. Old plugins say no count, which is not zero."""
    found = {count: line for (each, count), line in run.evidence.provider_nics.items() if each == host}
    if found:
        said = "/".join(str(count) for count in sorted(found))
        return f"{said} NICs", list(found.values()), set(found) == {want.nics}
    used = run.evidence.channels.used.get(host, {})
    return (f"{len(used)} NICs" if used else "no list of NICs"), list(used.values()), _each_gpu(len(used), want)


def _each_gpu(used: int, want: Expectation) -> bool:
    """Whether as many are in use as there are GPUs: where a GPU has several NICs, NCCL may take them as one."""
    wanted = want.nics or 1
    return used >= min(want.gpus_per_node, wanted) and wanted % used == 0


def _provider_fault(run: Run, want: Expectation) -> tuple[str, tuple[int, ...], str] | None:
    if want.transport != "EFA":
        return None
    providers = run.evidence.providers
    for (host, provider), line in providers.items():
        if not provider.startswith("efa"):
            cause = f"libfabric did not find EFA: {_where_to_look(want)}"
            return f"libfabric provider {provider} on {host}", (line,), cause
    silent = sorted(set(run.hosts) - {host for host, _ in providers})
    if silent:
        return f"no `Selected provider is efa` from {listing(silent)}", (), UNSAID
    return None


def _link_fault(run: Run, want: Expectation) -> tuple[str, tuple[int, ...], str] | None:
    """The link layer of NICs in use; others may be listed."""
    link = _LINKS.get(want.transport)
    for (host, number), nic in run.evidence.nics.items():
        used = run.evidence.channels.used.get(host)
        if link and number in (used or {}) and any(each != link for each in nic.links):
            cause = f"NCCL took NICs outside the fabric: set NCCL_IB_HCA to the {link} ones, or fix the pod's claim"
            return f"link layer {'/'.join(nic.links)} of {'+'.join(nic.names)} on {host}", (nic.line,), cause
    return None


def _foreign(name: str, want: Expectation) -> str:
    if "Socket" in name:
        return "NCCL fell back to TCP"
    return f"another plugin than {want.transport}'s was loaded: look at NCCL_NET, NCCL_NET_PLUGIN and LD_LIBRARY_PATH"


def _where_to_look(want: Expectation) -> str:
    if want.transport in ("InfiniBand", "RoCE"):
        return "see /dev/infiniband in the pod, its claim, and the `NET/IB` lines above"
    if want.transport == "EFA":
        return "see `fi_info -p efa` in the pod, its vpc.amazonaws.com/efa or claim, and the `NET/OFI` lines above"
    return "see the pod's claim or annotations for its NICs, the plugin's mount, and LD_LIBRARY_PATH"
