"""The image that tests a pool's fabric, and whose GPUs are claimed."""

from typing import Any

import pytest
from rdma_cluster.catalog.oke_releases import NCCL_TESTS, NCCL_TESTS_CUDA_12
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.fabrics.roce import ROCE
from rdma_cluster.oke.plan.gpu_pools import acceptance_options, claimed, cuda_warnings, skip_reason, with_tests
from tests.oke.plans import BUILT, ON_DEMAND, row

POOL: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}
CUDA_12, CUDA_13 = NCCL_TESTS_CUDA_12[0].image, NCCL_TESTS[0].image


def test_whose_gpus_are_claimed():
    """By the place of each pool."""
    dra = {"gpu_allocation": GpuAllocation.DRA}
    pools: Any = [{**POOL, **dra}, POOL, {**POOL, **dra}, {**POOL, "gpu_allocation": GpuAllocation.DEVICE_PLUGIN}]

    assert claimed(pools) == ["pools[0]", "pools[2]"]


@pytest.mark.parametrize(
    ("cuda", "given", "image"),
    [
        ({"a": "13.2", "b": "13.0"}, {}, None),
        ({"a": "13.2", "b": "12.8"}, {}, CUDA_12),
        ({"a": None, "b": "12"}, {}, CUDA_12),
        ({"a": None, "b": "112.1"}, {}, None),
        ({"a": "12.8"}, {"test": "own.example/t:1"}, "own.example/t:1"),
        ({"a": "13.2"}, {"test": "own.example/t:1"}, "own.example/t:1"),
    ],
)
def test_image_of_the_test(cuda: dict[str, str | None], given: dict[str, str], image: str | None):
    """The user's own, or one that the oldest driver runs, from a mirror; nothing where the fabric's own does."""
    images = {"python": "p.example/p:1", **given}
    choice: Any = {"enabled": True, "images": images}
    made = acceptance_options(choice, cuda, {"mirrored.example": "m.example"})

    assert made == {"enabled": True, "images": {**images, **({"test": image} if image else {})}}
    assert choice == {"enabled": True, "images": images}


def test_image_of_the_test_comes_from_a_mirror():
    """Where one holds it."""
    registry = CUDA_12.partition("/")[0]
    made = acceptance_options({}, {"a": "12.8"}, {registry: "mirror.example/q"})

    assert made == {"images": {"test": CUDA_12.replace(registry, "mirror.example/q")}}


@pytest.mark.parametrize(("cuda", "image"), [(None, CUDA_13), ("13.2", CUDA_13), ("12.8", CUDA_12)])
def test_image_that_a_pool_is_told_of(cuda: str | None, image: str):
    """The newer one unless its own nodes have an older driver."""
    assert with_tests(ROCE, cuda).acceptance.tests[0].image == image


@pytest.mark.parametrize(
    ("acceptance", "pools"),
    [
        ({}, ["b", "d"]),
        ({"enabled": True}, ["b", "d"]),
        ({"enabled": False}, []),
        ({"images": {"test": "own.example/t:1"}}, []),
        ({"images": {"python": "p.example/p:1"}}, ["b", "d"]),
    ],
)
def test_whose_cuda_is_not_said(acceptance: Any, pools: list[str]):
    """Of each pool that is tested with our image."""
    warnings = cuda_warnings({"a": "12.8", "b": None, "c": "13.2", "d": None}, acceptance)

    assert [each.partition(":")[0] for each in warnings] == [f"pool {name}" for name in pools]
    assert all("brings CUDA 13.3:" in each for each in warnings)


def test_only_racks_are_not_tested():
    """Of no rack a figure of two whole nodes is published."""
    assert {machine.name for machine in BUILT if skip_reason(machine)} == {"BM.GPU.GB200-v3.4", "BM.GPU.GB300.4"}
    assert skip_reason(row("BM.GPU.H100.8")) == ""
