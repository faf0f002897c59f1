"""The gates of a test's extent: it ended, on these nodes and GPUs, over so many ranks."""

from collections import Counter

from .advice import Advice, advise, first_cause
from .busbw import could_be, factor, fits, implied_ranks
from .expectation import Expectation, size_text
from .failures import Failure
from .gate import Gate, collective_of, few, lines_of, listing, rail_of
from .header import Rank
from .run import Run


def finished(run: Run, want: Expectation) -> Gate:
    """The test printed its footer, and nothing in the log says that it failed."""
    wanted = "the footer of a finished test, and no word of failure"
    if run.own_failures:
        return _failed(run, want, wanted)
    if run.overflow is not None or run.evidence.overflow:
        lines = (run.overflow,) if run.overflow else ()
        cause = "a line of more than 16 KiB, or more than 262144 facts of a kind: judge the tests one by one"
        return Gate("finished", False, "lines or facts beyond what is read", "a log that is read whole", lines, cause)
    lines = (run.largest.line,) if run.largest else ()
    if run.out_of_bounds_line is None or not run.averages:
        last = f"; its last row is {size_text(run.largest.size)}" if run.largest else ""
        cause = (
            "the log was cut or read too early, the test still hangs, or it was ended from outside: where it hangs, a "
            "rail that carries nothing is likely, and a slow one is not: run single rails, or pairs of the nodes"
        )
        return Gate("finished", False, f"did not finish: no footer{last}", wanted, lines, cause)
    if run.started is not None and run.concluded is None:
        cause = "a process did not come to its end: look for what mpirun says after the footer"
        return Gate("finished", False, "did not finish: started, never concluded", wanted, (run.started,), cause)
    return Gate("finished", True, "the footer", wanted, few((run.out_of_bounds_line, *run.averages.values())))


def _failed(run: Run, want: Expectation, wanted: str) -> Gate:
    """The first failure that says why, with its node and rank; what NCCL warned of may say why in its place."""
    failures, fabric, model = run.own_failures, want.network.transport, want.gpu_model
    advised = [(each, advise(each.warning, fabric, each.host, model)) for each in failures]
    first, advice = min(advised, key=lambda pair: _telling(*pair))  # the first of the most telling
    seen = f"the run says it failed: {first.what}{_place(first, run)}"
    warned = f"; NCCL warned: {run.warnings[0]}" if run.warnings else ""
    explained = first_cause(run.warnings, fabric, model) if _telling(first, advice) else None
    if explained and (advice is None or not explained[1].row.effect):
        advice, warned = explained[1], f"; NCCL warned: {explained[0]}"
    cause = (advice.cause if advice else "the first such line is nearest to the cause") + warned
    lines = few(each.line for each in failures)
    return Gate("finished", False, seen, wanted, lines, cause, host=first.host, then=advice.then if advice else "")


def _telling(failure: Failure, advice: Advice | None) -> int:
    """How little a line tells of the cause: its remedy, then that it is a cause, then what to do about an effect."""
    if advice is None:
        return 1 if failure.cause else 3
    return 2 if advice.row.effect else 0


def _place(failure: Failure, run: Run) -> str:
    if failure.nic:  # any process of the node may print what its NIC reports
        device, _, port = failure.nic.partition(":")
        ranks_on, host = run.evidence.channels.ranks_on, failure.host
        numbers = run.nic_numbers(host, device)
        rails = sorted({rail_of(run, rank, number) for number in numbers for rank in ranks_on(host, [number])})
        of = f", {listing(rails)}" if rails else ""
        return f" on {host or 'a node that is not named'}: NIC {device}{f' port {port}' if port else ''}{of}"
    rank = failure.rank
    if rank is None:
        process = failure.host, failure.pid
        rank = next((each.rank for each in run.ranks.values() if (each.host, each.pid) == process), None)
    host = failure.host or (run.ranks[rank].host if rank is not None and rank in run.ranks else "")
    return (f" on {host}" if host else "") + (f", rank {rank}" if rank is not None else "")


APART = (
    "tests of their own ran beside each other and should have been one: nccl-tests was built without MPI=1, or was "
    "started by the mpirun of another MPI than it was built with"
)
WITH_MPI = "ldd of the test's program must name libmpi: build it with make MPI=1, or take an image that did"
"""What to run next then."""


