"""Where an AKS stack keeps its data: containers of blobs, Lustre, or what is there."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.blobs import AccountPlan, AksObjectStore, plan_blobs
from rdma_cluster.aks.plan.lustre import AksLustrePlan, lustre_driver, plan_lustre
from rdma_cluster.aks.plan.storage import AksStorageArgs, AksStoragePlan, choose_storage, lustre_tib, plan_storage
from rdma_cluster.aks.plan.zones import AksPlace
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import charts, images
from rdma_cluster.incluster.addons.storage.args import StorageKind
from tests.aks.plans import ID, SUBNET, refused

ARGS: dict[str, Any] = {
    "subscription": ID,
    "location": "southcentralus",
    "resource_group": "g",
    "namespaces": ["a"],
    "identity_client": "c",
    "identity_principal": "p",
}
LUSTRE: dict[str, Any] = {"lustre": {"capacity_tib": 4}}


def blobs(choice: AksObjectStore, name: str = "my-stack") -> tuple[AccountPlan | None, list[str]]:
    """The container of a choice, and what is refused of it."""
    errors = ErrorList()
    plan = plan_blobs(choice, name, errors)
    return plan, [str(error) for error in errors.found()]


@pytest.mark.parametrize(
    ("choice", "plan"),
    [
        ({}, AccountPlan("", "mystackstorage", "data", None, protected=True)),
        ({"deletable": False}, AccountPlan("", "mystackstorage", "data", None, protected=True)),
        ({"deletable": True}, AccountPlan("", "mystackstorage", "data", None, protected=False)),
        ({"account": "mine", "container": "c-1"}, AccountPlan("mine", "mystackstorage", "c-1", None, protected=True)),
        (
            {"account": "mine", "container": "c-1", "resource_group": "g", "deletable": False},
            AccountPlan("mine", "mystackstorage", "c-1", "g", protected=True),
        ),
    ],
)
def test_a_container(choice: AksObjectStore, plan: AccountPlan):
    """A new account's, protected unless it may go, or one that is there."""
    assert blobs(choice) == (plan, [])


@pytest.mark.parametrize(
    ("name", "account"),
    [("aks", "aksstorage"), ("My_Cluste-2", "mycluste2storage"), ("abcdefghijkl", "abcdefghistorage")],
)
def test_name_of_an_account(name: str, account: str):
    """Azure's 24 lower-case letters and digits, of which azure-native takes eight for itself."""
    plan, _ = blobs({}, name)

    assert plan is not None and plan.name == account and len(account) + 8 <= 24


@pytest.mark.parametrize(
    ("choice", "places"),
    [
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
        ({"container": "abc"}, ["container"]),
        ({"resource_group": "g"}, ["resource_group"]),
        ({"resource_group": "a/b"}, ["resource_group", "resource_group"]),
        ({"account": "abc", "container": "abc", "resource_group": ""}, ["resource_group"]),
    ],
)
def test_what_is_refused_of_a_container(choice: AksObjectStore, places: list[str]):
    """Names that Azure does not take, and words of an account that nobody names."""
    plan, errors = blobs(choice)

    assert [each.partition(": ")[0] for each in errors] == places
    assert (plan is None) is bool(places)


def test_what_pods_mount_of_a_container():
    """By Azure's driver, which caches what it reads and lists nothing for a mount."""
    plan, _ = blobs({})
    assert plan is not None
    mounted = plan.store.mounted

    assert (plan.store.kind, plan.store.claim) == (StorageKind.OBJECT_STORE, "storage")
    assert mounted is not None and (mounted.driver, mounted.separator) == ("blob.csi.azure.com", "#")
    assert mounted.options == (
        "-o allow_other",
        "--file-cache-timeout-in-seconds=120",
        "--cancel-list-on-mount-seconds=10",
    )


