"""What a node shows of its GPUs and NICs at one moment: /sys, /proc and the kernel's log.

Nothing is judged here, and a file that cannot be read is a value that is not known.
"""

import ctypes
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

NETWORK, DISPLAY = "0x02", "0x03"
"""Classes of PCI functions: network controllers, and GPUs among what draws or computes."""
NVIDIA = "0x10de"
MOST_LINES = 512
"""Events that are kept of one kernel log; a flood repeats itself, and each kind counts once a device."""
_MOST_BYTES = 1 << 16
"""The most bytes of a file that is read: an attribute of /sys has a page, what the driver tells of a GPU less."""
_READ_ALL, _SIZE_BUFFER = 3, 10
"""Actions of syslog(2). Neither changes the log."""


@dataclass(frozen=True)
class Device:
    """A GPU or a NIC on the PCI bus."""

    address: str
    kind: str
    """Vendor and number: devices of one kind are alike."""
    gpu: bool
    answers: bool = True
    """Whether its registers can be read; of a dead one every bit is 1."""
    driver: str = ""
    width: int = 0
    """PCIe lanes in use; 0 is not known."""
    most_width: int = 0
    rdma: str = ""
    """Name of its RDMA device."""
    firmware: str = ""
    model: str = ""
    """Devices of one model have one firmware."""


@dataclass(frozen=True)
class Port:
    """A port of an RDMA device."""

    address: str
    """The address of its device on the PCI bus, which stays when names change."""
    name: str
    active: bool
    counters: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """What the kernel said, once for each kind and device."""

    at: float
    """Seconds since the node started, of the last time."""
    kind: str
    """``xid``, ``recovery``, ``sxid``, ``nic`` or ``loaded``."""
    address: str
    detail: str
    """The number of an XID, the action of a recovery, or the text."""
    fatal: bool = False


@dataclass(frozen=True)
class Reading:
    """One look at a node."""

    at: float
    """Seconds, of a clock that only goes forward."""
    devices: dict[str, Device]
    """The devices by address."""
    ports: dict[str, Port]
    """The ports by address and number."""
    driver: str
    """Version of NVIDIA's driver; empty while it is not loaded."""
    lines: tuple[Line, ...]
    log_open: bool
    """Whether the kernel's log could be read."""


_XID = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]+)\): (\d+)\b(.*)")
_ACTION = re.compile(r"changed from .* to 0x[0-9a-fA-F]+ \((.*)\)")
_SXID = re.compile(r"SXid \(PCI:([0-9a-fA-F:.]+)\): (\d+), Fatal")
_LOADED = re.compile(r"NVRM: loading NVIDIA UNIX")
# Prefixes and texts: torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/health.c, drivers/infiniband/hw/efa/
# efa_com.c; collected in NVSentinel@cb777dd health-monitors/syslog-health-monitor/pkg/nicdriver/config.go.
_MLX5_SAYS = "unrecoverable hardware error|device's health compromised|health recovery succeeded"
_MLX5 = re.compile(rf"mlx5_core ([0-9a-fA-F:.]+):.*({_MLX5_SAYS})")
_EFA = re.compile(
    r"(?:efa|infiniband) ([0-9a-fA-F]{4}:[0-9a-fA-F:.]+|rdmap\w+|efa_\w+):.*"
    r"(Admin queue is closed|The device didn't send any completion for admin cmd)"
)
_AT = re.compile(r"^(?:<\d+>)?\[\s*(\d+\.\d+)\]")


def kernel_log() -> str | None:
    """The kernel's ring buffer by syslog(2), which takes CAP_SYSLOG and no device of the host."""
    libc = ctypes.CDLL(None)
    size = libc.klogctl(_SIZE_BUFFER, None, 0)
    if size <= 0:
        return None
    buffer = ctypes.create_string_buffer(size)
    read = libc.klogctl(_READ_ALL, buffer, size)
    return None if read < 0 else buffer.raw[:read].decode(errors="replace")


def lines(log: str) -> tuple[Line, ...]:
    """What counts in the log: the last of each kind, device and detail, and no more than ``MOST_LINES``."""
    found: dict[tuple[str, str, str], Line] = {}
    for text in log.splitlines():
        if (line := _line(text)) is not None:
            found.pop(key := (line.kind, line.address, line.detail if line.kind == "xid" else ""), None)
            found[key] = line
    return tuple(found.values())[-MOST_LINES:]


