"""How far a test came that printed no row: the gate ``ran``, and which gate's failure comes first.

A log is read by stages: pod, launcher, bootstrap (NCCL joins the ranks), network (each process chooses one), channels,
rows. The first stage that evidence breaks leads; without evidence NCCL's first warning is quoted.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .advice import advise, first_cause
from .expectation import Expectation
from .gate import Gate, few, listing
from .records import Certainty, Record, most_telling
from .run import Run

EARLY = ("pod", "launcher", "bootstrap")
"""The stages before a network is asked for."""
_UNKNOWN = {
    Certainty.ENDED: "that it ended is certain, why is not; the other ranks' errors follow from it",
    Certainty.VICTIM: "who says so waited for others, or was ended by them, and is not to blame",
}
_NOTHING = (
    "the test printed no result: look at the end of its log for what stopped it; the fabric is probably not asked yet: "
    "image, ssh and mpirun come first"
)


class Told(NamedTuple):
    """What a log tells of its end."""

    seen: str
    cause: str
    then: str = ""
    host: str = ""


def what_ended(records: Sequence[Record], warnings: Sequence[str], want: Expectation) -> Told | None:
    """The most telling of what failed; a warning of NCCL's that says why stands before a process that only ended."""
    first, fabric = most_telling(records), want.network.transport
    warned = first_cause(warnings, fabric, want.gpu_model)
    if warned and not warned[1].row.effect and (first is None or first.certainty != Certainty.CAUSE):
        return Told(f"NCCL warned: {warned[0]}", warned[1].cause, warned[1].then)
    if first is None:
        return None
    advice = advise(first.what, fabric, first.host, want.gpu_model) if first.source == "NCCL" else None
    early = f"the {first.stage} failed, and the fabric was not asked yet; it is neither NIC nor switch"
    cause = advice.cause if advice else early if first.stage in EARLY else _UNKNOWN.get(first.certainty, "")
    return Told(f"{first.source}: {first.what}{first.place}", cause, first.hint, first.host)


def ran(run: Run, want: Expectation) -> Gate:
    """The test printed a result."""
    lines = (run.banner.line,) if run.banner else ()
    if run.rows:
        return Gate("ran", True, f"{run.total_rows} rows", "a test with rows", lines)
    seen, cause, then, records = "", _NOTHING, "", run.records
    if run.ranks:
        listed = [rank.line for rank in run.ranks.values()]
        begun = next((each for each in (run.head_line, run.version_line) if each), listed[0])
        started = f"mpirun started {len(listed)} ranks on {listing(run.hosts)} (lines {min(listed)} to {max(listed)})"
        seen, cause, then = _before_rows(run, want, started)
        lines = few((min(listed), max(listed), begun))
        records = [each for each in records if each.certainty == Certainty.CAUSE]
    if told := what_ended(records, run.warnings, want):
        seen, cause, then, _ = told
    elif run.warnings:
        cause += f"; NCCL warned: {run.warnings[0]}"
    return Gate("ran", False, f"0 rows, {seen}" if seen else "0 rows", "a test with rows", lines, cause, then=then)


def first_stage(run: Run, want: Expectation, gates: Mapping[str, Gate]) -> str:
    """The gate that leads where there is no row: the earliest of those whose failure the log shows.

    A network that is not the fabric's is chosen before anything is sent; one node needs none.
    """
    first, names = most_telling(run.records), [] if len(run.hosts) == 1 else run.evidence.names()
    if want.network.names and not (first and first.stage in EARLY):
        for gate, is_foreign in (("socket", any("Socket" in each for each in names)),
                                 ("transport", not all(map(want.network.has, names)))):  # fmt: skip
            if is_foreign and not gates[gate].passed:
                return gate
    return "finished" if run.own_failures or run.overflow else "ran"


def follows(run: Run, leads: str) -> tuple[str, ...]:
    """The gates that fail only because the test came no further."""
    more = () if leads == "finished" or _tells(run) else ("finished",)
    if run.evidence.silent and (run.warnings or run.own_failures):
        more += ("socket", "transport")
    if not run.evidence.silent and not run.evidence.channels.total:
        more += ("nics", "gdr")
    return (*more, "ran", "collective", "implied_ranks", "affinity", "rows", "data", "bandwidth")


def _tells(run: Run) -> bool:
    """Whether a failure says why by itself."""
    advised = (advise(each.warning) for each in run.own_failures if each.warning)
    return any(advice and not advice.row.effect for advice in advised)


