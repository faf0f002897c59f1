"""A snapshot held against what its plan promises: every difference of the cluster, its pools and its nodes."""

import re
from collections.abc import Iterator

from rdma_agent.names import FABRIC_LABEL, GPU, GPU_DRIVER
from ..claims.device import Device
from ..claims.target import PCIE_ROOT, naming
from ..fabrics import ExtendedResource, GpuAllocation
from .devices import Where, by_claims, device_differences
from .difference import Difference, difference
from .expected import Expected, ExpectedDaemon, ExpectedPool
from .hardware import driver_of, nics_of, views
from .redact import LABELS
from .snapshot import SeenNode, Snapshot, devices_of

_OURS = (FABRIC_LABEL, "rdma-cluster/readiness")


def differences(snapshot: Snapshot, promised: Expected) -> list[Difference]:
    """Every difference, those of the cluster first, then by pool and node."""
    found = [*_version(snapshot, promised), *_daemons(snapshot, promised), *_objects(snapshot, promised)]
    for i, pool in enumerate(promised.pools):
        here = [(j, node) for j, node in enumerate(snapshot["nodes"]) if node["pool"] == i]
        count = sum(node.get("count", 1) for _, node in here)
        if count != pool.nodes:
            kind = "nodes missing" if count < pool.nodes else "nodes beyond"
            found.append(difference(kind, (i,), "nodes", pool.nodes, count))
        for j, node in here:
            found += _node(pool, node, promised, (i, j))
    return found


def unseen(snapshot: Snapshot, promised: Expected) -> list[str]:
    """What nobody looked at, and so nothing was judged of: it stays unproved, and does not count as kept."""
    found = [f"{key} of the cluster" for key in ("kubernetes", "daemons", "templates") if key not in snapshot]
    for i, pool in enumerate(promised.pools):
        nodes = [node for node in snapshot["nodes"] if node["pool"] == i]
        if nodes and all("nics" not in node for node in nodes):
            found.append(f"pool {pool.name}: PCI tree, NUMA nodes, rates and firmware of its NICs")
        if pool.target is not None and any("devices" not in node for node in nodes):
            found.append(f"pool {pool.name}: what drivers publish of some nodes, and so whether claims fit")
        if pool.machine.mtu_bytes and nodes and not any(_mtus(pool, node) for node in nodes):
            found.append(f"pool {pool.name}: MTU of the rails")
    return found


def _mtus(pool: ExpectedPool, node: SeenNode) -> list[int]:
    return [nic["mtu_bytes"] for nic in nics_of(node, pool.machine) or [] if "mtu_bytes" in nic]


def _version(snapshot: Snapshot, promised: Expected) -> Iterator[Difference]:
    seen, planned = _minor(snapshot.get("kubernetes", "")), _minor(promised.kubernetes)
    if seen and planned and seen != planned:
        kind = "kubernetes" if seen < planned else "kubernetes newer"
        yield difference(kind, (), "Kubernetes", promised.kubernetes, snapshot.get("kubernetes"))


def _minor(version: str) -> tuple[int, int] | None:
    found = re.match(r"v?(\d+)\.(\d+)", version, re.ASCII)
    return (int(found[1]), int(found[2])) if found else None


def _daemons(snapshot: Snapshot, promised: Expected) -> Iterator[Difference]:
    if "daemons" not in snapshot:
        return
    counts = [
        sum(node.get("count", 1) for node in snapshot["nodes"] if node["pool"] == i) for i in range(len(promised.pools))
    ]
    for daemon in promised.daemons:
        seen = [each for each in snapshot["daemons"] if each["name"] == daemon.name]
        if not seen:
            yield difference("daemon missing", (), daemon.name, "a DaemonSet", "none", drives=daemon.drives)
            continue
        nodes = sum(min(counts[pool], promised.pools[pool].nodes) for pool in daemon.pools)
        wanted = max(each["wanted"] for each in seen)
        unready = [each for each in seen if each["ready"] < each["wanted"]]
        if wanted < nodes:
            yield difference("daemon too few", (), daemon.name, f"{nodes} nodes", wanted, drives=daemon.drives)
        for each in unready:
            words = {"drives": daemon.drives, "namespace": "NAMESPACE"}
            yield difference("daemon not ready", (), daemon.name, each["wanted"], each["ready"], **words)
        versions = [each["version"] for each in seen if "version" in each]
        if daemon.version and versions and not any(_same(daemon, each) for each in versions):
            yield difference("daemon version", (), daemon.name, daemon.version, versions[0])


def _same(daemon: ExpectedDaemon, version: str) -> bool:
    return daemon.version.removeprefix("v") == version.removeprefix("v")


def _objects(snapshot: Snapshot, promised: Expected) -> Iterator[Difference]:
    for kind, key, names in (("template", "templates", promised.templates), ("class", "classes", promised.classes)):
        there = snapshot.get(key)
        for name in names if isinstance(there, list) else ():
            if name not in there:  # ty: ignore
                yield difference(f"{kind} missing", (), name, f"a {kind}", "none")


