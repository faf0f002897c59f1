"""Synthetic ResourceSlices: what the drivers would publish for a node of a machine type.

Attribute names are those that the drivers' versions publish, and no others. Where the catalogue does not know a value
that some node will surely have (a MAC address, a PCI address, the name of a root), a made-up one stands in: bus
``ff`` and root ``pciffff:NN`` mark them. The generator selects on catalogue values only, never on these.
"""

from ..catalog import Machine, NicKind, PcieRoot
from ..fabrics import GpuAllocation, fabric_of
from .device import Device, ResourceSlice, Value, Version
from .layout import has_nvidia_gpus
from .target import NUMA_NODE, PCIE_ROOT, Target, nvidia_order

BUS_ID = "resource.kubernetes.io/pciBusID"
_CAPABILITY = {
    "Tesla T4": "7.5.0", "NVIDIA A100-SXM4-40GB": "8.0.0", "NVIDIA A100-SXM4-80GB": "8.0.0", "NVIDIA A10G": "8.6.0",
    "NVIDIA L4": "8.9.0", "NVIDIA L40S": "8.9.0", "NVIDIA H100 80GB HBM3": "9.0.0", "NVIDIA H200": "9.0.0",
    "NVIDIA B200": "10.0.0", "NVIDIA GB200": "10.0.0", "NVIDIA B300 SXM6 AC": "10.3.0", "NVIDIA GB300": "10.3.0",
    "NVIDIA RTX PRO 4500 Blackwell Server Edition": "12.0.0", "NVIDIA RTX PRO 6000 Blackwell Server Edition": "12.0.0",
}  # fmt: skip
"""Compute capability of each model (developer.nvidia.com/cuda/gpus)."""


def resource_slices(machine: Machine, target: Target, node: str = "node") -> tuple[ResourceSlice, ...]:
    """One slice for each driver of the target that has devices on the machine, GPUs first."""
    gpus = _gpus(machine, target) if target.gpus is GpuAllocation.DRA else ()
    nics = _nics(machine, target)
    return tuple(ResourceSlice(devices[0].driver, node, devices) for devices in (gpus, nics) if devices)


def root_name(index: int, root: PcieRoot) -> str:
    """The root's published name, or a made-up one."""
    return root.name or f"pciffff:{index:02x}"


def _gpus(machine: Machine, target: Target) -> tuple[Device, ...]:
    """Attributes of NVIDIA's driver (in-cluster.md C1, gke.md §4)."""
    if machine.gpu is None or not has_nvidia_gpus(machine):
        return ()
    order = nvidia_order(target.nvidia)
    old = order < nvidia_order("25.8.0")
    devices = []
    for index in range(machine.gpus):
        address = machine.gpu_pci[index] if machine.gpu_pci else f"0000:ff:{index:02x}.0"
        attributes: dict[str, Value] = {
            "type": "gpu",
            "uuid": f"GPU-00000000-0000-0000-0000-{index:012d}",
            "productName": machine.gpu.model,
            "brand": "Nvidia",
            "architecture": machine.gpu.arch,
            "cudaComputeCapability": Version(_CAPABILITY.get(machine.gpu.model, "0.0.0")),
            "driverVersion": Version("580.95.5"),
            "cudaDriverVersion": Version("13.0.0"),
        }
        if old:
            attributes |= {"index": index, "minor": index}
        elif not target.gpu_has_bus_id:
            attributes["pcieBusID"] = address
        qualified = {f"gpu.nvidia.com/{key}": value for key, value in attributes.items()}
        if not old:
            qualified[PCIE_ROOT] = _gpu_root(machine, index, address)
        if target.gpu_has_bus_id:
            qualified[BUS_ID] = address
        numa = _numa(machine, machine.root_of_gpu(index))
        if target.has_numa_node and numa is not None:
            qualified[NUMA_NODE] = numa
        memory = {"memory": f"{machine.gpu.memory_gib}Gi"} if machine.gpu.memory_gib else {}
        devices.append(Device("gpu.nvidia.com", f"gpu-{index}", qualified, memory))
    return tuple(devices)