def nodes(run: Run, want: Expectation) -> Gate:
    """The ranks ran on as many nodes as wanted."""
    wanted = f"{want.nodes} distinct nodes"
    if not run.ranks:
        cause = "the list `# Using devices` is missing: keep the whole output, rank 0's standard output included"
        return Gate("nodes", False, "not shown: no list of devices", wanted, (), cause)
    count = len(run.hosts)
    lines = few({rank.host: rank.line for rank in reversed(list(run.ranks.values()))}.values())
    seen = f"{count}: {listing(run.hosts, 8)}"
    if count == want.nodes:
        return Gate("nodes", True, seen, wanted, lines)
    if apart := sorted(run.rivals - set(run.hosts)):
        seen = f"{count}: {listing(run.hosts, 8)}; and by themselves {listing(apart)}"
        return Gate("nodes", False, seen, wanted, tuple(run.conflicts), APART, then=WITH_MPI)
    remedy = f"say --nodes {count} if that was meant, else look at the hosts that mpirun was given"
    if count == 1:
        remedy = "two pods share it, mpirun was given one host, or nccl-tests was built without MPI=1"
    cause = f"the log shows {count} node{'s' * (count > 1)}; you said {want.nodes}: {remedy}"
    return Gate("nodes", False, seen, wanted, lines, cause)


def spread(run: Run) -> set[int]:
    """How many ranks a node has: one number where all nodes have the same."""
    return set(Counter(rank.host for rank in run.ranks.values()).values())


def ranks(run: Run, want: Expectation) -> Gate:
    """One test ran over all ranks, as many on each node as wanted."""
    wanted = f"{want.ranks} ranks, {want.gpus_per_node} on each of {want.nodes} nodes"
    if not run.ranks:
        return Gate("ranks", False, "not shown: no list of devices", wanted)
    per_node = spread(run)
    seen = f"{len(run.ranks)} ranks, {'/'.join(map(str, sorted(per_node)))} a node"
    lines = few((min(r.line for r in run.ranks.values()), max(r.line for r in run.ranks.values())))
    if run.conflicts:
        cause = "two tests run at once into one log, or each process runs a test of its own (built without MPI=1)"
        seen = f"{seen}, ranks listed twice with different devices"
        return Gate("ranks", False, seen, wanted, tuple(run.conflicts), cause)
    if run.groups > 1:
        cause = "NCCL_TESTS_SPLIT is set: it runs rails apart and proves no whole; unset it for the proof"
        return Gate("ranks", False, f"{seen}, in {run.groups} groups", wanted, lines, cause)
    if set(run.ranks) != set(range(len(run.ranks))):
        missing = sorted(set(range(max(run.ranks) + 1)) - set(run.ranks))
        seen = f"{seen}; rank {listing(map(str, missing))} is not listed"
        return Gate("ranks", False, seen, wanted, lines, "lines are lost from the list of devices")
    if len(run.ranks) == want.ranks and per_node == {want.gpus_per_node}:
        return Gate("ranks", True, seen, wanted, lines)
    return Gate("ranks", False, seen, wanted, lines, _other_ranks(run, want, per_node))


def _other_ranks(run: Run, want: Expectation, per_node: set[int]) -> str:
    if len(per_node) > 1:
        by_host = Counter(rank.host for rank in run.ranks.values())
        hosts = [host for host in run.hosts if by_host[host] == min(per_node)]
        return f"{listing(hosts)} took part with fewer GPUs than the others: look at its pod's claim and its slots"
    (count,) = per_node
    if count == want.gpus_per_node:
        return f"the log shows {len(run.hosts)} nodes; you said {want.nodes}"
    return (
        f"the log shows {count} rank{'s' * (count > 1)} on each of {len(run.hosts)} nodes; you said "
        f"{want.gpus_per_node}: say --gpus-per-node {count} if that was meant, else start mpirun with "
        f"{want.gpus_per_node} a node"
    )


def _plain(model: str) -> str:
    """A model without its maker, and without the word that AMD's virtual functions add in VMs."""
    return model.removeprefix("NVIDIA ").removesuffix(" VF")


