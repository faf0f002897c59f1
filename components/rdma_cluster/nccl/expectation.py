"""What a healthy run must show: the plain record that the judge measures a log against."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

GIB = 1 << 30

NETWORKS = {
    "gIB": ("gIB",),
    "GPUDirect-TCPX": ("GPUDirectTCPX",),
    "GPUDirect-TCPXO": ("FasTrak",),
    "EFA": ("Libfabric", "AWS Libfabric"),
    "InfiniBand": ("IB", "IBext", "NCCL RDMA Plugin"),
    "RoCE": ("IB", "IBext", "NCCL RDMA Plugin"),
}
"""NCCL's own names for the network of each transport, NCCL's first; a plugin may append its interface version
(``IBext_v8``, ``NCCL RDMA Plugin v10``: HPC-X). aws-ofi-nccl was `AWS Libfabric` until 2024-08 (commit 9764571e).
Here and not with the fabrics: the judge runs alone inside pods, and reads logs of transports that nothing builds."""


def is_network_of(transport: str, name: str) -> bool:
    """Whether NCCL's name of a network is one of a transport's, with its version or without."""
    return any(name == each or name.startswith((f"{each}_v", f"{each} v")) for each in NETWORKS[transport])


NVLINK = "NVLink"
"""What joins the nodes of a rack (MNNVL): no network of NCCL's, but GPUs that see each other's memory."""
TRANSPORTS = (*NETWORKS, NVLINK)


class BadExpectationError(ValueError):
    """The record cannot be judged against."""


@dataclass(frozen=True, slots=True)
class FloorLine:
    """The least out-of-place bus bandwidth from a message size on."""

    size_bytes: int
    busbw_gbytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One run's machine, extent and floors."""

    machine: str
    transport: str
    """One of ``TRANSPORTS``."""
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
    """nccl-tests' name; ``None`` takes the one that the floors are for, or any."""
    floors: Mapping[str, tuple[FloorLine, ...]]
    """Per collective, in rising order of size."""
    floors_from: str = "the catalogue's"
    """Whose floors they are, as the verdict names it."""
    above_wire: str = ""
    """Why a source measured more than the NICs' line rate, where one did."""
    tests: int | None = None
    """How many tests the log must hold; ``None`` for any number but none."""
    notes: tuple[str, ...] = ()
    """What the reader of a verdict should know about these figures."""

    def __post_init__(self) -> None:
        if self.nodes < 2:
            raise BadExpectationError(f"nodes: got {self.nodes}, a fabric is proved between 2 nodes or more")
        if self.gpus_per_node < 1:
            raise BadExpectationError(f"gpus_per_node: got {self.gpus_per_node}, want 1 or more")
        if self.transport not in TRANSPORTS:
            known = ", ".join(sorted(TRANSPORTS))
            raise BadExpectationError(f"transport: {self.transport} leaves no proof in an NCCL log, known: {known}")

    @property
    def uses_wire(self) -> bool:
        """Whether the nodes are joined by their NICs alone."""
        return self.nvlink_domain < self.ranks or self.nvlink_domain <= self.gpus_per_node

    @property
    def ranks(self) -> int:
        return self.nodes * self.gpus_per_node

    def floor_at(self, collective: str | None, size_bytes: int) -> float | None:
        """The floor that holds for a message size, GB/s."""
        held = [f.busbw_gbytes for f in self.floors.get(collective or "", ()) if f.size_bytes <= size_bytes]
        return held[-1] if held else None

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def from_json(text: str) -> Expectation:
    """Read what ``Expectation.to_json`` wrote."""
    try:
        data: Any = json.loads(text)
    except ValueError as error:
        raise BadExpectationError(f"expectation: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise BadExpectationError("expectation: want a JSON object")
    unknown = sorted(set(data) - {f.name for f in fields(Expectation)})
    if unknown:
        raise BadExpectationError(f"expectation: unknown key {unknown[0]}")
    try:
        data["floors"] = {name: tuple(FloorLine(**line) for line in lines) for name, lines in data["floors"].items()}
        data["notes"] = tuple(data.get("notes", ()))
        return Expectation(**data)
    except (AttributeError, KeyError, TypeError) as error:
        raise BadExpectationError(f"expectation: {error}") from None
