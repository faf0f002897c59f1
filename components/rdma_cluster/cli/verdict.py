"""``rdma-cluster verdict``: logs of nccl-tests against what the machine's fabric must show."""

from collections.abc import Sequence
from pathlib import Path

from ..catalog import Machine, find, unknown
from ..errors import ErrorList, InputError, Refused, show
from ..incluster.plan.acceptance.expectation import expect
from ..incluster.plan.acceptance.thresholds import BadThresholdError, parse_thresholds
from ..nccl.busbw import COLLECTIVES
from ..nccl.expectation import BadExpectationError
from ..nccl.files import NotReadableError, judge_logs
from ..nccl.plot import write_svg
from ..nccl.text import cause_rows, closing, gate_rows, size_rows, suspect_rows
from ..nccl.verdict import GATES, UnknownGateError, Verdict
from .output import as_json, paragraph, styled, table
from .written import can_write, write_file


def show_verdict(  # one parameter for each option
    logs: Sequence[Path],
    machine: str,
    nodes: int,
    gpus_per_node: int | None,
    collective: str | None,
    thresholds: Sequence[str],
    waive: Sequence[str],
    json: bool,
    plot: Path | None,
    nvlink: bool = False,
) -> int:
    """Print the verdict. Returns 0 when it passes and 1 when it fails. Raises ``Refused`` for anything else."""
    row = find(machine)
    if row is None:
        raise Refused([InputError(("--machine",), unknown(machine))])
    _check_options(row, gpus_per_node, collective, waive, plot, nvlink=nvlink)
    try:
        expectation = expect(
            row,
            nodes=nodes,
            gpus_per_node=gpus_per_node,
            collective=collective,
            own_thresholds=parse_thresholds(list(thresholds)),
            nvlink=nvlink or None,
        )
        verdict = judge_logs(logs, expectation, waive)
    except BadThresholdError as error:
        raise Refused([InputError(("--threshold",), str(error))]) from None
    except (BadExpectationError, NotReadableError, UnknownGateError) as error:
        raise Refused([InputError((), str(error))]) from None
    if not verdict.is_log:
        raise Refused([InputError((), f"nothing from nccl-tests in {', '.join(map(str, logs))}; pass a log of a run")])
    if plot is not None:
        write_file(plot, write_svg(verdict))
    if json:
        print(as_json(verdict.to_json()))
    else:
        _write(verdict)
    return verdict.exit_code


def _check_options(
    machine: Machine, gpus: int | None, collective: str | None, waive: Sequence[str], plot: Path | None, *, nvlink: bool
) -> None:
    """Check the options before logs are read, which takes its time. Raises ``Refused``."""
    errors = ErrorList()
    for gate in waive:
        if gate not in GATES:
            errors.at("--waive").add(f"got {show(gate)}; no such gate, known are {', '.join(GATES)}")
    if plot is not None and not can_write(plot):
        errors.at("--plot").add(f"{str(plot)!r} cannot be written; name a file in a folder that is there")
    if gpus is not None and machine.gpus and not 1 <= gpus <= machine.gpus:
        errors.at("--gpus-per-node").add(f"got {gpus}; {machine.name} has {machine.gpus}, take 1 or more of them")
    if collective is not None and collective not in COLLECTIVES:
        errors.at("--collective").add(f"got {show(collective)}; nccl-tests has {', '.join(COLLECTIVES)}")
    if nvlink and not machine.is_rack:
        errors.at("--nvlink").add(f"NVLink of {machine.name} ends at the node; leave it out")
    if errors:
        raise Refused(errors.found())


def _write(verdict: Verdict) -> None:
    print(styled(verdict.headline, "green" if verdict.passed else "red") + "\n")
    if verdict.points:
        columns = ("size", "out-of-place GB/s", "in-place GB/s", "threshold", "")
        print(table([dict(zip(columns, row, strict=True)) for row in size_rows(verdict)], "bus bandwidth"))
        print()
    columns = ("", "gate", "seen", "wanted", "evidence")
    print(table([dict(zip(columns, row, strict=True)) for row in gate_rows(verdict)], "gates"))
    for name, cause in cause_rows(verdict):
        print("\n" + paragraph(f"{name}: {cause}"))
    for kind, name, why in suspect_rows(verdict):
        print("\n" + paragraph(f"{kind} {name}: {why}"))
    for note in verdict.expectation.notes:
        print("\n" + paragraph(f"note: {note}"))
    outcome, *following = closing(verdict).split("\n")
    print("\n" + "\n".join([paragraph(outcome), *following]))  # a command stays on its line
