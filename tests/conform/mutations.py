"""Single faults of a cluster that keeps every promise, each with the kind of difference that must tell it."""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from rdma_cluster.conform.expected import Expected, ExpectedPool
from rdma_cluster.conform.reader import Answers
from rdma_cluster.fabrics import GpuAllocation

ROOT = "resource.kubernetes.io/pcieRoot"


class Mutation(NamedTuple):
    """One fault."""

    kind: str
    breaks: bool | None
    """Whether it breaks a promise; ``None`` where the claims of the stack decide."""
    change: Callable[[Any], Any]
    """Changes what an API answers, in place."""


def mutated(answers: Answers, mutation: Mutation) -> Answers:
    """The answers of a cluster with the fault."""
    changed = copy.deepcopy(answers)
    other = mutation.change(changed)
    return other if isinstance(other, Answers) else changed


def mutations(of: Expected, answers: Answers) -> Iterator[Mutation]:
    """Single faults of the first pool, of its first node, which a pod looked at, and of its second, which none did."""
    pool, (first, second) = of.pools[0], (each["metadata"]["name"] for each in answers.nodes[:2])
    yield from _cluster(of)
    yield from _node(of)
    yield from _seen(pool, first)
    yield from _published(pool, second, answers)


def _cluster(of: Expected) -> Iterator[Mutation]:
    yield Mutation("kubernetes", True, lambda a: replace(a, version="v1.33.9"))
    yield Mutation("kubernetes newer", False, lambda a: replace(a, version="v1.39.0-gke.1000000"))
    for i, daemon in enumerate(of.daemons):
        status = ("daemons", i, "status")
        yield Mutation("daemon missing", True, lambda a, i=i: a.daemons.pop(i))
        yield Mutation("daemon not ready", True, _set(*status, "numberReady", value=0))
        wanted = {"desiredNumberScheduled": 1, "numberReady": 1}
        yield Mutation("daemon too few", True, _set(*status, value=wanted))
        if daemon.version:
            chart = _set("daemons", i, "metadata", "labels", "helm.sh/chart", value=f"{daemon.name}-9.9.9")
            yield Mutation("daemon version", False, chart)
    if of.templates:
        yield Mutation("template missing", True, lambda a: a.templates[0].pop())
        yield Mutation("class missing", True, lambda a: a.classes.pop())


def _node(of: Expected) -> Iterator[Mutation]:
    pool, meta, status = of.pools[0], ("nodes", 0, "metadata"), ("nodes", 0, "status")
    yield Mutation("nodes missing", True, lambda a: a.nodes.pop(0))
    again = {"name": "another"}
    yield Mutation(
        "nodes beyond", False, lambda a: a.nodes.append({**a.nodes[0], "metadata": {**a.nodes[0]["metadata"], **again}})
    )
    machine = _set(*meta, "labels", "node.kubernetes.io/instance-type", value="n2-standard-8")
    yield Mutation("machine", True, machine)
    yield Mutation("not ready", True, _set(*status, "conditions", 0, "status", value="Unknown"))
    yield Mutation("architecture", True, _set(*status, "nodeInfo", "architecture", value="arm64"))
    yield Mutation("cpus", False, _set(*status, "capacity", "cpu", value="48"))
    yield Mutation("taint missing", True, lambda a: a.nodes[0]["spec"]["taints"].pop(0))
    for key, kind in (("acme.example/team", "taint"), ("rdma-cluster/fabric", "taint of ours")):
        taint = {"key": key, "value": "x", "effect": "NoSchedule"}
        yield Mutation(kind, True, lambda a, taint=taint: a.nodes[0]["spec"]["taints"].append(taint))
    for key in (key for key, value in pool.labels.items() if value == "true"):
        yield Mutation("label missing", True, lambda a, key=key: a.nodes[0]["metadata"]["labels"].pop(key))
    own = pool.allocation is GpuAllocation.DEVICE_PLUGIN
    gpus = ("gpus offered", str(pool.machine.gpus - 1)) if own else ("gpus offered twice", "8")
    yield Mutation(gpus[0], True, _set(*status, "allocatable", "nvidia.com/gpu", value=gpus[1]))


def _seen(pool: ExpectedPool, name: str) -> Iterator[Mutation]:
    """Faults of the third GPU and of the first rail; the first NIC is the node's own."""

    def looked(part: str, change: Callable[[list[Any]], Any]) -> Callable[[Answers], Answers]:
        def apply(a: Answers) -> Answers:
            look = json.loads(a.looks[name])
            change(look[part])
            return replace(a, looks={**a.looks, name: json.dumps(look)})

        return apply

    yield Mutation("gpus", True, looked("gpus", lambda gpus: gpus.pop()))
    yield Mutation("nics", True, looked("nics", lambda nics: nics.pop()))
    file = pool.topology_file
    for part, i, kind, breaks, shown in (
        ("gpus", 2, "gpu model", True, {"model": "NVIDIA T4"}),
        ("gpus", 2, "gpu NUMA node", False, {"numa": 7}),
        ("gpus", 2, "gpu address", file, {"pci": "00ab:cd:00.0"}),
        ("gpus", 2, "gpu root", False, {"root": "pci0099:99"}),
        ("nics", 1, "nic rate", True, {"gbps": 10}),
        ("nics", 1, "nic rate beyond", False, {"gbps": 999}),
        ("nics", 1, "nic link", True, {"active": False}),
        ("nics", 1, "nic MTU", True, {"mtu_bytes": 1460}),
        ("nics", 1, "nic name", False, {"interface": "eth99"}),
        ("nics", 1, "nic RDMA name", False, {"rdma": "mlx5_99"}),
        ("nics", 1, "nic address", file, {"pci": "00ab:cd:00.0"}),
        ("nics", 1, "nic NUMA node", False, {"numa": 7}),
    ):
        yield Mutation(kind, breaks, looked(part, lambda of, i=i, shown=shown: of[i].update(shown)))
    old = {"driver": "450.80.2"}
    yield Mutation(
        "driver", True, lambda a: replace(a, looks={**a.looks, name: json.dumps(json.loads(a.looks[name]) | old)})
    )


def _published(pool: ExpectedPool, name: str, answers: Answers) -> Iterator[Mutation]:
    """Faults of what drivers publish."""
    for s, sliced in enumerate(answers.slices):
        driver, devices = sliced["spec"]["driver"], ("slices", s, "spec", "devices")
        if sliced["spec"]["nodeName"] != name:
            continue
        kind = "gpu" if driver == "gpu.nvidia.com" else "nic"
        at = next(i for i, each in enumerate(sliced["spec"]["devices"]) if not each["name"].startswith("eth"))
        yield Mutation("slice missing", True, lambda a, s=s: a.slices.pop(s))
        yield Mutation(f"{kind}s", None, lambda a, of=devices, at=at: _walk(a, of).pop(at))
        attributes = (*devices, at, "attributes")
        yield Mutation("attribute missing", None, lambda a, of=attributes: _walk(a, of).pop(ROOT))
        yield Mutation(f"{kind} root", None, _set(*attributes, ROOT, value={"string": "pci0099:99"}))


def _walk(answers: Answers, path: tuple[Any, ...]) -> Any:
    value: Any = getattr(answers, path[0])
    for key in path[1:]:
        value = value[key]
    return value


def _set(*path: Any, value: Any) -> Callable[[Answers], Any]:
    def change(answers: Answers) -> None:
        _walk(answers, path[:-1])[path[-1]] = value

    return change
