"""What launchers, frameworks and engines print when a job does not start or ends: lines of a log, to records.

What nccl-tests, NCCL and mpirun print of a run is in ``failures``. The forms are those of public reports of 2023 to
2026 and of torch 2.15's own strings (2026-11-27); what other versions word otherwise is passed over.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .advice import advise
from .header import text
from .records import Certainty, Record

CAUSE, ENDED, VICTIM = Certainty
LONGEST = 16_384
_MOST = 256
"""Records of one log."""
_EVENTS = "kubectl describe pod of it (OOMKilled, Evicted), then dmesg -T | tail -n 200 on its node"


class _Kind(NamedTuple):
    """One kind of line. Each expression begins with plain text and is bounded, so that no line takes long."""

    needle: bytes
    pattern: re.Pattern[bytes]
    source: str
    words: str
    certainty: Certainty
    stage: str
    hint: str = ""


_SSH = "getent hosts {host} in the launcher; all workers Running; the job's headless Service; the launcher's dnsPolicy"
_KEYS = "ls -l of the keys in launcher and worker: one Secret for both, mode 0600, and sshd of the same user"
_GROUP = rb"\[PG (?:ID \d{1,9} PG GUID )?(?P<group>[^\s\]]{1,120}) Rank (?P<rank>\d{1,7})\]"
_KINDS = tuple(
    _Kind(needle, re.compile(pattern), source, words, certainty, stage, *hint)
    for needle, pattern, source, words, certainty, stage, *hint in (
        (b"to start:", rb'container "?[^"\s]{1,80}"? in pod "?(?P<host>[^"\s]{1,255})"? is waiting to start: '
         rb"(?P<a>[^\n]{0,120})", "kubectl", "the pod does not start: {a}", CAUSE, "pod",
         "kubectl describe pod {host}, its last events"),
        (b"xec format", rb"exec format error", "kernel", "the image is built for another processor", CAUSE, "pod",
         "the image's architecture beside the node's: kubectl get node --output wide"),
        (b"ssh: ", rb"ssh: Could not resolve hostname (?P<host>[^\s:]{1,255})", "ssh", "no address is known",
         CAUSE, "launcher", _SSH),
        (b"ssh: ", rb"ssh: connect to host (?P<host>\S{1,255}) port \d{1,5}: (?P<a>[\w ]{0,60})", "ssh",
         "no connection: {a}", CAUSE, "launcher", "kubectl logs of {host}: is sshd up, and on that port"),
        (b"publickey", rb"Permission denied \([^)]{0,80}publickey", "ssh", "the key was refused", CAUSE, "launcher",
         _KEYS),
        (b"key verif", rb"Host key verification failed", "ssh", "the host's key is unknown", CAUSE, "launcher",
         "StrictHostKeyChecking no: the workers' keys are new with each pod"),
        (b"reliably start", rb"unable to reliably start one or more daemons", "mpirun", "a daemon did not start",
         VICTIM, "launcher", "the lines above it, which say why; ssh WORKER true from the launcher"),
        (b"enough slots", rb"not enough slots available", "mpirun", "more ranks than slots", CAUSE, "launcher",
         "slots in the hostfile beside -np and -N"),
        (b"command not", rb"(?P<a>mpirun|orted|prted|torchrun|\w{1,40}_perf): command not found", "shell",
         "the image has no {a}, or PATH lacks it", CAUSE, "launcher", "command -v {a} in the image"),
        (b"shared librar", rb"error while loading shared libraries: (?P<a>[^\s:]{1,120})", "loader",
         "the image has no {a}, or LD_LIBRARY_PATH lacks it", CAUSE, "launcher", "ldconfig -p | grep {a} in the pod"),
        (b"ut of memory. T", rb"CUDA out of memory\. Tried to allocate (?P<a>[\d.]{1,12} \w{2,4})", "PyTorch",
         "the GPU's memory is full: {a} were asked for", CAUSE, "rows",
         "the program's batch and model; nvidia-smi in the container for what else holds memory"),
        (b"low on memory", rb"killed due to the node running low on memory", "Ray",
         "a worker was ended, for its node was out of memory", CAUSE, "rows",
         "memory of the pod beside what the job asks; ray memory"),
        (b"Worker PID:",
         rb"Worker IP address: (?P<host>[\w.:-]{1,64}) Worker port: \d{1,6} Worker PID: (?P<a>\d{1,10})", "Ray",
         "the worker of PID {a} died", ENDED, "rows", _EVENTS),
        (b"died unexp", rb"Worker proc (?P<a>[\w-]{0,60}?(?P<rank>\d{1,6})) died unexpectedly", "vLLM", "{a} died",
         ENDED, "rows", _EVENTS),
        (b"return code =", rb"exits with return code = (?P<a>-?[1-9]\d{0,9})", "DeepSpeed", "a process ended with {a}",
         ENDED, "rows", _EVENTS),
        (b"xitcode: ", rb"failed \(exitcode: (?P<a>-?[1-9]\d{0,9})\) local_rank: (?P<local>\d{1,6})", "torchrun",
         "a process ended with {a}", ENDED, "rows", _EVENTS),
        (b"atchdog", rb"\[Rank (?P<rank>\d{1,7})\] Watchdog caught collective operation timeout: WorkNCCL\(SeqNum="
         rb"(?P<b>\d{1,18}), OpType=(?P<a>\w{1,40})[^\n]{0,200}?\) ran for (?P<c>\d{1,12})", "PyTorch",
         "{a} {b} did not end in {c} ms", VICTIM, "rows"),
        (b"last enqueued", _GROUP + rb"[^\n]{0,300}?last enqueued (?:NCCL )?work: (?P<x>-?\d{1,18}), last completed "
         rb"(?:NCCL )?work: (?P<y>-?\d{1,18})", "PyTorch", "enqueued work {x}, completed {y} in group {group}", VICTIM,
         "rows"),
        (b"timeout from rank", rb"due to a collective timeout from rank (?P<rank>\d{1,7})", "PyTorch",
         "a collective did not end in time", VICTIM, "rows"),
        (b"ot stuck for", rb"watchdog got stuck for (?P<a>\d{1,9}) seconds", "PyTorch", "the watchdog hung for {a} s",
         VICTIM, "rows"),
        (b"RPC call to", rb"RPC call to (?P<a>\w{1,60}) timed out", "vLLM", "{a} was not answered", VICTIM, "rows"),
        (b"be stuck", rb"rendezvous[^\n]{0,200}may be stuck", "XLA", "a rendezvous waits", VICTIM, "rows"),
        (b"barrier failed", rb"hutdown barrier failed", "JAX", "the barrier at the end failed", VICTIM, "rows"),
        (b"Last NCCL", rb"Last NCCL warning\(error\)[^'\n]{0,60}'(?P<nccl>[^'\n]{1,300})'", "NCCL", "", CAUSE, ""),
    )
)  # fmt: skip
"""vLLM's `No available shared memory broadcast block` is printed by an idle engine too (vllm#43420): no evidence."""
_BY_NEEDLE: dict[bytes, list[_Kind]] = {}
for _kind in _KINDS:
    _BY_NEEDLE.setdefault(_kind.needle, []).append(_kind)
