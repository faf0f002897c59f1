"""Where a GKE stack keeps its data: sizes that Google sells, who deletes what, and what only the user can check."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.common.google.names import Place
from rdma_cluster.gke.plan.cluster import GkeClusterPlan, GkeEndpoint
from rdma_cluster.gke.plan.storage import (
    GkeBucketPlan,
    GkeLustrePlan,
    GkeStorageArgs,
    GkeStorageOptions,
    GkeStoragePlan,
    StoreUse,
    choose_storage,
    plan_storage,
    storage_minimum_versions,
    storage_warnings,
)
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import Mounted, Store

USE = StoreUse(Place("my-project", "us-west8-c", "us-west8"), ("default",), connect=True)
ARGS = {"project": "my-project", "zone": "us-west8-c", "namespaces": ["default"]}
BUCKET = Store(
    StorageKind.OBJECT_STORE,
    "storage",
    Mounted("gcsfuse.csi.storage.gke.io", ("implicit-dirs",)),
    annotations={"gke-gcsfuse/volumes": "true"},
)


def chosen(name: str = "gke", **choice: Any) -> GkeStoragePlan | None:
    """The plan of a stack's choice, which must be possible."""
    errors = ErrorList()
    made = choose_storage(GkeStorageOptions(**choice), USE, name, errors)
    assert not errors, errors.found()
    return made


def refused(name: str = "gke", **choice: Any) -> list[str]:
    """What is wrong with a choice, of which there is no plan."""
    errors = ErrorList()
    assert choose_storage(GkeStorageOptions(**choice), USE, name, errors) is None
    return [str(each) for each in errors.found()]


def lustre(capacity_gib: int, **choice: Any) -> GkeStoragePlan:
    """Of a Lustre instance."""
    made = chosen(lustre={"capacity_gib": capacity_gib, **choice})
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("choice", "bucket"),
    [
        ({}, GkeBucketPlan("", "US-WEST8", protected=True)),
        ({"deletable": False}, GkeBucketPlan("", "US-WEST8", protected=True)),
        ({"deletable": True}, GkeBucketPlan("", "US-WEST8", protected=False)),
        ({"bucket": "weights"}, GkeBucketPlan("weights", "US-WEST8", protected=True)),
        ({"bucket": "weights", "deletable": False}, GkeBucketPlan("weights", "US-WEST8", protected=True)),
    ],
)
def test_bucket(choice: dict[str, Any], bucket: GkeBucketPlan):
    """A bucket is in the cluster's region, mounted by Cloud Storage FUSE, and kept unless somebody says otherwise."""
    assert chosen(object_store=choice) == GkeStoragePlan(BUCKET, USE, bucket)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("gke", True), ("goo", True), ("a-goog", True), ("goog", False), ("goog-a", False), ("my-google", False)],
)
def test_google_keeps_its_own_names(name: str, allowed: bool):
    """A new bucket is named after the stack; one that is there has the name that it has."""
    assert chosen(name, object_store={"bucket": "weights"}) is not None
    if allowed:
        assert chosen(name, object_store={}) == GkeStoragePlan(
            BUCKET, USE, GkeBucketPlan("", "US-WEST8", protected=True)
        )
    else:
        (told,) = refused(name, object_store={})
        assert told.startswith(f"object_store: no bucket may have a name like {name}-storage: ")


# docs.cloud.google.com/managed-lustre/docs/performance-tiers (2026-11).
@pytest.mark.parametrize(
    ("throughput", "step", "most"),
    [(125, 72_000, 12_240_000), (250, 36_000, 6_120_000), (500, 18_000, 3_060_000), (1000, 9_000, 1_530_000)],
)
def test_sizes_that_google_sells(throughput: int, step: int, most: int):
    """The least size of each throughput is also its step; the largest is sold, and the next step is not."""
    for capacity in (step, 2 * step, most):
        assert lustre(capacity, mbps_per_tib=throughput).lustre == GkeLustrePlan(capacity, throughput, protected=True)
    for capacity in (step - 1, step + 1, most + step):
        (told,) = refused(lustre={"capacity_gib": capacity, "mbps_per_tib": throughput})
        words = f"lustre.capacity_gib: got {capacity}; must be a multiple of {step:,} up to {most:,}; nearest"
        assert told.startswith(words)


