"""Where an EKS stack keeps its data: what AWS sells and names, who deletes what, and what only the user can check."""

from typing import Any

import pytest
from rdma_cluster.eks.plan.storage import EksBucketPlan, EksLustrePlan, EksStoragePlan
from tests.eks.plans import EXISTING, refused, stack_plan

LUSTRE = {"lustre": {"capacity_gib": 1200}}


def chosen(name: str = "eks", **choice: Any) -> EksStoragePlan:
    """The storage of a stack."""
    made = stack_plan(name=name, storage=choice).storage
    assert made is not None
    return made


def test_a_bucket_is_mounted_so_that_pods_may_replace_files():
    """Mountpoint mounts it, and it goes with the stack where the user says so."""
    made = chosen(object_store={"deletable": True})

    assert (made.bucket, made.addon) == (EksBucketPlan("", "aws", protected=False), "aws-mountpoint-s3-csi-driver")
    assert made.store.mounted is not None
    assert made.store.mounted.options == ("allow-delete", "allow-overwrite", "allow-other", "region us-east-2")


@pytest.mark.parametrize(
    ("name", "allowed"), [("EKS", True), ("a" * 47, True), ("a" * 48, False), ("a_b", False), ("xn--a", False)]
)
def test_a_new_bucket_is_named_after_the_stack(name: str, allowed: bool):
    """With `-storage` and Pulumi's eight characters behind it S3 takes 63; one that is there has its own name."""
    assert refused(chosen, name, object_store={"bucket": "weights.of-mine"}) == []
    assert refused(chosen, name, object_store={}) == ([] if allowed else ["storage.object_store"])


@pytest.mark.parametrize(
    ("choice", "plan"),
    [
        ({"capacity_gib": 1200}, EksLustrePlan(1200, 125, protected=True)),
        ({"capacity_gib": 2400, "mbps_per_tib": 250, "deletable": True}, EksLustrePlan(2400, 250, protected=False)),
        ({"capacity_gib": 4800, "mbps_per_tib": 1000}, EksLustrePlan(4800, 1000, protected=True)),
    ],
)
def test_lustre_has_the_sizes_that_aws_sells(choice: dict[str, Any], plan: EksLustrePlan):
    """It has the least throughput unless more is asked for."""
    made = chosen(lustre=choice)

    assert (made.lustre, made.addon) == (plan, "aws-fsx-csi-driver")
    assert made.store.mounted is not None and made.store.mounted.capacity_gib == plan.capacity_gib


@pytest.mark.parametrize(
    ("choice", "keys"),
    [
        ({"capacity_gib": 1199}, ["capacity_gib"]),
        ({"capacity_gib": 1201}, ["capacity_gib"]),
        ({"capacity_gib": 3600}, ["capacity_gib"]),
        ({"capacity_gib": 1200, "mbps_per_tib": 126}, ["mbps_per_tib"]),
    ],
)
def test_what_aws_does_not_sell_is_refused(choice: dict[str, Any], keys: list[str]):
    assert refused(chosen, lustre=choice) == [f"storage.lustre.{key}" for key in keys]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"object_store": {}}, ["aws-mountpoint-s3-csi-driver", "s3-csi-driver-sa"]),
        (LUSTRE, ["aws-fsx-csi-driver"]),
        ({"existing": {"claim": "data"}}, []),
    ],
    ids=["bucket", "Lustre", "existing"],
)
def test_an_existing_cluster_needs_the_driver(choice: dict[str, Any], words: list[str]):
    """A new one gets it."""
    told = [each for each in stack_plan(storage=choice, **EXISTING).warnings if each.startswith("storage: ")]

    assert len(told) == bool(words) and all(word in told[0] for word in words)
    assert not any("storage: " in each for each in stack_plan(storage=choice).warnings)
