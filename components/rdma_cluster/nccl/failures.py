"""Lines that say that a run failed, printed by nccl-tests, NCCL, mpirun and the launchers.

They count wherever they stand, also behind a table that is whole.
"""

import re
from dataclasses import dataclass

from .header import text

NEEDLES = (b"ailure ", b"Test timeout", b"xited ", b"xit code", b"returned a non-zero", b"NCCL WARN", b"MPI_ABORT",
           b" signal", b"ation error", b"us error", b"BAD TERMINATION", b"CANCELLED", b"lost communication",
           b"unexpectedly failed", b"terminate called")  # fmt: skip
"""A line without any of these says no such thing. Needles hold no digit: see ``lines``."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One such line."""

    line: int
    what: str
    """In words, with the program that prints it."""
    host: str = ""
    pid: int | None = None
    rank: int | None = None
    cause: bool = False
    """Whether it says why the run failed, and not only that it did."""


_NODE = rb"(?<![\w.-])(?P<host>[\w.-]{1,253})"
_NONZERO = rb"(?P<code>[1-9]\d{0,9})"
_PATTERNS: tuple[tuple[re.Pattern[bytes], str, bool], ...] = tuple(
    (re.compile(pattern), words, cause)
    for pattern, words, cause in (
        (_NODE + rb": Test (?P<a>NCCL|CUDA) failure (?P<b>\S{1,128}) '(?P<c>[^'\n]{0,256})'",
         "nccl-tests: {a} failure {b}: {c}", True),
        (rb"Test (?P<a>NCCL|CUDA) failure", "nccl-tests: {a} failure", True),
        (_NODE + rb": Test timeout \((?P<a>\d{1,9})s?\)", "nccl-tests: no progress for {a} s", True),
        (rb"Test timeout: (?P<a>.*)", "{a}", True),
        (rb"\.\. " + _NODE + rb" pid (?P<pid>\d{1,10}): Test failure (?P<a>\S{1,256})", "nccl-tests: test failure at {a}", False),
        (rb"process rank (?P<rank>\d{1,9}) with PID \d{1,10} on node " + _NODE
         + rb" exited on signal (?P<a>\d{1,3}(?: \([^)\n]{0,64}\))?)",
         "mpirun: ended by signal {a}", True),
        (rb"process rank (?P<rank>\d{1,9}) with PID \d{1,10} on(?: node)? " + _NODE
         + rb" (?P<a>exit\w{0,9} [\w ]{0,128})",
         "mpirun: {a}", True),
        (rb"MPI_ABORT was invoked on rank (?P<rank>\d{1,9})", "MPI_ABORT was called", False),
        (rb"(?:mpi|prte)run\w{0,9} detected that one or more processes exited with non-zero status",
         "mpirun: a process exited with non-zero status", False),
        (rb"returned a non-zero exit code", "mpirun: a process returned a non-zero exit code", False),
        (rb"has unexpectedly failed|lost communication with (?:a|its) (?:remote )?daemon",
         "mpirun: lost a daemon", True),
        (rb"srun: error: (?P<host>[\w.,\[\]-]{1,253}): tasks? (?P<rank>\d{1,9})[^\s:]*: (?P<a>.*)", "srun: {a}", True),
        (rb"\*\*\* (?:JOB|STEP) \S{1,64} (?P<a>[^*\n]{0,256}CANCELLED[^*\n]{0,256})", "slurm: {a}", True),
        (rb"BAD TERMINATION OF ONE OF YOUR", "mpirun: a process ended badly", False),
        (rb"Caught signal (?P<a>\d{1,3} \([^):\n]{0,128})", "UCX: caught signal {a})", True),
        (rb"Process received signal", "Open MPI: a process received a signal", False),
        (rb"(?P<a>Segmentation error|Bus error)(?: {1,9}\(core dumped\))", "{a}", True),
        (rb"terminate called after throwing an instance of '(?P<a>[^'\n]{0,256})'", "a process threw {a}", True),
        (rb"command terminated with exit code " + _NONZERO, "kubectl: exit code {code}", False),
        (rb"(?:exited|Exited) with (?:exit )?(?:code|status):? " + _NONZERO, "exit code {code}", False),
    )
)  # fmt: skip
_WARN = re.compile(
    rb"(?:(?<![\w.-])(?P<host>[\w.-]{1,253}):(?P<pid>\d{1,10}):\d{1,10} )?\[\s{0,4}-?\d{1,6}\s{0,4}\]"
    rb"[^[\n]{0,256}NCCL WARN (?P<a>.*)"
)
_FATAL = re.compile(
    rb"Got (?:completion|async event[^:\n]{0,128}: {0,9}(?:local|fatal|device)[^\n]*)|Cuda failure|completed with error|"
    rb"Call to ibv_(?:modify_qp|create_qp|post_send|post_recv)\S{0,64} failed|transport retry|remote process exited"
)
_HARMLESS = re.compile(rb"not supported|peer access|Cuda failure '?(?:1|801|704)\b")
"""CUDA's answers to NCCL's own questions of what a GPU can do."""


def find_failure(number: int, line: bytes) -> Failure | None:
    """The failure that a line prints."""
    for pattern, words, cause in _PATTERNS:
        if match := pattern.search(line):
            return _failure(number, match, words, cause)
    warned = _WARN.search(line) if b"NCCL WARN" in line else None
    if warned and _FATAL.search(warned["a"]) and not _HARMLESS.search(warned["a"]):
        return _failure(number, warned, "NCCL: {a}", True)
    return None


def find_warning(line: bytes) -> str | None:
    """NCCL's warning in a line; it may explain another failure, and is none by itself."""
    match = _WARN.search(line) if b"NCCL WARN" in line else None
    return text(match["a"])[:200] if match else None


def _failure(number: int, match: re.Match[bytes], words: str, cause: bool) -> Failure:
    groups = {name: text(value) for name, value in match.groupdict().items() if value is not None}
    pid, rank = groups.get("pid", ""), groups.get("rank", "")
    return Failure(
        number,
        words.format(**{"a": "", "b": "", "c": "", **groups})[:300],
        groups.get("host", ""),
        int(pid) if pid else None,
        int(rank) if rank else None,
        cause,
    )
