"""What one look reads of a node, in full: lines of the kernel, devices, ports, and what cannot be read."""

import ctypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_agent.faults.readings import MOST_LINES, Device, Host, Line, Port, kernel_log, lines, read

NICS = (("0x1d0f", "0xefa"), ("0x15b3", "0x10"))
COUNTERS = frozenset({"link_downed", "local_ack_timeout_err", "not_there"})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[ 12.500000] NVRM: Xid (PCI:0000:05:00): 79, pid=1, GPU has fallen", Line(12.5, "xid", "0000:05:00.0", "79")),
        ("NVRM: Xid (0000:AB:00.0): 48", Line(0.0, "xid", "0000:ab:00.0", "48")),
        ("<3>[7.25] NVRM: Xid (PCI:0009:01:00): 149, X Fatal XC0", Line(7.25, "xid", "0009:01:00.0", "149", True)),
        ("[7.25] NVRM: Xid (PCI:0009:01:00): 145, X Nonfatal XC0", Line(7.25, "xid", "0009:01:00.0", "145")),
        (
            "[9.0] mlx5_core 0000:8A:00.0: device's health compromised - reached miss count",
            Line(9.0, "nic", "0000:8a:00.0", "device's health compromised", True),
        ),
    ],
)
def test_a_line_of_the_kernel_has_its_time_and_its_device(text: str, line: Line):
    """The device is written as the bus writes it; tests/faults/test_lines.py has published lines."""
    assert lines(f"something else\n{text}\n") == (line,)


def test_the_last_of_each_kind_counts():
    """XIDs count by their number and all else by its device, in the order in which each was said last."""
    said = [("1.0", "10", 79), ("2.0", "10", 48), ("3.0", "20", 79), ("4.0", "10", 79)]
    log = "".join(f"[{at}] NVRM: Xid (PCI:0000:{bus}:00): {code}\n" for at, bus, code in said)
    actions = ("(None) to 0x1 (GPU Reset)", "(GPU Reset) to 0x0 (None)")
    log += "".join(f"[5.0] NVRM: Xid (PCI:0000:10:00): 154, action changed from 0x0 {each}\n" for each in actions)

    found = [(each.at, each.kind, each.address, each.detail) for each in lines(log)]
    assert found == [
        (2.0, "xid", "0000:10:00.0", "48"),
        (3.0, "xid", "0000:20:00.0", "79"),
        (4.0, "xid", "0000:10:00.0", "79"),
        (5.0, "recovery", "0000:10:00.0", "None"),
    ]


def test_of_a_flood_the_newest_lines_are_kept():
    log = "".join(f"[{code}.0] NVRM: Xid (PCI:0000:10:00): {code}\n" for code in range(1000, 1000 + MOST_LINES + 2))
    kept = lines(log)

    assert (len(kept), kept[0].at, kept[-1].at) == (MOST_LINES, 1002.0, 1001.0 + MOST_LINES)


@pytest.mark.parametrize(
    ("size", "raw", "text"),
    [(0, b"", None), (1, b"a", "a"), (9, b"", ""), (9, None, None), (9, b"said\xff\n", "said\ufffd\n")],
)
def test_the_kernels_log_is_read_by_syslog(
    monkeypatch: pytest.MonkeyPatch, size: int, raw: bytes | None, text: str | None
):
    """Action 10 tells its size and 3 reads it; without the right to that there is no log."""

    def klogctl(action: int, buffer: Any, length: int) -> int:
        if action == 10:
            return size
        assert (action, length, len(buffer)) == (3, size, size)
        if raw is None:
            return -1
        buffer[: len(raw)] = raw
        return len(raw)

    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(klogctl=klogctl))

    assert kernel_log() == text


