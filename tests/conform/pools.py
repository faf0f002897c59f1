"""Expected pools and the nodes that keep to them, made by hand: one A4 node is 8 GPUs and 8 rails on four roots."""

from dataclasses import replace
from typing import Any

from rdma_cluster.catalog import Machine
from rdma_cluster.claims import Target
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.conform.difference import Difference
from rdma_cluster.conform.expected import Expected, ExpectedPool
from rdma_cluster.conform.judge import differences
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import FORM, SeenDevice
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from tests.machines import known_machine

TAINT = "nvidia.com/gpu"


def machine(name: str = "a4-highgpu-8g") -> Machine:
    """A row of the catalogue."""
    return known_machine(name)


A4 = machine()
POOL = ExpectedPool("a", A4, 1, FABRICS["gib"], GpuAllocation.DEVICE_PLUGIN, {}, None, (), False)
NODE: dict[str, Any] = {"pool": 0, "machine": A4.name}
"""A node of which only the machine type is known."""


def promised(*pools: ExpectedPool, **others: Any) -> Expected:
    """A cluster of these pools, where nothing else is promised."""
    settings: dict[str, Any] = {"kubernetes": "1.35", "taints": {TAINT: "present", "kubernetes.io/arch": "arm64"}}
    settings |= {"daemons": (), "templates": (), "classes": ()}
    return Expected(pool_label="pool", pools=pools or (POOL,), **{**settings, **others})


def judged(of: Expected, *nodes: dict[str, Any], **others: Any) -> list[Difference]:
    """How a cluster of these nodes differs from what is promised."""
    snapshot: Any = {"form": FORM, "nodes": list(nodes or [NODE]), **others}
    return differences(snapshot, of)


def told(found: list[Difference]) -> list[tuple[str, str, str, str]]:
    """The kind and the thing of each difference, what was expected and what was found."""
    return [(each.kind, each.what, each.expected, each.found) for each in found]


def published(of: Machine, target: Target) -> list[SeenDevice]:
    """What the drivers publish of a node that is as its row says; the caller may change it."""
    slices = [each.manifest() for each in resource_slices(of, target, "n")]
    node = {"metadata": {"name": "n", "labels": {"pool": "a"}}}
    devices = read_answers(Answers(nodes=[node], slices=slices), "pool", ["a"], "1").snapshot["nodes"][0]["devices"]
    for device in devices:
        if "dra.net/mtu" in device.get("numbers", {}):
            device.get("numbers", {})["dra.net/mtu"] = of.mtu_bytes or 1500
    return devices


def with_claims(target: Target, **changes: Any) -> ExpectedPool:
    """The pool, with claims that hand out its devices."""
    return replace(POOL, allocation=target.gpus, target=target, **changes)