def _gpu_root(machine: Machine, index: int, address: str) -> str:
    for place, root in enumerate(machine.roots or ()):
        if index in root.gpus and (root.name or machine.pcie_root_comparable):
            return root_name(place, root)
    # A GPU in a PCI domain of its own, as Azure's hypervisor presents it, is behind a root of that domain.
    return f"pci{address[:7]}" if machine.gpu_pci else f"pcifffe:{index:02x}"


def _nics(machine: Machine, target: Target) -> tuple[Device, ...]:
    """The rails, behind the interfaces of the node that a claim must not take (first, to catch a loose selector)."""
    rails = tuple(_rail(machine, target, index) for index in range(machine.nics))
    others = _others(machine) if target.nics.every_interface else ()
    return others + (() if machine.nic_kind is NicKind.NETDEV else rails)


def _rail(machine: Machine, target: Target, index: int) -> Device:
    root = machine.root_of_nic(index)
    standard: dict[str, Value] = {}
    if target.has_pcie_root and machine.nics_publish_root and machine.roots and root is not None:
        name = {PCIE_ROOT: root_name(root, machine.roots[root])}
        # Where roots are not comparable, one with GPUs and NICs stands for their NUMA node, not for a name they share.
        standard |= name if machine.pcie_root_comparable or not machine.roots[root].gpus else {}
    if not target.nics.names_nics:
        # Nothing but pcieRoot is known of it; the driver's name stands for the class's selector.
        return Device(target.nics.slice_driver, f"nic-{index}", standard)
    address = machine.nic_pci[index] if machine.nic_pci else f"0000:ff:{index:02x}.1"
    rdma_name = machine.rdma_names[index] if machine.rdma_names else f"rdmapff{index}"
    numa = _numa(machine, root)
    fabric = fabric_of(machine)
    vendor, device = fabric.pci_names if fabric else ("unknown", "unknown")
    attributes: dict[str, Value] = {"pciAddress": address, "pciVendor": vendor, "pciDevice": device}
    attributes |= {"rdma": True, "rdmaDevice": rdma_name}
    if numa is not None:
        attributes["numaNode"] = numa
        if target.has_numa_node:
            standard[NUMA_NODE] = numa
    if machine.nic_kind is NicKind.NETDEV_RDMA:
        name = machine.nic_names[index] if machine.nic_names else f"railff{index}"
        attributes |= _interface(name, 16 + index) | {"sriov": False}
    return _dranet(f"rail-{index}", attributes, standard)


def _others(machine: Machine) -> tuple[Device, ...]:
    """The node's own interfaces: eth0, GKE's further gVNICs, and the front-end NICs that do RDMA on Azure and OCI."""
    interfaces = 1 + getattr(machine, "gvnic_networks", 0)
    rdma = machine.rdma_front_end
    return tuple(
        _dranet(
            f"eth{index}",
            {
                **_interface(f"eth{index}", index),
                "pciAddress": f"0000:fe:{index:02x}.0",
                "rdma": rdma,
                **({"rdmaDevice": f"mlx5_fe{index}", "numaNode": 0} if rdma else {}),
            },
            {},
        )
        for index in range(interfaces)
    )


def _interface(name: str, number: int) -> dict[str, Value]:
    return {
        "ifName": name,
        "mac": f"02:00:00:00:00:{number:02x}",
        "mtu": 1500,
        "encapsulation": "ether",
        "state": "up",
        "type": "device",
        "ipv4": f"192.0.2.{number}",
        "ebpf": False,
        "virtual": False,
    }


def _dranet(name: str, attributes: dict[str, Value], standard: dict[str, Value]) -> Device:
    return Device("dra.net", name, {f"dra.net/{key}": value for key, value in attributes.items()} | standard)


def _numa(machine: Machine, root: int | None) -> int | None:
    return None if root is None else (machine.roots or ())[root].numa
