"""Lines that say that a run failed, printed by nccl-tests, NCCL, mpirun, Slurm, kubectl, PyTorch and the kernel.

They count wherever they stand, also behind a table that is whole. What NCCL warns of is in ``messages``.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from .advice import names_of
from .header import last_word, text
from .messages import is_fatal

NEEDLES = (b"ailure ", b"Test timeout", b"xited ", b"xiting ", b"xit code", b"returned a non-zero", b"NCCL WARN",
           b"MPI_ABORT", b" signal", b"ation error", b"us error", b"BAD TERMINATION", b"CANCELLED",
           b"lost communication", b"unexpectedly failed", b"terminate called", b"oom_kill", b"oom-kill",
           b"atchdog caught", b"considered dead", b" as DEAD", b"NVRM: Xid", b"expected EOF", b"lost connection to pod",
           b"srun: error")  # fmt: skip
"""A line without any of these says no such thing. Needles hold no digit: see ``lines``."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One such line."""

    line: int
    what: str
    """What failed in words, with the program that prints it."""
    host: str = ""
    pid: int | None = None
    rank: int | None = None
    cause: bool = False
    """Whether it says why the run failed, and not only that it did."""
    nic: str = ""
    """Device and port that it names, ``mlx5_3:1``, or the device alone."""
    warning: str = ""
    """What NCCL warned of, which ``advice.advise`` knows remedies for; empty where another program prints the line."""


class _Line(NamedTuple):
    """One kind of line. Each expression begins with plain text and is bounded, so that no line takes long."""

    pattern: re.Pattern[bytes]
    words: str
    cause: bool
    host_before: bool = False
    """Whether the word before the match is the host; else the group ``host`` is, where there is one."""


_NODE = rb"(?P<host>[\w.-]{1,255})"
_NONZERO = rb"(?P<code>[1-9]\d{0,9})"
_PROCESS = rb"process rank (?P<rank>\d{1,7}) with PID \d{1,10} on"
_LINES: tuple[_Line, ...] = tuple(
    _Line(re.compile(pattern), words, cause, bool(before))
    for pattern, words, cause, *before in (
        (rb": Test (?P<a>NCCL|CUDA) failure (?P<b>\S{1,200}) '(?P<c>[^']{0,400})'",
         "nccl-tests: {a} failure {b}: {c}", True, True),
        (rb"Test (?P<a>NCCL|CUDA) failure", "nccl-tests: {a} failure", True),
        (rb": Test timeout \((?P<a>\d{1,9})s?\)", "nccl-tests: no progress for {a} s", True, True),
        (rb"Test timeout: (?P<a>[^\n]{0,200})", "{a}", True),
        (rb"\.\. " + _NODE + rb" pid (?P<pid>\d{1,10}): Test failure (?P<a>\S{1,200})",
         "nccl-tests: test failure at {a}", False),
        (_PROCESS + rb" node " + _NODE + rb" exited on signal (?P<a>\d{1,3}(?: \([^)]{0,80}\))?)",
         "mpirun: ended by signal {a}", True),
        (_PROCESS + rb"(?: node)? " + _NODE + rb" (?P<a>exit\w{0,9} [\w ]{0,80})", "mpirun: {a}", True),
        (rb"MPI_ABORT was invoked on rank (?P<rank>\d{1,7})", "MPI_ABORT was called", False),
        (rb"run detected that one or more processes exited with non-zero status",
         "mpirun: a process exited with non-zero status", False),
        (rb"returned a non-zero exit code", "mpirun: a process returned a non-zero exit code", False),
        (rb"has unexpectedly failed|lost communication with (?:a|its) (?:remote )?daemon",
         "mpirun: lost a daemon", True),
        (rb"srun: error: (?P<host>[\w.,\[\]-]{1,255}): tasks? (?P<rank>\d{1,7})[\d,-]{0,200}: (?P<a>[^\n]{0,200})",
         "srun: {a}", True),
        (rb"\*\*\* (?:JOB|STEP) \S{1,40} ON " + _NODE + rb" CANCELLED(?P<a>[^*\n]{0,120})",
         "slurm: CANCELLED {a}", True),
        (rb"\*\*\* (?:JOB|STEP) \S{1,40} [^*\n]{0,80}CANCELLED", "slurm: CANCELLED", True),
        (rb"error: Detected \d{1,7} oom[_-]kill event", "slurm: out of memory, the kernel killed a process", True),
        (rb"BAD TERMINATION OF ONE OF YOUR", "mpirun: a process ended badly", False),
        (rb"Caught signal (?P<a>\d{1,3} \([^):]{0,80})", "UCX: caught signal {a})", True),
        (rb"Process received signal", "Open MPI: a process received a signal", False),
        (rb"(?P<a>Segmentation error|Bus error) {1,20}\(core dumped\)", "{a}", True),
        (rb"terminate called after throwing an instance of '(?P<a>[^']{0,200})'", "a process threw {a}", True),
        (rb"\[Rank (?P<rank>\d{1,7})\] Watchdog caught collective operation timeout: (?P<a>[^\n]{0,160})",
         "PyTorch: a collective did not end in time: {a}", False),
        (rb"atchdog caught collective operation timeout", "PyTorch: a collective did not end in time", False),
        (rb"RAS declaring peer (?P<a>\S{1,80}) as DEAD", "NCCL: RAS gave peer {a} up as dead", True),
        (rb"job process(?:es are| is) considered dead", "NCCL: RAS gave a process up as dead", True),
        (rb"NVRM: Xid \((?P<a>[^)\n]{1,40})\): (?!(?:13|31|43|45|68|109)\b)(?P<b>\d{1,4})(?P<c>[^\n]{0,120})",
         "kernel: Xid {b} of GPU {a}{c}", True),
        (rb"error: unexpected EOF|error: lost connection to pod", "kubectl: the stream of the log broke", False),
        (rb"command terminated with exit code " + _NONZERO, "kubectl: exit code {code}", False),
        (rb"xited with (?:exit )?(?:code|status):? " + _NONZERO, "exit code {code}", False),
    )
)  # fmt: skip
"""Xids that an application causes and the GPU survives are passed over, as NVIDIA's DRA driver does
(kubernetes-sigs/dra-driver-nvidia-gpu@9593204 cmd/gpu-kubelet-plugin/device_health.go, 2026-08-07)."""

