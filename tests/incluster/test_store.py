"""Where data is kept, choice by choice: which kind, sizes that a cloud sells, and what pods and outputs are told."""

from collections.abc import Mapping
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, spell
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.plan import SharedVolumePlan, plan_shared_volume
from rdma_cluster.incluster.addons.storage.store import (
    Mounted,
    StoragePlace,
    Store,
    asked_store,
    check_capacity,
    check_throughput,
    existing_store,
    one_kind,
)
from typing_extensions import TypedDict


class All(TypedDict):
    object_store: Any
    lustre: Any
    existing: Any


class Few(TypedDict):
    existing: Any
    object_store: Any


BUCKET = Store(StorageKind.OBJECT_STORE, "storage", Mounted("csi.example"), {"a/b": "c"})


def told(errors: ErrorList) -> list[str]:
    """Every error, as a user reads it."""
    return [f"{spell(each.path)}: {each.reason}".removeprefix(": ") for each in errors.found()]


@pytest.mark.parametrize(
    ("choice", "kinds", "kind", "wrong"),
    [
        ({"object_store": {}}, All, StorageKind.OBJECT_STORE, []),
        ({"lustre": {}, "other": 1}, All, StorageKind.LUSTRE, []),
        ({"existing": {}}, Few, StorageKind.EXISTING, []),
        ({}, All, None, ["empty; say exactly one of objectStore, lustre and existing, or leave it out"]),
        (
            {"existing": {}, "object_store": {}},
            All,
            None,
            ["got objectStore and existing; say exactly one of objectStore, lustre and existing"],
        ),
        ({"lustre": {}}, Few, None, ["empty; say exactly one of objectStore and existing, or leave it out"]),
    ],
)
def test_which_kind(choice: dict[str, Any], kinds: type, kind: StorageKind | None, wrong: list[str]):
    """Exactly one, of those that the cloud has."""
    errors = ErrorList()

    assert one_kind(choice, kinds, errors) is kind
    assert told(errors) == wrong


@pytest.mark.parametrize(
    ("existing", "store", "wrong"),
    [
        ({"claim": "c"}, Store(StorageKind.EXISTING, claim="c"), []),
        ({"storage_class": "c"}, Store(StorageKind.EXISTING, storage_class="c"), []),
        ({"volume": "c"}, Store(StorageKind.EXISTING, volume="c"), []),
        ({}, None, ["empty; name exactly one of claim, storageClass and volume"]),
        (
            {"volume": "v", "claim": "c"},
            None,
            ["got claim and volume; name exactly one of claim, storageClass and volume"],
        ),
    ],
)
def test_what_is_there_has_one_name(existing: dict[str, str], store: Store | None, wrong: list[str]):
    """Of a claim, a class or a volume."""
    errors = ErrorList()

    assert existing_store(existing, errors) == store
    assert told(errors) == wrong


@pytest.mark.parametrize(("key", "noun"), [("claim", "PersistentVolumeClaim"), ("storage_class", "StorageClass")])
def test_a_name_that_no_object_has(key: str, noun: str):
    """Under its own key, as what it would be the name of."""
    errors = ErrorList()
    existing_store({key: "A_b"}, errors)

    (error,) = told(errors)
    assert error.startswith(f"{key}: got 'A_b'") and noun in error


@pytest.mark.parametrize(
    ("capacity", "limits", "wrong"),
    [
        (2400, {}, None),
        (1200, {}, None),
        (1199, {}, "a multiple of 1,200; nearest is 1,200"),
        (1201, {}, "a multiple of 1,200; nearest are 1,200 and 2,400"),
        (0, {}, "a multiple of 1,200; nearest is 1,200"),
        (-1200, {}, "a multiple of 1,200; nearest is 1,200"),
        (600, {"smallest": 600}, None),
        (599, {"smallest": 600}, "600, or a multiple of 1,200; nearest is 600"),
        (700, {"smallest": 600}, "600, or a multiple of 1,200; nearest are 600 and 1,200"),
        (4800, {"most": 4800}, None),
        (4801, {"most": 4800}, "a multiple of 1,200 up to 4,800; nearest is 4,800"),
        (6000, {"most": 4800}, "a multiple of 1,200 up to 4,800; nearest is 4,800"),
        (4799, {"most": 4800}, "a multiple of 1,200 up to 4,800; nearest are 3,600 and 4,800"),
    ],
)
def test_sizes_that_a_cloud_sells(capacity: int, limits: dict[str, int], wrong: str | None):
    """A step or several, the smaller one besides, and no more than the largest; else those that are nearest."""
    errors = ErrorList()
    check_capacity(capacity, 1200, errors, **limits)

    assert told(errors) == ([] if wrong is None else [f"got {capacity}; must be {wrong}"])


