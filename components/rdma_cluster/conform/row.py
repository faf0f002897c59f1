"""A snapshot becomes a row of the catalogue: what hardware told is measured, and what it cannot tell is open."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from ..catalog import find
from ..catalog.clouds import CLOUD_FACTS
from ..catalog.machine import Gpu, Known, Machine, NicKind, PcieRoot, Source, Threshold, Transport
from ..catalog.serialization import record_of
from .hardware import gpus_of
from .snapshot import SeenGpu, SeenNic, SeenNode

_OPEN = "no snapshot of one node tells it"


def cloud_of(name: str) -> str | None:
    """The cloud of a machine type: of its row, or else by its form; ``None`` where it has no cloud's form."""
    if (machine := find(name)) is not None:
        return machine.cloud
    return next((cloud for cloud, facts in CLOUD_FACTS.items() if re.fullmatch(facts.machine_form, name)), None)


def row_of(node: SeenNode, source: Source) -> Machine | None:
    """The row of a node's machine; ``None`` where nobody told of GPUs and NICs, or the cloud is not known."""
    cloud, gpus = cloud_of(node["machine"]), gpus_of(node)
    if cloud is None or gpus is None or not (nics := _rails(node)):
        return None
    known = {**_of_gpus(node, gpus), **_of_nics(nics)}
    roots = _roots(gpus, nics)
    if roots:
        known["roots"] = roots
    record = record_of(cloud)
    told = {
        "name": node["machine"],
        "architecture": node.get("architecture", "amd64"),
        "vcpus": node.get("cpus"),
        **known,
    }
    told |= {"transport": CLOUD_FACTS[cloud].usual_transport, "cloud": cloud, "sources": (source,), "capacity": ()}
    told["pcie_root_comparable"] = any(root.gpus and root.nics for root in roots)
    needed = [each.name for each in fields(record) if each.default is MISSING and each.default_factory is MISSING]
    unknown = {name: _OPEN for name in needed if told.get(name) is None}
    measured = dict.fromkeys((name for name in known if known[name] is not None), source)
    unverified = {"transport": "the usual one of the cloud", "capacity": _OPEN}
    row: Any = {**dict.fromkeys(needed), **told}
    return record(**row, evidence=measured, unknown=unknown, unverified=unverified)


def _of_gpus(node: SeenNode, gpus: list[SeenGpu]) -> dict[str, Any]:
    models = Counter(gpu["model"] for gpu in gpus if "model" in gpu)
    attributes = (each.get("strings", {}) for each in node.get("devices", []))
    arch = next(
        (each["gpu.nvidia.com/architecture"] for each in attributes if "gpu.nvidia.com/architecture" in each), ""
    )
    model = models.most_common(1)[0][0] if models else None
    return {
        "gpu": Gpu(model, None, arch) if model else None,
        "gpus": len(gpus),
        "gpu_pci": tuple(g["pci"] for g in gpus),
    }


def _rails(node: SeenNode) -> list[SeenNic]:
    """RDMA devices of the highest rate, in bus order: those of the front end are slower, or have the node's address."""
    nics = [nic for nic in node.get("nics", []) if "rdma" in nic and nic.get("interface") != "eth0"]
    most = max((nic.get("gbps", 0) for nic in nics), default=0)
    return sorted((nic for nic in nics if nic.get("gbps", 0) == most), key=lambda nic: nic.get("pci", ""))


def _of_nics(nics: list[SeenNic]) -> dict[str, Any]:
    def all_of(key: str) -> tuple[str, ...] | None:
        found = [str(nic[key]) for nic in nics if key in nic]  # ty: ignore
        return tuple(found) if len(found) == len(nics) else None

    names, rates = all_of("interface"), {nic.get("gbps") for nic in nics}
    return {
        "nics": len(nics),
        "nic_gbps": next(iter(rates)),
        "nic_kind": NicKind.NETDEV_RDMA if names else NicKind.RDMA_ONLY,
        "nic_names": names,
        "rdma_names": all_of("rdma"),
        "nic_pci": all_of("pci"),
    }


def _roots(gpus: list[SeenGpu], nics: list[SeenNic]) -> tuple[PcieRoot, ...]:
    """Every root with GPUs or rails, in bus order; none where some device did not tell its own."""
    if not all("root" in each for each in (*gpus, *nics)):
        return ()
    names = sorted({each.get("root", "") for each in (*gpus, *nics)})

    def root(name: str) -> PcieRoot:
        numa = {each["numa"] for each in (*gpus, *nics) if each.get("root") == name and "numa" in each}
        places = tuple(tuple(i for i, each in enumerate(of) if each.get("root") == name) for of in (gpus, nics))
        return PcieRoot(name, numa.pop() if len(numa) == 1 else None, *places)

    return tuple(map(root, names))


def as_source(machine: Machine) -> str:
    """The row as it stands in the catalogue: Python, without what the record has by default."""
    lines = [
        f"    {each.name}={python_of(getattr(machine, each.name))}," for each in fields(machine) if _told(machine, each)
    ]
    return "\n".join([f"{type(machine).__name__}(", *lines, ")"])


def _told(machine: Machine, field: Any) -> bool:
    value = getattr(machine, field.name)
    if field.default_factory is not MISSING:
        return value != field.default_factory()
    return field.default is MISSING or value != field.default


def python_of(value: Any) -> str:
    """A value as the catalogue writes it."""
    if isinstance(value, Source):
        known = f", {python_of(value.known)}" if value.known is not Source(value.ref, value.seen).known else ""
        return f"Source({value.ref!r}, {value.seen!r}{known})"
    if isinstance(value, Threshold):
        words = (python_of(getattr(value, each.name)) for each in fields(value)[:-2])
        above = [python_of(value.above_wire)] if value.above_wire else []
        return f"Threshold({', '.join([*words, *above, *(['nvlink=True'] * value.nvlink)])})"
    if isinstance(value, (Known, NicKind, Transport)):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {python_of(of)}' for key, of in value.items())}}}"
    if isinstance(value, tuple):
        return f"({', '.join(map(python_of, value))}{',' * (len(value) == 1)})"
    return repr(value)