def _before_rows(run: Run, want: Expectation, started: str) -> tuple[str, str, str]:
    """How far a test came that listed its devices and printed no row: what is seen, the cause, and what to run next.

    nccl-tests lists its devices, lets NCCL join the ranks, and prints the head of its table when all have joined
    (nccl-tests@01d6761 src/common.cu, run, 2026-11-27). NCCL joins ranks over the first network of a pod.
    """
    if not (run.head_line or run.evidence.channels.total or run.evidence.nvlink):
        first = run.version_line or min(run.evidence.networks.values(), default=None)
        chosen = f", each process with {listing(sorted(run.evidence.names()))}" if run.evidence.names() else ""
        how_far = f"and NCCL began (line {first}{chosen})" if first else "and NCCL printed nothing"
        usual = "NCCL joins them over the pods' first network, so see NCCL_SOCKET_IFNAME, firewalls and the log's end"
        cause = _other_networks(run) or _other_interfaces(run) or usual
        done = f"{started} {how_far}, so it is probably not image, ssh or mpirun; the ranks never joined: {cause}"
        address = next(iter(run.evidence.bootstrap.values()), ("", ""))[1]
        reach = f"ping -c 3 {address}" if address else "getent hosts of the other nodes"
        then = f"in a pod of each node: ip -br address; env | grep -E 'NCCL_SOCKET|NCCL_COMM_ID'; {reach}"
        return "the ranks never joined", done, then if first else ""
    proof = f"the table's head on line {run.head_line}" if run.head_line else "NCCL's own lines"
    done = (
        f"{started} and NCCL joined them all ({proof}), so it is probably not image, ssh, mpirun or the first network"
    )
    seen = "the first message never arrived"
    if len(run.hosts) == 1:
        return (
            seen,
            f"{done}, and not the NICs: inside the one node see /dev/shm, ACS and NCCL_P2P_DISABLE=1",
            (f"on {run.hosts[0]}: df -h /dev/shm in the pod, nvidia-smi topo -p2p r, and dmesg -T | tail -n 200"),
        )
    done = f"{done}; the first message between nodes never arrived, or the log ends too early:"
    if any(want.network.has(name) for name in run.evidence.names()):
        cause = "NCCL found the NICs, and they do not reach each other: see addresses, routes, MTU, firewalls of each"
        return seen, f"{done} {cause} rail, and run pairs of nodes", _between(run, want)
    cause = (
        f"the pods probably hold no NICs of {want.network.transport}{_other_rails(run)}; `ip -br address` in each must "
        "show NICs beside lo and eth0, and /sys/class/infiniband where the fabric is of verbs"
    )
    part = f" --gpus-per-node {want.gpus_per_node}" if want.part_of_node else ""
    then = f"rdma-cluster job {want.machine} --nodes {want.nodes}{part}, whose pods claim their NICs"
    return seen, f"{done} {cause}", then if want.network.claimable else ""


def _other_networks(run: Run) -> str:
    """That nodes reach NCCL's network by other plugins, which do not understand each other; empty where they do not."""
    found: dict[str, set[str]] = {host: set() for host in run.hosts}
    for (host, _), name in run.evidence.networks:
        found.setdefault(host, set()).add(name)
    if len({frozenset(names) for names in found.values() if names}) < 2:
        return ""
    shown = listing(f"{' and '.join(sorted(names))} on {host}" for host, names in found.items() if names)
    return f"NCCL's network is {shown}: some nodes lack the plugin, so give all the same image and LD_LIBRARY_PATH"


def _other_rails(run: Run) -> str:
    """That nodes take part with other GPUs than their neighbours, where the list of devices shows it."""
    held = {host: sorted(each.pci for each in run.ranks.values() if each.host == host) for host in run.hosts}
    if len({tuple(addresses) for addresses in held.values()}) == 1:
        return ""
    shown = (f"{', '.join(addresses)} on {host}" for host, addresses in held.items())
    return f", and their GPUs are probably on other rails ({listing(shown, 2)})"


def _other_interfaces(run: Run) -> str:
    """That a process joins over an interface that no other node reaches, or over an address of another family."""
    found = run.evidence.bootstrap
    inner = {host: f"{nic} ({at}) on {host}" for (host, _), (nic, at) in found.items() if nic.startswith(_INNER)}
    if inner and len(run.hosts) > 1:
        return (
            f"NCCL joins the ranks over {listing(inner.values())}, which no other node reaches: set NCCL_SOCKET_IFNAME"
        )
    families = {":" in at: f"{at} on {host}" for (host, _), (_, at) in found.items()}
    if len(families) > 1:
        return f"NCCL joins the ranks over {' and '.join(families.values())}: set NCCL_SOCKET_FAMILY on all"
    return ""


_INNER = ("lo", "docker", "virbr", "veth", "cni", "cilium", "lxc", "tunl", "flannel")
"""Names of interfaces that end inside a node. NCCL passes over lo and docker itself, unless nothing else is left."""


def _between(run: Run, want: Expectation) -> str:
    """The command that asks the NICs of two nodes without NCCL."""
    one, two = run.hosts[0], run.hosts[1]
    if provider := want.network.provider:
        return f"on {two}: fi_pingpong -p {provider}; then on {one}: fi_pingpong -p {provider} {two}"
    if not want.network.link_layer and want.network.transport != "gIB":
        return f"on {one}, for each NIC's interface: ping -I INTERFACE the same rail's address on {two}"
    names = sorted({name for (host, _), nic in run.evidence.nics.items() if host == one for name in nic.names})
    device = names[0] if names else "mlx5_0"
    return (
        f"for each NIC, first {device}: on {two} ib_write_bw -d {device}, then on {one} ib_write_bw -d {device} {two}"
    )
