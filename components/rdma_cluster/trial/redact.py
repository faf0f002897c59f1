"""Keeps names, addresses and ids out of free text: logs of the test's pods, and the report of `up`.

As in a snapshot, what is kept has a form in which no name fits: a word that our own programs or NCCL print, a number, a
device's name or address. Of a log the nodes are numbered first. Any other text becomes ``x``.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from nccl_verdict.busbw import COLLECTIVES
from nccl_verdict.header import parse_banner
from nccl_verdict.reader import LONGEST, read_bytes
from nccl_verdict.rows import parse_row
from rdma_agent.payload import PACKAGES, payload
from ..catalog import charts, machines
from ..catalog.artifact import Chart, records_of
from ..catalog.machine import Capacity
from ..conform.redact import FORMS, INTERFACE, PCI, RDMA
from ..fabrics import FABRICS, GpuAllocation

_NCCL_WORDS = """
ack adaptive agg alg algo allgather allreduce aws bootstrap buffer busid bytes c2c cga channels chunk chunksize coll
collnet collnets comm commhash commid commsplit compcap complete connected created cta cuda cudadev cudart cumem
curring dev direct disabled dmabuf enabled env events factor falcon falls finalize flush found free gdr gdrdma gin
gpu gpudirect gpus graph guid handle hca head headrank ib ibext ibv id idx imex info init initialized initializing
intel internal iters kernels layer libfabric libibverbs libnccl librdmacm link load loaded local localranks loopback
max merge mincta mlx5 mnnvl multi multinode nchannels ndevs net netdev netname network nics nn nnodes nranks
nthreads numa nvidia nvlink nvls nvlstree nvml nvmldev ofi oob p2p p2pchunk parent pat path paths pattern peermem
physical pipe pluginv pool pre profiler proto protocol proxy pxn rail rails rank ranks rccl rdma read recv
registration relaxed ring rings roce root route rx selected send sharp shm simple so socket speed split stderr
stdout symmetric sync tc tcpx tcpxo threads threshold tls total traffic tree trees trunk tuner tx using validation
version virt virtual warmup warn warp write
"""
_NCCL = frozenset(_NCCL_WORDS.split())
_KEYS_WORDS = """
allocation at budgetSeconds busbwGBytes by capacity cluster collective documented due endpoint evidence fabric form
gpus gpusPerNode image inferred machine made measured message mode name node nodes of part phase phases pool pools
proofs proven provenAt provenBy rails reason seconds sizeBytes stack status threshold thresholds unknown version
versions waived warnings
"""
_KEYS = frozenset(_KEYS_WORDS.split())
"""What a report may hold; other keys are left out with what stands below them."""
DROPPED = "x"
_DATE = r"\d{4}-\d\d-\d\d(?:[T_ ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?:?)?"
_FORM = re.compile(
    "|".join(
        (
            PCI,
            PCI.removesuffix(r"\.[0-7]"),
            INTERFACE,
            RDMA,
            r"mlx5_bond_\d{1,2}",
            *(FORMS[key] for key in ("root", "model", "machine", "kubelet")),
            "NVIDIA|H20-3e",
            r"[#%*+~-]?\d{1,7}(?:[.]\d{1,6})?(?:e[+-]?\d{1,2})?(?:[KMGT]i?B?|GB/s|us|ms|s|%)?",
            r"v?\d{1,4}(?:\.\d{1,6}){1,2}",
            r"(?:cuda|v|x|fp|rank|gpu|nic|int|uint|float)\d{1,3}(?:\.\d{1,2})?",
            r"-?\d{0,9}node-\d{1,5}|pool-\d{1,3}",
            r"0x[0-9a-f]{2}",
            _DATE,
            r"\d\d:\d\d:\d\d",
        )
    ),
    re.ASCII,
)
_BUS_ID = re.compile(r"[0-9a-f]{1,6}[01][0-9a-f]0", re.ASCII)
_PROGRAM = re.compile(rf"\b(?:{'|'.join(COLLECTIVES)})_perf\b")
_JOINS = re.compile(r"([\[\](){}<>,;|'\"=`]+)")
_PARTS = re.compile(r"[:/+]|->")


@cache
def _words() -> frozenset[str]:
    """Every word, and every compound of words, in the programs that run in a test's pods."""
    text = " ".join(payload(*(f"{each}{part}" for each in PACKAGES for part in ("", ".acceptance"))).values())
    compounds = re.findall(r"[a-z]+(?:[-_.][a-z]+)*", text.lower())
    networks = [each.acceptance.network for each in FABRICS.values()]
    named = [*(each.name for each in (*records_of(charts, Chart), *machines())), *(each.provider for each in networks)]
    named += [word for each in networks for name in (*each.names, each.transport) for word in name.split()]
    named += [word for each in machines() if each.gpu for word in each.gpu.model.split()]
    named += [each.value for each in (*Capacity, *GpuAllocation)] + ["Kubernetes", "private", "public", "image"]
    named += [f"{each}_perf" for each in COLLECTIVES]
    return frozenset({*_NCCL, *compounds, *(each.lower() for each in named)})


