"""Pools as args name them, and as plans read them."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import find
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.plan.pod_files import PodFilesArgs, PodFilesPlan, plan_pod_files
from rdma_cluster.incluster.plan.pool import GpuPool
from rdma_cluster.incluster.plan.resolve import resolve, resolve_all

P5: dict[str, Any] = {"name": "p5", "machine": "p5.48xlarge", "nodes": 2}


def told(pools: list[Any], **more: Any) -> tuple[list[str], list[str]]:
    """Names of the pools that are resolved, and what is refused."""
    errors = ErrorList()
    return [each.name for each in resolve_all(pools, errors, **more)], [str(error) for error in errors.found()]


def test_a_pool_by_its_machine():
    """With the machine's usual fabric, and GPUs as is usual with that."""
    machine = find("p5.48xlarge")
    assert machine is not None

    assert resolve({"name": "p5", "machine": "p5.48xlarge", "nodes": 2}, ErrorList()) == GpuPool(
        "p5", machine, 2, FABRICS["efa"], GpuAllocation.DRA
    )
    plugged = resolve({"name": "p5", "machine": "p5.48xlarge", "fabric": "efa-device-plugin"}, ErrorList(), None)
    assert plugged == GpuPool("p5", machine, 0, FABRICS["efa-device-plugin"], GpuAllocation.DEVICE_PLUGIN)


def test_a_pool_with_all_that_args_say():
    """Each key is the pool's."""
    full: Any = {
        **P5,
        "fabric": "efa-device-plugin",
        "gpu_allocation": GpuAllocation.DRA,
        "disk_gb": 100,
        "skip_reason": "later",
        "fingerprint": "f",
        "channels": True,
    }
    machine = find("p5.48xlarge")
    assert machine is not None
    made = GpuPool(
        "p5",
        machine,
        2,
        FABRICS["efa-device-plugin"],
        GpuAllocation.DRA,
        skip_reason="later",
        fingerprint="f",
        disk_gb=100,
        channels=True,
    )

    assert resolve(full, ErrorList()) == made


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, []),
        ({"fabric": "efa-device-plugin"}, []),
        ({"machine": "p5.47"}, ["pools[0].machine: unknown machine 'p5.47'"]),
        ({"fabric": "effa"}, ["pools[0].fabric: unknown fabric 'effa'"]),
        # Both names are wrong: both are told.
        (
            {"machine": "p5.47", "fabric": "effa"},
            ["pools[0].machine: unknown machine 'p5.47'", "pools[0].fabric: unknown fabric 'effa'"],
        ),
        ({"machine": "p5.47", "fabric": "efa"}, ["pools[0].machine: unknown machine 'p5.47'"]),
        ({"fabric": "gib"}, ["pools[0].fabric: got 'gib'; choose one of efa, efa-device-plugin"]),
        ({"machine": "BM.GPU.GB200.4"}, ["pools[0].fabric: no fabric is built for BM.GPU.GB200.4"]),
        (
            {"machine": "BM.GPU.GB200.4", "fabric": "efa"},
            ["pools[0].fabric: got 'efa'; no fabric is built for BM.GPU.GB200.4"],
        ),
        ({"name": "-"}, ["pools[0].name: got '-'; the value of a node label is"]),
        ({"name": "a" * 63}, []),
        ({"name": "A_b.9-c"}, []),
        ({"name": "a" * 64}, [f"pools[0].name: got '{'a' * 64}'; the value"]),
        ({"nodes": 0}, []),
        ({"nodes": -1}, ["pools[0].nodes: got -1; must be 0 or more"]),
    ],
)
def test_names_that_there_are(more: dict[str, Any], words: list[str]):
    """Machine and fabric, which must go together, and the name; a pool with an error in its machine or nodes is left
    out of none of the other's checks."""
    errors = ErrorList()
    pool: Any = {**P5, **more}
    resolve_all([pool], errors.at("pools"))
    found = [str(error) for error in errors.found()]

    assert len(found) == len(words) and all(map(str.startswith, found, words)), found


@pytest.mark.parametrize(
    ("least", "nodes", "words"),
    [
        (1, 1, []),
        (1, 0, ["got 0; must be 1 or more"]),
        (0, None, ["missing; it has no default"]),
        (None, None, []),
        (None, -1, []),
    ],
)
def test_how_many_nodes(least: int | None, nodes: int | None, words: list[str]):
    """As many as the component needs, or none where it counts none."""
    pool = {key: value for key, value in {**P5, "nodes": nodes}.items() if value is not None}

    assert told([pool], least_nodes=least)[1] == [f"[0].nodes: {each}" for each in words]


def test_a_list_of_pools():
    """At least one; each has a name of its own; behind one that is wrong the others count, and it does not."""
    assert told([]) == ([], ["empty; name at least one GPU pool"])
    assert told([{**P5, "machine": "x"}, {**P5, "name": "b", "fabric": "gib"}, {**P5, "name": "c"}])[0] == ["c"]
    assert told([P5, {**P5, "name": "b"}, P5, P5])[1] == [
        "[2].name: p5 is listed twice; name each pool once",
        "[3].name: p5 is listed twice; name each pool once",
    ]


def test_files_of_pods():
    """In one namespace at least."""
    args = PodFilesArgs(namespaces=["a"], config_maps={"m": {"f": "text"}})
    none = PodFilesArgs(namespaces=[], config_maps={})
    errors = ErrorList()

    assert plan_pod_files(args, errors) == PodFilesPlan(("a",), (), {"m": {"f": "text"}}) and not errors
    assert plan_pod_files(none, errors) is None
    assert [str(each) for each in errors.found()] == ["namespaces: empty; name at least one namespace, e.g. default"]
