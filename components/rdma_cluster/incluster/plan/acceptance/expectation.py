"""From a catalogue row, and a user's own thresholds, to what a run must show. The judge itself knows no catalogue."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nccl_verdict.busbw import COLLECTIVES
from nccl_verdict.expectation import GIB, NVLINK, BadExpectationError, Expectation, Neighbours, Network, SizeThreshold
from ....catalog.machine import Machine, Threshold
from ....fabrics import FABRICS, Fabric, network_of

_FORM = re.compile(r"(\w+):(\d+)([KMGT]?)=(\d+(?:\.\d+)?)", re.ASCII)
_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": GIB, "T": 1 << 40}
_BUFFERS = 3
"""Buffers of the largest size that nccl-tests allocates, beside a GiB for the rest; it runs no row that does not fit
(NVIDIA/nccl-tests@01d6761 src/common.cu, memMaxBytes)."""


def row_from(size: int) -> int:
    """The first row from a size on: rows go from 1 GiB by powers of 2."""
    return max(GIB, 1 << (size - 1).bit_length())


def largest_row(memory_gib: int) -> int:
    """The last row that GPUs of some memory hold."""
    most = (memory_gib - 1) * GIB // _BUFFERS
    return 1 << (most.bit_length() - 1)


class BadThresholdError(ValueError):
    """Words that are no threshold; says what would be one."""


def parse_thresholds(words: list[str]) -> dict[str, tuple[SizeThreshold, ...]]:
    """``COLLECTIVE:SIZE=GBPS`` of each word: the least out-of-place bus bandwidth in GB/s from a message size on."""
    thresholds: dict[str, dict[int, float]] = {}
    for word in words:
        match = _FORM.fullmatch(word)
        if match is None:
            raise BadThresholdError(f"got {word!r}; write COLLECTIVE:SIZE=GBPS, e.g. all_reduce:1G=300")
        collective, size, threshold = match[1], int(match[2]) * _SIZES[match[3]], float(match[4])
        if collective not in COLLECTIVES:
            raise BadThresholdError(f"got {word!r}; nccl-tests has {', '.join(COLLECTIVES)}")
        if size < GIB:
            raise BadThresholdError(f"got {word!r}; sizes from 1G on are judged")
        if threshold <= 0:
            raise BadThresholdError(f"got {word!r}; a threshold of 0 proves nothing, waive the gate bandwidth instead")
        if size in thresholds.setdefault(collective, {}):
            raise BadThresholdError(f"got {word!r}; that size of {collective} has a threshold already")
        thresholds[collective][size] = threshold
    return {
        collective: tuple(SizeThreshold(size, threshold) for size, threshold in sorted(sizes.items()))
        for collective, sizes in thresholds.items()
    }


# More than 6 parameters: they are the options of `rdma-cluster verdict`.
def expect(  # noqa: PLR0913
    machine: Machine,
    nodes: int = 2,
    gpus_per_node: int | None = None,
    collective: str | None = None,
    own_thresholds: Mapping[str, tuple[SizeThreshold, ...]] | None = None,
    nics: int | None = None,
    tests: int | None = None,
    nvlink: bool | None = None,
    network: Network | None = None,
) -> Expectation:
    """The expectation for a run; ``own_thresholds`` and ``nics`` replace what the catalogue says, and are noted.

    With ``nvlink`` the bytes go from node to node over NVLink, without it by the NICs alone, also inside a rack; a log
    of which neither is known is measured by the NICs' thresholds. ``network`` is that of the pool's fabric; without it
    the machine's usual one is taken. (All parameters but two are overrides by name.)
    """
    if machine.gpu is None:
        raise BadExpectationError(f"{machine.name}: has no GPU, nccl-tests does not run on it")
    gpus = gpus_per_node or machine.gpus
    if not 1 <= gpus <= machine.gpus:
        raise BadExpectationError(f"gpus_per_node: got {gpus}, {machine.name} has {machine.gpus}")
    notes: list[str] = []
    if nics is None:
        nics = _nics(machine, gpus, notes)
    else:
        notes.append(f"nics: {nics} a node was given, it is not the catalogue's figure")
    if own_thresholds:
        thresholds = dict(own_thresholds)
        if collective is not None and collective not in thresholds:
            raise BadExpectationError(f"threshold: given for {', '.join(thresholds)}, and {collective} is to be judged")
        notes.append("threshold: yours, it is not the catalogue's figure")
    else:
        thresholds = _thresholds(machine, nodes, gpus, collective, bool(nvlink), notes)
    published = _published(machine, nodes, gpus, bool(nvlink))
    most = None if machine.gpu.memory_gib is None else largest_row(machine.gpu.memory_gib)
    above = {
        threshold.above_wire
        for threshold in machine.thresholds
        if threshold.collective in thresholds and threshold.above_wire and threshold.nvlink == bool(nvlink)
    }
    return Expectation(
        machine=machine.name,
        network=NVLINK if nvlink else network or _network(machine),
        nodes=nodes,
        gpus_per_node=gpus,
        gpu_model=machine.gpu.model,
        nics=nics,
        wire_gbytes=None if nics is None or machine.nic_gbps is None else nics * machine.nic_gbps / 8,
        nvlink_domain=min(machine.nvlink_domain, machine.gpus) if nvlink is False else machine.nvlink_domain,
        collective=collective,
        thresholds=thresholds,
        thresholds_from="yours" if own_thresholds else "the catalogue's",
        above_wire="; ".join(sorted(above)),
        neighbours=_neighbours(machine),
        neighbours_sure=machine.pcie_root_comparable and not machine.unverified.keys() & {"roots", "rdma_names"},
        part_of_node=gpus < machine.gpus,
        without_gdr=machine.reaches_gpu_memory is False and not nvlink,
        largest_bytes=0 if most is None or most >= 8 * GIB else most,
        expected=published,
        expected_from="the published run" if published else "",
        tests=tests,
        notes=tuple(notes),
    )


def _neighbours(machine: Machine) -> tuple[Neighbours, ...]:
    """GPUs and RDMA devices by PCIe root, or as the provider pairs them where no root shows it; drivers that hand out
    pairs go by the root."""
    groups = [((gpu,), (nic,)) for gpu, nic in machine.neighbours] or [(r.gpus, r.nics) for r in machine.roots or ()]
    names = machine.rdma_names
    if names is None or not all(gpus and nics for gpus, nics in groups):
        return ()
    pci = [address.rpartition(".")[0] for address in machine.gpu_pci or ()]
    return tuple(
        Neighbours(gpus, tuple(pci[gpu] for gpu in gpus if pci), tuple(names[nic] for nic in nics))
        for gpus, nics in groups
    )


def _published(machine: Machine, nodes: int, gpus: int, nvlink: bool) -> dict[str, tuple[SizeThreshold, ...]]:
    """The measured figures that thresholds of this extent were derived from."""
    figures: dict[str, tuple[SizeThreshold, ...]] = {}
    for each in sorted(machine.thresholds, key=lambda each: each.size_bytes):
        if each.published_gbytes and (each.nodes, each.gpus_per_node, each.nvlink) == (nodes, gpus, nvlink):
            seen = SizeThreshold(each.size_bytes, each.published_gbytes)
            figures[each.collective] = (*figures.get(each.collective, ()), seen)
    return figures


def _network(machine: Machine) -> Network:
    network = network_of(machine)
    if network is None:
        known = {fabric.acceptance.network.transport for fabric in FABRICS.values()} | {NVLINK.transport}
        raise BadExpectationError(
            f"transport: {machine.transport.value} leaves no proof in an NCCL log, known: {', '.join(sorted(known))}"
        )
    return network


def collective_of(
    machine: Machine, own: Mapping[str, tuple[SizeThreshold, ...]] | None = None, *, nvlink: bool = False
) -> str:
    """The collective of the user's own thresholds, else that of the published ones: of two whole nodes if there is one,
    and of the most rows."""
    if own:
        return next(iter(own))
    over = [threshold for threshold in machine.thresholds if threshold.nvlink == nvlink]
    known = [threshold for threshold in over if (threshold.nodes, threshold.gpus_per_node) == (2, machine.gpus)] or over
    return min(known, key=lambda threshold: threshold.size_bytes).collective if known else "all_reduce"


# More than 6 parameters: they are the options of the acceptance test.
def expect_test(
    machine: Machine,
    fabric: Fabric,
    own_thresholds: list[str],
    pairs: int = 1,
    also: Sequence[str] = (),
    *,
    nvlink: bool = False,
) -> Expectation:
    """What a test of two nodes must show; ``own_thresholds``, as the user writes them, are of the NICs.

    ``also`` are run besides the collective of the thresholds. Raises ``BadThresholdError``.
    """
    if nvlink:
        return expect(machine, 2, collective=collective_of(machine, nvlink=True), tests=pairs, nvlink=True)
    own, network = parse_thresholds(own_thresholds), fabric.acceptance.network
    besides = {name: lines for name, lines in own.items() if name in also}
    own = {name: lines for name, lines in own.items() if name not in also}
    collective = collective_of(machine, own)
    also = tuple(name for name in also if name != collective)
    want = expect(machine, 2, collective=collective, own_thresholds=own, nvlink=False, network=network)
    return replace(want, tests=pairs * (1 + len(also)), also=also, thresholds={**want.thresholds, **besides})


def _nics(machine: Machine, gpus: int, notes: list[str]) -> int | None:
    if gpus == machine.gpus:
        return machine.nics
    whole, rest = divmod(machine.nics * gpus, machine.gpus)
    if rest:
        notes.append(f"nics: {machine.nics} do not divide over {machine.gpus} GPUs: {gpus} have no count of their own")
        return None
    notes.append(f"nics: {whole} of {machine.nics}, in proportion to {gpus} of {machine.gpus} GPUs; pods claim as many")
    return whole


def _thresholds(
    machine: Machine, nodes: int, gpus: int, collective: str | None, nvlink: bool, notes: list[str]
) -> dict[str, tuple[SizeThreshold, ...]]:
    """Thresholds of exactly this extent. They are never scaled: measured parts of a node do not follow proportion."""
    fitting = [
        threshold
        for threshold in machine.thresholds
        if (threshold.nodes, threshold.gpus_per_node, threshold.nvlink) == (nodes, gpus, nvlink)
        and collective in (None, threshold.collective)
    ]
    if not fitting:
        known = ", ".join(sorted({_extent(threshold) for threshold in machine.thresholds})) or "none"
        extent = f"{collective or 'any collective'} on {nodes} x {gpus} GPUs"
        notes.append(f"threshold: none is known for {extent} of {machine.name}; known: {known}")
    lines: dict[str, tuple[SizeThreshold, ...]] = {}
    for threshold in sorted(fitting, key=lambda each: each.size_bytes):
        lines[threshold.collective] = (
            *lines.get(threshold.collective, ()),
            SizeThreshold(threshold.size_bytes, threshold.busbw_gbytes),
        )
        source = f"{threshold.source.ref} ({threshold.source.seen})"
        notes.append(f"threshold: {_extent(threshold)} {threshold.busbw_gbytes:g} GB/s, from {source}")
        if threshold.above_wire:
            notes.append(f"threshold: above the wire because {threshold.above_wire}")
    if "thresholds" in machine.unverified and fitting:
        notes.append(f"threshold: unverified, {machine.unverified['thresholds']}")
    return lines


def _extent(threshold: Threshold) -> str:
    over = " over NVLink" if threshold.nvlink else ""
    return f"{threshold.collective} on {threshold.nodes} x {threshold.gpus_per_node} GPUs{over}"