def written(folder: Path, **files: str) -> None:
    """Writes files with a line each; ``__`` stands for a slash."""
    for name, text in files.items():
        file = folder / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A node with a GPU and a NIC of two ports."""
    bus, told = tmp_path / "sys/bus/pci/devices", "Model: \t\t NVIDIA H100\nVideo BIOS: \t 96.00.1  \nIRQ: 18"
    gpu, nic = bus / "0000:10:00.0", bus / "0000:80:00.0"
    written(gpu, vendor="0x10de", device="0x2330", current_link_width="8", max_link_width="16")
    written(nic, vendor="0x15b3", device="0x1021", current_link_width="255", max_link_width="63")
    written(gpu, **{"class": "0x030200"})
    written(nic, **{"class": "0x020700"})
    (gpu / "driver").symlink_to("../../../bus/pci/drivers/nvidia")
    (gpu / "config").write_bytes(b"\xff\xff\xff\xff")
    (nic / "config").write_bytes(b"\xff\xff\xff\x00")
    written(tmp_path / "proc/driver/nvidia", version="NVRM version: NVIDIA UNIX  580.126.20  Release 12.5")
    written(tmp_path / "proc/driver/nvidia/gpus/0000:10:00.0", information=told)
    written(nic / "infiniband/mlx5_1", fw_ver="28.43", board_id="another")
    written(nic / "infiniband/mlx5_0", fw_ver="28.43.2026", board_id="MT_0838")
    ports = nic / "infiniband/mlx5_0/ports"
    written(ports / "2", state="1: DOWN", counters__link_downed="many")
    written(ports / "1", state="4: ACTIVE", counters__link_downed="7", counters__other="9")
    written(ports / "1", hw_counters__local_ack_timeout_err="12")
    return tmp_path


def look(node: Path, log: str | None = "") -> Any:
    """One look at the node."""
    return read(5.0, Host(NICS, COUNTERS, node / "sys", node / "proc", lambda: log))


def test_a_reading_has_devices_ports_and_lines(node: Path):
    """The GPU is dead, since each bit of it is 1; a number that is none is not known."""
    reading = look(node, "[1.0] NVRM: Xid (PCI:0000:10:00): 79\n")

    assert reading.devices == {
        "0000:10:00.0": Device(
            "0000:10:00.0", "0x10de:0x2330", True, False, "nvidia", 8, 16, firmware="96.00.1", model="NVIDIA H100"
        ),
        "0000:80:00.0": Device(
            "0000:80:00.0", "0x15b3:0x1021", False, True, "", 0, 63, "mlx5_0", "28.43.2026", "MT_0838"
        ),
    }
    assert list(reading.ports.items()) == [
        ("0000:80:00.0/1", Port("0000:80:00.0", "mlx5_0", True, {"link_downed": 7, "local_ack_timeout_err": 12})),
        ("0000:80:00.0/2", Port("0000:80:00.0", "mlx5_0", False)),
    ]
    assert (reading.at, reading.driver, reading.log_open) == (5.0, "580.126.20", True)
    assert reading.lines == (Line(1.0, "xid", "0000:10:00.0", "79"),)


def test_what_cannot_be_read_is_not_known(node: Path):
    """There is no log and no driver, the driver has not asked the GPU yet, and the widths are no numbers."""
    written(node / "proc/driver/nvidia", version="none")
    written(node / "proc/driver/nvidia/gpus/0000:10:00.0", information="Model: NVIDIA H100\nVideo BIOS: ??.??.??")
    written(node / "sys/bus/pci/devices/0000:10:00.0", current_link_width="64", max_link_width="Unknown")
    (node / "sys/bus/pci/devices/0000:10:00.0/config").unlink()
    reading = look(node, None)
    gpu = reading.devices["0000:10:00.0"]

    assert (reading.driver, reading.log_open, reading.lines) == ("", False, ())
    assert (gpu.width, gpu.most_width, gpu.firmware, gpu.model, gpu.answers) == (0, 0, "", "NVIDIA H100", True)


def test_a_device_whose_registers_cannot_be_read_does_not_answer(node: Path, monkeypatch: pytest.MonkeyPatch):
    """A file that is not there is no such error."""
    config = node / "sys/bus/pci/devices/0000:80:00.0/config"
    config.unlink()
    config.mkdir()

    assert not look(node).devices["0000:80:00.0"].answers


def test_gpus_and_known_nics_are_found_among_other_devices(tmp_path: Path):
    """A bridge, a NIC of another vendor or number, and a virtual function hide nothing behind them."""
    nvidia, gpu, network = "0x10de", "0x030200", "0x020000"
    bus = {
        "0000:00:01.0": ("0x8086", "0x1234", "0x060400"),
        "0000:04:00.0": (nvidia, "0x2330", gpu),
        "0000:05:00.0": ("0x1af4", "0x1021", network),
        "0000:05:00.1": ("0x15b3", "0xa2d6", network),
        "0000:06:00.0": ("0x15b3", "0x1021", "0x020700"),
        "0000:06:00.1": ("0x15b3", "0x101e", "0x020700"),
        "0000:07:00.0": (nvidia, "0x2330", gpu),
    }
    for address, said in bus.items():
        folder = tmp_path / "sys/bus/pci/devices" / address
        written(folder, **dict(zip(("vendor", "device", "class"), said, strict=True)))
    (tmp_path / "sys/bus/pci/devices/0000:06:00.1/physfn").mkdir()

    found = look(tmp_path).devices
    assert [(each, found[each].gpu) for each in found] == [
        ("0000:04:00.0", True),
        ("0000:06:00.0", False),
        ("0000:07:00.0", True),
    ]
