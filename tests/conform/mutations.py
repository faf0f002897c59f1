"""Single faults of a cluster that keeps every promise, each with the kind of difference that must tell it."""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from rdma_cluster.conform.expected import Expected
from rdma_cluster.conform.reader import Answers
from rdma_cluster.fabrics import ExtendedResource, GpuAllocation

ROOT = "resource.kubernetes.io/pcieRoot"


class Mutation(NamedTuple):
    """One fault."""

    name: str
    change: Callable[[Any], Any]
    """Changes what an API answers, in place."""
    kind: str
    breaks: bool | None
    """Whether it breaks a promise; ``None`` where the claims of the stack decide."""


def mutated(answers: Answers, mutation: Mutation) -> Answers:
    """The answers of a cluster with the fault."""
    changed = copy.deepcopy(answers)
    other = mutation.change(changed)
    return other if isinstance(other, Answers) else changed


def mutations(of: Expected, answers: Answers) -> Iterator[Mutation]:
    """Every single fault that fits a stack."""
    yield from _cluster(of)
    for number in range(len(of.pools)):
        at = sum(each.nodes for each in of.pools[:number])
        yield from _node(of, number, at)
        yield from _seen(of, number, answers.nodes[at]["metadata"]["name"], answers)
        yield from _published(of, number, answers.nodes[at + 1]["metadata"]["name"], answers)


def _cluster(of: Expected) -> Iterator[Mutation]:
    yield Mutation("version older", lambda a: replace(a, version="v1.33.9"), "kubernetes", True)
    yield Mutation("version newer", lambda a: replace(a, version="v1.39.0-gke.1000000"), "kubernetes newer", False)
    for i, daemon in enumerate(of.daemons):
        status = ("daemons", i, "status")
        yield Mutation(f"no {daemon.name}", lambda a, i=i: a.daemons.pop(i), "daemon missing", True)
        yield Mutation(f"{daemon.name} unready", _set(*status, "numberReady", value=0), "daemon not ready", True)
        wanted = _set(*status, value={"desiredNumberScheduled": 1, "numberReady": 1})
        yield Mutation(f"{daemon.name} on one node", wanted, "daemon too few", True)
        if daemon.version:
            other = _set("daemons", i, "metadata", "labels", "helm.sh/chart", value=f"{daemon.name}-9.9.9")
            yield Mutation(f"{daemon.name} 9.9.9", other, "daemon version", False)
    for i, name in enumerate(of.templates):
        yield Mutation(f"no {name}", lambda a, i=i: a.templates[0].pop(i), "template missing", True)
    for i, name in enumerate(of.classes):
        yield Mutation(f"no class {name}", lambda a, i=i: a.classes.pop(i), "class missing", True)


