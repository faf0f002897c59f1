"""Faults of a node, from what it showed over the last half hour. Pure: the same readings give the same findings.

What each finding means, and where its limits are from, stands in docs/faults.md.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from .readings import MOST_LINES, Device, Line, Port, Reading

WINDOW_SECONDS = 1800
LASTING_SECONDS = 600
"""What lasts as long is no restart of a driver."""
LINK_SECONDS = 120
LOOKS = 3
"""A device that does not answer as often in a row is gone."""
CHANGES, LOSSES = 4, 2
"""Changes and losses of a link within the window that count as flapping."""


class Finding(NamedTuple):
    """One fault of one device."""

    condition: str
    reason: str
    address: str
    """On the PCI bus; empty where it is about more than one device."""
    text: str
    """What is wrong; without figures that change from look to look."""


@dataclass(frozen=True)
class Expected:
    """What a sound node of a pool shows."""

    gpus: int
    nics: int
    """The least numbers of GPUs and NICs; 0 of either is not counted."""
    rails: frozenset[str]
    """Names of RDMA devices that are rails, where they are published."""
    on_host: bool
    """Whether the host sees RDMA devices that pods hold."""
    limits: tuple[tuple[str, int, int, str], ...]
    """Counter, most, seconds, condition."""
    xids: dict[str, str]
    """Condition by XID; an XID ``N!`` counts where its line says Fatal."""

    @classmethod
    def of(cls, given: dict[str, Any]) -> "Expected":
        """Read what the plan wrote of a pool."""
        gpus, nics, on_host, xids = (given[key] for key in ("gpus", "nics", "on_host", "xids"))
        limits = tuple((name, most, seconds, condition) for name, most, seconds, condition in given["limits"])
        return cls(gpus, nics, frozenset(given["rails"]), on_host, limits, xids)


@dataclass(frozen=True)
class Known:
    """What the node has shown before, further back than the readings go."""

    devices: frozenset[str] = frozenset()
    rdma: frozenset[str] = frozenset()
    driven: frozenset[str] = frozenset()
    """GPUs that the driver has had."""
    active: frozenset[str] = frozenset()
    """Ports that have had a link."""
    lines: tuple[Line, ...] = ()
    since: float = 0.0
    """Lines of the log from before do not count: the node was in maintenance."""


def learn(known: Known, reading: Reading) -> Known:
    """``known`` after one more reading. It grows with the node's devices alone."""
    seen = reading.devices.values()
    merged = {(line.kind, line.address, line.detail): line for line in known.lines}
    for line in reading.lines:
        merged.pop(key := (line.kind, line.address, line.detail), None)
        merged[key] = line
    driven = {each.address for each in seen if each.gpu and each.driver == "nvidia" and reading.driver}
    return Known(
        devices=known.devices | {each.address for each in seen if each.answers},
        rdma=known.rdma | {each.address for each in seen if each.rdma},
        driven=known.driven | driven,
        active=known.active | {key for key, port in reading.ports.items() if port.active},
        lines=tuple(sorted(merged.values(), key=lambda line: line.at))[-MOST_LINES:],
        since=known.since,
    )


def after_maintenance(now: float) -> Known:
    """What was there may have been exchanged, and what the kernel said meanwhile was meant."""
    return Known(since=now)


def recent(readings: Sequence[Reading]) -> list[Reading]:
    """The readings within the window."""
    return [each for each in readings if readings[-1].at - each.at <= WINDOW_SECONDS]


def findings(readings: Sequence[Reading], expected: Expected, known: Known) -> list[Finding]:
    """All faults that the readings show, the last of which is now."""
    if not readings:
        return []
    found = [
        *_said(expected, known),
        *_lost(readings, expected, known),
        *_narrow(readings),
        *_without_rdma(readings, expected, known),
        *_links(readings, expected, known),
        *_counted(readings, expected),
        *_undriven(readings, known),
        *_firmware(readings[-1]),
    ]
    return sorted(set(found))


def _lasting(readings: Sequence[Reading], seconds: float, holds: Callable[[Reading], bool]) -> bool:
    """Whether something held at every look of the last ``seconds``, and looks go back as far."""
    now = readings[-1].at
    return now - readings[0].at >= seconds and all(holds(each) for each in readings if now - each.at <= seconds)


def _said(expected: Expected, known: Known) -> Iterator[Finding]:
    """The faults that the kernel's log tells."""
    loaded = next((line.at for line in known.lines if line.kind == "loaded"), 0.0)
    recovered = {line.address: line.at for line in known.lines if line.kind == "recovery" and not line.fatal}
    mended = {line.address: line.at for line in known.lines if line.kind == "nic" and not line.fatal}
    actions = {line.address: line for line in known.lines if line.kind == "recovery"}
    for line in known.lines:
        if line.at < known.since:
            continue
        if line.kind == "nic" and line.fatal and line.at >= mended.get(line.address, 0.0):
            yield Finding("NicLost", "FirmwareSilent", line.address, line.detail)
        if line.at < loaded:
            continue
        if line.kind == "xid" and line.at >= recovered.get(line.address, 0.0):
            condition = expected.xids.get(line.detail) or (line.fatal and expected.xids.get(f"{line.detail}!"))
            if condition:
                yield Finding(condition, f"Xid{line.detail}", line.address, f"XID {line.detail}")
        elif line.kind == "recovery" and line.fatal and line is actions[line.address]:
            yield Finding("GpuError", "RecoveryAction", line.address, f"the driver asks for: {line.detail}")
        elif line.kind == "sxid":
            yield Finding("NvlinkDown", f"SXid{line.detail}", line.address, f"NVSwitch: SXid {line.detail}")


