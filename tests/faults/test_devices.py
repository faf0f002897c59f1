"""The devices of a PCI bus that are watched: GPUs, and the NICs that are named, whatever lies between them."""

from pathlib import Path

from rdma_agent.faults.readings import DISPLAY, NETWORK, NVIDIA, _devices

BRIDGE, MELLANOX = "0x060400", "0x15b3"


def test_gpus_and_nics_among_others(tmp_path: Path):
    """In the order of their addresses: a bridge, a NIC of nobody's, and a virtual function hide nothing behind them."""
    bus = {
        "0000:00:01.0": ("0x8086", "0x1234", BRIDGE),
        "0000:04:00.0": (NVIDIA, "0x2330", f"{DISPLAY}200"),
        "0000:05:00.0": ("0x1af4", "0x1041", f"{NETWORK}000"),
        "0000:05:00.1": (MELLANOX, "0xa2d6", f"{NETWORK}000"),
        "0000:05:00.2": ("0x1af4", "0x1021", f"{NETWORK}000"),
        "0000:06:00.0": (MELLANOX, "0x1021", f"{NETWORK}700"),
        "0000:06:00.1": (MELLANOX, "0x101e", f"{NETWORK}700"),
        "0000:07:00.0": (NVIDIA, "0x2330", f"{DISPLAY}200"),
    }
    for address, said in reversed(bus.items()):
        folder = tmp_path / "bus/pci/devices" / address
        folder.mkdir(parents=True)
        for name, text in zip(("vendor", "device", "class"), said, strict=True):
            (folder / name).write_text(f"{text}\n")
    (tmp_path / "bus/pci/devices/0000:06:00.1/physfn").mkdir()

    found = list(_devices(((MELLANOX, "0x10"),), tmp_path, tmp_path / "proc"))

    assert [(each.address, each.gpu) for each in found] == [
        ("0000:04:00.0", True),
        ("0000:06:00.0", False),
        ("0000:07:00.0", True),
    ]
