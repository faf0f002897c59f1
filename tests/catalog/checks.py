"""The rules by which a row of the catalogue is wrong."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from rdma_cluster.catalog import Known, Machine, NicKind, Transport
from rdma_cluster.catalog.aks import AksMachine
from rdma_cluster.catalog.eks import EksMachine, Layout
from rdma_cluster.catalog.floors import passes_with_half_the_rails, wire_gbytes
from rdma_cluster.catalog.gke import GkeMachine
from rdma_cluster.catalog.oke import OkeMachine, PoolMode

_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")
_BY_BUS = re.compile(r"(?:enp|rdmap)(\d+)s(\d+)(?:f(\d))?(?:np\d)?")
_ROOT = re.compile(r"pci[0-9a-f]{4}:[0-9a-f]{2}")

# Fields whose None or empty value is a fact of its own (the record says which), so that nothing is left to explain.
_NONE_IS_A_FACT = {
    "gke": {"boot_disk", "network_profile", "gpudirect_patches", "max_nodes", "pool_labels"},
    "eks": {"efa_plugin", "network_layers"},
    "aks": {"topology", "nccl"},
    "oke": {"nccl", "max_nodes", "cuda"},
}
_ABSENT = {Known.NOT_PUBLISHED, Known.NOT_APPLICABLE}
_OPEN = {Known.INFERRED, Known.UNKNOWN}
_GPU_ONLY = {"gpu", "gpu_pci", "driver", "accelerator", "gdr", "gpu_drivers"}


def errors(machine: Machine) -> list[str]:
    """Everything that is wrong with a row; empty for a good one."""
    checks = (_counts, _data_direct, _addresses, _layout, _thresholds, _trust, *_OF_CLOUD.get(machine.cloud, ()))
    return [error for check in checks for error in check(machine)]


def _counts(machine: Machine) -> Iterator[str]:
    if (machine.gpu is None) != (machine.gpus == 0):
        yield "gpu and gpus disagree"
    if machine.nics < 1:
        yield "no rail"
    if machine.architecture not in ("amd64", "arm64"):
        yield f"architecture: {machine.architecture}"
    if not machine.capacity:
        yield "capacity: no way to obtain it"
    if machine.nvlink_domain and (not machine.gpus or machine.nvlink_domain % machine.gpus):
        yield "nvlink_domain: not whole machines"
    for name, count in (("nic_names", machine.nics), ("rdma_names", machine.nics), ("nic_pci", machine.nics)):
        if (values := getattr(machine, name)) and len(values) != count:
            yield f"{name}: {len(values)} for {count} rails"
    if machine.gpu_pci and len(machine.gpu_pci) != machine.gpus:
        yield f"gpu_pci: {len(machine.gpu_pci)} for {machine.gpus} GPUs"
    if machine.nic_names and machine.nic_kind is NicKind.RDMA_ONLY:
        yield "nic_names: these NICs have no interface"
    if machine.rdma_names and machine.nic_kind is NicKind.NETDEV:
        yield "rdma_names: these NICs are no RDMA devices"
    published = machine.published_node_gbps
    rails = None if machine.nic_gbps is None else machine.nics * machine.nic_gbps
    if published is not None and rails is not None and rails + machine.frontend_gbps != published:
        yield f"published_node_gbps: {published}, but rails {rails} + front end {machine.frontend_gbps}"
    if machine.frontend_gbps and published is None:
        yield "frontend_gbps: without published_node_gbps it says nothing"


def _data_direct(machine: Machine) -> Iterator[str]:
    """By NVIDIA's word for GB300, with any network but EFA; of HGX B300, which has ConnectX-8 too, nobody says."""
    model = machine.gpu.model if machine.gpu and machine.transport is not Transport.EFA else ""
    if machine.pcie_root_comparable and model == "NVIDIA GB300":
        yield "pcie_root_comparable: a GPU's root is the Data Direct sub-interface's, not the NIC's"
    if machine.pcie_root_comparable and model == "NVIDIA B300" and "pcie_root_comparable" not in machine.unverified:
        yield "pcie_root_comparable: with ConnectX-8, whose root is doubtful, and no doubt told"


