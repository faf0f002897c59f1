"""Where a GKE stack keeps its data: sizes that Google sells, who deletes what, and what only the user can check."""

from typing import Any

import pytest
from rdma_cluster.gke.plan.storage import GkeLustrePlan, GkeStoragePlan
from tests.gke.plans import EXISTING, refused, stack_plan

LUSTRE = {"lustre": {"capacity_gib": 9_000}}


def chosen(name: str = "gke", **choice: Any) -> GkeStoragePlan:
    """The storage of a stack."""
    made = stack_plan(name=name, storage=choice).storage
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("name", "allowed"), [("goo", True), ("a-goog", True), ("goog", False), ("goog-a", False), ("my-google", False)]
)
def test_google_keeps_its_own_names_of_buckets(name: str, allowed: bool):
    """A new bucket is named after the stack, and one that is there has its own name."""
    assert refused(chosen, name, object_store={"bucket": "weights"}) == []
    assert refused(chosen, name, object_store={}) == ([] if allowed else ["storage.object_store"])


# docs.cloud.google.com/managed-lustre/docs/performance-tiers (2026-11).
@pytest.mark.parametrize(
    ("throughput", "step", "most"),
    [(125, 72_000, 12_240_000), (250, 36_000, 6_120_000), (500, 18_000, 3_060_000), (1000, 9_000, 1_530_000)],
)
def test_lustre_has_the_sizes_that_google_sells(throughput: int, step: int, most: int):
    """The least size of each throughput is also its step."""
    for capacity in (step, 2 * step, most):
        made = chosen(lustre={"capacity_gib": capacity, "mbps_per_tib": throughput}).lustre
        assert made == GkeLustrePlan(capacity, throughput, protected=True)
    for capacity in (step - 1, step + 1, most + step):
        wrong = {"capacity_gib": capacity, "mbps_per_tib": throughput}
        assert refused(chosen, lustre=wrong) == ["storage.lustre.capacity_gib"]


def test_a_throughput_that_nobody_sells_hides_no_size():
    """Without a known one there is no size to judge."""
    assert refused(chosen, lustre={"capacity_gib": 1, "mbps_per_tib": 999}) == ["storage.lustre.mbps_per_tib"]


def test_a_claim_of_the_users_own_needs_no_store():
    made = chosen(existing={"claim": "mine"})

    assert (made.store.claim, made.bucket, made.lustre) == ("mine", None, None)


BUCKET_ADDON, LUSTRE_ADDON, WAY_IN = "GcsFuseCsiDriver=ENABLED", "LustreCsiDriver=ENABLED", "private services access"
OF_NETWORK = {"network": EXISTING["network"]}


@pytest.mark.parametrize(
    ("choice", "more", "words"),
    [
        ({"object_store": {}}, {}, []),
        ({"object_store": {}}, OF_NETWORK, []),
        ({"object_store": {}}, EXISTING, [BUCKET_ADDON]),
        (LUSTRE, {}, []),
        (LUSTRE, OF_NETWORK, [WAY_IN]),
        (LUSTRE, EXISTING, [WAY_IN, LUSTRE_ADDON]),
        ({"existing": {"claim": "mine"}}, EXISTING, []),
    ],
)
def test_what_only_the_user_can_check_is_told(choice: dict[str, Any], more: dict[str, Any], words: list[str]):
    """An existing cluster needs the add-on, and an existing network a way to Lustre."""
    told = [each for each in stack_plan(storage=choice, **more).warnings if each.startswith("storage: ")]

    assert [word in each for word, each in zip(words, told, strict=True)] == [True] * len(words)