def gpus(run: Run, want: Expectation) -> Gate:
    """Every rank has a GPU of its own, of the wanted model."""
    wanted = f"{want.gpus_per_node} x {want.gpu_model} a node"
    if not run.ranks:
        return Gate("gpus", False, "not shown: no list of devices", wanted)
    model = _plain(want.gpu_model)
    others = [rank for rank in run.ranks.values() if _plain(rank.model) != model]
    if others:
        seen = f"{others[0].model or 'no model'} on {listing(sorted({rank.host for rank in others}))}"
        cause = "the nodes are of another machine type than the one named, or the list of devices was cut"
        return Gate("gpus", False, seen, wanted, few(rank.line for rank in others), cause)
    by_host: dict[str, list[Rank]] = {host: [] for host in run.hosts}
    for rank in run.ranks.values():
        by_host[rank.host].append(rank)
    for host, on_host in by_host.items():
        devices = {run.gpu_of(rank) for rank in on_host}
        if len(devices) == len(on_host) == want.gpus_per_node:
            continue
        seen = f"{len(devices)} distinct GPUs in {len(on_host)} ranks on {host}"
        cause = f"two processes share a GPU: on {host} look at CUDA_VISIBLE_DEVICES, at -g, and at the pod's claim"
        if len(on_host) == want.gpus_per_node and any(rank.bus_alone for rank in on_host):
            seen = f"not shown for {host}: the list prints the bus alone, and ranks have device and bus in common"
            cause = (
                "run nccl-tests of 2025-02-28 or later, which prints the PCI domain, or with NCCL_DEBUG=INFO, whose "
                "busId has it; if that shows the same, processes share a GPU"
            )
        return Gate("gpus", False, seen, wanted, few(rank.line for rank in on_host), cause)
    first = next(iter(run.ranks.values()))
    return Gate("gpus", True, f"{want.gpus_per_node} x {first.model} a node", wanted, (first.line,))


def collective(run: Run, want: Expectation) -> Gate:
    """The wanted collective ran, and its rows have that collective's form."""
    judged = collective_of(run, want)
    wanted = want.collective or " or ".join(sorted(want.thresholds)) or "a named collective"
    lines = (run.collective_line,) if run.collective_line else ()
    if judged is None or (want.collective and judged != want.collective):
        seen = judged or "not named"
        cause = "name it: --collective all_reduce, or such"
        if judged:
            cause = f"say --collective {judged} if that was meant"
        return Gate("collective", False, seen, wanted, lines, cause)
    odd = [row for row in run.rows.values() if not could_be(judged, row)]
    if odd or not run.rows:
        seen = f"rows that are not of {judged}" if odd else "no rows"
        cause = "another collective ran than the one named: say which with --collective"
        return Gate("collective", False, seen, wanted, lines_of(odd), cause)
    return Gate("collective", True, judged if run.collective else f"not named, its rows fit {judged}", wanted, lines)


def implied(run: Run, want: Expectation) -> Gate:
    """busbw / algbw in each row is the factor of as many ranks as wanted."""
    judged = collective_of(run, want)
    scale = factor(judged, want.ranks) if judged else None
    wanted = f"{want.ranks} ranks, by busbw / algbw" + (f" = {scale:.4g}" if scale else "")
    shown = run.rows_with_figures()
    if not shown or judged is None or scale is None:
        cause = f"no row of 1 MiB or more has both figures: run with {want.sizes(judged)}"
        return Gate("implied_ranks", False, "not shown", wanted, (), cause)
    for row in sorted(shown, key=lambda row: -row.size):
        for alg, bus in ((row.out_alg, row.out_bus), (row.in_alg, row.in_bus)):
            if alg is not None and bus is not None and not fits(alg, bus, scale):
                count = implied_ranks(judged, alg, bus)
                seen = f"{count:.3g} ranks" if count else f"a factor of {bus.value / max(alg.value, 1e-9):.4g}"
                cause = f"the figures are those of {seen}, not of {want.ranks}: fewer nodes took part than are listed"
                return Gate("implied_ranks", False, f"{seen} at {size_text(row.size)}", wanted, (row.line,), cause)
    return Gate("implied_ranks", True, f"{want.ranks} ranks" if scale != 1 else "factor 1", wanted, lines_of(shown))