def test_lustre():
    """The quickest is the default, since the least of it is sold; its driver mounts an instance of that size."""
    store = Store(StorageKind.LUSTRE, "storage", Mounted("lustre.csi.storage.gke.io", capacity_gib=9_000))

    assert lustre(9_000) == GkeStoragePlan(store, USE, lustre=GkeLustrePlan(9_000, 1000, protected=True))
    assert lustre(9_000, deletable=True).lustre == GkeLustrePlan(9_000, 1000, protected=False)


def test_a_throughput_that_nobody_sells_hides_no_other_error():
    """Without a known one there is no size to judge."""
    assert refused(lustre={"capacity_gib": 1, "mbps_per_tib": 999}) == [
        "lustre.mbps_per_tib: got 999; choose one of 125, 250, 500, 1000"
    ]


def test_what_is_there_already_has_no_bucket_or_instance():
    """A claim, a class or a volume of somebody else's."""
    assert chosen(existing={"claim": "mine"}) == GkeStoragePlan(Store(StorageKind.EXISTING, claim="mine"), USE)


def test_only_lustre_has_a_least_version():
    """Its driver is younger than the oldest cluster that is offered."""
    assert [each.least for each in storage_minimum_versions({"lustre": {"capacity_gib": 9_000}})] == [
        "1.33.2-gke.4780000"
    ]
    assert storage_minimum_versions({"object_store": {}}) == []


@pytest.mark.parametrize(
    ("kind", "more", "wrong"),
    [
        ({"object_store": {}}, {}, []),
        ({"lustre": {"capacity_gib": 9_000}}, {"network": "vpc"}, []),
        ({"lustre": {"capacity_gib": 9_000}}, {}, ["network"]),
        ({"object_store": {}}, {"namespaces": ["Upper"]}, ["namespaces[0]"]),
        ({"object_store": {}}, {"zone": "west"}, ["zone"]),
        ({}, {}, ["object_store"]),
    ],
)
def test_on_its_own(kind: dict[str, Any], more: dict[str, Any], wrong: list[str]):
    """The component has the plan of a stack's choice, from args that it checks itself."""
    paths = []
    try:
        made = plan_from(
            GkeStorageArgs, lambda args, errors: plan_storage(args, "gke", errors), {**ARGS, **kind, **more}
        )
    except Refused as why:
        paths = [line.partition(": ")[0] for line in why.lines]
    else:
        assert made == chosen(**kind)
    assert paths == wrong


def cluster(*, existing: bool) -> GkeClusterPlan:
    """A cluster `c`, ours or somebody's."""
    theirs: Any = {"location": "us-west8", "endpoint": "e"} if existing else None
    return GkeClusterPlan("c", "p", "us-west8", "us-west8-c", "1.35", "REGULAR", GkeEndpoint.DNS, "i", "a", theirs)


@pytest.mark.parametrize(
    ("choice", "existing", "own_network", "expected"),
    [
        ({"object_store": {}}, False, True, []),
        ({"object_store": {}}, False, False, []),
        ({"object_store": {}}, True, True, [("cluster c needs Workload Identity and the add-on", "GcsFuseCsiDriver")]),
        ({"lustre": {"capacity_gib": 9_000}}, False, True, []),
        ({"lustre": {"capacity_gib": 9_000}}, False, False, [("private services access", "TCP port 988")]),
        ({"lustre": {"capacity_gib": 9_000}}, True, True, [("cluster c needs the add-on", "LustreCsiDriver=ENABLED")]),
        (
            {"lustre": {"capacity_gib": 9_000}},
            True,
            False,
            [("private services access", "TCP port 988"), ("cluster c needs the add-on", "LustreCsiDriver=ENABLED")],
        ),
        ({"existing": {"claim": "mine"}}, True, False, []),
    ],
)
def test_what_only_the_user_can_check(
    choice: dict[str, Any], existing: bool, own_network: bool, expected: list[tuple[str, str]]
):
    """The add-on of a cluster that exists, and for Lustre the way into a network that exists."""
    warnings = storage_warnings(chosen(**choice), cluster(existing=existing), own_network=own_network)

    assert len(warnings) == len(expected)
    for warning, words in zip(warnings, expected, strict=True):
        assert all(word in warning for word in words), warning
    assert storage_warnings(None, cluster(existing=True), own_network=False) == []
