"""The GPUs and rails of a node, from whoever told of them: a pod that looked, or the DRA drivers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from rdma_agent.names import GPU_DRIVER
from ..catalog import Machine, NicKind
from ..claims.target import NUMA_NODE, PCIE_ROOT
from .snapshot import SeenDevice, SeenGpu, SeenNic, SeenNode, attributes_of

_BUS_ID = "resource.kubernetes.io/pciBusID"
D = TypeVar("D", SeenGpu, SeenNic)


def views(node: SeenNode) -> list[SeenNode]:
    """A node as a pod saw it, and as drivers publish it, where there are both: each is a witness of its own."""
    if "gpus" not in node and "nics" not in node:
        return [node]
    return [node, SeenNode(pool=node["pool"], machine=node["machine"], devices=node.get("devices", []))]


def gpus_of(node: SeenNode) -> list[SeenGpu] | None:
    """The GPUs in bus order; ``None`` where nobody told of any."""
    if "gpus" in node:
        return sorted(node["gpus"], key=lambda gpu: gpu["pci"])
    of_driver = [each for each in node.get("devices", []) if each["driver"] == GPU_DRIVER]
    found = [gpu for each in of_driver if (gpu := _gpu(attributes_of(each))) is not None]
    return found or None


def nics_of(node: SeenNode, machine: Machine) -> list[SeenNic] | None:
    """The network devices that can be rails; ``None`` where nobody told of any."""
    rdma = machine.nic_kind is not NicKind.NETDEV
    if "nics" in node:
        does = [nic for nic in node["nics"] if "rdma" in nic] if rdma else []
        return does or node["nics"]
    published = [each for each in node.get("devices", []) if each["driver"] != GPU_DRIVER]
    found = [_nic(each) for each in published if not rdma or _does_rdma(each)]
    return found or None


def driver_of(node: SeenNode) -> str | None:
    """The version of the kernel's GPU driver, by the kernel or by the DRA driver."""
    devices = (each.get("versions", {}).get(f"{GPU_DRIVER}/driverVersion") for each in node.get("devices", []))
    return node.get("driver") or next((version for version in devices if version), None)


def matched(
    seen: Sequence[D], promised: Sequence[Mapping[str, Any]], others: bool, order: Callable[[D], Any]
) -> list[D | None]:
    """What was seen of each promised device.

    One with more of the promised names and addresses comes before one with fewer; then those that nothing names, in
    ``order``, unless there are ``others`` among them. So a device with another name than promised is told as that.
    """
    left = sorted(seen, key=order)
    found: list[D | None] = [None] * len(promised)
    alike = [
        (-sum(each.get(key) == value for key, value in names.items() if value is not None), i, j)
        for i, names in enumerate(promised)
        for j, each in enumerate(left)
    ]
    taken: set[int] = set()
    for score, i, j in sorted(alike):
        if score and found[i] is None and j not in taken:
            found[i] = left[j]
            taken.add(j)
    left = [each for j, each in enumerate(left) if j not in taken]
    named = any(value is not None for names in promised for value in names.values())
    if not named or (len(seen) >= len(promised) and not others):
        found = [left.pop(0) if each is None and left else each for each in found]
    return found


def _gpu(told: Mapping[str, Any]) -> SeenGpu | None:
    """A whole GPU by its attributes; the parts of one have another type."""
    if told.get(f"{GPU_DRIVER}/type", "gpu") != "gpu":
        return None
    gpu = SeenGpu(pci=told.get(_BUS_ID) or told.get(f"{GPU_DRIVER}/pcieBusID") or "")
    if model := told.get(f"{GPU_DRIVER}/productName"):
        gpu["model"] = model
    return gpu | _place(told)  # ty: ignore


def _place(told: Mapping[str, Any]) -> dict[str, Any]:
    numa = told.get(NUMA_NODE, told.get("dra.net/numaNode"))
    root = {"root": told[PCIE_ROOT]} if PCIE_ROOT in told else {}
    return root | ({"numa": numa} if isinstance(numa, int) and numa >= 0 else {})


def _does_rdma(device: SeenDevice) -> bool:
    """Whether it is published as an RDMA device; a driver that hands out nothing else does not say so."""
    flags = device.get("flags", {})
    return flags.get("dra.net/rdma", "dra.net/rdma" not in flags and device["driver"] != "dra.net")


def _nic(device: SeenDevice) -> SeenNic:
    told = attributes_of(device)
    names = {"pci": "pciAddress", "interface": "ifName", "rdma": "rdmaDevice", "mtu_bytes": "mtu"}
    nic = {key: told[f"dra.net/{of}"] for key, of in names.items() if f"dra.net/{of}" in told}
    state = told.get("dra.net/state")
    link = {"active": state == "up"} if state in ("up", "down", "lowerlayerdown") else {}
    return SeenNic(**nic, **link, **_place(told))