_WARNS = b"NCCL WARN "
_LONGEST = 600
"""Characters of a warning that are kept: EFA's name both ends by addresses."""
_FILE = re.compile(rb"(\w{1,40}\.(?:cc|cu|h|c)):\d{1,6} {1,4}(?:\(\w{1,60}\) {1,4})?$")
_PROCESS_BEFORE = re.compile(rb":(\d{1,10}):\d{1,10} \[ {0,4}-?\d{1,4} {0,4}\]")
_HARMLESS = re.compile(rb"not supported|peer access|Cuda failure '?(?:1|801|704)\b")
"""CUDA's answers to NCCL's own questions of what a GPU can do."""


def find_failure(number: int, line: bytes) -> Failure | None:
    """The failure that a line prints."""
    for kind in _LINES:
        if match := kind.pattern.search(line):
            groups = {name: text(value) for name, value in match.groupdict().items()}
            host = text(last_word(line[: match.start()])) if kind.host_before else groups.get("host", "")
            words = kind.words.format(**{"a": "", "b": "", "c": "", **groups})[:300].strip()
            pid, rank = (int(groups[name]) if name in groups else None for name in ("pid", "rank"))
            return Failure(number, words, host, pid, rank, kind.cause, "", words if "CUDA failure" in words else "")
    _, _, message = line.partition(_WARNS)
    if (warning := find_warning(line)) is None or _HARMLESS.search(message):
        return None
    return _warned(number, line, warning) if is_fatal(message) else None


def find_warning(line: bytes) -> str | None:
    """NCCL's warning in a line, behind it the file of NCCL's that says it; it may explain another failure, and is none
    by itself."""
    head, warns, warning = line.partition(_WARNS)
    if not warns or b"[" not in head:
        return None
    file = _FILE.search(head, max(0, len(head) - 200))
    return f"{text(warning)[:_LONGEST].strip()}{f' ({text(file[1])})' if file else ''}"


def _warned(number: int, line: bytes, warning: str) -> Failure:
    process = _PROCESS_BEFORE.search(line)
    host = text(last_word(line[: process.start()])) if process else ""
    pid = int(process[1]) if process else None
    return Failure(number, f"NCCL: {warning}"[:300], host, pid, None, True, names_of(warning)[0], warning)