def _lost(readings: Sequence[Reading], expected: Expected, known: Known) -> Iterator[Finding]:
    now, last = readings[-1], readings[-LOOKS:]
    kinds = {address: device for each in readings for address, device in each.devices.items()}
    for address in known.devices:
        if len(last) == LOOKS and not any(_answers(each, address) for each in last):
            condition = "GpuLost" if address in kinds and kinds[address].gpu else "NicLost"
            yield Finding(condition, "GoneFromBus", address, "does not answer on the PCI bus")
    wanted = (("GpuLost", "GPUs", True, expected.gpus), ("NicLost", "NICs", False, expected.nics))
    for condition, noun, gpu, most in wanted:
        if most and _lasting(readings, LASTING_SECONDS, lambda each, of=gpu, most=most: _count(each, of) < most):
            yield Finding(condition, "Missing", "", f"{_count(now, gpu)} of {most} {noun} are there")


def _answers(reading: Reading, address: str) -> bool:
    return address in reading.devices and reading.devices[address].answers


def _count(reading: Reading, gpu: bool) -> int:
    return sum(each.gpu is gpu and each.answers for each in reading.devices.values())


def _narrow(readings: Sequence[Reading]) -> Iterator[Finding]:
    for address, device in readings[-1].devices.items():
        if _lasting(readings, LASTING_SECONDS, lambda each, of=address: _is_narrow(each, of)):
            text = f"{device.width} of {device.most_width} PCIe lanes"
            yield Finding("PcieDegraded", "FewerLanes", address, text)


def _is_narrow(reading: Reading, address: str) -> bool:
    device = reading.devices.get(address)
    if device is None or not 0 < device.width < device.most_width:
        return False
    alike = [each for each in reading.devices.values() if each.kind == device.kind and each.width]
    return 2 * sum(each.width == each.most_width for each in alike) > len(alike)


def _without_rdma(readings: Sequence[Reading], expected: Expected, known: Known) -> Iterator[Finding]:
    if not expected.on_host:
        return
    for of in known.rdma:
        if _lasting(readings, LASTING_SECONDS, lambda each, of=of: _answers(each, of) and not each.devices[of].rdma):
            yield Finding("RdmaDeviceLost", "NoRdmaDevice", of, "has no RDMA device")


def _links(readings: Sequence[Reading], expected: Expected, known: Known) -> Iterator[Finding]:
    for key, port in readings[-1].ports.items():
        if key not in known.active and port.name not in expected.rails:
            continue
        if _lasting(readings, LINK_SECONDS, lambda each, of=key: of in each.ports and not each.ports[of].active):
            yield Finding("NicLinkDown", "NoLink", port.address, f"{port.name} has no link")
        states = [each.ports[key].active for each in readings if key in each.ports]
        changes = sum(one is not other for one, other in pairwise(states))
        if changes >= CHANGES or _increase(readings, key, "link_downed", WINDOW_SECONDS) >= LOSSES:
            yield Finding("NicLinkFlapping", "LinkFlaps", port.address, f"{port.name} lost its link again and again")


def _counted(readings: Sequence[Reading], expected: Expected) -> Iterator[Finding]:
    for key, port in readings[-1].ports.items():
        for counter, most, seconds, condition in expected.limits:
            if _increase(readings, key, counter, seconds) > most:
                text = f"{counter} of {port.name} rose by more than {most} within {seconds // 60} min"
                yield Finding(condition, "CounterRose", port.address, text)


def _increase(readings: Sequence[Reading], key: str, counter: str, seconds: float) -> int:
    """How much a counter rose in the window. A fall means a reset or an overflow and counts as 0."""
    now = readings[-1].at
    ports: list[Port] = [each.ports[key] for each in readings if now - each.at <= seconds and key in each.ports]
    values = [port.counters[counter] for port in ports if counter in port.counters]
    return sum(max(0, later - earlier) for earlier, later in pairwise(values))


def _undriven(readings: Sequence[Reading], known: Known) -> Iterator[Finding]:
    if not known.driven:
        return
    if _lasting(readings, LASTING_SECONDS, lambda each: not each.driver):
        yield Finding("GpuDriverDown", "NotLoaded", "", "NVIDIA's driver is not loaded any more")
        return
    for address in known.driven:

        def unbound(each: Reading, of: str = address) -> bool:
            return _answers(each, of) and not each.devices[of].driver

        if _lasting(readings, LASTING_SECONDS, unbound):
            yield Finding("GpuDriverDown", "NotBound", address, "has no driver any more")


def _firmware(reading: Reading) -> Iterator[Finding]:
    models: dict[tuple[bool, str], list[Device]] = {}
    for device in reading.devices.values():
        if device.model and device.firmware:
            models.setdefault((device.gpu, device.model), []).append(device)
    for (_, model), alike in models.items():
        versions = Counter(device.firmware for device in alike)
        usual = versions.most_common(1)[0][0]
        for device in alike:
            if device.firmware != usual:
                text = f"firmware {device.firmware}, others of {model} have {usual}"
                yield Finding("FirmwareMismatch", "Differs", device.address, text)