def lustre(**choice: Any) -> tuple[AksLustrePlan | None, list[str]]:
    """The file system of a choice, and what is refused of it."""
    errors = ErrorList()
    given: Any = choice
    plan = plan_lustre(given, errors)
    return plan, [str(error) for error in errors.found()]


def test_a_file_system():
    """The throughput of which the least is sold; protected, and maintained on Sundays, unless said otherwise."""
    assert lustre(capacity_tib=4) == (AksLustrePlan(4, 500, "Sunday", "03:00", protected=True), [])
    plan, errors = lustre(capacity_tib=48, mbps_per_tib=40, maintenance="Friday 23:59", deletable=True)
    assert (plan, errors) == (AksLustrePlan(48, 40, "Friday", "23:59", protected=False), [])
    assert plan is not None and plan.sku == "AMLFS-Durable-Premium-40"


@pytest.mark.parametrize(
    ("throughput", "sizes", "others"),
    [
        (500, [4, 8, 128], [2, 6, 132]),
        (250, [8, 128], [4, 12, 136]),
        (125, [16, 128], [8, 24, 144]),
        (40, [48, 384], [24, 72, 432]),
    ],
)
def test_sizes_that_are_sold(throughput: int, sizes: list[int], others: list[int]):
    """By throughput the least, which is the step, and the largest."""
    for size in sizes:
        assert lustre(capacity_tib=size, mbps_per_tib=throughput)[1] == []
    for size in others:
        _, (error,) = lustre(capacity_tib=size, mbps_per_tib=throughput)
        assert error.startswith("capacity_tib: ")


@pytest.mark.parametrize(
    ("window", "fits"),
    [
        ("Monday 00:00", True),
        ("Saturday 19:30", True),
        ("Sunday 23:59", True),
        ("Sunday 24:00", False),
        ("Sunday 12:60", False),
        ("Sun 03:00", False),
        ("03:00", False),
    ],
)
def test_windows_of_maintenance(window: str, fits: bool):
    """A day and a time of UTC."""
    _, errors = lustre(capacity_tib=4, maintenance=window)
    words = f"maintenance: got {window!r}; write a day and a time of UTC, e.g. Sunday 03:00"

    assert errors == ([] if fits else [words])


def test_a_throughput_that_is_not_sold_judges_no_size():
    """Told with those that are."""
    _, (error,) = lustre(capacity_tib=7, mbps_per_tib=1000)

    assert error.startswith("mbps_per_tib: ")


def test_what_pods_mount_of_a_file_system():
    """All of it, by Azure's driver."""
    plan, _ = lustre(capacity_tib=8)
    assert plan is not None
    mounted = plan.store.mounted

    assert (plan.store.kind, plan.store.claim) == (StorageKind.LUSTRE, "storage")
    assert mounted is not None and (mounted.driver, mounted.options) == (
        "azurelustre.csi.azure.com",
        ("noatime", "flock"),
    )
    assert (mounted.capacity_gib, mounted.separator) == (8 * 1024, ":")


def test_driver_of_a_file_system():
    """Azure's chart, with each image pinned, and the policy of pulling where the chart knows one."""
    settings = lustre_driver({})
    sidecars = settings.values["sidecars"]

    assert (settings.chart.title, settings.namespace) == (charts.AZURE_LUSTRE.title, "kube-system")
    assert settings.values.keys() == {"image", "sidecars"}
    assert settings.values["image"]["repository"] in images.AZURE_LUSTRE_DRIVER.image
    assert "pullPolicy" in settings.values["image"]
    for name, image in (
        ("provisioner", images.AZURE_LUSTRE_PROVISIONER),
        ("livenessProbe", images.AZURE_LUSTRE_LIVENESS),
        ("nodeDriverRegistrar", images.AZURE_LUSTRE_REGISTRAR),
    ):
        assert sidecars[name].keys() == {"repository", "tag"}
        assert sidecars[name]["repository"] in image.image and sidecars[name]["tag"] in image.image
    registry = images.AZURE_LUSTRE_DRIVER.image.partition("/")[0]
    assert lustre_driver({registry: "m.example/q"}).values["image"]["repository"].startswith("m.example/q/")


