"""What one look reads of a node, in full: lines of the kernel, devices, ports, and what cannot be read."""

import ctypes
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_agent.faults import readings as fault_readings
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
            "[9.0] NVRM: Xid (PCI:0009:01:00): 154, action changed from 0x0 (None) to 0x4 (Drain and Reset)",
            Line(9.0, "recovery", "0009:01:00.0", "Drain and Reset", True),
        ),
        (
            "[9.0] NVRM: Xid (PCI:0009:01:00): 154, action changed from 0x1 (GPU Reset Required) to 0x0 (None)",
            Line(9.0, "recovery", "0009:01:00.0", "None"),
        ),
        ("[9.0] NVRM: Xid (PCI:0009:01:00): 154, something else", Line(9.0, "xid", "0009:01:00.0", "154")),
        (
            "[9.0] NVRM: Xid (PCI:0009:01:00): 79, action changed from 0x0 (None) to 0x4 (Drain)",
            Line(9.0, "xid", "0009:01:00.0", "79"),
        ),
        (
            "[9.0] nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 24007, Fatal, Link 28",
            Line(9.0, "sxid", "0000:c3:00.0", "24007", True),
        ),
        ("[9.0] nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Non-fatal, Link 4", None),
        ("[9.0] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64", Line(9.0, "loaded", "", "")),
        (
            "[9.0] mlx5_core 0000:8A:00.0: device's health compromised - reached miss count",
            Line(9.0, "nic", "0000:8a:00.0", "device's health compromised", True),
        ),
        (
            "[9.0] mlx5_core 0000:8a:00.0: health recovery succeeded",
            Line(9.0, "nic", "0000:8a:00.0", "health recovery succeeded"),
        ),
        (
            "[9.0] infiniband rdmap79s0: Admin queue is closed",
            Line(9.0, "nic", "rdmap79s0", "Admin queue is closed", True),
        ),
        ("[9.0] eth0: link is down", None),
    ],
)
def test_a_line_of_the_kernel(text: str, line: Line | None):
    """When it was said, of which device as the bus writes it, and whether it is fatal."""
    assert lines(f"something else\n{text}\n") == (() if line is None else (line,))


def test_the_last_of_each_kind_counts():
    """XIDs by their number, all else by its device; in the order in which each was said last."""
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
    """Each of another number."""
    log = "".join(f"[{code}.0] NVRM: Xid (PCI:0000:10:00): {code}\n" for code in range(1000, 1000 + MOST_LINES + 2))
    kept = lines(log)

    assert (len(kept), kept[0].at, kept[-1].at) == (MOST_LINES, 1002.0, 1001.0 + MOST_LINES)


@pytest.mark.parametrize(
    ("size", "raw", "text"),
    [
        (0, b"", None),
        (-1, b"", None),
        (1, b"a", "a"),
        (9, b"", ""),
        (9, None, None),
        (9, b"said\xff\n", "said\ufffd\n"),
    ],
)
def test_the_kernels_log(monkeypatch: pytest.MonkeyPatch, size: int, raw: bytes | None, text: str | None):
    """As syslog(2) has it: 10 tells its size, 3 reads it; without the right to that there is none."""

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
    """Files with a line each; ``__`` stands for a slash."""
    for name, text in files.items():
        file = folder / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """With a GPU and a NIC of two ports."""
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
    """At the node."""
    return read(5.0, Host(NICS, COUNTERS, node / "sys", node / "proc", lambda: log))


def test_a_whole_reading(node: Path):
    """A dead GPU, since each bit of it is 1, and a NIC whose second port is down; what is no number is not known."""
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


@pytest.mark.parametrize("backwards", [False, True])
def test_the_order_of_folders_changes_nothing(node: Path, monkeypatch: pytest.MonkeyPatch, backwards: bool):
    """A kernel lists them in whatever order."""
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: sorted(listed(folder), reverse=backwards))
    reading = look(node)

    assert [(each.address, each.rdma) for each in reading.devices.values()] == [
        ("0000:10:00.0", ""),
        ("0000:80:00.0", "mlx5_0"),
    ]
    assert list(reading.ports) == ["0000:80:00.0/1", "0000:80:00.0/2"]
    assert list(reading.ports["0000:80:00.0/1"].counters) == ["link_downed", "local_ack_timeout_err"]


def test_what_cannot_be_read_is_not_known(node: Path):
    """No log, no driver, a GPU of which the driver knows nothing yet, widths that are none."""
    written(node / "proc/driver/nvidia", version="none")
    written(node / "proc/driver/nvidia/gpus/0000:10:00.0", information="Model: NVIDIA H100\nVideo BIOS: ??.??.??")
    written(node / "sys/bus/pci/devices/0000:10:00.0", current_link_width="64", max_link_width="Unknown")
    (node / "sys/bus/pci/devices/0000:10:00.0/config").unlink()
    reading = look(node, None)
    gpu = reading.devices["0000:10:00.0"]

    assert (reading.driver, reading.log_open, reading.lines) == ("", False, ())
    assert (gpu.width, gpu.most_width, gpu.firmware, gpu.model, gpu.answers) == (0, 0, "", "NVIDIA H100", True)


def test_a_device_whose_registers_cannot_be_read(node: Path, monkeypatch: pytest.MonkeyPatch):
    """It does not answer: other errors than that there is no such file."""
    config = node / "sys/bus/pci/devices/0000:80:00.0/config"
    config.unlink()
    config.mkdir()

    assert not look(node).devices["0000:80:00.0"].answers


def test_what_is_no_text_is_read(node: Path):
    """Of firmware that says anything."""
    (node / "sys/bus/pci/devices/0000:80:00.0/infiniband/mlx5_0/fw_ver").write_bytes(b"28\xff\n")

    assert look(node).devices["0000:80:00.0"].firmware == "28\ufffd"


def test_files_are_closed(node: Path):
    """A look reads hundreds, for ever; a folder in the place of a file says nothing."""
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("no list of open files: run on Linux")
    (node / "sys/bus/pci/devices/0000:10:00.0/max_link_width").unlink()
    (node / "sys/bus/pci/devices/0000:10:00.0/max_link_width").mkdir()
    before = len(list(folder.iterdir()))
    assert look(node).devices["0000:10:00.0"].most_width == 0

    assert len(list(folder.iterdir())) == before


def test_no_folder_is_no_device(tmp_path: Path):
    """A machine without a PCI bus."""
    reading = look(tmp_path)

    assert (reading.devices, reading.ports, reading.driver) == ({}, {}, "")
    assert fault_readings._children(tmp_path / "none") == []
