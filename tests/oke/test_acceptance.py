"""Which image proves a fabric: one whose CUDA the driver of every node runs."""

import re
from typing import Any

from rdma_cluster.catalog.images import OKE_NCCL_TESTS, OKE_NCCL_TESTS_CUDA_12
from tests.oke.plans import ON_DEMAND, whole_plan

_H100: dict[str, Any] = {"machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}
_OLD = {**_H100, "name": "old", "image": {"release": "ubuntu-24.04-570"}}
_NEW = {**_H100, "name": "new", "image": {"release": "ubuntu-24.04-595"}}
_IMAGE = {"id": "ocid1.image.oc1..a"}
_OWN = {**_H100, "name": "own", "image": _IMAGE}


def image_of_test(pools: list[dict[str, Any]]) -> str:
    """The image that the acceptance test runs on all nodes."""
    tests = whole_plan(pools).in_cluster.acceptance.plan.tests
    (image,) = set(re.findall(r"iad\.ocir\.io/[^'\"]*/nccl-tests:[^'\"]*", str([test.mpi_job for test in tests])))
    return image


def hints(pools: list[dict[str, Any]]) -> dict[str, str]:
    """The image that the output names for each pool."""
    workloads = whole_plan(pools).in_cluster.workloads
    return {name: workload.pod_patch()["imageHint"] for name, workload in workloads.items()}


def test_oldest_driver_decides():
    """A newer driver runs an older CUDA, and never the other way round."""
    assert image_of_test([_NEW]) == OKE_NCCL_TESTS.image
    assert image_of_test([_OLD]) == OKE_NCCL_TESTS_CUDA_12.image
    assert image_of_test([_NEW, _OLD]) == OKE_NCCL_TESTS_CUDA_12.image


def test_hint_is_of_its_own_pool():
    """Each pool's users are told of an image that runs there."""
    assert hints([_NEW, _OLD]) == {"new": OKE_NCCL_TESTS.image, "old": OKE_NCCL_TESTS_CUDA_12.image}


def test_unknown_cuda_is_told():
    """Of an image of one's own, unless somebody says what is in it."""
    said = {**_OWN, "image": {**_IMAGE, "cuda": "12.8"}}

    assert any(warning.startswith("pool own: the CUDA of its nodes") for warning in whole_plan([_OWN]).warnings)
    assert not any("CUDA" in warning for warning in whole_plan([said]).warnings)
    assert image_of_test([said]) == OKE_NCCL_TESTS_CUDA_12.image
