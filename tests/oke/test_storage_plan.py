"""File systems of File Storage with Lustre: sizes that are sold, and what a stack is told of them."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.oke.plan.storage import (
    OkeLustrePlan,
    OkeStorageArgs,
    OkeStoragePlan,
    choose_storage,
    plan_storage,
    storage_warnings,
)
from rdma_cluster.oke.plan.zones import Place
from tests.oke.plans import IN_CLUSTER, pool_plan, refused

LEAST = 31_200
PLACE = Place(**IN_CLUSTER)


def planned(**lustre: Any) -> OkeStoragePlan:
    """The plan of a file system."""
    args = {**IN_CLUSTER, "subnet": "ocid1.subnet.oc1..a", "namespaces": ["a"], "lustre": lustre}
    return plan_from(OkeStorageArgs, plan_storage, args)


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ({}, (LEAST, 125, True)),
        ({"mbps_per_tb": 1000, "deletable": False}, (LEAST, 1000, True)),
        ({"deletable": True}, (LEAST, 125, False)),
    ],
)
def test_each_choice(choice: dict[str, Any], found: tuple[int, int, bool]):
    """The least throughput unless more is asked for, and protected unless it may go."""
    assert planned(capacity_gb=LEAST, **choice).lustre == OkeLustrePlan(PLACE, *found)


def test_what_pods_mount():
    """31,200 GB are 29,058 GiB, rounded up: a volume that is smaller than its file system is taken."""
    plan = planned(capacity_gb=LEAST)
    mounted = plan.store.mounted

    assert mounted is not None and (plan.store.kind, plan.store.claim) == (StorageKind.LUSTRE, "storage")
    assert (mounted.driver, mounted.separator, mounted.fs_type) == ("lustre.csi.oraclecloud.com", "", "lustre")
    assert mounted.capacity_gib == 29_058 and 29_057 << 30 < LEAST * 10**9 <= 29_058 << 30


@pytest.mark.parametrize("size", [31_200, 41_600, 114_400, 124_800, 166_400, 790_400, 832_000])
def test_sizes_that_are_sold(size: int):
    """In steps of 10,400 up to 124,800, then of 41,600."""
    assert refused(planned, capacity_gb=size) == []


@pytest.mark.parametrize(
    ("size", "near"),
    [
        (31_199, "nearest is 31,200"),
        (31_201, "nearest are 31,200 and 41,600"),
        (135_200, "nearest are 124,800 and 166,400"),
        (832_001, "nearest is 832,000"),
        (0, "nearest is 31,200"),
    ],
)
def test_sizes_that_are_not(size: int, near: str):
    """The nearest on both sides are offered, where there are any."""
    assert refused(planned, capacity_gb=size) == [
        f"lustre.capacity_gb: got {size}; must be 31,200 to 124,800 in steps of 10,400, or more in steps of 41,600 "
        f"up to 832,000; {near}"
    ]


@pytest.mark.parametrize(("throughput", "fits"), [(124, False), (125, True), (250, True), (500, True), (1000, True)])
def test_throughput(throughput: int, fits: bool):
    """One of four."""
    assert [each.partition(":")[0] for each in refused(planned, capacity_gb=LEAST, mbps_per_tb=throughput)] == (
        [] if fits else ["lustre.mbps_per_tb"]
    )


@pytest.mark.parametrize(
    ("more", "places"),
    [
        ({"region": "x", "zone": "1"}, ["region"]),
        ({"tenancy": "x"}, ["tenancy"]),
        ({"zone": "9"}, ["zone"]),
        ({"namespaces": []}, ["namespaces"]),
        ({"namespaces": ["a", "b"]}, ["namespaces"]),
        ({"namespaces": ["A"]}, ["namespaces[0]"]),
        ({}, []),
    ],
)
def test_where_it_is(more: dict[str, Any], places: list[str]):
    """In a domain of the region, for one namespace."""
    args = {**IN_CLUSTER, "subnet": "s", "namespaces": ["a"], "lustre": {"capacity_gb": LEAST}, **more}

    assert [each.partition(":")[0] for each in refused(plan_from, OkeStorageArgs, plan_storage, args)] == places


def chosen(choice: dict[str, Any], own_network: bool = True) -> tuple[OkeStoragePlan | None, list[str]]:
    """The plan of a stack's choice, and where it is refused."""
    errors = ErrorList()
    given: Any = choice
    plan = choose_storage(given, place=PLACE, own_network=own_network, errors=errors)
    return plan, [str(error).partition(": ")[0] for error in errors.found()]


def test_choice_of_a_stack():
    """A file system of ours in a network of ours, or what is there; no bucket, and exactly one."""
    lustre: dict[str, Any] = {"lustre": {"capacity_gb": LEAST}}
    plan, errors = chosen(lustre)

    assert plan is not None and plan.lustre == OkeLustrePlan(PLACE, LEAST, 125, protected=True) and errors == []
    assert chosen(lustre, own_network=False)[1] == ["lustre"]
    assert chosen({"object_store": {}}) == (None, ["object_store"])
    there, errors = chosen({"existing": {"claim": "data"}}, own_network=False)
    assert there is not None and (there.store.claim, there.lustre, errors) == ("data", None, [])
    assert chosen({"existing": {}})[0] is None
    assert chosen({**lustre, "existing": {"claim": "data"}})[0] is None


@pytest.mark.parametrize(
    ("policies", "pools", "words"),
    [
        (True, ["listed"], []),
        (False, ["listed"], ["with identity.existing a policy of the tenancy must say: Allow service lustrefs to use"]),
        (True, ["listed", "newer", "arm"], ["which the nodes of newer, arm are not known to have"]),
        (False, ["newer"], ["with identity.existing a policy", "which the nodes of newer are not known to have"]),
    ],
)
def test_what_a_file_system_needs(policies: bool, pools: list[str], words: list[str]):
    """A policy where ours are not made, and a client in the image: Ubuntu 22.04 on x86 alone is listed."""
    plan = pool_plan()
    listed = replace(plan, name="listed", image=replace(plan.image, title="ubuntu-22.04-570"))
    named = {
        "listed": listed,
        "newer": replace(plan, name="newer"),
        "arm": replace(listed, name="arm", machine=replace(plan.machine, architecture="arm64")),
    }
    warnings = storage_warnings(planned(capacity_gb=LEAST), [named[name] for name in pools], policies=policies)

    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))


def test_nothing_is_told_of_what_is_there():
    """Neither of another store, nor where there is none."""
    there, _ = chosen({"existing": {"claim": "data"}})

    assert storage_warnings(there, [pool_plan()], policies=False) == []
    assert storage_warnings(None, [pool_plan()], policies=False) == []
