"""A healthy run of nccl-tests becomes a threshold: 0.8 x the slowest row, from the first size on that tells a whole
fabric from half of one.
"""

from collections.abc import Sequence
from dataclasses import replace

from nccl_verdict.expectation import GIB, size_text
from nccl_verdict.run import Run
from nccl_verdict.verdict import Verdict, judge
from pulumi_offline.errors import refusal
from ..catalog import find, machines
from ..catalog.evidence import NVLINK, SUMMED
from ..catalog.floors import passes_with_half_the_rails
from ..catalog.machine import Machine, Source, Threshold
from ..incluster.plan.acceptance.expectation import expect

SHARE = 0.8
LOG, MACHINE = "--from-log", "--machine"


def machine_of(runs: Sequence[Run], name: str | None = None, collective: str | None = None) -> Machine:
    """The machine that a log's GPUs and NICs are of, or the one of that name. Raises ``Refused``."""
    if name is not None and (named := find(name)) is not None:
        return named
    models = {rank.model for run in runs for rank in run.ranks.values()}
    if not models:
        raise refusal("has no list of devices, which nccl-tests prints first; give the whole log", LOG)
    gpus = max((rank.device for run in runs for rank in run.ranks.values()), default=-1) + 1
    alike = [each for each in machines() if each.gpu and {each.gpu.model} == models]
    found = [each for each in alike if each.gpus == gpus] or alike
    healthy = [each for each in found if not _unhealthy(_judged(runs, each, False, collective))]
    if len(healthy) != 1:
        names = ", ".join(each.name for each in healthy or found)
        raise refusal(f"the log does not tell the machine; name it: {names or 'no machine has these GPUs'}", MACHINE)
    return healthy[0]


def threshold_of(runs: Sequence[Run], machine: Machine, source: Source, collective: str | None = None) -> Threshold:
    """The threshold that a log gives; ``collective`` is that of a log which names none.

    Raises ``Refused`` where it is not healthy, or its figure could be half a fabric's.
    """
    nvlink = machine.is_rack and any(has for run in runs for has, _ in run.evidence.nvlink.values())
    verdict = _judged(runs, machine, nvlink, collective)
    if failed := _unhealthy(verdict):
        raise refusal(f"not a healthy run: {'; '.join(failed)}; no threshold is made of it", LOG)
    slowest: dict[int, float] = {}
    for run in runs:
        for row in run.large_rows():
            figure, size = row.out_bus.value if row.out_bus else 0.0, run.nominal(row.size)
            slowest[size] = min(figure, slowest.get(size, figure))
    if not slowest:
        raise refusal(f"no row of {size_text(GIB)} or more; run with -b 1G -e 8G -f 2", LOG)
    candidate = None
    for first in sorted(slowest):
        least = min(figure for size, figure in slowest.items() if size >= first)
        candidate = _row(verdict, machine, first, least, source, nvlink)
        if not passes_with_half_the_rails(candidate, machine):
            return candidate
    assert candidate is not None
    raise refusal(
        f"{candidate.published_gbytes:g} GB/s gives a floor of {candidate.busbw_gbytes:g}, which a fabric with half of "
        f"its rails could pass; run it until the figure is more than {_least(candidate, machine):g}",
        LOG,
    )


def _row(
    verdict: Verdict, machine: Machine, size: int, slowest: float, source: Source, nvlink: bool
) -> Threshold:  # one size of one log
    want = verdict.expectation
    floor = int(round(SHARE * slowest * 10, 3)) / 10  # never above the rule
    row = Threshold(
        verdict.collective or "", want.nodes, want.gpus_per_node, size, floor, slowest, source, nvlink=nvlink
    )
    above = NVLINK if nvlink else SUMMED if want.wire_gbytes is not None and floor > want.wire_gbytes else ""
    return replace(row, above_wire=above)


def _least(row: Threshold, machine: Machine) -> float:
    """The figure from which on its floor tells a whole fabric from half of one."""
    figures = (each * 0.5 for each in range(2, 4000))
    floors = (replace(row, busbw_gbytes=SHARE * each, published_gbytes=each) for each in figures)
    return next(each.published_gbytes or 0.0 for each in floors if not passes_with_half_the_rails(each, machine))


def _judged(runs: Sequence[Run], machine: Machine, nvlink: bool, collective: str | None) -> Verdict:
    """The verdict of a log by its own extent; bandwidth is what it shall tell."""
    extents = {(len(run.hosts), len(run.ranks) // len(run.hosts)) for run in runs if run.hosts}
    if len(extents) != 1 or min(extents)[0] < 2:
        raise refusal("needs the list of devices of two nodes or more, and of as many in each test", LOG)
    try:
        want = expect(machine, *extents.pop(), nvlink=nvlink or None)
    except ValueError as error:
        raise refusal(str(error), LOG) from None
    collectives = {run.collective or collective for run in runs}
    if len(collectives) > 1:
        raise refusal(f"holds {', '.join(sorted(map(str, collectives)))}; give a log of one collective", LOG)
    return judge(runs, replace(want, thresholds={}, collective=collectives.pop()), ["bandwidth"])


def _unhealthy(verdict: Verdict) -> list[str]:
    return [f"{gate.name}: {gate.seen}, wanted {gate.wanted}" for gate in verdict.reported]


def as_yaml(row: Threshold, machine: Machine) -> str:
    """What stands in the stack's file for it."""
    size = f"{row.size_bytes >> 30}G" if row.size_bytes % GIB == 0 else str(row.size_bytes)
    word = f"{row.collective}:{size}={row.busbw_gbytes:g}"
    return f"rdma-cluster:acceptance:\n  thresholds:\n    {machine.name}: ['{word}']\n"
