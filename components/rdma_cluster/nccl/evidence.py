"""What NCCL itself says of its network: which one each process took, its NICs, and every channel between nodes."""

import re
from collections.abc import Sized
from dataclasses import dataclass, field

from .rows import text

LIMIT = 1 << 18
"""Most facts of one kind that are kept; a log beyond it is not judged as whole."""

NEEDLES = (b"Using ", b"GPU Direct RDMA", b"elected ", b"NET plugin ")
"""An NCCL line without any of these, and without a channel between nodes, tells nothing and is never looked at."""

_HOST = re.compile(rb"([\w.-]+)$")
_NETWORK = re.compile(rb"(?:Using network|Assigned NET plugin)\s+(.*?)(?:\s+to comm.*)?$")
_DEVICES = re.compile(rb"NET/\S+\s*: Using (\[0\].*)$")
_DEVICE = re.compile(rb"\[\d+\]\s*([\w.+-]+):\d+/(\w+)")
_PLAIN_DEVICE = re.compile(rb"\[\d+\]\s*([\w.+-]+):")
_DIRECT = re.compile(rb"NET/\S+\s*: GPU Direct RDMA (Enabled|Disabled) for HCA \d+ '([^']+)'")
_PROVIDER = re.compile(rb"[Ss]elected [Pp]rovider is ([\w-]+)(?:.*?\(found (\d+) nics\))?")

Process = tuple[str, int]


@dataclass(slots=True)
class Evidence:
    """The network facts of one test."""

    networks: dict[tuple[Process, str], int] = field(default_factory=dict)
    """(process, network) to the first line that says so."""
    nics: dict[Process, dict[str, int]] = field(default_factory=dict)
    """Process to NIC name to line."""
    links: dict[str, int] = field(default_factory=dict)
    """Link layer of the verbs devices, ``IB`` or ``RoCE``, to line."""
    providers: dict[tuple[str, str], int] = field(default_factory=dict)
    """(host, libfabric provider) to line."""
    provider_nics: dict[tuple[str, int], int] = field(default_factory=dict)
    """(host, number of NICs libfabric found) to line."""
    channels: dict[tuple[str, bytes], int] = field(default_factory=dict)
    """(host, network) of the channels between nodes to line."""
    said: set[bytes] = field(default_factory=set)
    """Channel lines without what precedes them: every communicator of a test repeats them."""
    sends: set[bytes] = field(default_factory=set)
    receives: set[bytes] = field(default_factory=set)
    flow: dict[str, int] = field(default_factory=dict)
    """Host to its channels out less its channels in; rings and trees leave a node as often as they enter it."""
    indirect: list[int] = field(default_factory=list)
    """The first lines of channels, or of NICs, without GPUDirect RDMA."""
    indirect_total: int = 0
    overflow: bool = False

    def read(self, number: int, line: bytes) -> None:
        """Take one ``NCCL INFO`` line."""
        head, _, rest = line.partition(b" NCCL INFO ")
        if match := _NETWORK.match(rest):
            if process := _process(head):
                self.networks.setdefault((process, text(match[1])), number)
                self._bound(self.networks)
        elif match := _DIRECT.search(rest):
            if match[1] == b"Disabled":
                self._indirect(number)
            elif b"NET/Socket" not in rest:
                self._nic(number, head, text(match[2]))
        elif (match := _DEVICES.search(rest)) and b"NET/Socket" not in rest:
            self._devices(number, head, match[1].partition(b"; OOB")[0])
        elif match := _PROVIDER.search(rest):
            host = _host(head)
            self.providers.setdefault((host, text(match[1])), number)
            if match[2]:
                self.provider_nics.setdefault((host, int(match[2])), number)

    def read_channel(self, number: int, line: bytes, network: bytes, rest: bytes) -> None:
        """Take ``host:pid:tid [gpu] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send]`` with what follows ``via NET/``."""
        head, _, pair = line.rpartition(b" NCCL INFO ")
        if b"/GDRDMA" not in rest:
            self._indirect(number)
        host = _host(head)
        if pair.endswith(b"[send]"):
            self._end(self.sends, pair[:-6], host, 1)
        elif pair.endswith(b"[receive]"):
            self._end(self.receives, pair[:-9], host, -1)
        if (host, network) not in self.channels:
            self.channels[host, network] = number
            self._bound(self.channels)

    def _end(self, ends: set[bytes], pair: bytes, host: str, way: int) -> None:
        if pair not in ends:
            ends.add(pair)
            self.flow[host] = self.flow.get(host, 0) + way
            self._bound(ends)

    @property
    def empty(self) -> bool:
        return not (self.networks or self.nics or self.providers or self.channels or self.overflow)

    def lost_channels(self) -> int:
        """At least how many lines of channels the log lacks: each is shown by both ends, and nodes are in balance."""
        return max(len(self.sends ^ self.receives), *(abs(n) for n in self.flow.values()), 0)

    def _devices(self, number: int, head: bytes, listed: bytes) -> None:
        verbs = _DEVICE.findall(listed)
        for name, link in verbs:
            self._nic(number, head, text(name))
            self.links.setdefault(text(link), number)
        if not verbs:
            for name in _PLAIN_DEVICE.findall(listed):
                self._nic(number, head, text(name))

    def _nic(self, number: int, head: bytes, name: str) -> None:
        if process := _process(head):
            self.nics.setdefault(process, {}).setdefault(name, number)
            self._bound(self.nics)

    def _bound(self, grown: Sized) -> None:
        if len(grown) > LIMIT:
            self.overflow = True
            for each in (self.networks, self.nics, self.channels, self.sends, self.receives, self.said):
                each.clear()

    def _indirect(self, number: int) -> None:
        self.indirect_total += 1
        if len(self.indirect) < 8:
            self.indirect.append(number)


def _process(head: bytes) -> Process | None:
    """Host and pid of ``prefix host:pid:tid [gpu]``."""
    parts = head.rpartition(b"[")[0].rstrip().rsplit(b":", 2)
    if len(parts) != 3 or not parts[1].isdigit():
        return None
    host = _HOST.search(parts[0])
    return (text(host[1]), int(parts[1])) if host else None


def _host(head: bytes) -> str:
    """The host alone; channel lines are many, so what precedes the pid is looked up before it is parsed."""
    left = head.rsplit(b":", 2)[0]
    known = _HOSTS.get(left)
    if known is None:
        host = _HOST.search(left)
        known = text(host[1]) if host else ""
        if len(_HOSTS) > 4096:
            _HOSTS.clear()
        _HOSTS[left] = known
    return known


_HOSTS: dict[bytes, str] = {}
