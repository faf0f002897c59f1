"""Where an AKS stack keeps its data: containers of blobs, Lustre, or what is there."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.blobs import AksObjectStore, plan_blobs
from rdma_cluster.aks.plan.lustre import AksLustrePlan, plan_lustre
from rdma_cluster.aks.plan.storage import AksStoragePlan, choose_storage, lustre_tib
from rdma_cluster.aks.plan.zones import AksPlace
from tests.aks.plans import ID

LUSTRE: dict[str, Any] = {"lustre": {"capacity_tib": 4}}


@pytest.mark.parametrize(
    ("name", "account"),
    [("aks", "aksstorage"), ("My_Cluste-2", "mycluste2storage"), ("abcdefghijkl", "abcdefghistorage")],
)
def test_an_account_is_named_after_its_stack(name: str, account: str):
    """Azure takes 24 lower-case letters and digits, of which azure-native takes eight for itself."""
    plan = plan_blobs({}, name, ErrorList())

    assert plan is not None and plan.name == account and len(account) + 8 <= 24


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ({}, []),
        ({"account": "abc", "container": "abc"}, []),
        ({"account": "a" * 24, "container": "a" * 63}, []),
        ({"account": "ab", "container": "abc"}, ["account"]),
        ({"account": "a" * 25, "container": "abc"}, ["account"]),
        ({"account": "Mine", "container": "abc"}, ["account"]),
        ({"account": "abc", "container": "ab"}, ["container"]),
        ({"account": "abc", "container": "a" * 64}, ["container"]),
        ({"account": "abc", "container": "a--b"}, ["container"]),
        ({"account": "abc", "container": "-ab"}, ["container"]),
        ({"account": "abc", "container": "ab-"}, ["container"]),
        ({"account": "abc"}, ["container"]),
        ({"account": "abc", "container": "abc", "deletable": True}, ["deletable"]),
        ({"account": "abc", "container": "abc", "deletable": False}, []),
        ({"container": "abc"}, ["container"]),
        ({"resource_group": "g"}, ["resource_group"]),
        ({"account": "abc", "container": "abc", "resource_group": ""}, ["resource_group"]),
    ],
)
def test_a_container_has_names_that_azure_takes(choice: AksObjectStore, found: list[str]):
    """What says something of an account is refused where none is named."""
    errors = ErrorList()
    plan_blobs(choice, "my-stack", errors)

    assert [str(each).partition(": ")[0] for each in errors.found()] == found


def lustre(**choice: Any) -> tuple[AksLustrePlan | None, list[str]]:
    """The file system of a choice, and the places at which it is refused."""
    errors = ErrorList()
    given: Any = {"capacity_tib": 4, **choice}
    plan = plan_lustre(given, errors)
    return plan, [str(error).partition(": ")[0] for error in errors.found()]


def test_a_file_system_is_maintained_when_its_user_says():
    plan, errors = lustre(capacity_tib=48, mbps_per_tib=40, maintenance="Friday 23:59")

    assert plan is not None and not errors
    assert (plan.day, plan.time, plan.sku) == ("Friday", "23:59", "AMLFS-Durable-Premium-40")


@pytest.mark.parametrize(
    ("throughput", "sizes", "others"),
    [
        (500, [4, 8, 128], [2, 6, 132]),
        (250, [8, 128], [4, 12, 136]),
        (125, [16, 128], [8, 24, 144]),
        (40, [48, 384], [24, 72, 432]),
    ],
)
def test_a_file_system_has_a_size_that_is_sold(throughput: int, sizes: list[int], others: list[int]):
    """Each throughput has the least size, which is the step, and the largest."""
    for size in (*sizes, *others):
        assert lustre(capacity_tib=size, mbps_per_tib=throughput)[1] == ([] if size in sizes else ["capacity_tib"])


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ({"maintenance": "Monday 00:00"}, []),
        ({"maintenance": "Sunday 23:59"}, []),
        ({"maintenance": "Sunday 24:00"}, ["maintenance"]),
        ({"maintenance": "Sunday 12:60"}, ["maintenance"]),
        ({"maintenance": "Sun 03:00"}, ["maintenance"]),
        ({"maintenance": "03:00"}, ["maintenance"]),
        # A throughput that is not sold judges no size.
        ({"capacity_tib": 7, "mbps_per_tib": 1000}, ["mbps_per_tib"]),
    ],
)
def test_maintenance_is_a_day_and_a_time(choice: dict[str, Any], found: list[str]):
    assert lustre(**choice)[1] == found


PLACE = AksPlace(subscription=ID, location="southcentralus")


def chosen(choice: Any, existing: bool = False, own_network: bool = True) -> tuple[AksStoragePlan | None, list[str]]:
    """The plan of a stack's choice, and its errors."""
    errors = ErrorList()
    plan = choose_storage(
        choice, place=PLACE, name="aks", existing=existing, own_network=own_network, registries={}, errors=errors
    )
    return plan, [str(error) for error in errors.found()]


def test_a_stack_has_what_makes_its_store_and_nothing_of_another():
    """What is there has neither."""
    container, files, there = (
        chosen(choice)[0] for choice in ({"object_store": {}}, LUSTRE, {"existing": {"claim": "data"}})
    )

    assert container is not None and container.account is not None
    assert (container.lustre, container.driver) == (None, None)
    assert files is not None and files.lustre is not None and files.driver is not None and files.account is None
    assert there is not None and (there.store.claim, there.account, there.lustre) == ("data", None, None)
    assert chosen({"existing": {}})[0] is chosen({**LUSTRE, "object_store": {}})[0] is None
    choices: list[Any] = [None, {"object_store": {}}, LUSTRE]
    assert [lustre_tib(each) for each in choices] == [0, 0, 4]


@pytest.mark.parametrize(
    ("choice", "existing", "own_network", "words"),
    [
        ({"object_store": {}}, False, False, None),
        ({"object_store": {}}, True, False, "object_store: "),
        (LUSTRE, False, True, None),
        (LUSTRE, False, False, "lustre: not allowed with an existing network"),
        (LUSTRE, True, True, "lustre: not allowed with an existing cluster"),
        ({"existing": {"claim": "data"}}, True, False, None),
    ],
)
def test_a_store_is_made_where_its_addresses_are_known(
    choice: Any, existing: bool, own_network: bool, words: str | None
):
    """Blobs need a cluster of ours, and a file system a network of ours, too."""
    errors = chosen(choice, existing, own_network)[1]

    assert len(errors) == (words is not None) and all(each.startswith(f"{words}") for each in errors)
