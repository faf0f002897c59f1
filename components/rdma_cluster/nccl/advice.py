"""The last words of a verdict: the outcome in one sentence, and what to run next."""

from .verdict import Verdict

_DEBUG = "run it again with -x NCCL_DEBUG=INFO -x NCCL_DEBUG_SUBSYS=INIT,NET, and keep both outputs in one log"
_WHOLE = "run it again: mpirun ... all_gather_perf -b 1G -e 8G -f 2 -g 1 -c 1 2>&1 | tee run.log"
_SHOWN = "env | grep NCCL and nvidia-smi topo -m in a container of each node, beside the stack's output workloads"
_CLAIMS = "rdma-cluster claims {machine} --whole --yaml | kubectl diff -f -, and in a pod: nvidia-smi topo -m"
_WITHOUT_CLAIMS = ("GPUDirect-TCPX", "GPUDirect-TCPXO")
_PAIRS = (
    "run pairs of nodes (or NCCL_TESTS_SPLIT='MOD {gpus}' for rails), and give all logs: rdma-cluster verdict *.log"
)
_NEXT = {
    "ran": _WHOLE,
    "finished": _WHOLE,
    "nodes": "rdma-cluster verdict LOG --machine {machine} --nodes {hosts} --gpus-per-node {held}",
    "ranks": "rdma-cluster verdict LOG --machine {machine} --nodes {hosts} --gpus-per-node {held}",
    "gpus": "nvidia-smi -L in a container of each node",
    "collective": "rdma-cluster verdict LOG --machine {machine} --nodes {nodes} --collective {collective}",
    "implied_ranks": _WHOLE,
    "socket": _CLAIMS,
    "transport": _CLAIMS,
    "nics": _CLAIMS,
    "gdr": _CLAIMS,
    "rows": _WHOLE,
    "data": _PAIRS,
    "bandwidth": _PAIRS,
}


def closing(verdict: Verdict) -> str:
    """One sentence, and when it failed the next command."""
    want = verdict.expectation
    extent = f"{want.nodes} x {want.machine}"
    if verdict.passed:
        but = f", with {' and '.join(gate.name for gate in verdict.waived)} waived" if verdict.waived else ""
        return f"The fabric of {extent} is proved{but}."
    if not verdict.is_log:
        return f"Nothing here comes from nccl-tests, so nothing is known of {extent}."
    first = verdict.told[0]
    culprit = f"; suspect: {', '.join(verdict.suspects)}" if verdict.suspects else ""
    return f"The fabric of {extent} is not proved: {first.name}, {first.seen}{culprit}.\nNext: {next_step(verdict)}"


def next_step(verdict: Verdict) -> str:
    """What to run when a verdict failed."""
    first, want = verdict.told[0], verdict.expectation
    if verdict.suspects:
        return f"drain {verdict.suspects[0]} and prove the rest; run the node against a good one by itself"
    step = _NEXT[first.name]
    if first.name in ("nodes", "ranks") and verdict.extent is None:
        step = _WHOLE
    if step == _CLAIMS and want.transport in _WITHOUT_CLAIMS:
        step = _SHOWN
    if first.name == "transport" and "not shown" in first.seen:
        step = _DEBUG
    if first.name == "bandwidth" and not want.floors:
        step = "rdma-cluster verdict LOG ... --floor {collective}:1G=GBPS"
    hosts, held = verdict.extent or (want.nodes, want.gpus_per_node)
    return step.format(
        machine=want.machine, nodes=want.nodes, gpus=want.gpus_per_node, hosts=hosts, held=held,
        collective=verdict.collective or "all_reduce",
    )  # fmt: skip
