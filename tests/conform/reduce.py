"""Reduces a published listing of a node to facts: `python -m tests.conform.reduce KIND FILE...` prints them.

KIND is `hwloc` (lstopo's XML), `nccl` (an NCCL topology file), `slices` (ResourceSlices as YAML) or `topo` (`nvidia-smi
topo -m`). What is printed goes into published.yaml, with its source: addresses, roots, NUMA nodes, names; no words.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from rdma_cluster.claims.target import PCIE_ROOT
from tests import quick_yaml


class Part(NamedTuple):
    """A GPU or NIC of a listing."""

    gpu: bool
    pci: str = "-"
    root: str = "-"
    numa: str = "-"
    rdma: str = "-"
    interface: str = "-"
    mtu: str = "-"


def hwloc(text: str) -> Iterator[Part]:
    """GPUs and RDMA devices of a tree: their host bridges are their roots."""

    def walk(element: ElementTree.Element, root: str, numa: str) -> Iterator[Part]:
        nodes = int(element.get("nodeset", "0x0").split(",")[-1] or "0", 16)
        if nodes and nodes & (nodes - 1) == 0:
            numa = str(nodes.bit_length() - 1)
        if element.get("bridge_type", "").startswith("0-"):
            domain, bus = re.findall(r"[0-9a-f]+", element.get("bridge_pci", ""))[:2]
            root = f"pci{domain}:{bus}"
        kind = element.get("pci_type", "")
        if kind.startswith(("0302 [10de", "0300 [10de")):
            yield Part(True, element.get("pci_busid", "-"), root, numa)
        names = {each.get("osdev_type"): each.get("name", "-") for each in element.findall("object")}
        if kind.startswith("02") and "3" in names:
            yield Part(False, element.get("pci_busid", "-"), root, numa, names["3"], names.get("2", "-"))
        for child in element.findall("object"):
            yield from walk(child, root, numa)

    return walk(ElementTree.fromstring(text), "-", "-")


def nccl(text: str) -> Iterator[Part]:
    """GPUs and NICs of a topology file; the switch below the socket stands for their root, and its name for none."""
    number = 0
    for cpu in ElementTree.fromstring(text).iter("cpu"):
        for switch in cpu.findall("pci"):
            place_of = f"pciffff:{number:02x}", cpu.get("numaid", "-")
            number += 1
            for each in switch.iter("pci"):
                kind, place = each.get("class", ""), (each.get("busid", "-"), *place_of)
                if kind.startswith("0x03"):
                    yield Part(True, *place)
                names = [net.get("name", "-") for net in each.iter("net")]
                if kind.startswith("0x02"):
                    yield Part(False, *place, names[0] if names else "-")


def slices(text: str) -> Iterator[Part]:
    """GPUs and RDMA devices of ResourceSlices."""
    for document in quick_yaml.load_all(text):
        for each in document.get("items", [document]) if document else []:
            driver = each["spec"]["driver"]
            for device in each["spec"]["devices"]:
                told = device.get("attributes") or device["basic"]["attributes"]
                told = {key if "/" in key else f"{driver}/{key}": next(iter(of.values())) for key, of in told.items()}
                root = str(told.get(PCIE_ROOT, "-"))
                if driver.startswith("gpu."):
                    pci = told.get("resource.kubernetes.io/pciBusID") or told.get(f"{driver}/pcieBusID") or "-"
                    yield Part(True, str(pci), root)
                elif told.get("dra.net/rdma"):
                    names = [str(told.get(f"dra.net/{key}", "-")) for key in ("rdmaDevice", "ifName", "mtu")]
                    numa = str(told.get("dra.net/numaNode", "-"))
                    yield Part(False, str(told.get("dra.net/pciAddress", "-")), root, numa, *names)


def topo(text: str) -> Iterator[Part]:
    """GPUs and NICs of a matrix: what a single bridge or several (PIX, PXB) join stand on one root, by number."""
    lines = (line.split() for line in text.splitlines() if re.match(r"\s*(GPU|NIC)\d+\s", line))
    rows = [row for row in lines if not row[1].startswith(("GPU", "NIC"))]
    names = [row[0] for row in rows if len(row) > 2]
    legend = dict(re.findall(r"(NIC\d+):\s*(\S+)", text))
    groups: list[set[str]] = []
    for name, row in zip(names, rows, strict=False):
        near = {name} | {other for other, how in zip(names, row[1:], strict=False) if how in ("PIX", "PXB")}
        groups = [each for each in groups if not each & near] + [near.union(*(each for each in groups if each & near))]
    order = sorted(groups, key=lambda group: min(names.index(each) for each in group))
    for name, row in zip(names, rows, strict=False):
        root = f"pciffff:{next(i for i, group in enumerate(order) if name in group):02x}"
        if name.startswith("GPU"):
            yield Part(True, "-", root, next((cell for cell in row[len(names) + 2 :][:1] if cell.isdigit()), "-"))
        else:
            yield Part(False, "-", root, "-", legend.get(name, "-"))


def facts(parts: list[Part]) -> str:
    """As published.yaml has them: a line a device, GPUs first."""
    lines = [" ".join(part[1:4]) for part in parts if part.gpu]
    lines += ["--", *(" ".join(part[1:]) for part in parts if not part.gpu)]
    return "\n".join(lines)


if __name__ == "__main__":
    read = {"hwloc": hwloc, "nccl": nccl, "slices": slices, "topo": topo}[sys.argv[1]]
    print(facts([part for file in sys.argv[2:] for part in read(Path(file).read_text(encoding="utf-8"))]))
