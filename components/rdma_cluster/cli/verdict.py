"""``rdma-cluster verdict``: logs of nccl-tests against what the machine's fabric must show."""

import sys
from collections.abc import Sequence
from pathlib import Path

from ..catalog import Machine, find, unknown
from ..errors import ErrorList, InputError, Refused, show
from ..incluster.plan.acceptance.expectation import expect
from ..incluster.plan.acceptance.thresholds import BadThresholdError, parse_thresholds
from ..nccl.busbw import COLLECTIVES
from ..nccl.collection import LOGS, is_collection, judge_each
from ..nccl.expectation import BadExpectationError, Expectation
from ..nccl.files import STDIN, NotReadableError, judge_logs, since
from ..nccl.following import Live
from ..nccl.following import follow as read_on
from ..nccl.plot import write_svg
from ..nccl.text import cause_rows, closing, gate_rows, size_rows, suspect_rows
from ..nccl.verdict import GATES, UnknownGateError, Verdict, judge
from .output import as_json, paragraph, styled, table
from .signals import interrupted_by_hand
from .write_file import can_write, write_file

SILENCE_SECONDS = 600.0
_ENDED = {
    "silence": "nothing more was printed in the time of --silence: judged what is there",
    "failure": "read no further than the line that says it failed",
    "interrupt": "interrupted: judged what is there",
}
"""Why a log was followed no further, where it did not end."""
INTERRUPTED = 130
NOTHING = "nothing from nccl-tests"


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
    nvlink: bool,
    last: Path | None,
    follow: bool,
    silence: float | None,
) -> int:
    """Print the verdict. Returns 0 when it passes, 1 when it fails, 130 when a person ended a log that was followed.

    Raises ``Refused`` for anything else.
    """
    row = find(machine)
    if row is None:
        raise Refused([InputError(("--machine",), unknown(machine))])
    _check_options(row, gpus_per_node, collective, waive, plot, nvlink=nvlink)
    many = any(map(is_collection, logs))
    _check_logs(logs, many=many, plot=plot is not None, follow=follow, silence=silence)
    why = "end"
    try:
        expectation = expect(
            row,
            nodes=nodes,
            gpus_per_node=gpus_per_node,
            collective=collective,
            own_thresholds=parse_thresholds(list(thresholds)),
            nvlink=nvlink or None,
        )
        expectation = expectation if last is None else since(last, expectation)
        if many:
            return _table_of_tests(logs, expectation, waive, json=json)
        if follow:
            verdict, why = _followed(logs[0], expectation, waive, silence or SILENCE_SECONDS)
        else:
            verdict = judge_logs(logs, expectation, waive)
    except BadThresholdError as error:
        raise Refused([InputError(("--threshold",), str(error))]) from None
    except (BadExpectationError, NotReadableError, UnknownGateError) as error:
        raise Refused([InputError((), str(error))]) from None
    if why in _ENDED:
        print(_ENDED[why], file=sys.stderr)
    if not verdict.is_log:
        if why == "interrupt":
            return INTERRUPTED
        raise Refused([InputError((), f"nothing from nccl-tests in {', '.join(map(str, logs))}; pass a log of a run")])
    if plot is not None:
        write_file(plot, write_svg(verdict))
    if json:
        print(as_json(verdict.to_json()))
    else:
        _write(verdict)
    return INTERRUPTED if why == "interrupt" else verdict.exit_code


def _followed(log: Path, want: Expectation, waive: Sequence[str], silence: float) -> tuple[Verdict, str]:
    """The verdict over a log that is being written, and why it was read no further."""
    with interrupted_by_hand():
        if str(log) == STDIN:
            runs, why = read_on(Live(sys.stdin.fileno(), silence))
        else:
            with log.open("rb") as file:
                runs, why = read_on(Live(file.fileno(), silence))
    return judge(runs, want, waive), why


def _table_of_tests(logs: Sequence[Path], want: Expectation, waive: Sequence[str], *, json: bool) -> int:
    """A line for each test of folders and archives; 1 where any of them fails, 2 where there is none."""
    rows, verdicts = [], []
    worst = 0
    for name, verdict in judge_each(logs, want, waive):
        worst = max(worst, 0 if verdict.passed else 1)
        first = verdict.reported[0] if verdict.is_log and verdict.reported else None
        figure = verdict.largest.out_of_place if verdict.largest else None
        rows.append({
            "": "pass" if verdict.passed else "FAIL",
            "log": name,
            "collective": verdict.collective or "-",
            "GB/s": "-" if figure is None else f"{figure:.2f}",
            "first failed gate": f"{first.name}: {first.seen}" if first else "" if verdict.passed else NOTHING,
        })  # fmt: skip
        if json:
            verdicts.append({"log": name, **verdict.to_json()})
    if not rows:
        raise Refused([InputError((), f"no log in {', '.join(map(str, logs))}; their names end in {', '.join(LOGS)}")])
    print(as_json(verdicts) if json else table(rows, "tests"))
    if not json:
        failed = sum(row[""] == "FAIL" for row in rows)
        print(f"\n{failed} of {len(rows)} tests failed." if failed else f"\nAll {len(rows)} tests passed.")
    return worst


def _check_logs(logs: Sequence[Path], *, many: bool, plot: bool, follow: bool, silence: float | None) -> None:
    """Check what does not go together. Raises ``Refused``."""
    errors = ErrorList()
    if many and plot:
        errors.at("--plot").add("a picture shows one verdict; name a log, and no folder or archive")
    if follow and (many or len(logs) != 1):
        errors.at("--follow").add("one log can be followed; name one, or - for standard input")
    if silence is not None and not follow:
        errors.at("--silence").add("it counts while a log is followed; add --follow")
    if errors:
        raise Refused(errors.found())


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