def test_throughputs_that_a_cloud_sells():
    """No other."""
    errors = ErrorList()
    check_throughput(125, (125, 250), errors)
    assert not errors
    check_throughput(126, (125, 250), errors)

    assert told(errors) == ["got 126; choose one of 125, 250"]


@pytest.mark.parametrize(
    ("mounted", "gb"),
    [(None, None), (Mounted("d"), None), (Mounted("d", capacity_gib=2), 2), (Mounted("d", capacity_gib=1200), 1288)],
)
def test_how_large_a_store_is(mounted: Mounted | None, gb: int | None):
    """In whole GB, rounded down; one GiB stands for what has no size."""
    assert Store(StorageKind.LUSTRE, mounted=mounted).capacity_gb == gb


def test_a_volume_has_what_its_driver_asks_for():
    """Options and the name of the file system are left out where there are none; what is there already needs none."""
    volume = StoragePlace(BUCKET, ("default", "team"), new=False).volume
    assert volume == SharedVolumePlan("csi.example", ("default", "team"), "storage", ":", None, None, 1, ())

    store = Store(StorageKind.LUSTRE, "storage", Mounted("csi.example", ("ro", "noatime"), "", "lustre", 1200))
    volume = StoragePlace(store, ["default", "team"], new=True).volume
    options = ("ro", "noatime")
    assert volume == SharedVolumePlan(
        "csi.example", ("default", "team"), "storage", "", "lustre", options, 1200, ("team",)
    )
    assert StoragePlace(Store(StorageKind.EXISTING, "data"), ("default",), new=True).volume is None


def test_what_a_stack_says_of_its_store():
    """Namespaces are those of a claim, where there is one."""
    assert StoragePlace(BUCKET, ("default",), new=True).output("bucket-1") == {
        "kind": "objectStore",
        "claim": "storage",
        "namespaces": ["default"],
        "annotations": {"a/b": "c"},
        "storageClass": "",
        "volume": "",
        "store": "bucket-1",
    }
    there = StoragePlace(Store(StorageKind.EXISTING, storage_class="fast", volume="v"), ("default",), new=True)
    assert there.output("") == {
        "kind": "existing",
        "claim": "",
        "namespaces": [],
        "annotations": {},
        "storageClass": "fast",
        "volume": "v",
        "store": "",
    }


def test_what_pods_use_of_a_stack():
    """Nothing where nobody asks; any claim while the storage has errors of its own."""

    class Planned:
        store = BUCKET

    assert asked_store(False, Planned()) is None
    assert asked_store(True, Planned()) is BUCKET
    assert asked_store(True, None) == Store(StorageKind.EXISTING, claim="storage")


OPTION = "write an option as the driver's mount takes it, e.g. implicit-dirs"
VOLUME: dict[str, Any] = {"driver": "csi.example", "handle": "h", "namespaces": ["default", "team"]}


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, []),
        ({"capacity_gib": 1}, []),
        ({"capacity_gib": 0}, ["capacity_gib: got 0; must be 1 or more"]),
        ({"mount_options": ["ro", "implicit-dirs", "uid=1 x"]}, []),
        (
            {"mount_options": ["ro", "", "noatime", " x"]},
            [
                f"mount_options[{i}]: got {option!r}; {OPTION}"
                for i, option in ((1, ""), (3, " x"))
            ],
        ),
        ({"separator": ""}, [
            "namespaces: got default, team; csi.example knows a volume by the address of what it mounts, and a node "
            "mounts one volume of an address; name one namespace"
        ]),
        ({"separator": "", "namespaces": ["team"]}, []),
    ],
)  # fmt: skip
def test_a_shared_volume(changed: dict[str, Any], wrong: list[str]):
    """Whatever its driver takes; of a driver that leaves out nothing of a handle one namespace alone."""
    errors = ErrorList()
    said: Any = {**VOLUME, **changed}

    assert (plan_shared_volume(said, errors) is None) == bool(wrong)
    assert told(errors) == wrong


@pytest.mark.parametrize(("key", "noun"), [("driver", "CSI driver"), ("claim", "PersistentVolumeClaim")])
def test_names_of_a_shared_volume(key: str, noun: str):
    """Those of Kubernetes' objects."""
    errors = ErrorList()
    said: Any = {**VOLUME, key: "A_b"}

    assert plan_shared_volume(said, errors) is None
    (error,) = told(errors)
    assert error.startswith(f"{key}: got 'A_b'") and noun in error


def named_volumes(args: Any) -> Mapping[str, str]:
    """Names of the volumes by namespace."""
    plan = plan_shared_volume(args, ErrorList())
    assert plan is not None
    return plan.volumes


def test_each_namespace_has_a_volume():
    """By the name of its claim."""
    named: Any = {**VOLUME, "claim": "data"}

    assert named_volumes(named) == {"default": "data-default", "team": "data-team"}
    named.pop("claim")
    assert named_volumes(named) == {"default": "storage-default", "team": "storage-team"}