def _line(text: str) -> Line | None:
    stamp = _AT.match(text)
    at = float(stamp[1]) if stamp else 0.0
    if xid := _XID.search(text):
        address, code, rest = xid.groups()
        if code == "154" and (action := _ACTION.search(rest)):
            return Line(at, "recovery", _function(address), action[1], action[1] != "None")
        return Line(at, "xid", _function(address), code, re.search(r"\bFatal\b", rest) is not None)
    if sxid := _SXID.search(text):
        return Line(at, "sxid", sxid[1], sxid[2], True)
    if _LOADED.search(text):
        return Line(at, "loaded", "", "")
    if (nic := _MLX5.search(text) or _EFA.search(text)) is not None:
        return Line(at, "nic", nic[1].lower(), nic[2], nic[2] != "health recovery succeeded")
    return None


def _function(address: str) -> str:
    """``0000:05:00`` of NVIDIA's lines as the bus writes it."""
    return (address if address.count(".") else f"{address}.0").lower()


@dataclass(frozen=True)
class Host:
    """Where a node's files are, and what is looked for among them."""

    nics: tuple[tuple[str, str], ...]
    """Vendor and beginning of the number of what counts as a NIC."""
    counters: frozenset[str]
    """Names of the counters that somebody judges."""
    sys: Path = Path("/sys")
    proc: Path = Path("/proc")
    log: Callable[[], str | None] = kernel_log


def read(at: float, host: Host) -> Reading:
    """One look at a node."""
    text, proc = host.log(), host.proc
    devices = {each.address: each for each in _devices(host.nics, host.sys, proc)}
    ports = dict(_ports(devices, host))
    return Reading(at, devices, ports, _driver(proc), lines(text or ""), log_open=text is not None)


def _devices(nics: tuple[tuple[str, str], ...], sys: Path, proc: Path) -> Iterator[Device]:
    for folder in sorted(_children(sys / "bus/pci/devices")):
        vendor, number, kind = (_text(folder / name) for name in ("vendor", "device", "class"))
        gpu = vendor == NVIDIA and kind.startswith(DISPLAY)
        nic = kind.startswith(NETWORK) and any(vendor == of and number.startswith(first) for of, first in nics)
        # A virtual function beside its physical one is another view of the same port.
        if not (gpu or nic) or (folder / "physfn").exists():
            continue
        rdma = next((each.name for each in sorted(_children(folder / "infiniband"))), "")
        firmware, model = (
            _gpu_firmware(proc / "driver/nvidia/gpus" / folder.name / "information")
            if gpu
            else (_text(folder / "infiniband" / rdma / "fw_ver"), _text(folder / "infiniband" / rdma / "board_id"))
        )
        answers, driver = _answers(folder / "config"), _link(folder / "driver")
        width, most_width = (_number(folder / name) for name in ("current_link_width", "max_link_width"))
        kind = f"{vendor}:{number}"
        yield Device(folder.name, kind, gpu, answers, driver, width, most_width, rdma, firmware, model)


def _ports(devices: dict[str, Device], host: Host) -> Iterator[tuple[str, Port]]:
    for device in devices.values():
        if not device.rdma:
            continue
        of = host.sys / "bus/pci/devices" / device.address / "infiniband" / device.rdma
        for folder in sorted(_children(of / "ports")):
            counters = {
                name: value
                for group in ("counters", "hw_counters")
                for name in sorted(host.counters.intersection(_names(folder / group)))
                if (value := _count(folder / group / name)) is not None
            }
            active = _text(folder / "state").partition(":")[0] == "4"
            yield f"{device.address}/{folder.name}", Port(device.address, device.rdma, active, counters)


def _driver(proc: Path) -> str:
    words = re.search(r"\b\d+\.\d+(?:\.\d+)?\b", _text(proc / "driver/nvidia/version"))
    return words[0] if words else ""


def _gpu_firmware(file: Path) -> tuple[str, str]:
    """Firmware and model as the driver tells them; question marks while it has not asked the GPU yet."""
    told = dict(re.findall(r"^([A-Za-z ]+?):\s+(.*?)\s*$", _text(file), re.MULTILINE))
    bios = told.get("Video BIOS", "")
    return ("" if "?" in bios else bios), told.get("Model", "")


def _answers(config: Path) -> bool:
    try:
        with config.open("rb") as file:
            return file.read(4) != b"\xff\xff\xff\xff"
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _children(folder: Path) -> list[Path]:
    return [folder / name for name in _names(folder)]


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _link(path: Path) -> str:
    try:
        return path.readlink().name
    except OSError:
        return ""


def _text(file: Path) -> str:
    """What a small file says. By its number, which takes a third of the time: a look reads hundreds, for ever."""
    try:
        number = os.open(file, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(number, _MOST_BYTES).decode(errors="replace").strip()
    except OSError:
        return ""
    finally:
        os.close(number)


def _count(file: Path) -> int | None:
    text = _text(file)
    return int(text) if text.isdecimal() else None


def _number(file: Path) -> int:
    """Lanes; 0 for what is not known, as 255 of a device that does not answer."""
    text = _text(file)
    return int(text) if text.isdecimal() and int(text) < 64 else 0
