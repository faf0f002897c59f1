"""What a stack's choices decide for an OKE cluster."""

from typing import Any

import pytest
from rdma_cluster.catalog.oke_releases import GPU_OPERATOR, NETWORK_OPERATOR, NODE_FEATURES
from rdma_cluster.oke.plan.cluster import system_image
from tests.oke.plans import CLUSTER, COMPARTMENT, cluster_plan, refused

PUBLIC = {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
THERE: dict[str, Any] = {"existing": {"id": CLUSTER}, "version": "1.35.2"}
OLD = "Oracle-Linux-8.10-2026.02.28-0-OKE-1.36.1-1210"
NEW = "Oracle-Linux-8.10-2026.06.30-0-OKE-1.36.1-1330"
OTHERS = (
    "Oracle-Linux-8.10-2026.08.31-0-OKE-1.35.2-1400",
    "Oracle-Linux-8.10-aarch64-2026.08.31-0-OKE-1.36.1-1400",
    "Oracle-Linux-8.10-Gen2-GPU-2026.08.31-0-OKE-1.36.1-1400",
)


def test_a_cluster_is_identified_by_its_place_and_name_and_an_existing_one_by_its_ocid():
    assert cluster_plan(name="mine").identifier == f"oke/eu-frankfurt-1/{COMPARTMENT}/mine"
    assert cluster_plan(**THERE, name="mine").identifier == f"oke/eu-frankfurt-1/{CLUSTER}"


def test_operators_come_after_the_features_that_they_read():
    addons = ["NvidiaNetworkOperator", "NvidiaGpuOperator", "NodeFeatureDiscovery"]

    assert cluster_plan(addons=addons).addons == (NODE_FEATURES, GPU_OPERATOR, NETWORK_OPERATOR)


@pytest.mark.parametrize(
    ("version", "fits"),
    [("1.34.2", True), ("1.37.0", True), ("1.34.1", False), ("1.33.9", False), ("1.36", False), ("v1.36.1", False)],
)
def test_a_version_has_its_patch_and_is_no_older_than_claims_that_work(version: str, fits: bool):
    assert [each.partition(": ")[0] for each in refused(cluster_plan, version=version)] == ([] if fits else ["version"])


@pytest.mark.parametrize(
    ("name", "fits"), [("a", True), ("A-b_9", True), ("a" * 255, True), ("a" * 256, False), ("9a", False), ("", False)]
)
def test_a_name_is_one_that_oke_takes(name: str, fits: bool):
    assert [each.partition(": ")[0] for each in refused(cluster_plan, name=name)] == ([] if fits else ["name"])


@pytest.mark.parametrize(
    ("args", "places"),
    [
        ({**THERE, "secrets_key": "ocid1.key.oc1.eu-frankfurt-1.a"}, ["secrets_key"]),
        ({**THERE, "public_cidrs": ["203.0.113.7/32"]}, ["public_cidrs"]),
        ({**THERE, "endpoint": "public"}, []),
        ({**THERE, "protected": True}, ["protected"]),
        ({**THERE, "protected": False}, []),
    ],
)
def test_an_existing_cluster_takes_no_choices_of_a_new_one(args: dict[str, Any], places: list[str]):
    assert [each.partition(": ")[0] for each in refused(cluster_plan, **args)] == places


@pytest.mark.parametrize("names", [(OLD, NEW, *OTHERS), (NEW, OLD, *OTHERS), (*OTHERS, NEW, OLD)])
def test_system_nodes_boot_the_newest_image_of_the_cluster_s_version(names: tuple[str, ...]):
    """Images of another version, for Arm or with drivers of GPUs are newer here, and not taken."""
    assert system_image({name: f"id of {name}" for name in names}, "1.36.1") == f"id of {NEW}"
    with pytest.raises(LookupError, match=r"1\.34\.2"):
        system_image({name: name for name in names}, "1.34.2")
