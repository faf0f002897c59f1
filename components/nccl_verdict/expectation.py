"""What a healthy run must show: the plain record that the judge measures a log against."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, NamedTuple

GIB = 1 << 30


def size_text(size: int) -> str:
    """``8 GiB``, ``512 B``."""
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} TiB"


class BadExpectationError(ValueError):
    """The record cannot be judged against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What NCCL prints of one transport when all is well. The fabric hands it over: the judge knows no fabric."""

    transport: str
    """Name of the transport, for people. Example: ``InfiniBand``."""
    names: tuple[str, ...]
    """NCCL's names of the network, the usual one first; a plugin may append its interface version (``IBext_v8``,
    ``NCCL RDMA Plugin v10``: HPC-X)."""
    link_layer: str = ""
    """``IB`` or ``RoCE``, which NCCL prints behind each verbs device; empty where it prints none."""
    provider: str = ""
    """libfabric's provider, where NCCL reaches the NICs by libfabric: the plugin prints it, and may group NICs."""
    where_to_look: str = "see the pod's claim or annotations for its NICs, the plugin's mount, and LD_LIBRARY_PATH"
    """What to look at when NCCL does not use the NICs."""
    claimable: bool = True
    """Whether pods can claim the NICs, so that the claims are worth a look."""

    def has(self, name: str) -> bool:
        """Whether NCCL's name of a network is one of these, with its version or without."""
        return any(name == each or name.startswith((f"{each}_v", f"{each} v")) for each in self.names)


NVLINK = Network(transport="NVLink", names=())
"""Joins the nodes of a rack (MNNVL). It is no network of NCCL's: the GPUs see each other's memory."""


@dataclass(frozen=True, slots=True)
class SizeThreshold:
    """The least out-of-place bus bandwidth from a message size on."""

    size_bytes: int
    busbw_gbytes: float


class SizeTime(NamedTuple):
    """How long a message of a size took, out-of-place."""

    size_bytes: int
    micros: float


@dataclass(frozen=True, slots=True)
class Neighbours:
    """GPUs and NICs that are beside each other on PCIe."""

    gpus: tuple[int, ...]
    """The GPUs by index."""
    addresses: tuple[str, ...]
    """The GPUs by PCI address, ``dddd:bb:dd``; empty where nobody published them."""
    nics: tuple[str, ...]
    """Names of the RDMA devices."""