_LAST, _ROOT, _FIELD = b"Last error:", b"Root Cause (first", b"      :"
_NEEDLES = (*_BY_NEEDLE, _LAST, _ROOT, _FIELD, b"exitcode  :")
_FIELDS = re.compile(rb"\b(time|host|rank|exitcode) {2,6}: ([^\n]{1,255})")
_INT = re.compile(rb"(-?\d{1,9})")
_LOCAL = re.compile(rb"--local_rank=(\d{1,6})")
_WORLD = re.compile(rb"\[rank(\d{1,7})\]:")
_AT = re.compile(rb"pid=\d{1,10}, ip=([\w.:]{2,64})\)")
_TIME = re.compile(rb"(\d{4}-\d\d-\d\d)[ T_](\d\d:\d\d:\d\d)")
_SIGNALS = {-9: "SIGKILL, as the kernel does where memory is out", -11: "SIGSEGV", -6: "SIGABRT", -7: "SIGBUS",
            -15: "SIGTERM"}  # fmt: skip


class JobLines:
    """Collects the records of one log."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._said: set[tuple[str, int | None, str]] = set()
        self._block: dict[bytes, bytes] = {}
        self._is_root = False

    def feed(self, block: bytes, number: int) -> None:
        """Take whole lines; ``number`` is that of the first."""
        behind = 0
        for start, end in _told(block):
            number += block.count(b"\n", behind, start)
            if end - start <= LONGEST and len(self.records) < _MOST:
                self._line(number, block[start:end], block[end + 1 : end + 1 + 600])
            behind = start

    def _line(self, number: int, line: bytes, rest: bytes) -> None:
        if _ROOT in line:
            self._is_root = True
        elif field := _FIELDS.search(line):
            self._field(number, field[1], field[2].strip())
        elif _LAST in line:
            self._nccl(number, line, rest.partition(b"\n")[0].removeprefix(line[: line.index(_LAST)]))
        for needle, kinds in _BY_NEEDLE.items():
            if needle in line:
                for kind in kinds:
                    if match := kind.pattern.search(line):
                        self._add(_record(number, line, kind, match))
                        break

    def _nccl(self, number: int, line: bytes, message: bytes) -> None:
        """NCCL's last warning as PyTorch repeats it, on the line behind."""
        if words := text(message)[:300].strip():
            self._add(_of_nccl(number, line, words))

    def _field(self, number: int, name: bytes, value: bytes) -> None:
        """A line of torchrun's blocks; the exit code is the last one that is told of."""
        if name == b"time":
            self._block = {}
        self._block[name] = value
        code = _INT.match(value) if name == b"exitcode" else None
        if code is None or int(code[1]) == 0:
            return
        block, root, ended = self._block, self._is_root, int(code[1])
        self._is_root = False
        rank, stamp = _INT.match(block.get(b"rank", b"")), _TIME.search(block.get(b"time", b""))
        signal = f" ({_SIGNALS[ended]})" if ended in _SIGNALS else ""
        words = f"ended with {ended}{signal}, {'the first' if root else 'behind the first'} on its agent"
        certainty, host = ENDED if root else VICTIM, text(block.get(b"host", b""))
        hint = f"that rank's own traceback above, or {_EVENTS}"
        number_of = int(rank[1]) if rank else None
        self._add(Record("torchrun", words, certainty, "rows", number, _stamp(stamp), host, number_of, hint=hint))

    def _add(self, record: Record) -> None:
        key = record.what, record.rank, record.host
        if key not in self._said and len(self.records) < _MOST:
            self._said.add(key)
            self.records.append(record)


