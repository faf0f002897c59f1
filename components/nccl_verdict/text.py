"""A verdict in words: rows for tables, plain text, a container's last message, and what to run next."""

from collections.abc import Sequence

from .expectation import size_text
from .gate import Gate
from .verdict import Point, Verdict
from .visible import visible

TERMINATION_BYTES = 4096
"""The most that Kubernetes keeps of a termination message."""

_WIDEST = 100
"""Characters of what was seen in the table; the conclusion has the whole of it."""
_WHOLE = "run it again: mpirun -np {ranks} -N {gpus} ... {wanted}_perf {sizes} -g 1 -c 1 2>&1 | tee run.log"
_SHOWN = "env | grep NCCL and nvidia-smi topo -m in a container{on_host}, beside the stack's output workloads"
_CLAIMS = "rdma-cluster claims {machine} --whole --yaml | kubectl diff -f -, and in a pod{on_host}: nvidia-smi topo -m"
_PAIRS = (
    "run pairs of nodes (or NCCL_TESTS_SPLIT='MOD {gpus}' for rails), and give all logs: rdma-cluster verdict *.log"
)
_EXTENT = "rdma-cluster verdict LOG --machine {machine} --nodes {hosts} --gpus-per-node {held}"
_NEXT = {
    **dict.fromkeys(("ran", "finished", "implied_ranks", "rows"), _WHOLE),
    **dict.fromkeys(("nodes", "ranks"), _EXTENT),
    **dict.fromkeys(("socket", "transport", "nics", "gdr", "affinity"), _CLAIMS),
    **dict.fromkeys(("data", "bandwidth"), _PAIRS),
    "gpus": "nvidia-smi -L in a container of each node",
    "collective": "rdma-cluster verdict LOG --machine {machine} --nodes {nodes} --collective {collective}",
}
"""The next command, by the first gate that failed."""


def gate_rows(verdict: Verdict) -> list[tuple[str, str, str, str, str]]:
    """(outcome, gate, seen, wanted, evidence) for each gate; one that only follows from another says so.

    Here and below whatever a log holds is shown, and acts on no terminal.
    """

    def row(gate: Gate) -> tuple[str, str, str, str, str]:
        if not gate.fine and gate not in verdict.reported:
            return "FAIL", gate.name, f"follows from {gate.because}", gate.wanted, ""
        outcome = "waived" if gate.waived else "FAIL" if not gate.passed else "warn" if gate.warning else "pass"
        return outcome, gate.name, visible(gate.seen), gate.wanted, visible(gate.where)

    return [row(gate) for gate in verdict.gates]


def size_rows(verdict: Verdict) -> list[tuple[str, str, str, str, str]]:
    """(size, out-of-place, in-place, threshold, outcome) for each message size, in GB/s of bus bandwidth."""

    def row(point: Point) -> tuple[str, str, str, str, str]:
        figures = (point.out_of_place, point.in_place, point.threshold)
        out, into, threshold = ("-" if value is None else f"{value:.2f}" for value in figures)
        outcome = "" if point.threshold is None else "pass" if point.passed else "FAIL"
        return size_text(point.size_bytes), out, into, threshold, outcome

    return [row(point) for point in verdict.points]


def suspect_rows(verdict: Verdict) -> list[tuple[str, str, str]]:
    """(kind, name, why) for each suspect."""
    return [(suspect.kind, visible(suspect.name), visible(suspect.why)) for suspect in verdict.suspects]


def cause_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """(gate, most likely cause) of each gate that failed by itself, and then the warnings."""
    causes = [(gate.name, visible(gate.cause)) for gate in verdict.reported if gate.cause]
    return causes + [(gate.name, visible(f"warning: {gate.warning}")) for gate in verdict.warned]