def _addresses(machine: Machine) -> Iterator[str]:
    addresses = [*(machine.gpu_pci or ()), *(machine.nic_pci or ())]
    names = {"PCI address": addresses, "nic_names": machine.nic_names, "rdma_names": machine.rdma_names}
    yield from (f"PCI address: {each}" for each in addresses if not _PCI.fullmatch(each))
    for what, values in names.items():
        yield from (f"{what} twice: {each}" for each, n in Counter(values or ()).items() if n > 1)
    for names in (machine.nic_names, machine.rdma_names):
        for name, address in zip(names or (), machine.nic_pci or (), strict=False):
            if (found := _BY_BUS.fullmatch(name)) and _bus(*found.groups()) != address:
                yield f"{name}: named for a place on the bus that is not {address}"


def _bus(bus: str, slot: str, function: str | None) -> str:
    return f"0000:{int(bus):02x}:{int(slot):02x}.{function or 0}"


def _layout(machine: Machine) -> Iterator[str]:
    if machine.roots is None:
        return
    for what, count in (("gpus", machine.gpus), ("nics", machine.nics)):
        if any(list(getattr(root, what)) != sorted(getattr(root, what)) for root in machine.roots):
            yield f"{what} of a root are not in order"
        if sorted(i for root in machine.roots for i in getattr(root, what)) != list(range(count)):
            yield f"roots: {what} are not 0..{count - 1}, each once"
    names = [root.name for root in machine.roots if root.name]
    yield from (f"roots.name: {name}" for name in names if not _ROOT.fullmatch(name))
    if len(set(names)) != len(names):
        yield "roots.name: twice"
    domains = {root.name: (root.gpus, root.nics) for root in machine.roots if root.name}
    for name, (gpus, nics) in domains.items():
        on_root = [machine.gpu_pci[i] for i in gpus] if machine.gpu_pci else []
        on_root += [machine.nic_pci[i] for i in nics] if machine.nic_pci else []
        if any(address[:4] != name[3:7] for address in on_root):
            yield f"roots.name: {name} holds a device of another PCI domain"
    shared = any(root.gpus and root.nics for root in machine.roots)
    if machine.pcie_root_comparable and not shared:
        yield "pcie_root_comparable: no root has a GPU and a NIC"
    if machine.pcie_root_comparable and not machine.nics_publish_root:
        yield "pcie_root_comparable: the NICs publish no root"


def _thresholds(machine: Machine) -> Iterator[str]:
    keys = Counter((t.collective, t.nodes, t.gpus_per_node, t.size_bytes, t.nvlink) for t in machine.thresholds)
    yield from (f"thresholds: {key} twice" for key, n in keys.items() if n > 1)
    for threshold in machine.thresholds:
        where = f"thresholds: {threshold.collective} {threshold.nodes}x{threshold.gpus_per_node}"
        if not (
            threshold.nodes > 1 and 1 <= threshold.gpus_per_node <= machine.gpus and threshold.size_bytes >= 1 << 20
        ):
            yield f"{where}: not a run of this machine"
        if (
            threshold.published_gbytes is not None
            and not 0 < threshold.busbw_gbytes <= 0.8 * threshold.published_gbytes
        ):
            yield f"{where}: threshold {threshold.busbw_gbytes} is above 0.8 x {threshold.published_gbytes}"
        if passes_with_half_the_rails(threshold, machine):
            yield f"{where}: {threshold.busbw_gbytes} passes with half of the rails"
        wire = wire_gbytes(machine, threshold.gpus_per_node)
        if wire is not None and (threshold.busbw_gbytes > wire) != bool(threshold.above_wire):
            yield f"{where}: {threshold.busbw_gbytes} against a wire of {wire}, above_wire {threshold.above_wire!r}"
        if threshold.nvlink != ("MNNVL" in threshold.above_wire):
            yield f"{where}: nvlink {threshold.nvlink}, above_wire {threshold.above_wire!r}"


