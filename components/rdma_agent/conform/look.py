"""Tells what a node's PCI bus holds: GPUs, NICs, their roots, NUMA nodes, names, MTUs, rates, firmware.

Runs in a pod that may do nothing else: it reads /sys of the host, and what every container sees of /proc, and prints
JSON. Standard library of Python 3.10 and above, nothing else of this package. ``rdma-cluster conform`` starts it and
reads what it prints; addresses and ids of the owner are not asked for.
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GPU_VENDORS = ("0x10de", "0x1002")
WORDS = ("iommu", "intel_iommu", "amd_iommu", "pci")
SETTINGS = {"numa_balancing": "sys/kernel/numa_balancing", "nr_hugepages": "sys/vm/nr_hugepages"}


def text(path: Path) -> str:
    """A file's content; empty where it cannot be read, as the speed of a link that is down."""
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def names(path: Path) -> list[str]:
    """What a folder holds; nothing where there is none."""
    return sorted(each.name for each in path.iterdir()) if path.is_dir() else []


def look(sys: Path, proc: Path) -> dict[str, Any]:
    """Everything, from the host's ``sys`` and from ``proc``."""
    devices = sorted((sys / "bus/pci/devices").glob("*"))
    seen: dict[str, Any] = {
        "gpus": [gpu(each, proc) for each in devices if is_gpu(each)],
        "nics": [nic for each in devices if text(each / "class").startswith("0x02") for nic in nics(each)],
        "parameters": dict(parameters(proc)),
    }
    version = re.search(r"\b(\d{3}\.\d+(?:\.\d+)?)\b", text(proc / "driver/nvidia/version"))
    return seen | ({"driver": version[1]} if version else {})


def is_gpu(device: Path) -> bool:
    """A 3D or display controller of a maker of GPUs."""
    return text(device / "class").startswith(("0x0302", "0x0300")) and text(device / "vendor") in GPU_VENDORS


def place(device: Path) -> dict[str, Any]:
    """Where a device hangs: its address, the root of its bus, its NUMA node."""
    found: dict[str, Any] = {"pci": device.name}
    root = re.search(r"/(pci[0-9a-f]{4,}:[0-9a-f]{2})/", f"{device.resolve()}/")
    if root:
        found["root"] = root[1]
    numa = text(device / "numa_node")
    return found | ({"numa": int(numa)} if numa.isdigit() else {})


def gpu(device: Path, proc: Path) -> dict[str, Any]:
    """A GPU, with the model that NVIDIA's driver tells."""
    told = re.search(r"Model:\s*(.+)", text(proc / "driver/nvidia/gpus" / device.name / "information"))
    return place(device) | ({"model": told[1].strip()} if told else {})


def nics(device: Path) -> Iterator[dict[str, Any]]:
    """A network device, once for each of its RDMA devices, or its interfaces where it has none."""
    of_bus = place(device) | {"id": f"{text(device / 'vendor')[2:]}:{text(device / 'device')[2:]}"}
    interfaces, rdma = names(device / "net"), names(device / "infiniband")
    for i in range(max(len(interfaces), len(rdma), 1)):
        found = dict(of_bus)
        if i < len(interfaces):
            found |= interface(device / "net" / interfaces[i])
        if i < len(rdma):
            found |= rdma_device(device / "infiniband" / rdma[i])
        yield found


def interface(path: Path) -> dict[str, Any]:
    """A network interface: its name, MTU, rate and link."""
    found: dict[str, Any] = {"interface": path.name}
    if (mtu := text(path / "mtu")).isdigit():
        found["mtu_bytes"] = int(mtu)
    if (speed := text(path / "speed")).isdigit() and int(speed) >= 1000:
        found["gbps"] = int(speed) // 1000
    state = text(path / "operstate")
    return found | ({"active": state == "up"} if state in ("up", "down", "lowerlayerdown") else {})


def rdma_device(path: Path) -> dict[str, Any]:
    """An RDMA device: its name, firmware, and its first port's rate and state."""
    found: dict[str, Any] = {"rdma": path.name}
    if firmware := text(path / "fw_ver"):
        found["firmware"] = firmware
    port = path / "ports/1"
    if rate := re.match(r"(\d+)(?:\.\d+)? Gb/sec", text(port / "rate")):
        found["gbps"] = int(rate[1])
    state = text(port / "state")
    return found | ({"active": "ACTIVE" in state} if state else {})


def parameters(proc: Path) -> Iterator[tuple[str, str]]:
    """What the kernel says: the words of its command line that matter to PCI, and a few settings."""
    for word in text(proc / "cmdline").split():
        key, _, value = word.partition("=")
        if key in WORDS and value:
            yield key, value
    for key, path in SETTINGS.items():
        if value := text(proc / path):
            yield key, value


def main() -> None:
    """Print what there is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sys", type=Path, default=Path("/host/sys"))
    parser.add_argument("--proc", type=Path, default=Path("/proc"))
    options = parser.parse_args()
    print(json.dumps(look(options.sys, options.proc)))


if __name__ == "__main__":
    main()