def _told(block: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of each line with a needle, in order."""
    lines: dict[int, int] = {}
    for needle in _NEEDLES:
        place = block.find(needle)
        while place >= 0:
            end = block.find(b"\n", place)
            end = len(block) if end < 0 else end
            lines[block.rfind(b"\n", 0, place) + 1] = end
            place = block.find(needle, end)
    yield from sorted(lines.items())


def _record(number: int, line: bytes, kind: _Kind, match: re.Match[bytes]) -> Record:
    groups = {name: text(value) for name, value in match.groupdict().items() if value is not None}
    if "nccl" in groups:
        return _of_nccl(number, line, groups["nccl"])
    local, world, at = _LOCAL.search(line), _WORLD.search(line), _AT.search(line[:300])
    words = kind.words.format(**{"a": "", "b": "", "c": "", **groups})
    if (code := groups.get("a", "")) and code.startswith("-") and int(code) in _SIGNALS:
        words += f" ({_SIGNALS[int(code)]})"
    if local or "local" in groups:
        words += f", local rank {groups.get('local') or text(local[1] if local else b'')}"
    rank = int(world[1]) if world else int(groups["rank"]) if "rank" in groups else None
    host = groups.get("host", "") or (text(at[1]) if at else "")
    progress = (int(groups["x"]), int(groups["y"])) if "x" in groups else None
    hint = kind.hint.format(**{"a": "", "host": host, **groups})
    return Record(
        kind.source, words, kind.certainty, kind.stage, number, _stamp(_TIME.search(line[:300])), host, rank,
        group=groups.get("group", ""), progress=progress, hint=hint,
    )  # fmt: skip


def _of_nccl(number: int, line: bytes, words: str) -> Record:
    """A warning of NCCL that another program repeats; it may be older than what ended the job."""
    world, at, advice = _WORLD.search(line), _AT.search(line[:300]), advise(words)
    effect = advice is None or advice.row.effect
    return Record(
        "NCCL", words, VICTIM if effect else CAUSE, stage_of(words), number, _stamp(_TIME.search(line[:300])),
        text(at[1]) if at else "", int(world[1]) if world else None, advice.nic if advice else "",
        hint=advice.then if advice else "",
    )  # fmt: skip


def _stamp(match: re.Match[bytes] | None) -> str:
    return f"{match[1].decode()} {match[2].decode()}" if match else ""


_STAGES = (
    ("network", (" not found.", "net/plugin", "group size", "initialize any", "provider")),
    ("channels", ("ibv_", "shm", "shared memory", "p2p", "duplicate gpu", "topology", "nvls")),
    ("bootstrap", ("bootstrap", "socket", "family", "interface")),
)


def stage_of(words: str) -> str:
    """How far NCCL had come when it warned so; empty where the words do not tell."""
    said = words.lower()
    return next((stage for stage, signs in _STAGES if any(sign in said for sign in signs)), "")