_OPTIONAL = (
    "neighbours", "neighbours_sure", "part_of_node", "also", "expected", "expected_from", "expected_times",
    "without_gdr", "largest_bytes",
)  # fmt: skip
"""Keys that are not written where empty: a judge that knows more of a machine is no reason to run a test again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One run's machine, extent and thresholds."""

    machine: str
    network: Network
    nodes: int
    gpus_per_node: int
    gpu_model: str
    """As nccl-tests prints it."""
    nics: int | None
    """NICs each node must show; ``None`` when the catalogue cannot say, which fails the gate until it is waived."""
    wire_gbytes: float | None = None
    """Line rate of a node's NICs together, GB/s; what no figure can pass."""
    nvlink_domain: int = 0
    """GPUs that one NVLink fabric joins, 0 where that is unknown or less than a node: inside it no wire is used."""
    collective: str | None = None
    """nccl-tests' name; ``None`` takes the one that the thresholds are for, or any."""
    thresholds: Mapping[str, tuple[SizeThreshold, ...]]
    """Per collective, in rising order of size."""
    thresholds_from: str = "the catalogue's"
    """Whose thresholds they are, as the verdict names it."""
    above_wire: str = ""
    """Why a source measured more than the NICs' line rate, where one did."""
    neighbours: tuple[Neighbours, ...] = ()
    """Which GPUs and NICs are beside each other, where the catalogue knows."""
    neighbours_sure: bool = False
    """Whether the fabric promises that a GPU uses a NIC beside it, and the catalogue is certain which these are."""
    part_of_node: bool = False
    """Whether fewer GPUs than the machine has take part, so that an index says nothing of where a GPU is."""
    also: tuple[str, ...] = ()
    """Collectives that the log holds besides; they are measured against the best of their kind."""
    expected: Mapping[str, tuple[SizeThreshold, ...]] = field(default_factory=dict)
    """Per collective, what such a run reached before: a run that is 10 % below gets a warning."""
    expected_from: str = ""
    """Who reached it, as the warning says: ``the last proof``."""
    expected_times: Mapping[str, tuple[SizeTime, ...]] = field(default_factory=dict)
    """Per collective, how long messages below 1 GiB took in the last proof."""
    without_gdr: bool = False
    """Whether the machine has no GPUDirect RDMA, so that no channel can show it."""
    largest_bytes: int = 0
    """The largest message that the machine's GPUs hold, where that is less than 8 GiB."""
    tests: int | None = None
    """How many tests the log must hold; ``None`` for any number but none."""
    notes: tuple[str, ...] = ()
    """What the reader of a verdict should know about these figures."""

    def __post_init__(self) -> None:
        if self.nodes < 2:
            raise BadExpectationError(f"nodes: got {self.nodes}, a fabric is proved between 2 nodes or more")
        if self.gpus_per_node < 1:
            raise BadExpectationError(f"gpus_per_node: got {self.gpus_per_node}, want 1 or more")
        if not self.network.names and self.network != NVLINK:
            raise BadExpectationError(f"network: NCCL's names for {self.network.transport} are missing")

    @property
    def uses_wire(self) -> bool:
        """Whether the nodes are joined by their NICs alone."""
        return self.nvlink_domain < self.ranks

    @property
    def ranks(self) -> int:
        return self.nodes * self.gpus_per_node

    def sizes(self, collective: str | None) -> str:
        """nccl-tests' options for the sizes that are judged: to the one from which the last threshold holds, and to 8
        GiB where the GPUs hold that."""
        lines = self.thresholds.get(collective or "", ()) or [each for of in self.thresholds.values() for each in of]
        last = max((1 << (line.size_bytes - 1).bit_length() for line in lines), default=0)
        most = max(self.largest_bytes or 8 * GIB, last)
        return f"-b 1G -e {most >> 30}G -f 2"

    def expected_at(self, collective: str | None, size_bytes: int) -> float | None:
        """What such a run reached before at a message size, GB/s."""
        return _reached(self.expected, collective, size_bytes)

    def threshold_at(self, collective: str | None, size_bytes: int) -> float | None:
        """The threshold that holds for a message size, GB/s."""
        return _reached(self.thresholds, collective, size_bytes)

    def to_json(self) -> str:
        written = {key: value for key, value in asdict(self).items() if value or key not in _OPTIONAL}
        return json.dumps(written, sort_keys=True)

    @property
    def demands(self) -> str:
        """What a run must show, as JSON, without what only words a verdict or warns in it."""
        silent: dict[str, Any] = {"notes": (), "thresholds_from": "", "above_wire": "", "neighbours": ()}
        more: dict[str, Any] = {"neighbours_sure": False, "part_of_node": False, "expected": {}, "expected_from": ""}
        more |= {"expected_times": {}, "largest_bytes": 0}
        return replace(self, **silent, **more).to_json()


def _reached(lines: Mapping[str, tuple[SizeThreshold, ...]], collective: str | None, size_bytes: int) -> float | None:
    """The last figure of a collective, in rising order of size, that begins at a size or below it."""
    begun = [line.busbw_gbytes for line in lines.get(collective or "", ()) if line.size_bytes <= size_bytes]
    return begun[-1] if begun else None


def network_from(data: Mapping[str, Any]) -> Network:
    """Read a network that was written as JSON. Raises ``TypeError`` or ``KeyError`` for anything else."""
    keys: dict[str, Any] = {**data, "names": tuple(data["names"])}
    return Network(**keys)


def _lines(data: Mapping[str, Any]) -> dict[str, tuple[SizeThreshold, ...]]:
    return {name: tuple(SizeThreshold(**line) for line in lines) for name, lines in data.items()}


def from_json(text: str) -> Expectation:
    """Read what ``Expectation.to_json`` wrote."""
    try:
        data: Any = json.loads(text)
    except ValueError as error:
        raise BadExpectationError(f"expectation: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise BadExpectationError("expectation: want a JSON object")
    if unknown := sorted(set(data) - {f.name for f in fields(Expectation)}):
        raise BadExpectationError(f"expectation: unknown key {unknown[0]}")
    try:
        data["thresholds"] = _lines(data["thresholds"])
        data["expected"] = _lines(data.get("expected", {}))
        times = data.get("expected_times", {}).items()
        data["expected_times"] = {name: tuple(SizeTime(*each) for each in lines) for name, lines in times}
        groups = ({key: tuple(of) for key, of in group.items()} for group in data.get("neighbours", ()))
        data["neighbours"] = tuple(Neighbours(**group) for group in groups)
        data |= {key: tuple(data.get(key, ())) for key in ("also", "notes")}
        data["network"] = network_from(data["network"])
        return Expectation(**data)
    except (AttributeError, KeyError, TypeError) as error:
        raise BadExpectationError(f"expectation: {error}") from None