def plain_text(verdict: Verdict) -> str:
    """The whole verdict for a terminal without colours."""
    paragraphs = [verdict.headline]
    if verdict.points:
        paragraphs.append(_table([("size", "out-of-place", "in-place", "threshold", ""), *size_rows(verdict)], right=4))
    short = ((outcome, gate, seen[:_WIDEST], *rest) for outcome, gate, seen, *rest in gate_rows(verdict))
    paragraphs.append(_table(list(short), right=0))
    paragraphs += [f"{name}: {cause}" for name, cause in cause_rows(verdict)]
    paragraphs += [f"{kind} {name}: {why}" for kind, name, why in suspect_rows(verdict)]
    paragraphs += [f"not shown: {each}" for each in verdict.unseen]
    paragraphs += [f"note: {note}" for note in verdict.expectation.notes if not verdict.job]
    return "\n\n".join([*paragraphs, closing(verdict)]) + "\n"


def closing(verdict: Verdict) -> str:
    """One sentence, and when it failed the next command."""
    want = verdict.expectation
    extent = f"{want.nodes} x {want.machine}"
    if verdict.job and not verdict.reported:
        but = "" if verdict.passed else " Say --job if no test was meant to run."
        return f"What this log shows is as it should be. No test ran: it proves no fabric and no speed.{but}"
    if verdict.passed:
        but = f", with {' and '.join(gate.name for gate in verdict.waived)} waived" if verdict.waived else ""
        return f"The fabric of {extent} is proved{but}."
    if not verdict.is_log:
        return f"Nothing here comes from nccl-tests, so nothing is known of {extent}."
    first = verdict.reported[0]
    suspect = f"; suspect: {', '.join(verdict.suspected_nodes)}" if verdict.suspected_nodes else ""
    outcome = f"The fabric of {extent} is not proved: {first.name}, {first.seen}{suspect}."
    if verdict.job:
        outcome = f"The log of this job shows what is wrong: {first.name}, {first.seen}."
        if first.seen.startswith("not shown"):
            outcome = "The log of this job does not tell whether it runs over the fabric."
    return f"{visible(outcome)}\nNext: {visible(next_step(verdict))}"


def next_step(verdict: Verdict) -> str:
    """What to run when a verdict failed."""
    first, want = verdict.reported[0], verdict.expectation
    if verdict.suspected_nodes:
        return f"drain {verdict.suspected_nodes[0]} and prove the rest; run the node against a good one by itself"
    if first.then:
        return first.then
    step = _NEXT.get(first.name, _SHOWN)
    if first.name in ("nodes", "ranks") and verdict.extent is None:
        step = _WHOLE
    if step == _CLAIMS and not want.network.claimable:
        step = _SHOWN
    if first.name == "bandwidth" and not want.thresholds:
        step = "rdma-cluster verdict LOG ... --threshold {collective}:1G=GBPS"
    wanted = want.collective or verdict.collective or next(iter(want.thresholds), "all_reduce")
    hosts, held = verdict.extent or (want.nodes, want.gpus_per_node)
    return step.format(
        machine=want.machine, nodes=want.nodes, gpus=want.gpus_per_node, hosts=hosts, held=held,
        collective=verdict.collective or wanted,
        ranks=want.ranks, sizes=want.sizes(wanted), wanted=wanted,
        on_host=f" on {first.host}" if first.host else " of each node",
    )  # fmt: skip


def termination_message(verdict: Verdict) -> str:
    """The outcome in at most 4096 bytes, the first failed gate first."""
    failed = ((gate, f" ({gate.where})" if gate.where else "") for gate in verdict.reported)
    lines = [visible(f"{gate.name}: {gate.seen}; wanted {gate.wanted}{where}") for gate, where in failed]
    lines += [f"{kind} {name}: {why}" for kind, name, why in suspect_rows(verdict)]
    lines += [verdict.headline]
    lines += [f"likely: {cause}" for _, cause in cause_rows(verdict)[:1]]
    return "\n".join(lines).encode()[:TERMINATION_BYTES].decode("utf-8", "ignore")


def _table(rows: Sequence[tuple[str, ...]], right: int) -> str:
    """Columns of one width each, the first ``right`` of them with their texts at the right."""
    columns = [
        [text.rjust(width) if place < right else text.ljust(width) for text in column]
        for place, column in enumerate(zip(*rows, strict=True))
        for width in [max(map(len, column))]
    ]
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))
