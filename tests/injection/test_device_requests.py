"""What a container's GPUs become on each fabric, what a node has, and what an image has to bring."""

from typing import Any

import pytest
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.injection.device_requests import GPU, no_host_network
from rdma_cluster.injection.image_needs import image_needs, unfit_images
from tests.injection.plans import EFA, H100, plan
from tests.machines import known_machine


def shapes(name: str, fabric: str, **claims: Any) -> dict[str, Any]:
    """The requests that are served."""
    (pattern,) = plan((name, fabric), **({"claims": claims} if claims else {})).patterns
    return pattern["shapes"]


@pytest.mark.parametrize(
    ("name", "fabric", "whole", "numbers"),
    [
        ("p4d.24xlarge", "efa-device-plugin", {GPU: "8", EFA: "4"}, "12345678"),
        (H100, "infiniband-rdma-ib", {GPU: "8", "rdma/ib": "8"}, "8"),
        (H100, "infiniband-rdma-shared-ib", {GPU: "8", "rdma/shared_ib": "1"}, "12345678"),
        ("BM.GPU.H100.8", "roce-host", {GPU: "8"}, "8"),
        ("a4x-highgpu-4g", "gib-arm64-managed", {GPU: "4"}, "4"),
    ],
)
def test_a_device_plugin_serves_parts_of_a_node_where_any_nics_reach_each_other(
    name: str, fabric: str, whole: dict[str, str], numbers: str
):
    """A unit that is all NICs of a node serves parts, too; else only whole nodes surely fit each other."""
    found = shapes(name, fabric)

    assert list(found) == list(numbers)
    assert found[numbers[-1]]["limits"] == whole


def test_claims_serve_windows_by_name_and_the_first_one_without():
    """Numbers rise, whatever order somebody asked for them in."""
    found = shapes("a4-highgpu-8g", "gib", pairs=[4, 1])

    assert list(found) == ["1", *(f"1-rail-{n}" for n in range(8)), "4", "4-rails-0-3", "4-rails-4-7", "8"]
    assert found["4"] == found["4-rails-0-3"]
    assert [each["name"] for each in found["8"]["claims"]] == ["rdma-a4-highgpu-8g-whole"]
    assert {key: len(of["claims"]) for key, of in shapes("p5.48xlarge", "efa").items()} == {
        "1": 1,
        "2": 1,
        "4": 1,
        "8": 2,
    }


@pytest.mark.parametrize(
    ("fabric", "fits"),
    [("gib", False), ("tcpxo", False), ("roce-mlnxnics", False), ("efa-device-plugin", True), ("roce-host", True)],
)
def test_the_hosts_network_is_refused_where_nics_come_as_networks_or_claims(fabric: str, fits: bool):
    assert bool(no_host_network(FABRICS[fabric])) is not fits


@pytest.mark.parametrize(
    ("name", "fabric", "needs"),
    [
        ("a4-highgpu-8g", "gib", ""),
        ("p5.48xlarge", "efa", "aws-ofi-nccl 1.15 or later"),
        ("a4x-maxgpu-4g-metal", "gib-metal", " and a build for arm64"),
    ],
)
def test_an_image_brings_what_hosts_lack(name: str, fabric: str, needs: str):
    """Only images without EFA's plugin are known to lack it."""
    said = image_needs(known_machine(name), FABRICS[fabric])

    assert said.endswith(needs) and bool(said) is bool(needs)
    assert bool(unfit_images(FABRICS[fabric])) is (fabric == "efa")