def _trust(machine: Machine) -> Iterator[str]:
    marks = Counter((*machine.unknown, *machine.unverified, *machine.evidence))
    yield from (f"{name}: said of it twice" for name, n in marks.items() if n > 1)
    yield from (f"{name}: no such field" for name in marks if not _has_field(machine, name))
    missing = set(_missing(machine))
    absent = {name for name, source in machine.evidence.items() if source.known in _ABSENT}
    yield from (f"{name}: empty and not explained" for name in sorted(missing - machine.unknown.keys() - absent))
    yield from (f"{name}: called absent, but it has a value" for name in sorted(absent - missing))
    yield from (f"{n}: called settled, but it is empty" for n in sorted(missing & machine.evidence.keys() - absent))
    opened = (name for name, source in machine.evidence.items() if source.known in _OPEN)
    yield from (f"{name}: an open point is no evidence" for name in opened)
    yield from (f"{name}: called unknown, but it has a value" for name in sorted(machine.unknown.keys() - missing))
    yield from (f"{name}: called unverified, but it is empty" for name in sorted(machine.unverified.keys() & missing))
    yield from (f"{n}: no reason" for n, why in (*machine.unknown.items(), *machine.unverified.items()) if not why)
    if not machine.sources:
        yield "sources: none"
    runs = (threshold.source for threshold in machine.thresholds)
    for source in (*machine.sources, *runs, *machine.evidence.values()):
        try:
            seen = date.fromisoformat(source.seen)
        except ValueError:
            yield f"sources: {source.ref}: no ISO date: {source.seen}"
        else:
            if not date(2020, 1, 1) < seen or not source.ref:
                yield f"sources: {source}"


def _has_field(record: Any, path: str) -> bool:
    name, _, rest = path.partition(".")
    if not is_dataclass(record) or name not in {each.name for each in fields(record)}:
        return False
    value = getattr(record, name)
    below = value[0] if isinstance(value, tuple) and value else value
    return not rest or _has_field(below, rest)


def _missing(machine: Machine) -> Iterator[str]:
    """Names of the fields, one level down as well, that hold nothing and should."""
    beside = {"evidence", "unknown", "unverified"} | _NONE_IS_A_FACT[machine.cloud]
    beside |= _GPU_ONLY if not machine.gpus else set()
    beside |= {"nic_names"} if machine.nic_kind is NicKind.RDMA_ONLY else set()
    beside |= {"rdma_names"} if machine.nic_kind is NicKind.NETDEV else set()
    for field in fields(machine):
        if field.name in beside:
            continue
        value = getattr(machine, field.name)
        if value is None or (isinstance(value, tuple | dict | str) and not value):
            yield field.name
        for part in value if isinstance(value, tuple) else (value,):
            if is_dataclass(part):
                yield from (f"{field.name}.{each.name}" for each in fields(part) if getattr(part, each.name) is None)


def _eks(machine: Machine) -> Iterator[str]:
    assert isinstance(machine, EksMachine)
    cards, efa, interfaces = machine.network_cards, machine.efa_per_card, machine.interfaces_per_card
    if cards is not None and efa is not None and machine.transport is Transport.EFA:
        if len(efa) != cards or not set(efa) <= {0, 1}:
            yield f"efa_per_card: {efa} on {cards} cards, at most one EFA each"
        if sum(efa) != machine.nics:
            yield f"efa_per_card: {sum(efa)} in all for {machine.nics} rails"
        if machine.layout and not _follows(machine.layout, efa):
            yield f"layout: {machine.layout.value} does not give {efa}"
    if machine.efa_max is not None and machine.transport is Transport.EFA and machine.nics > machine.efa_max:
        yield f"efa_max: {machine.efa_max} for {machine.nics} rails"
    if interfaces is not None and machine.layout in (Layout.A, Layout.A1) and interfaces < 2:
        yield "interfaces_per_card: card 0 takes an interface and an EFA"
    if interfaces is not None and machine.layout is Layout.D and interfaces != 1:
        yield "interfaces_per_card: class D is for one"
    if interfaces is not None and machine.ipv4_per_interface is not None:
        pods = interfaces * (machine.ipv4_per_interface - 1) + 2
        if machine.max_pods != pods:
            yield f"max_pods: {machine.max_pods}, but the interfaces give {pods}"
    if cards is not None and not (machine.ip_cards[:1] == (0,) and set(machine.ip_cards) <= set(range(cards))):
        yield f"ip_cards: {machine.ip_cards}"
    if machine.ami_type and ("ARM_64" in machine.ami_type) != (machine.architecture == "arm64"):
        yield f"ami_type: {machine.ami_type} on {machine.architecture}"
    if machine.ami_type and ("NVIDIA" in machine.ami_type) != bool(machine.gpus):
        yield f"ami_type: {machine.ami_type} with {machine.gpus} GPUs"


