"""``rdma-cluster verdict``: logs of nccl-tests against what the machine's fabric must show."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..catalog import Machine, find, unknown
from ..faults import Fault, Faults, Refused, show
from ..incluster.plan.acceptance.expectation import expect
from ..incluster.plan.acceptance.floors import BadFloorError, parse_floors
from ..nccl.busbw import COLLECTIVES
from ..nccl.expectation import BadExpectationError
from ..nccl.files import NotReadableError, judge_logs
from ..nccl.plot import write_svg
from ..nccl.text import cause_rows, closing, culprit_rows, gate_rows, size_rows
from ..nccl.verdict import GATES, UnknownGateError, Verdict
from .output import as_json, paragraph, styled, table


def show_verdict(  # one parameter for each option
    logs: Sequence[Path],
    machine: str,
    nodes: int,
    gpus_per_node: int | None,
    collective: str | None,
    floors: Sequence[str],
    waive: Sequence[str],
    json: bool,
    plot: Path | None,
    nvlink: bool = False,
) -> int:
    """Print the verdict. Returns 0 when it passes and 1 when it fails. Raises ``Refused`` for anything else."""
    row = find(machine)
    if row is None:
        raise Refused([Fault(("--machine",), unknown(machine))])
    _check_options(row, gpus_per_node, collective, waive, plot, nvlink=nvlink)
    try:
        expectation = expect(
            row,
            nodes=nodes,
            gpus_per_node=gpus_per_node,
            collective=collective,
            own_floors=parse_floors(list(floors)),
            nvlink=nvlink or None,
        )
        verdict = judge_logs(logs, expectation, waive)
    except BadFloorError as error:
        raise Refused([Fault(("--floor",), str(error))]) from None
    except (BadExpectationError, NotReadableError, UnknownGateError) as error:
        raise Refused([Fault((), str(error))]) from None
    if not verdict.is_log:
        raise Refused([Fault((), f"nothing from nccl-tests in {', '.join(map(str, logs))}; pass a log of a run")])
    if plot is not None:
        plot.write_text(write_svg(verdict), encoding="utf-8")
    if json:
        print(as_json(verdict.to_json()))
    else:
        _write(verdict)
    return verdict.exit_code


def _check_options(
    machine: Machine, gpus: int | None, collective: str | None, waive: Sequence[str], plot: Path | None, *, nvlink: bool
) -> None:
    """Check the options before logs are read, which takes its time. Raises ``Refused``."""
    faults = Faults()
    for gate in waive:
        if gate not in GATES:
            faults.at("--waive").add(f"got {show(gate)}; no such gate, known are {', '.join(GATES)}")
    if plot is not None and (plot.is_dir() or not os.access(plot if plot.exists() else plot.parent, os.W_OK)):
        faults.at("--plot").add(f"{str(plot)!r} cannot be written; name a file in a folder that is there")
    if gpus is not None and machine.gpus and not 1 <= gpus <= machine.gpus:
        faults.at("--gpus-per-node").add(f"got {gpus}; {machine.name} has {machine.gpus}, take 1 or more of them")
    if collective is not None and collective not in COLLECTIVES:
        faults.at("--collective").add(f"got {show(collective)}; nccl-tests has {', '.join(COLLECTIVES)}")
    if nvlink and not machine.is_rack:
        faults.at("--nvlink").add(f"NVLink of {machine.name} ends at the node; leave it out")
    if faults:
        raise Refused(faults.found())


def _write(verdict: Verdict) -> None:
    print(styled(verdict.headline, "green" if verdict.passed else "red") + "\n")
    if verdict.points:
        columns = ("size", "out-of-place GB/s", "in-place GB/s", "floor", "")
        print(table([dict(zip(columns, row, strict=True)) for row in size_rows(verdict)], "bus bandwidth"))
        print()
    columns = ("", "gate", "seen", "wanted", "evidence")
    print(table([dict(zip(columns, row, strict=True)) for row in gate_rows(verdict)], "gates"))
    for name, cause in cause_rows(verdict):
        print("\n" + paragraph(f"{name}: {cause}"))
    for kind, name, why in culprit_rows(verdict):
        print("\n" + paragraph(f"{kind} {name}: {why}"))
    for note in verdict.expectation.notes:
        print("\n" + paragraph(f"note: {note}"))
    outcome, *following = closing(verdict).split("\n")
    print("\n" + "\n".join([paragraph(outcome), *following]))  # a command stays on its line
