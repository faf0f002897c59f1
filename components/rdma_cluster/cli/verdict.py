"""``rdma-cluster verdict``: logs of nccl-tests against what the machine's fabric must show."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from nccl_verdict.busbw import COLLECTIVES
from nccl_verdict.collection import LOGS, is_collection, judge_each
from nccl_verdict.expectation import BadExpectationError, Expectation
from nccl_verdict.files import STDIN, NotReadableError, read_logs, since
from nccl_verdict.following import Live, follow as read_on
from nccl_verdict.job import is_job, judge_job
from nccl_verdict.plot import write_svg
from nccl_verdict.run import Run
from nccl_verdict.text import cause_rows, closing, gate_rows, size_rows, suspect_rows
from nccl_verdict.verdict import GATES, UnknownGateError, Verdict, judge
from pulumi_offline.errors import ErrorList, refusal, show
from ..catalog import Machine, find, unknown
from ..incluster.plan.acceptance.expectation import BadThresholdError, expect, parse_thresholds
from .options import Verb, json_option, option
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
_MOST_TOGETHER = 1000
"""Tests of folders that are also judged together, for what is at fault: each is kept until then."""


class JudgeLogs(Verb):
    """Print the verdict. Returns 0 when it passes, 1 when it fails, 130 when a person ended a log that was followed.

    Raises ``Refused`` for anything else.
    """

    logs: list[Path] = option(
        "LOG",
        "output of nccl-tests, text or JSON, - for standard input; of a folder or archive each test by itself",
        nargs="+",
    )
    machine: str = option("--machine", "machine type of the nodes", required=True)
    nodes: int = option("--nodes N", "nodes of one test", required=True)
    gpus_per_node: int | None = option("--gpus-per-node N", "GPUs each node took part with; all by default")
    collective: str | None = option("--collective NAME", "nccl-tests' name, e.g. all_gather")
    nvlink: bool = option("--nvlink", "of a rack: its nodes talked over NVLink, not by their NICs")
    thresholds: list[str] = option(
        "--threshold COLLECTIVE:SIZE=GBPS", "a threshold of your own, e.g. all_reduce:1G=300; may be given again"
    )
    waive: list[str] = option("--waive GATE", "let this gate fail")
    last: Path | None = option(
        "--last LOG", "log of the last proof of these nodes: a run that is 10 %% below it gets a warning"
    )
    job: bool = option("--job", "the log is of a training or serving job: transport, NICs, GPUDirect, what ended it")
    follow: bool = option("--follow", "read on while the log grows, until it ends or fails")
    silence: float | None = option(
        "--silence TIME", "with --follow: give up after so long without a line, e.g. 90s, 10m, 2h; default 10m"
    )
    plot: Path | None = option("--plot FILE.svg", "draw bus bandwidth by size")
    json: bool = json_option()

    def run(self) -> int:
        logs, waive = self.logs, self.waive
        row = find(self.machine)
        if row is None:
            raise refusal(unknown(self.machine), "--machine")
        _check_options(row, self)
        many = any(map(is_collection, logs))
        _check_logs(self, many=many)
        why = "end"
        try:
            expectation = expect(
                row,
                nodes=self.nodes,
                gpus_per_node=self.gpus_per_node,
                collective=self.collective,
                own_thresholds=parse_thresholds(self.thresholds),
                nvlink=self.nvlink or None,
            )
            expectation = expectation if self.last is None else since(self.last, expectation)
            if many:
                return _table_of_tests(logs, expectation, waive, json=self.json)
            if self.follow:
                runs, why = _followed(logs[0], self.silence or SILENCE_SECONDS)
            else:
                runs = read_logs(logs)
            judged = judge_job(runs, expectation, waive, asked=self.job) if self.job or is_job(runs) else None
            verdict = judged or judge(runs, expectation, waive)
        except BadThresholdError as error:
            raise refusal(str(error), "--threshold") from None
        except (BadExpectationError, NotReadableError, UnknownGateError) as error:
            raise refusal(str(error)) from None
        if why in _ENDED:
            print(_ENDED[why], file=sys.stderr)
        if not verdict.is_log:
            if why == "interrupt":
                return INTERRUPTED
            raise refusal(f"nothing from nccl-tests in {', '.join(map(str, logs))}; pass a log of a run")
        if self.plot is not None:
            write_file(self.plot, write_svg(verdict))
        if self.json:
            print(as_json(verdict.to_json()))
        else:
            _write(verdict)
        return INTERRUPTED if why == "interrupt" else verdict.exit_code


def _followed(log: Path, silence: float) -> tuple[list[Run], str]:
    """The tests of a log that is being written, and why it was read no further."""
    opened = nullcontext(sys.stdin) if str(log) == STDIN else log.open("rb")
    with interrupted_by_hand(), opened as file:
        return read_on(Live(file.fileno(), silence))


def _table_of_tests(logs: Sequence[Path], want: Expectation, waive: Sequence[str], *, json: bool) -> int:
    """A line for each test of folders and archives; 1 where any of them fails, 2 where there is none."""
    rows, verdicts = [], []
    runs: list[Run] = []
    for name, verdict, run in judge_each(logs, want, waive):
        runs += [run] if run is not None and len(runs) <= _MOST_TOGETHER else []
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
        raise refusal(f"no log in {', '.join(map(str, logs))}; their names end in {', '.join(LOGS)}")
    failed = sum(row[""] == "FAIL" for row in rows)
    together = judge(runs, want, waive) if failed and 1 < len(runs) <= _MOST_TOGETHER else None
    print(as_json(verdicts) if json else table(rows, "tests"))
    if not json:
        for kind, name, why in suspect_rows(together) if together else ():
            print("\n" + paragraph(f"{kind} {name}: {why}"))
        print(f"\n{failed} of {len(rows)} tests failed." if failed else f"\nAll {len(rows)} tests passed.")
    return 1 if failed else 0


def _check_logs(options: JudgeLogs, *, many: bool) -> None:
    """Check what does not go together. Raises ``Refused``."""
    errors = ErrorList()
    if many and options.plot is not None:
        errors.at("--plot").add("a picture shows one verdict; name a log, and no folder or archive")
    if many and options.job:
        errors.at("--job").add("a folder is of tests; name the logs of the job's pods, each by itself")
    if options.follow and (many or len(options.logs) != 1):
        errors.at("--follow").add("one log can be followed; name one, or - for standard input")
    if options.silence is not None and not options.follow:
        errors.at("--silence").add("it counts while a log is followed; add --follow")
    errors.refuse()


def _check_options(machine: Machine, options: JudgeLogs) -> None:
    """Check the options before logs are read, which takes its time. Raises ``Refused``."""
    gpus, collective, plot = options.gpus_per_node, options.collective, options.plot
    errors = ErrorList()
    for gate in options.waive:
        if gate not in GATES:
            errors.at("--waive").add(f"got {show(gate)}; no such gate, known are {', '.join(GATES)}")
    if plot is not None and not can_write(plot):
        errors.at("--plot").add(f"{str(plot)!r} cannot be written; name a file in a folder that is there")
    if gpus is not None and machine.gpus and not 1 <= gpus <= machine.gpus:
        errors.at("--gpus-per-node").add(f"got {gpus}; {machine.name} has {machine.gpus}, take 1 or more of them")
    if collective is not None and collective not in COLLECTIVES:
        errors.at("--collective").add(f"got {show(collective)}; nccl-tests has {', '.join(COLLECTIVES)}")
    if options.nvlink and not machine.is_rack:
        errors.at("--nvlink").add(f"NVLink of {machine.name} ends at the node; leave it out")
    errors.refuse()


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
    for each in verdict.unseen:
        print("\n" + paragraph(f"not shown: {each}"))
    for note in () if verdict.job else verdict.expectation.notes:
        print("\n" + paragraph(f"note: {note}"))
    outcome, *following = closing(verdict).split("\n")
    print("\n" + "\n".join([paragraph(outcome), *following]))  # a command stays on its line
