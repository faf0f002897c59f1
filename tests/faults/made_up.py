"""A made-up node: folders like /sys and /proc, a kernel's log, and a clock that only a test moves."""

import json
import os
import shutil
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

from pulumi_offline.errors import ErrorList
from rdma_agent.faults.conditions import settle
from rdma_agent.faults.readings import Host, Reading, read
from rdma_agent.faults.rules import Expected, Finding, Known, findings, learn, recent
from rdma_cluster.catalog import Transport
from rdma_cluster.incluster.addons.readiness.args import OnFault
from rdma_cluster.incluster.addons.readiness.watcher import plan_watcher
from rdma_cluster.incluster.plan.pool import GpuPool
from rdma_cluster.incluster.plan.resolve import resolve_all
from tests.machines import known_machine

LABEL = "pool"
MACHINES = {
    Transport.GIB: "a4-highgpu-8g",
    Transport.EFA: "p4d.24xlarge",
    Transport.INFINIBAND: "Standard_ND96isr_H100_v5",
    Transport.ROCE: "BM.GPU.H100.8",
    Transport.TCPX: "a3-highgpu-8g",
    Transport.TCPXO: "a3-megagpu-8g",
}
"""One machine of each fabric."""
_NICS = {
    Transport.EFA: ("0x1d0f", "0xefa1", "efa", "rdmap{}s27"),
    Transport.TCPX: ("0x1ae0", "0x0042", "gvnic", ""),
    Transport.TCPXO: ("0x1ae0", "0x0042", "gvnic", ""),
}
_CONNECTX = ("0x15b3", "0x101e", "mlx5_core", "mlx5_{}")
EVERY = 60


def pools(*machines: str) -> list[GpuPool]:
    """Pools of these machines, each named after its own."""
    given: list[Any] = [{"name": name.lower(), "machine": name, "nodes": 2} for name in machines]
    return resolve_all(given, ErrorList())


def config_of(machine: str, on_fault: OnFault = OnFault.OBSERVE, evict: bool = False) -> dict[str, Any]:
    """The configuration that the plan writes for nodes of a machine."""
    plan = plan_watcher(pools(machine), LABEL, on_fault, evict, "example.com/python", [machine.lower()])
    return json.loads(plan.files["faults.json"])