@lru_cache(maxsize=1 << 16)
def _kept(part: str) -> bool:
    """Whether a piece of text has a form that no name has."""
    if not any(map(str.isalnum, part)):
        return part.isascii()
    stripped = part.strip(".!?#*%~-$@&\\^").lower()
    if stripped in _words() or len(stripped) == 1 or _FORM.fullmatch(part) or _FORM.fullmatch(stripped):
        return True
    if stripped.isascii() and stripped.isdigit():  # a size of a message; few ids are a power of two
        return len(stripped) < 15 and int(stripped).bit_count() == 1
    if re.fullmatch(r".+_v\d{1,2}", stripped):  # a plugin with its version: IBext_v8
        return stripped.rpartition("_")[0] in _words()
    first, *words = stripped.split("_")
    return first == "nccl" and all(each in _NCCL for each in words)


def _sizes(line: bytes) -> frozenset[str]:
    """The long numbers of a row that agree with each other, and of the line that announces the rows."""
    told: tuple[int, ...] = ()
    if (parsed := parse_row(0, line)) and (row := parsed[0]).count and row.size % (row.count * row.width) == 0:
        told = (row.size, row.count)
    elif banner := parse_banner(0, line):
        ladder = banner.ladder() or []
        told = (banner.min_bytes, banner.max_bytes, banner.step) if banner.max_bytes in ladder else ()
    return frozenset(str(each) for each in told if each < 1 << 44)


class Redactor:
    """Puts other words in the place of names that are known, and ``x`` in the place of every text without a form."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known

    def log(self, text: str) -> str:
        """A log, line by line; the nodes that it names are numbered."""
        runs = read_bytes(text.encode())
        hosts = sorted({host for run in runs for host in (*run.hosts, *run.evidence.hosts)} - self._known.keys())
        numbers = {host: f"node-{i}" for i, host in enumerate(hosts)}
        if hosts:  # also where a line ran into another
            longest = sorted(map(re.escape, hosts), key=len, reverse=True)
            text = re.sub(rf"(?:{'|'.join(longest)})(?=:\d)", lambda found: numbers[found[0]], text)
        numbered = Redactor({**numbers, **self._known})
        return "".join(f"{numbered.line(each)}\n" for each in text.splitlines())

    def line(self, text: str) -> str:
        """One line."""
        if len(text) > LONGEST:
            return DROPPED
        sizes = _sizes(text.encode())
        words = re.split(r"(\s+)", text)
        return "".join(
            self._word(each, words[i - 2] if i > 1 else "", sizes) if each.strip() else each
            for i, each in enumerate(words)
        )

    def value(self, value: Any) -> Any:
        """All texts in a value of JSON, keys among them; a text that is known as a whole gets its other name."""
        if isinstance(value, Mapping):
            keys = {key: self._known.get(key) or (key if key in _KEYS else self._text(str(key))) for key in value}
            return {keys[key]: self.value(of) for key, of in value.items() if DROPPED not in keys[key].split()}
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int | float):
            return value if abs(value) < 1e7 else None
        return self._text(str(value))

    def _text(self, text: str) -> str:
        return self._known.get(text) or "\n".join(map(self.line, text.splitlines()))

    def _word(self, word: str, before: str, sizes: frozenset[str]) -> str:
        if word.startswith(("/", "./", "~/")) or re.search(r"[=\"'(]/", word):
            program = _PROGRAM.search(word)
            return program[0] if program else DROPPED  # a path
        pieces = _JOINS.split(word)
        for i, piece in enumerate(pieces):
            if i % 2 == 0 and piece and piece not in sizes:
                pieces[i] = self._piece(piece, before if i == 0 else pieces[i - 1][-1])
                if pieces[i] == DROPPED:  # what stands beside it may be a part of the same name
                    return DROPPED
        return "".join(pieces)

    def _piece(self, piece: str, before: str) -> str:
        if (other := self._known.get(piece)) is not None:
            return other
        if _kept(piece) or (before in ("busId", "[") and _BUS_ID.fullmatch(piece)):
            return piece
        joins = [*_PARTS.findall(piece), ""]
        parts = [self._known.get(each, each) for each in _PARTS.split(piece)]
        if re.fullmatch(r"(?:\d{1,3}\.){3}\d{1,3}.*|(?:[0-9a-f]{1,4}:+){3,}.*", piece) or not all(map(_kept, parts)):
            return DROPPED
        return "".join(f"{part}{join}" for part, join in zip(parts, joins, strict=True))
