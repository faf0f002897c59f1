"""What NCCL prints of its network: which one each process uses, the NICs it lists, and its channels."""

import re
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, field

from .channels import LIMIT, Channels
from .header import last_word, name, text

# Whoever runs a test writes its log: each expression costs time linear in the line, so that names and numbers are
# bounded, and none begins with a class that may begin again at its next byte (tests/nccl/test_linear.py).
_GLUED = re.compile(rb":\d{1,10}:\d{1,10} \[ {0,4}-?\d{1,4} {0,4}\]$")
_NETWORK = re.compile(rb"(?:Using network|Assigned NET plugin)\s+(.*)")
_BOOTSTRAP = re.compile(rb"Bootstrap ?: Using (?:\[0\])?([\w.@-]{1,32}):([\w.:%\[\]-]{2,80})<\d{1,5}>")
_NVLINK = re.compile(rb"comm \S{1,32} rank \d{1,7} nRanks \d{1,7} nNodes \d{1,7} (?:[\w()/-]{1,32} ){0,32}?MNNVL (\d)")
_BUS = re.compile(rb"\brank (\d{1,7}) nranks \d{1,7} cudaDev \d{1,4} (?:nvmlDev -?\d{1,4} )?busId ([0-9a-f]{1,12})\b")
_LISTED = re.compile(rb"\bUsing\s+(\[\d{1,6}\].*)$")
_NIC = re.compile(rb"\[(\d{1,6})\]\s{0,4}(?:=?\{([^{}]*)\}|([\w.+-]{1,128})(?::[\d:]*)?(?:/(\w+))?)")
_INNER = re.compile(rb"\[\d{1,6}\]\s{0,4}([\w.+-]{1,128}):[\d:]*(?:/(\w+))?")
_FUSED = re.compile(rb"Made virtual device \[(\d{1,6})\] name=(\S{1,512})(?: \S{1,32}){0,4}? ndevs=(\d{1,6})")
_HCA = rb"HCA (\d{1,6})\s{0,4}'([^'\s]{1,128})"
_DIRECT = re.compile(rb"GPU Direct RDMA\s{0,4}(?:\([^()]{0,64}\)\s{0,4})?(Enabled|Disabled) for " + _HCA, re.I)
_PROVIDER = re.compile(rb"[Ss]elected [Pp]rovider is ([\w-]{1,64})(?:[^(\n]{0,128}\(found (\d{1,6}) nics\))?")

Process = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Nic:
    """A NIC as NCCL lists it; what it lists is not what it uses."""

    names: tuple[str, ...]
    """More than one where NCCL fuses ports."""
    links: tuple[str, ...]
    """``IB`` or ``RoCE`` of each; none for what is no verbs device."""
    line: int


