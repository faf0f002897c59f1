"""The command ``nccl-verdict``: a log or a pipe in, exit status and termination message out.

It asks no catalogue: what a run must show is an expectation that is handed over, or what ``machines`` knows.
"""

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from .busbw import COLLECTIVES
from .expectation import BadExpectationError, Expectation, from_json
from .files import NotReadableError, read_log, read_stream
from .job import is_job, judge_job
from .plot import write_svg
from .reader import Reader, blocks
from .run import Run
from .text import plain_text, termination_message
from .verdict import GATES, UnknownGateError, judge
from .visible import visible


class _DeadlineError(Exception):
    """Time is over, or the pod is being ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """0 proved, 1 not proved, 2 not a log or wrong arguments."""
    options = _parser().parse_args(argv)
    try:
        want = from_json(_expectation(options.expect)) if options.expect else None
        runs, waive = _runs(options.logs, options.tee, options.deadline), options.waive
        if want is None:
            want, cannot = _shown(runs, options)
            waive = [*waive, *cannot]
        of_job = options.job or (is_job(runs) and not options.expect)
        verdict = judge_job(runs, want, waive, asked=options.job) if of_job else judge(runs, want, waive)
    except (BadExpectationError, UnknownGateError, NotReadableError) as error:
        _leave(options.termination, visible(str(error)))
        print(visible(f"error: {error}"), file=sys.stderr)
        return 2
    if options.plot:
        Path(options.plot).write_text(write_svg(verdict), encoding="utf-8")
    if options.blame:
        print(json.dumps({"suspects": verdict.suspected_nodes, "good": verdict.good_nodes}))
        return verdict.exit_code
    said = json.dumps(verdict.to_json(), indent=2) if options.json else plain_text(verdict)
    if not (options.expect or options.json):  # whoever hands no expectation over has this command alone
        said = said.replace("rdma-cluster verdict", "nccl-verdict")
    print(said)
    _leave(options.termination, termination_message(verdict))
    return verdict.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nccl-verdict",
        description="Judge the output of nccl-tests with NCCL_DEBUG=INFO: by a machine's published figures, by an "
        "expectation, or else by what its nodes show of each other. 0 proved, 1 not proved, 2 no such log.",
    )
    parser.add_argument("logs", nargs="*", default=["-"], metavar="LOG", help="a log or report, - for standard input")
    parser.add_argument("--machine", default="", metavar="TYPE", help="the cloud's name of the nodes, e.g. p5.48xlarge")
    parser.add_argument("--nodes", type=int, default=0, metavar="N", help="of one test; as many as it shows by default")
    parser.add_argument("--gpus-per-node", type=int, default=0, metavar="N", help="that take part; all by default")
    parser.add_argument("--collective", choices=sorted(COLLECTIVES), help="nccl-tests' name, where the log has none")
    parser.add_argument("--threshold", type=float, default=0.0, metavar="GBPS", help="least busbw from 1 GiB on, yours")
    parser.add_argument("--expect", metavar="FILE", help="the expectation, JSON, in place of these five")
    parser.add_argument("--job", action="store_true", help="the log is of a job that runs no test")
    parser.add_argument("--waive", action="append", default=[], metavar="GATE", help=f"one of {', '.join(GATES)}")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.add_argument("--blame", action="store_true", help="print suspected and good nodes as JSON, and no more")
    parser.add_argument("--plot", metavar="FILE", help="write a plot, SVG")
    parser.add_argument("--tee", action="store_true", help="pass standard input on to standard output")
    parser.add_argument("--deadline", type=int, default=0, metavar="SECONDS", help="judge what is there by then")
    parser.add_argument("--termination", metavar="FILE", help="where to leave the termination message")
    return parser


def _expectation(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadExpectationError(f"expectation: {path}: {getattr(error, 'strerror', None) or error}") from None


def _shown(runs: list[Run], options: argparse.Namespace) -> tuple[Expectation, tuple[str, ...]]:
    """What a log must show by its machine or by itself, and the gates that cannot be asked."""
    from .machines import expectation  # reads a file that pods do not get

    extent = options.nodes, options.gpus_per_node
    return expectation(runs, options.machine, *extent, options.collective, options.threshold)


def _runs(logs: list[str], tee: bool, deadline: int) -> list[Run]:
    runs: list[Run] = []
    for log in logs:
        if log != "-":
            runs += read_log(log)
        elif tee or deadline:
            runs += _follow(sys.stdin.buffer, tee, deadline)
        else:
            runs += read_stream(sys.stdin.buffer)
    return runs


def _follow(stream: BinaryIO, tee: bool, deadline: int) -> list[Run]:
    """Read a live pipe until it ends, time is over or the pod is asked to stop: a stuck test still gets a verdict."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise _DeadlineError

    handlers = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGALRM)}
    signal.alarm(deadline)
    reader = Reader()
    try:
        for block in blocks(stream):
            reader.feed(block)
            if tee:
                sys.stdout.buffer.write(block + b"\n")
                sys.stdout.buffer.flush()
    except _DeadlineError:
        print("error: the test did not end in time", file=sys.stderr)
    finally:
        signal.alarm(0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return reader.close().runs


def _leave(path: str | None, message: str) -> None:
    if path:
        Path(path).write_bytes(message.encode()[:4096])


if __name__ == "__main__":
    raise SystemExit(main())