def _node(of: Expected, number: int, at: int) -> Iterator[Mutation]:
    pool, node = of.pools[number], ("nodes", at)
    meta, status = (*node, "metadata"), (*node, "status")
    yield Mutation("node lost", lambda a: a.nodes.pop(at), "nodes missing", True)
    yield Mutation("node more", lambda a: a.nodes.append(_renamed(a.nodes[at])), "nodes beyond", False)
    instance = _set(*meta, "labels", "node.kubernetes.io/instance-type", value="n2-standard-8")
    yield Mutation("machine", instance, "machine", True)
    yield Mutation("not ready", _set(*status, "conditions", 0, "status", value="Unknown"), "not ready", True)
    other = "amd64" if pool.machine.architecture == "arm64" else "arm64"
    yield Mutation("architecture", _set(*status, "nodeInfo", "architecture", value=other), "architecture", True)
    yield Mutation("no taint", lambda a: a.nodes[at]["spec"]["taints"].pop(0), "taint missing", True)
    for key, kind in (("acme.example/team", "taint"), ("node.kubernetes.io/disk-pressure", "taint")):
        taint = {"key": key, "value": "x", "effect": "NoSchedule"}
        yield Mutation(f"taint {key}", lambda a, t=taint: a.nodes[at]["spec"]["taints"].append(t), kind, True)
    ours = {"key": "rdma-cluster/fabric", "value": "suspect", "effect": "NoSchedule"}
    yield Mutation("taint of ours", lambda a: a.nodes[at]["spec"]["taints"].append(ours), "taint of ours", True)
    for key, value in pool.labels.items():
        if value in ("true", "false") and "corrino" not in key:
            yield Mutation(f"no label {key}", lambda a, k=key: _labels(a, at).pop(k), "label missing", True)
            flipped = _set(*meta, "labels", key, value={"true": "false", "false": "true"}[value])
            yield Mutation(f"label {key} flipped", flipped, "label missing", True)
    amounts = (*status, "allocatable")
    few = str((pool.machine.vcpus or 96) // 2)
    if pool.machine.vcpus:
        yield Mutation("half the processors", _set(*status, "capacity", "cpu", value=few), "cpus", False)
    if pool.allocation is GpuAllocation.DEVICE_PLUGIN:
        lost = _set(*amounts, "nvidia.com/gpu", value=str(pool.machine.gpus - 1))
        yield Mutation("a GPU less", lost, "gpus offered", True)
    else:
        yield Mutation("GPUs twice", _set(*amounts, "nvidia.com/gpu", value="8"), "gpus offered twice", True)
    nics = pool.fabric.nic_attachment
    if isinstance(nics, ExtendedResource):
        taken = nics.resource
        yield Mutation(
            "no NICs offered", lambda a: a.nodes[at]["status"]["allocatable"].pop(taken), "nics offered", True
        )
        if not nics.full_node:  # where one stands for all, one is enough
            lost = _set(*amounts, taken, value=str(pool.machine.nics - 1))
            yield Mutation("a NIC less", lost, "nics offered", True)


def _seen(of: Expected, number: int, name: str, answers: Answers) -> Iterator[Mutation]:
    """Faults of devices on a node that a pod looked at."""
    pool = of.pools[number]
    machine, told = pool.machine, json.loads(answers.looks[name])

    def change(part: str, i: int, key: str | None, value: Any) -> Callable[[Answers], Answers]:
        def apply(a: Answers) -> Answers:
            look = json.loads(a.looks[name])
            if key is None:
                look[part].pop(i)
            else:
                look[part][i][key] = value
            return replace(a, looks={**a.looks, name: json.dumps(look)})

        return apply

    file = pool.topology_file
    for i, gpu in enumerate(told["gpus"]):
        yield Mutation(f"GPU {i} lost", change("gpus", i, None, None), "gpus", True)
        yield Mutation(f"GPU {i} another", change("gpus", i, "model", "NVIDIA T4"), "gpu model", True)
        if "numa" in gpu:
            yield Mutation(f"GPU {i} NUMA", change("gpus", i, "numa", 7), "gpu NUMA node", False)
        if machine.gpu_pci:
            yield Mutation(f"GPU {i} address", change("gpus", i, "pci", "00ab:cd:00.0"), "gpu address", file)
        if "root" in gpu and machine.roots and (machine.pcie_root_comparable or gpu["root"]):
            kind = "root name" if _alone(machine, told, gpu) else "gpu root"
            if kind == "gpu root":
                yield Mutation(f"GPU {i} root", change("gpus", i, "root", "pci0099:99"), kind, False)
    for i, nic in enumerate(told["nics"][1:], 1):
        yield Mutation(f"rail {i - 1} lost", change("nics", i, None, None), "nics", True)
        if machine.nic_gbps:
            yield Mutation(f"rail {i - 1} slow", change("nics", i, "gbps", 10), "nic rate", True)
            yield Mutation(f"rail {i - 1} fast", change("nics", i, "gbps", 999), "nic rate beyond", False)
        yield Mutation(f"rail {i - 1} down", change("nics", i, "active", False), "nic link", True)
        if machine.mtu_bytes:
            yield Mutation(f"rail {i - 1} MTU", change("nics", i, "mtu_bytes", 1460), "nic MTU", True)
        if machine.nic_names and len([each for each in (machine.nic_pci, machine.rdma_names) if each]):
            yield Mutation(f"rail {i - 1} name", change("nics", i, "interface", "eth99"), "nic name", False)
        if machine.rdma_names and machine.nic_pci:
            yield Mutation(f"rail {i - 1} RDMA name", change("nics", i, "rdma", "mlx5_99"), "nic RDMA name", False)
        if machine.nic_pci and machine.rdma_names:
            yield Mutation(f"rail {i - 1} address", change("nics", i, "pci", "00ab:cd:00.0"), "nic address", file)
        if "numa" in nic:
            yield Mutation(f"rail {i - 1} NUMA", change("nics", i, "numa", 7), "nic NUMA node", False)
    if machine.driver and machine.driver.removeprefix(">=").isdigit():
        old = _look(name, lambda look: look | {"driver": "450.80.2"})
        yield Mutation("old driver", old, "driver", True)


def _alone(machine: Any, told: Any, device: Any) -> bool:
    """Whether nothing else is on a device's root, or as much as it: then it says what the root is called."""
    roots = [each.get("root") for each in (*told["gpus"], *told["nics"])]
    return roots.count(device["root"]) < 3 and machine.pcie_root_comparable


def _published(of: Expected, number: int, name: str, answers: Answers) -> Iterator[Mutation]:
    """Faults of what drivers publish of a node that no pod looked at."""
    pool = of.pools[number]
    if pool.target is None:
        return
    for s, sliced in enumerate(answers.slices):
        if sliced["spec"]["nodeName"] != name:
            continue
        driver = sliced["spec"]["driver"]
        yield Mutation(f"no slice of {driver}", lambda a, s=s: a.slices.pop(s), "slice missing", True)
        for d, device in enumerate(sliced["spec"]["devices"]):
            if device["name"].startswith("eth"):
                continue
            attributes = ("slices", s, "spec", "devices", d, "attributes")
            gone = _drop(*attributes[:-2], at=d)
            yield Mutation(
                f"{driver} {device['name']} gone", gone, "gpus" if driver == "gpu.nvidia.com" else "nics", None
            )
            if ROOT in device["attributes"] and pool.machine.pcie_root_comparable:
                yield Mutation(f"{device['name']} without root", _drop(*attributes, at=ROOT), "attribute missing", None)
                if not _lone(pool.machine, device["name"]):
                    moved = _set(*attributes, ROOT, value={"string": "pci0099:99"})
                    kind = "gpu root" if driver == "gpu.nvidia.com" else "nic root"
                    yield Mutation(f"{device['name']} elsewhere", moved, kind, None)


def _lone(machine: Any, name: str) -> bool:
    """Whether a device has one neighbour at most, so that either may be the one that moved."""
    index = int(name.rpartition("-")[2])
    root = machine.root_of_gpu(index) if name.startswith("gpu") else machine.root_of_nic(index)
    of = machine.roots[root] if root is not None and machine.roots else None
    return of is None or len(of.gpus) + len(of.nics) < 3


def _look(name: str, change: Callable[[Any], Any]) -> Callable[[Answers], Answers]:
    return lambda a: replace(a, looks={**a.looks, name: json.dumps(change(json.loads(a.looks[name])))})


def _walk(answers: Answers, path: tuple[Any, ...]) -> Any:
    value: Any = getattr(answers, path[0])
    for key in path[1:]:
        value = value[key]
    return value


def _set(*path: Any, value: Any) -> Callable[[Answers], Any]:
    def change(answers: Answers) -> None:
        _walk(answers, path[:-1])[path[-1]] = value

    return change


def _drop(*path: Any, at: str | int) -> Callable[[Answers], Any]:
    return lambda answers: _walk(answers, path).pop(at)


def _labels(answers: Answers, at: int) -> Any:
    return answers.nodes[at]["metadata"]["labels"]


def _renamed(node: Any) -> Any:
    return {**node, "metadata": {**node["metadata"], "name": "another"}}
