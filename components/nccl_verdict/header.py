"""What a test prints before it runs: its extent of sizes, and the list of its devices."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from .visible import visible

_RANK = re.compile(
    rb"Rank\s{1,9}(\d{1,7})(?:\s{1,9}Group\s{1,9}(\d{1,7}))?\s{1,9}Pid\s{1,9}(\d{1,10})\s{1,9}on\s{1,9}(\S{1,253})"
    rb"\s{1,9}device\s{1,9}(\d{1,4})\s{1,9}\[([^\]]{1,64})\]\s*(.*)$"
)
_BANNER = re.compile(
    rb"nThread\s{1,9}\d{1,9}\s{1,9}nGpus\s{1,9}\d{1,9}\s{1,9}minBytes\s{1,9}(\d{1,15})"
    rb"\s{1,9}maxBytes\s{1,9}(\d{1,15})\s{1,9}(.*)$"
)
_STEP = re.compile(rb"step:\s{0,9}(\d{1,15})\s{0,9}\((factor|bytes)\)")


class Rank(NamedTuple):
    """One line of the list of devices; logs hold many, and a tuple is made in a third of the time."""

    line: int
    rank: int
    group: int
    pid: int
    host: str
    device: int
    pci: str
    model: str

    @property
    def bus_alone(self) -> bool:
        """Whether only the GPU's bus is printed, ``[0x10]``, as nccl-tests did until 2025-02: GPUs may share a bus
        (p4d), or have it in another PCI domain (GH200, GB200)."""
        return self.pci.startswith("0x")


@dataclass(frozen=True, slots=True)
class Banner:
    """The extent that a test announces before it runs."""

    line: int
    min_bytes: int
    max_bytes: int
    step: int
    by_factor: bool

    def ladder(self, limit: int = 4096) -> list[int] | None:
        """Every size that the test will run; ``None`` when there is no sane list of them."""
        sizes, size, before = [], self.min_bytes, -1
        while before < size <= self.max_bytes and len(sizes) <= limit:
            sizes.append(size)
            before, size = size, size * self.step if self.by_factor else size + self.step
        return sizes if sizes and len(sizes) <= limit else None


_BACKWARDS = re.compile(rb"[\w.-]{0,255}")


def text(raw: bytes) -> str:
    """What a log prints, as a fact that may be shown."""
    return visible(raw.decode("utf-8", "replace").strip())


@lru_cache(maxsize=4096)
def name(raw: bytes) -> str:
    """A name that a log says again and again: kept once."""
    return text(raw)


def last_word(raw: bytes) -> bytes:
    """The name that ends some text, empty where none does; read backwards: forwards takes the square of the time."""
    match = _BACKWARDS.match(raw[:-256:-1])
    return match[0][::-1] if match else b""


def parse_rank(number: int, line: bytes) -> Rank | None:
    match = _RANK.search(line)
    if match is None:
        return None
    rank, group, pid, host, device, pci, model = match.groups()
    return Rank(number, int(rank), int(group or 0), int(pid), name(host), int(device), name(pci), name(model[:128]))


def parse_banner(number: int, line: bytes) -> Banner | None:
    match = _BANNER.search(line)
    step = match and _STEP.search(match[3])
    if match is None or not step:
        return None
    return Banner(number, int(match[1]), int(match[2]), int(step[1]), step[2] == b"factor")
