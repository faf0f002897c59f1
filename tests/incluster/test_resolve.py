"""A pool is resolved to its machine and its fabric, and what does not go together is refused at its place."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.plan.resolve import resolve, resolve_all

P5: dict[str, Any] = {"name": "p5", "machine": "p5.48xlarge", "nodes": 2}


def told(pools: list[Any], **more: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names of the pools that are resolved, and the paths of what is refused."""
    errors = ErrorList()
    return [each.name for each in resolve_all(pools, errors, **more)], [error.path for error in errors.found()]


def test_a_pool_has_its_machines_usual_fabric_and_that_fabrics_gpus():
    """What args say takes their place."""
    usual = resolve(dict(P5), ErrorList())  # ty: ignore[invalid-argument-type]
    plugged = resolve({"name": "p5", "machine": "p5.48xlarge", "fabric": "efa-device-plugin"}, ErrorList(), None)
    full: Any = {**P5, "fabric": "efa-device-plugin", "gpu_allocation": GpuAllocation.DRA}
    more: Any = {"disk_gb": 100, "skip_reason": "later", "fingerprint": "f", "channels": True}
    asked = resolve({**full, **more}, ErrorList())

    assert usual and plugged and asked
    assert (usual.fabric, usual.allocation, usual.nodes) == (FABRICS["efa"], GpuAllocation.DRA, 2)
    assert (plugged.allocation, plugged.nodes) == (GpuAllocation.DEVICE_PLUGIN, 0)
    assert (asked.fabric.name, asked.allocation) == ("efa-device-plugin", GpuAllocation.DRA)
    assert {key: getattr(asked, key) for key in more} == more


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({"fabric": "efa-device-plugin"}, []),
        ({"machine": "p5.47"}, ["machine"]),
        ({"fabric": "effa"}, ["fabric"]),
        ({"machine": "p5.47", "fabric": "effa"}, ["machine", "fabric"]),
        ({"fabric": "gib"}, ["fabric"]),
        # No fabric is built for this machine.
        ({"machine": "BM.GPU.GB200.4"}, ["fabric"]),
        ({"machine": "BM.GPU.GB200.4", "fabric": "efa"}, ["fabric"]),
        ({"name": "-"}, ["name"]),
        ({"name": "a" * 63}, []),
        ({"name": "a" * 64}, ["name"]),
        ({"nodes": 0}, []),
        ({"nodes": -1}, ["nodes"]),
    ],
)
def test_a_machine_and_its_fabric_go_together(more: dict[str, Any], wrong: list[str]):
    assert told([{**P5, **more}])[1] == [(0, key) for key in wrong]


def test_each_pool_of_a_list_has_a_name_of_its_own():
    """There is one pool at least; a pool with an error is left out, and the others count."""
    assert told([]) == ([], [()])
    assert told([{**P5, "machine": "x"}, {**P5, "name": "b", "fabric": "gib"}, {**P5, "name": "c"}])[0] == ["c"]
    assert told([P5, {**P5, "name": "b"}, P5, P5])[1] == [(2, "name"), (3, "name")]
