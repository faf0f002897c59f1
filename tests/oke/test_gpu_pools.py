"""The image that tests a pool's fabric, and whose GPUs are claimed."""

import re
from typing import Any

import pytest
from rdma_cluster.catalog.images import OKE_NCCL_TESTS, OKE_NCCL_TESTS_CUDA_12
from tests.oke.plans import ON_DEMAND, whole_plan

_H100: dict[str, Any] = {"machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}
OLD = {**_H100, "name": "old", "image": {"release": "ubuntu-24.04-570"}}
NEW = {**_H100, "name": "new", "image": {"release": "ubuntu-24.04-595"}}
IMAGE = {"id": "ocid1.image.oc1..a"}
OWN = {**_H100, "name": "own", "image": IMAGE}


def image_of_test(pools: list[dict[str, Any]], **choices: Any) -> str:
    """The image that the acceptance test runs on all nodes."""
    tests = whole_plan(pools, **choices).in_cluster.acceptance.plan.tests
    (image,) = set(re.findall(r"[^'\"\s]*/nccl-tests:[^'\"]*", str([test.test for test in tests])))
    return image


def test_the_oldest_driver_decides_which_image_tests_the_fabric():
    """A newer driver runs an older CUDA, and never the other way round."""
    assert image_of_test([NEW]) == OKE_NCCL_TESTS.image
    assert image_of_test([OLD]) == image_of_test([NEW, OLD]) == OKE_NCCL_TESTS_CUDA_12.image
    assert image_of_test([{**OWN, "image": {**IMAGE, "cuda": "12"}}]) == OKE_NCCL_TESTS_CUDA_12.image


def test_a_pool_s_hint_names_an_image_that_runs_on_its_own_nodes():
    workloads = whole_plan([NEW, OLD]).in_cluster.workloads
    hints = {name: workload.pod_patch()["imageHint"] for name, workload in workloads.items()}

    assert hints == {"new": OKE_NCCL_TESTS.image, "old": OKE_NCCL_TESTS_CUDA_12.image}


def test_the_user_s_image_tests_the_fabric_and_ours_comes_from_a_mirror():
    own = {"acceptance": {"images": {"test": "own.example/nccl-tests:1"}}}
    registry = OKE_NCCL_TESTS_CUDA_12.image.partition("/")[0]
    mirrored = OKE_NCCL_TESTS_CUDA_12.image.replace(registry, "mirror.example/q")

    assert image_of_test([OLD], **own) == "own.example/nccl-tests:1"
    assert image_of_test([OLD], registries={registry: "mirror.example/q"}) == mirrored


@pytest.mark.parametrize(
    ("pool", "acceptance", "warned"),
    [
        (OWN, {}, True),
        (OWN, {"enabled": False}, False),
        (OWN, {"images": {"test": "own.example/t:1"}}, False),
        ({**OWN, "image": {**IMAGE, "cuda": "12.8"}}, {}, False),
        (NEW, {}, False),
    ],
)
def test_a_cuda_that_nobody_states_is_warned_of_where_our_image_runs(
    pool: dict[str, Any], acceptance: dict[str, Any], warned: bool
):
    warnings = whole_plan([pool], acceptance=acceptance).warnings

    assert any(each.startswith("pool own: the CUDA of its nodes") for each in warnings) is warned


FABRICS = [{"id": f"ocid1.computegpumemoryfabric.oc1.us-dallas-1.{each}", "nodes": 2} for each in "ab"]


@pytest.mark.parametrize("machine", ["BM.GPU.GB200-v3.4", "BM.GPU.GB300.4"])
def test_a_rack_is_tested_by_its_nics_and_inside_each_rack_over_nvlink(machine: str):
    rack = {"name": "rack", "machine": machine, "nodes": 4, "capacity": {"dedicated": True}, "memory_fabrics": FABRICS}
    nics, nvlink = whole_plan([rack]).in_cluster.acceptance.plan.tests

    # Four nodes have four neighbours, of which two pairs are of two racks.
    assert (nics.expectation.tests, nvlink.expectation.tests) == (4, 2)
    assert nvlink.expectation.network.transport == "NVLink" and nics.expectation.network.transport != "NVLink"
    assert nics.expectation.thresholds and nvlink.expectation.thresholds
    assert nvlink.values["racks"] == 2