def _node(pool: ExpectedPool, node: SeenNode, promised: Expected, where: Where) -> Iterator[Difference]:
    machine = pool.machine
    if node["machine"] != machine.name:
        yield difference("machine", where, "machine", machine.name, node["machine"])
        return
    if not node.get("ready", True):
        yield difference("not ready", where, "Ready", "true", "false")
    if (architecture := node.get("architecture")) not in (None, machine.architecture):
        yield difference("architecture", where, "processor", machine.architecture, architecture)
    yield from _marks(pool, node, promised, where)
    yield from _resources(pool, node, where)
    cpus, counted = machine.vcpus, node.get("cpus")
    if cpus and counted and cpus != counted:
        yield difference("cpus", where, "processors", cpus, counted)
    if (driver := driver_of(node)) and (rule := re.match(r"(>=)?(\d+)$", machine.driver or "")):
        major = re.match(r"\d{1,9}", driver, re.ASCII)
        # Of an image's own branch a later one serves as well: what machines need of drivers only grows.
        if major is None or int(major[0]) < int(rule[2]):
            yield difference("driver", where, "GPU driver", machine.driver, driver)
    yield from _devices(pool, node, where)


def _marks(pool: ExpectedPool, node: SeenNode, promised: Expected, where: Where) -> Iterator[Difference]:
    """Taints and labels."""
    if "taints" in node:
        first = next(iter(promised.taints))
        if all(taint["key"] != first for taint in node["taints"]):
            yield difference("taint missing", where, first, f"{first}={promised.taints[first]}", "none")
        for taint in node["taints"]:
            if taint["key"] in _OURS:
                yield difference("taint of ours", where, taint["key"], "none", taint.get("value", taint["effect"]))
            elif taint["key"] not in promised.taints and taint["effect"] != "PreferNoSchedule":
                yield difference("taint", where, f"taint {taint['key']}", "none", taint["effect"])
    for key, value in pool.labels.items() if "labels" in node else ():
        if value in ("true", "false") and key in LABELS and node["labels"].get(key) != value:
            yield difference("label missing", where, f"label {key}", value, node["labels"].get(key, "none"))


def _resources(pool: ExpectedPool, node: SeenNode, where: Where) -> Iterator[Difference]:
    """What the node offers to pods by count."""
    amounts = node.get("allocatable")
    if amounts is None:
        return
    gpus = _number(amounts.get(GPU))
    if pool.allocation is GpuAllocation.DEVICE_PLUGIN and gpus < pool.machine.gpus:
        yield difference("gpus offered", where, GPU, pool.machine.gpus, gpus)
    if pool.allocation is GpuAllocation.DRA and gpus:
        yield difference("gpus offered twice", where, GPU, 0, gpus)
    nics = pool.fabric.nic_attachment
    if isinstance(nics, ExtendedResource):
        least = 1 if nics.full_node else pool.machine.nics
        if (offered := _number(amounts.get(nics.resource))) < least:
            yield difference("nics offered", where, nics.resource, least, offered)
        for resource, least_amount in nics.beside.items():
            if _number(amounts.get(resource)) < _number(least_amount):
                yield difference("offered beside", where, resource, least_amount, amounts.get(resource, 0))


_UNITS = {"m": 0.001, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "k": 1e3, "M": 1e6, "G": 1e9}


def _number(amount: str | None) -> float:
    """A quantity of Kubernetes; 0 where there is none."""
    found = re.fullmatch(r"(\d+)(m|[KMGT]i|[kMG])?", amount or "")
    return int(found[1]) * _UNITS.get(found[2] or "", 1) if found else 0


def _devices(pool: ExpectedPool, node: SeenNode, where: Where) -> Iterator[Difference]:
    """GPUs and NICs, and the claims that they serve."""
    told = (each for view in views(node) for each in device_differences(pool.machine, view, where))
    found = list(dict.fromkeys(told))
    published = devices_of(node) if "devices" in node else None
    target = pool.target
    if target is None or published is None:
        yield from by_claims(found, [], pool.topology_file)
        return
    drivers = [*([GPU_DRIVER] if target.gpus is GpuAllocation.DRA else []), target.nics.slice_driver]
    lacking = [each for each in drivers if all(device.driver != each for device in published)]
    for driver in lacking:
        yield difference("slice missing", where, driver, "a ResourceSlice", "none")
    found += _attributes(pool, published, where)
    unfit = [
        (claim, copies, here) for claim, copies in pool.claims if (here := claim.copies(published, target)) < copies
    ]
    yield from by_claims(found, [claim.name for claim, _, _ in unfit], pool.topology_file)
    for claim, copies, here in unfit if not lacking else ():
        yield difference("claims", where, claim.name, f"{copies} pods a node", here)


def _attributes(pool: ExpectedPool, published: tuple[Device, ...], where: Where) -> Iterator[Difference]:
    """What claims select on, and the devices that lack it."""
    machine, target = pool.machine, pool.target
    assert target is not None
    nics: list[str] = []
    if target.has_pcie_root and machine.nics_publish_root and machine.pcie_root_comparable and machine.roots:
        nics.append(PCIE_ROOT)
    if (named_by := naming(machine, target)) is not None:
        nics.append(f"dra.net/{named_by[1]}")
    gpus = [PCIE_ROOT] if target.has_pcie_root and machine.pcie_root_comparable else []
    gpus += ["resource.kubernetes.io/pciBusID"] if target.gpu_has_bus_id else []
    for driver, names in ((GPU_DRIVER, gpus), (target.nics.slice_driver, nics)):
        for device in published:
            if device.driver == driver and device.attributes.get("dra.net/rdma") is not False:
                for name in (each for each in names if each not in device.attributes):
                    yield difference("attribute missing", where, f"{driver}: {device.name}", name, "none")