def _follows(layout: Layout, efa: tuple[int, ...]) -> bool:
    first, others = efa[0], efa[1:]
    return {
        Layout.A: first == 1 and all(others) and bool(others),
        Layout.A1: efa == (1,),
        Layout.B: first == 0 and all(others) and bool(others),
        Layout.C: first == 0 and not all(others),
        Layout.D: first == 1 and all(others),
    }[layout]


def _aks(machine: Machine) -> Iterator[str]:
    assert isinstance(machine, AksMachine)
    if machine.nvlink_domain > machine.gpus and machine.rack_nodes * machine.gpus != machine.nvlink_domain:
        yield f"rack_nodes: {machine.rack_nodes} do not make a rack of {machine.nvlink_domain} GPUs"
    if machine.max_nodes < max(machine.rack_nodes, 1):
        yield f"max_nodes: {machine.max_nodes}"
    if machine.infiniband_feature == bool(machine.rack_nodes):
        yield "infiniband_feature: registered for pools of a placement group, not for racks"
    if not set(machine.gpu_drivers) <= ({"None", "Install"} if machine.gpus else set()):
        yield f"gpu_drivers: {machine.gpu_drivers}"
    if machine.topology:
        bridges = machine.topology.bridges
        for what, count in (("gpus", machine.gpus), ("nics", machine.nics)):
            if sorted(i for bridge in bridges for i in getattr(bridge, what)) != list(range(count)):
                yield f"topology: {what} are not 0..{count - 1}, each once"
        numa = {("gpus", i): root.numa for root in machine.roots or () for i in root.gpus}
        numa |= {("nics", i): root.numa for root in machine.roots or () for i in root.nics}
        for bridge in bridges:
            if any(numa.get((what, i)) != bridge.numa for what in ("gpus", "nics") for i in getattr(bridge, what)):
                yield f"topology: {bridge} is not on the NUMA node of its roots"


def _oke(machine: Machine) -> Iterator[str]:
    assert isinstance(machine, OkeMachine)
    if both := set(machine.frontend_hcas) & set(machine.rdma_names or ()):
        yield f"frontend_hcas: {sorted(both)} are rails"
    if machine.vfs not in (None, machine.nics):
        yield f"vfs: {machine.vfs} for {machine.nics} rails"
    if machine.vf_policy_current and machine.vfs is None:
        yield "vf_policy_current: without virtual functions"
    rack = machine.nvlink_domain > machine.gpus
    if rack != (machine.pool_modes == (PoolMode.GPU_MEMORY_CLUSTER,)) or not machine.pool_modes:
        yield f"pool_modes: {machine.pool_modes}"
    if rack and (machine.max_nodes or 0) * machine.gpus != machine.nvlink_domain:
        yield f"max_nodes: {machine.max_nodes} do not make a rack of {machine.nvlink_domain} GPUs"
    if machine.kernel_page_kib != {"amd64": 4, "arm64": 64}[machine.architecture]:
        yield f"kernel_page_kib: {machine.kernel_page_kib} on {machine.architecture}"
    if "NCCL_IB_HCA" in machine.nccl:
        yield "nccl: the HCA list is rdma_names"


def _gke(machine: Machine) -> Iterator[str]:
    assert isinstance(machine, GkeMachine)
    if machine.is_rack and (machine.max_nodes or 0) * machine.gpus != machine.nvlink_domain:
        yield f"max_nodes: {machine.max_nodes} do not make a rack of {machine.nvlink_domain} GPUs"
    if machine.metal != (machine.network_profile == "vpc-roce-metal"):
        yield f"network_profile: {machine.network_profile}, bare metal and only that has vpc-roce-metal"
    if machine.gpu_driver not in ("DEFAULT", "LATEST"):
        yield f"gpu_driver: {machine.gpu_driver}"


_OF_CLOUD = {"gke": (_gke,), "eks": (_eks,), "aks": (_aks,), "oke": (_oke,)}