PLACE = AksPlace(subscription=ID, location="southcentralus")


def chosen(choice: Any, existing: bool = False, own_network: bool = True) -> tuple[AksStoragePlan | None, list[str]]:
    """The plan of a stack's choice, and where it is refused."""
    errors = ErrorList()
    plan = choose_storage(
        choice, place=PLACE, name="aks", existing=existing, own_network=own_network, registries={}, errors=errors
    )
    return plan, [str(error).partition(": ")[0] for error in errors.found()]


def test_choice_of_a_stack():
    """A new store has what makes it and nothing of another; what is there has neither."""
    container, files, there = (
        chosen(choice)[0] for choice in ({"object_store": {}}, LUSTRE, {"existing": {"claim": "data"}})
    )
    assert container is not None and container.account is not None and container.account.name == "aksstorage"
    assert (container.lustre, container.driver) == (None, None)
    assert files is not None and files.lustre is not None and files.driver is not None
    assert (files.account, files.lustre.capacity_tib, files.store) == (None, 4, files.lustre.store)
    assert there is not None and (there.store.claim, there.account, there.lustre) == ("data", None, None)
    assert chosen({"existing": {}})[0] is None
    assert chosen({**LUSTRE, "object_store": {}})[0] is None


@pytest.mark.parametrize(
    ("choice", "existing", "own_network", "places"),
    [
        ({"object_store": {}}, False, False, []),
        ({"object_store": {}}, True, False, ["object_store"]),
        (LUSTRE, False, True, []),
        (LUSTRE, False, False, ["lustre"]),
        (LUSTRE, True, True, ["lustre"]),
        ({"existing": {"claim": "data"}}, True, False, []),
    ],
)
def test_where_a_store_can_be_made(choice: Any, existing: bool, own_network: bool, places: list[str]):
    """Blobs with a cluster of ours, a file system in a network of ours, too."""
    assert chosen(choice, existing, own_network)[1] == places


@pytest.mark.parametrize(("existing", "what"), [(True, "cluster"), (False, "network")])
def test_whose_addresses_nobody_knows(existing: bool, what: str):
    """Told by what exists."""
    errors = ErrorList()
    given: Any = LUSTRE
    choose_storage(given, place=PLACE, name="a", existing=existing, own_network=False, registries={}, errors=errors)

    assert f"not allowed with an existing {what}, in whose virtual network" in str(errors.found()[0])


@pytest.mark.parametrize(("choice", "tib"), [(None, 0), ({"object_store": {}}, 0), (LUSTRE, 4)])
def test_size_that_a_subnet_is_cut_for(choice: Any, tib: int):
    """None without a file system."""
    assert lustre_tib(choice) == tib


@pytest.mark.parametrize(
    ("more", "places"),
    [
        ({"object_store": {}}, []),
        ({**LUSTRE, "lustre_subnet": SUBNET}, []),
        (LUSTRE, ["lustre_subnet"]),
        ({}, ["object_store"]),
        ({"object_store": {}, "namespaces": []}, ["namespaces"]),
        ({"object_store": {}, "namespaces": ["a", "b"]}, []),
        ({"object_store": {}, "subscription": "x", "zone": "4"}, ["subscription", "zone"]),
        ({"object_store": {"container": "c"}}, ["object_store.container"]),
    ],
)
def test_a_store_alone(more: dict[str, Any], places: list[str]):
    """In a program of one's own: where it is, and for whom."""

    def planned(**of: Any) -> AksStoragePlan:
        return plan_from(AksStorageArgs, lambda args, errors: plan_storage(args, "aks", errors), {**ARGS, **of})

    assert [each.partition(": ")[0] for each in refused(planned, **more)] == places