@dataclass(slots=True)
class Evidence:
    """The network facts of one test."""

    networks: dict[tuple[Process, str], int] = field(default_factory=dict)
    """(process, network) to the first line that prints it."""
    bootstrap: dict[Process, tuple[str, str]] = field(default_factory=dict)
    """Process to the interface and the address over which it joins the others."""
    nics: dict[tuple[str, int], Nic] = field(default_factory=dict)
    """(host, NCCL's number) to NIC."""
    fused: dict[tuple[str, int], int] = field(default_factory=dict)
    """(host, NCCL's number) to the physical ports in it."""
    providers: dict[tuple[str, str], int] = field(default_factory=dict)
    """(host, libfabric provider) to line."""
    provider_nics: dict[tuple[str, int], int] = field(default_factory=dict)
    """(host, number of NICs that libfabric found) to line."""
    direct: dict[tuple[Process, int], dict[bool, int]] = field(default_factory=dict)
    """(process, NIC) to whether NCCL prints that its GPUDirect is enabled, to line."""
    nvlink: dict[Process, tuple[bool, int]] = field(default_factory=dict)
    """Process to whether NVLink joins it with other nodes (MNNVL), and to the last line that prints it."""
    addresses: dict[int, str] = field(default_factory=dict)
    """Rank to its GPU's PCI address, ``dddd:bb:dd``, as NCCL prints it in hexadecimal behind ``busId``."""
    channels: Channels = field(default_factory=Channels)
    overflow: bool = False

    def read(self, number: int, head: bytes, message: bytes) -> None:
        """Take one line of NCCL: what stands before ``NCCL INFO``, and the message behind it."""
        if b"NET/" not in message:
            if (match := _NETWORK.match(message)) and (process := process_of(head)):
                self.networks.setdefault((process, name(match[1].partition(b" to comm")[0][:128])), number)
                self._bound(self.networks)
            elif message.startswith(b"Bootstrap") and (match := _BOOTSTRAP.match(message)):
                if process := process_of(head):
                    self.bootstrap.setdefault(process, (name(match[1]), name(match[2])))
                    self._bound(self.bootstrap)
            elif b"MNNVL" in message and (match := _NVLINK.match(message)) and (process := process_of(head)):
                self.nvlink[process] = (match[1] != b"0", number)
                self._bound(self.nvlink)
            elif b" busId " in message and (match := _BUS.search(message)):
                bus = int(match[2], 16) >> 4
                self.addresses.setdefault(int(match[1]), f"{bus >> 16:04x}:{bus >> 8 & 255:02x}:{bus & 255:02x}")
                self._bound(self.addresses)
            return
        if b" via " in message and self.channels.read(number, host_of(head), message):
            self.overflow = self.overflow or self.channels.overflow
        elif b"Direct" in message and (match := _DIRECT.search(message)):
            process = process_of(head)
            if process and b"NET/Socket" not in message:
                self.direct.setdefault((process, int(match[2])), {})[match[1].lower() == b"enabled"] = number
                self.nics.setdefault((process[0], int(match[2])), Nic((text(match[3]),), (), number))
        elif b"Using" in message and (match := _LISTED.search(message)):
            if b"NET/Socket" not in message:
                self._listed(number, host_of(head), match[1].partition(b"; OOB")[0])
        elif b"Made virtual" in message and (match := _FUSED.search(message)):
            if int(match[3]) > 1:
                self._fuse(number, (host_of(head), int(match[1])), text(match[2]).split("+"), int(match[3]))
        elif b"rovider" in message and (match := _PROVIDER.search(message)):
            host = host_of(head)
            self.providers.setdefault((host, text(match[1])), number)
            if match[2]:
                self.provider_nics.setdefault((host, int(match[2])), number)
            self._bound(self.providers)

    @property
    def empty(self) -> bool:
        return not (self.networks or self.nics or self.providers or self.channels.total or self.overflow)

    @property
    def silent(self) -> bool:
        """Whether no process prints which network it uses."""
        return not (self.networks or self.channels.networks)

    def names(self) -> dict[str, int]:
        """Every network in use, to a line."""
        used = {name: line for (_, name), line in self.networks.items()}
        return {**{name: line for (_, name), line in self.channels.networks.items()}, **used}

    def rename(self, known: dict[str, str]) -> None:
        """Put hosts right that were read with a piece of other text."""
        if not known:
            return

        def right(host: str) -> str:
            return known.get(host, host)

        self.networks = {((right(host), pid), name): line for ((host, pid), name), line in self.networks.items()}
        self.direct = {((right(host), pid), nic): lines for ((host, pid), nic), lines in self.direct.items()}
        self.bootstrap = {(right(host), pid): found for (host, pid), found in self.bootstrap.items()}
        self.nvlink = {(right(host), pid): state for (host, pid), state in self.nvlink.items()}
        self.nics = {(right(host), number): nic for (host, number), nic in self.nics.items()}
        self.fused = {(right(host), number): ports for (host, number), ports in self.fused.items()}
        self.providers = {(right(host), name): line for (host, name), line in self.providers.items()}
        self.provider_nics = {(right(host), count): line for (host, count), line in self.provider_nics.items()}
        self.channels.rename(known)

    @property
    def hosts(self) -> set[str]:
        """Hosts as their lines name them."""
        named = {host for (host, _), _ in self.networks} | {host for host, _ in (*self.providers, *self.nics)}
        return named | self.channels.hosts

    def _listed(self, number: int, host: str, listed: bytes) -> None:
        for match in _NIC.finditer(listed):
            inner = _INNER.findall(match[2]) if match[2] is not None else [(match[3], match[4] or b"")]
            names, links = (tuple(text(each[place]) for each in inner if each[place]) for place in (0, 1))
            self.nics.setdefault((host, int(match[1])), Nic(names, links, number))
            if len(names) > 1:
                self.fused[host, int(match[1])] = len(names)
        self._bound(self.nics)

    def _fuse(self, number: int, key: tuple[str, int], names: list[str], ports: int) -> None:
        links: dict[str, str] = {}
        for nic in self.nics.values():
            links.update(zip(nic.names, nic.links, strict=False))
        self.fused[key] = ports
        self.nics[key] = Nic(tuple(names), tuple(links[name] for name in names if name in links), number)

    def _bound(self, grown: Sized) -> None:
        if len(grown) > LIMIT:
            self.overflow = True
            for each in (self.networks, self.bootstrap, self.nvlink, self.addresses, self.nics, self.providers):
                each.clear()


def apart(head: bytes, message: bytes, hosts: Iterable[str]) -> Iterator[tuple[bytes, bytes]]:
    """Lines of several processes that ran into one: for each what stands before ``NCCL INFO``, and the message."""
    known = [host.encode() for host in hosts]
    while True:
        this, more, rest = message.partition(b" NCCL INFO ")
        match = _GLUED.search(this) if more else None
        if match is None:
            yield head, this
            return
        before = this[: match.start()]
        fitting = [host for host in known if before.endswith(host)]
        yield head, before[: -max(map(len, fitting))] if fitting else this
        head, message = last_word(before) + match[0], rest


def process_of(head: bytes) -> Process | None:
    """Host and pid of ``prefix host:pid:tid [gpu]``."""
    parts = head.rpartition(b"[")[0].rstrip().rsplit(b":", 2)
    if len(parts) != 3 or not parts[1].isdigit() or len(parts[1]) > 10:
        return None
    host = last_word(parts[0])
    return (name(host), int(parts[1])) if host else None


def host_of(head: bytes) -> str:
    """The host alone, empty where there is none."""
    return name(last_word(head.rpartition(b"[")[0].rstrip().rsplit(b":", 2)[0]))
