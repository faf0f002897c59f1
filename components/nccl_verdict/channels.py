"""The channels between nodes that NCCL prints: by which network and NIC each goes, and whether by GPUDirect."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .header import text

LIMIT = 1 << 18
"""Most facts of one kind that are kept; a log beyond it is not judged as whole."""

_CHANNEL = re.compile(
    rb"(?P<pair>(?:Channel|CollNet) {1,9}(?P<number>\d{1,6})(?:/(?P<index>\d{1,6}))? {0,9}: {0,9}"
    rb"(?P<one>\d{1,7})(?:\[\w{1,16}\])?(?: {0,9}-> {0,9}(?P<two>\d{1,7})(?:\[\w{1,16}\])?)?)"
    rb" {0,9}\[(?P<way>send|receive)\] {0,9}via (?P<kind>NET|COLLNET)/(?P<name>[^/\n]{1,128})/(?P<device>\d{1,6})"
    rb"(?P<rest>\S*)"
)
_WAYS = {b"send": 0, b"receive": 1}


def without_tail(message: bytes) -> bytes:
    """A channel's line without what stands behind ``via NET/IB/3/GDRDMA``: versions add words there that may differ in
    each line, and tell nothing of the channel."""
    way = message.find(b" via ") if message.startswith((b"Channel ", b"CollNet ")) else -1
    number = message.find(b"/", message.find(b"/", way) + 1) if way >= 0 else -1
    if number < 0:
        return message
    end = message.find(b"/", number + 1)
    if end >= 0 and message.startswith(b"/GDRDMA", end):
        return message[: end + 7]
    blank = message.find(b" ", number)
    ends = [each for each in (end, blank) if each >= 0]
    return message[: min(ends)] if ends else message


@dataclass(slots=True)
class Spot:
    """Where channels without GPUDirect end: a node, the rank in it, the NIC it uses."""

    host: str
    rank: int
    device: int
    lines: list[int] = field(default_factory=list)
    total: int = 0


@dataclass(slots=True)
class Channels:
    """All channels of one test, each counted once however often it is printed."""

    ends: tuple[set[bytes], set[bytes]] = field(default_factory=lambda: (set(), set()))
    """Pairs of ranks that the sender printed, and that the receiver printed."""
    rings: dict[int, tuple[set[str], set[str]]] = field(default_factory=dict)
    """Number of a ring or tree to the nodes that it leaves, and those that it enters."""
    used: dict[str, dict[int, int]] = field(default_factory=dict)
    """Host to NICs it sends or receives on, by NCCL's number, to the first line."""
    networks: dict[tuple[str, str], int] = field(default_factory=dict)
    """(host, network) to line."""
    spots: dict[tuple[str, int, int], Spot] = field(default_factory=dict)
    """The channels that go without GPUDirect."""
    own: dict[tuple[str, int], dict[int, int]] = field(default_factory=dict)
    """(host, rank that it speaks for) to the NICs that the rank itself uses, to the first line. What it sends by the
    NIC of another GPU of its node (PXN: ``10(14)`` is NIC 10 by the proxy of rank 14) is that GPU's."""
    total: int = 0
    """Ends of channels, each once."""
    in_network: bool = False
    """Whether switches take part in the collective (SHARP)."""
    overflow: bool = False
    _seen: set[tuple[str, bytes]] = field(default_factory=set)

    def read(self, number: int, host: str, message: bytes) -> bool:
        """Take what follows ``NCCL INFO``; ``False`` when it is not about a channel between nodes."""
        match = _CHANNEL.search(message)
        if match is None:
            return False
        key = (host, match[0])
        if key in self._seen:
            return True
        self._seen.add(key)
        pair, way, collnet = match["pair"], _WAYS[match["way"]], match["kind"] == b"COLLNET"
        rank = int(match["one"] if way == 0 or match["two"] is None else match["two"])
        device, name = int(match["device"]), text(match["name"])
        self.total += 1
        own = self.own.setdefault((host, rank), {})
        if not match["rest"].startswith(b"("):
            own.setdefault(device, number)
        self.used.setdefault(host, {}).setdefault(device, number)
        if collnet:
            self.in_network = True
        else:
            self.ends[way].add(pair)
            if match["index"] in (None, b"0"):  # other indices are of sends between two ranks
                self.rings.setdefault(int(match["number"]), (set(), set()))[way].add(host)
            self.networks.setdefault((host, name), number)
        if b"/GDRDMA" not in match["rest"]:
            spot = self.spots.setdefault((host, rank, device), Spot(host, rank, device))
            spot.total += 1
            if len(spot.lines) < 4:
                spot.lines.append(number)
        if max(len(self._seen), len(self.networks)) > LIMIT:
            self.overflow = True
            self._seen.clear()
        return True

    @property
    def hosts(self) -> set[str]:
        return set(self.used)

    def ranks_on(self, host: str, devices: Iterable[int]) -> set[int]:
        """Ranks that themselves use one of these NICs of a host."""
        return {rank for (each, rank), own in self.own.items() if each == host and own.keys() & set(devices)}

    def lost(self) -> int:
        """At least how many lines the log lacks: sender and receiver both print a channel. Nodes need not balance, for
        a ring and a tree may share one."""
        return len(self.ends[0] ^ self.ends[1])

    def broken(self, hosts: Iterable[str]) -> tuple[int, str] | None:
        """A ring or tree and a node that it never leaves or enters: whichever it is, it reaches every node."""
        wanted = set(hosts)
        for number, reached in sorted(self.rings.items()):
            if missing := (wanted - reached[0]) | (wanted - reached[1]):
                return number, min(missing)
        return None

    def settle(self) -> None:
        """Once all is read: what served to tell repeats apart, and ends that have their other end, are dropped."""
        self._seen = set()
        both = self.ends[0] & self.ends[1]
        self.ends = (self.ends[0] - both, self.ends[1] - both)

    def rename(self, known: dict[str, str]) -> None:
        """Put hosts right that were read with a piece of other text."""
        self.networks = {(known.get(host, host), name): line for (host, name), line in self.networks.items()}
        for host, rank in [key for key in self.own if key[0] in known]:
            self.own.setdefault((known[host], rank), {}).update(self.own.pop((host, rank)))
        for number, ring in self.rings.items():
            left, entered = ({known.get(host, host) for host in reached} for reached in ring)
            self.rings[number] = (left, entered)
        for host in [host for host in self.used if host in known]:
            self.used.setdefault(known[host], {}).update(self.used.pop(host))
        for host, rank, device in [key for key in self.spots if key[0] in known]:
            spot = self.spots.pop((host, rank, device))
            renamed_spot = self.spots.setdefault((known[host], rank, device), Spot(known[host], rank, device))
            renamed_spot.total += spot.total
            renamed_spot.lines += spot.lines