class Node:
    """A sound node of a fabric, until a test breaks it."""

    def __init__(self, folder: Path, transport: Transport):
        machine = known_machine(MACHINES[transport])
        self.machine, self.transport, self.folder = machine, transport, folder
        self.config = config_of(machine.name)
        self.pool = self.config["pools"][machine.name.lower()]
        self.expected = Expected.of(self.pool["expected"])
        self.now, self.text = 1000.0, ""
        self.readings: list[Reading] = []
        self.known, self.active = Known(), dict[Finding, float]()
        for index in range(machine.gpus):
            self.add_gpu(index)
        for index in range(machine.nics + (transport in (Transport.TCPX, Transport.TCPXO))):
            self.add_nic(index)
        self.write(
            "proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.126.20  Release"
        )

    def copied(self, folder: Path) -> "Node":
        """The same node as it is now, for one test: its files in another folder, and what was seen of it."""
        shutil.copytree(self.folder, folder, symlinks=True)
        other = copy(self)
        other.folder, other.readings, other.active = folder, [*self.readings], dict(self.active)
        return other

    def write(self, path: str, text: str) -> None:
        """A file of the node."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")

    def gpu(self, index: int) -> str:
        """Its address."""
        return f"0000:{0x10 + index:02x}:00.0"

    def nic(self, index: int) -> str:
        """Its address."""
        return f"0000:{0x80 + index:02x}:00.0"

    def pci(self, address: str) -> Path:
        """The folder of a device."""
        return self.folder / "sys/bus/pci/devices" / address

    def _add(self, address: str, vendor: str, number: str, kind: str, driver: str) -> None:
        base = f"sys/bus/pci/devices/{address}"
        files = {"vendor": vendor, "device": number, "class": kind, "current_link_width": "16", "max_link_width": "16"}
        for name, text in files.items():
            self.write(f"{base}/{name}", text)
        (self.pci(address) / "config").write_bytes(bytes.fromhex(vendor[4:6] + vendor[2:4]) + b"\x00" * 62)
        self.bind(address, driver)

    def bind(self, address: str, driver: str) -> None:
        """Give a device a driver, or none."""
        link = self.pci(address) / "driver"
        link.unlink(missing_ok=True)
        if driver:
            link.symlink_to(f"../../../../bus/pci/drivers/{driver}")

    def add_gpu(self, index: int) -> None:
        """A GPU that works."""
        address = self.gpu(index)
        self._add(address, "0x10de", "0x2330", "0x030200", "nvidia")
        told = "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 18\nVideo BIOS: \t 96.00.89.00.01\nGPU Firmware: "
        "\t 580.126.20"
        self.write(f"proc/driver/nvidia/gpus/{address}/information", told)

    def add_nic(self, index: int, name: str | None = None) -> None:
        """A NIC that works."""
        vendor, number, driver, pattern = _NICS.get(self.transport, _CONNECTX)
        self._add(self.nic(index), vendor, number, "0x020000", driver)
        if pattern:
            rails = self.machine.rdma_names if self.transport is not Transport.EFA else None
            self.add_rdma(index, name or (rails[index] if rails else pattern.format(index)))

    def rdma(self, index: int) -> Path:
        """The folder of a NIC's RDMA device."""
        (found,) = (self.pci(self.nic(index)) / "infiniband").iterdir()
        return found

    def add_rdma(self, index: int, name: str) -> None:
        """An RDMA device of a NIC, whose port has a link."""
        base = f"sys/bus/pci/devices/{self.nic(index)}/infiniband/{name}"
        # The last three for exporters, which read them.
        port = {
            "state": "4: ACTIVE",
            "phys_state": "5: LinkUp",
            "rate": "400 Gb/sec (4X NDR)",
            "link_layer": "Ethernet",
        }
        for file, text in port.items():
            self.write(f"{base}/ports/1/{file}", text)
        self.write(f"{base}/fw_ver", "28.43.2026")
        if self.transport is Transport.EFA:
            counters = {f"hw_counters/{counter}": "0" for counter, *_ in self.expected.limits}
        else:
            self.write(f"{base}/board_id", "MT_0000000838")
            counters = {f"counters/{name}": "0" for name in ("link_downed", "symbol_error", "port_rcv_errors")}
            counters["hw_counters/local_ack_timeout_err"] = "0"
        for file, value in counters.items():
            self.write(f"{base}/ports/1/{file}", value)
        link = self.folder / "sys/class/infiniband" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(self.folder / base, link.parent))

    def rename(self, index: int, name: str) -> None:
        """Give a NIC's RDMA device another name."""
        self.rdma(index).rename(self.rdma(index).with_name(name))

    def state(self, index: int, text: str) -> None:
        """The state of a NIC's port."""
        (self.rdma(index) / "ports/1/state").write_text(f"{text}\n")

    def count(self, index: int, counter: str, value: int) -> None:
        """Sets a counter of a NIC's port."""
        group = "hw_counters" if (self.rdma(index) / "ports/1/hw_counters" / counter).exists() else "counters"
        (self.rdma(index) / "ports/1" / group / counter).write_text(f"{value}\n")

    def drop(self, address: str) -> None:
        """Take a device off the bus."""
        shutil.rmtree(self.pci(address))

    def say(self, text: str) -> None:
        """A line of the kernel's."""
        self.text += f"[{self.now:12.6f}] {text}\n"

    def host(self) -> Host:
        """Where the node is, for whoever reads it."""
        counters = frozenset({"link_downed", *(counter for counter, *_ in self.expected.limits)})
        nics = tuple((vendor, first) for vendor, first in self.pool["nics"])
        return Host(nics, counters, self.folder / "sys", self.folder / "proc", lambda: self.text)

    def look(self) -> list[Finding]:
        """One look, and what it finds."""
        reading = read(self.now, self.host())
        self.known = learn(self.known, reading)
        self.readings = recent([*self.readings, reading])
        found = findings(self.readings, self.expected, self.known)
        self.active = settle(self.active, found, self.now)
        return found

    def looks(self, seconds: float) -> Iterator[list[Finding]]:
        """A look each minute, for a while."""
        end = self.now + seconds
        while self.now < end:
            self.now += EVERY
            yield self.look()

    def after(self, seconds: float) -> set[str]:
        """Conditions that hold after a while."""
        list(self.looks(seconds))
        return {finding.condition for finding in self.active}

    def ever(self, seconds: float) -> set[str]:
        """Conditions that held at any time."""
        return {finding.condition for found in self.looks(seconds) for finding in found}
