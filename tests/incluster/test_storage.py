"""A stack keeps its data in one store, which pods find under the same keys on every cloud."""

import json
from dataclasses import fields
from importlib import import_module
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from pulumi_offline.project import read_settings
from pulumi_offline.replacements import replacements
from rdma_cluster.common.stack import plan_stack
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import StoragePlace, Store, check_capacity, existing_store, one_kind
from typing_extensions import TypedDict
from tests.incluster.plans import OURS
from tests.stacks import ROOT, cloud_of, graph_of


class Kinds(TypedDict):
    """The kinds of stores of a cloud."""

    object_store: Any
    existing: Any


@pytest.mark.parametrize(
    ("choice", "kind"),
    [
        ({"object_store": {}}, StorageKind.OBJECT_STORE),
        ({"existing": {}, "other": 1}, StorageKind.EXISTING),
        ({}, None),
        ({"existing": {}, "object_store": {}}, None),
        ({"lustre": {}}, None),
    ],
)
def test_a_store_is_of_exactly_one_kind_of_the_clouds(choice: dict[str, Any], kind: StorageKind | None):
    errors = ErrorList()

    assert one_kind(choice, Kinds, errors) is kind
    assert [each.reason.count("objectStore") for each in errors.found()] == ([] if kind else [1 + (len(choice) > 1)])


@pytest.mark.parametrize(
    ("existing", "wrong"),
    [
        ({"claim": "c"}, []),
        ({"storage_class": "c"}, []),
        ({}, [()]),
        ({"volume": "v", "claim": "c"}, [()]),
        ({"storage_class": "A_b"}, [("storage_class",)]),
    ],
)
def test_what_is_there_has_one_name(existing: dict[str, str], wrong: list[tuple[str, ...]]):
    errors = ErrorList()
    store = existing_store(existing, errors)

    assert [each.path for each in errors.found()] == wrong
    assert wrong or store == Store(StorageKind.EXISTING, **existing)  # ty: ignore[invalid-argument-type]


@pytest.mark.parametrize(
    ("capacity", "limits", "nearest"),
    [
        (1200, {}, ""),
        (1199, {}, "nearest is 1,200"),
        (1201, {}, "nearest are 1,200 and 2,400"),
        (600, {"smallest": 600}, ""),
        (599, {"smallest": 600}, "nearest is 600"),
        (700, {"smallest": 600}, "nearest are 600 and 1,200"),
        (4800, {"most": 4800}, ""),
        (4801, {"most": 4800}, "nearest is 4,800"),
        (4799, {"most": 4800}, "nearest are 3,600 and 4,800"),
    ],
)
def test_a_size_that_a_cloud_does_not_sell_is_refused_with_the_nearest(
    capacity: int, limits: dict[str, int], nearest: str
):
    errors = ErrorList()
    check_capacity(capacity, 1200, errors, **limits)

    assert [each.reason.rpartition("; ")[2] for each in errors.found()] == [nearest] * bool(nearest)


def test_a_store_is_shown_with_the_namespaces_of_its_claim():
    """A store that is there without a claim has no namespaces, and no volume of ours."""
    ours = StoragePlace(OURS, ("default", "team"), new=True)
    there = StoragePlace(Store(StorageKind.EXISTING, storage_class="fast", volume="v"), ("default",), new=True)
    assert ours.volume is not None

    assert (ours.output("b-1")["namespaces"], ours.output("b-1")["store"]) == (["default", "team"], "b-1")
    assert ours.volume.volumes == {"default": "data-default", "team": "data-team"}
    assert ours.volume.new_namespaces == ("team",)
    assert (there.volume, there.output("")["namespaces"], there.output("")["storageClass"]) == (None, [], "fast")


BUCKETS = ("gke-a3-ultra", "eks", "aks")
"""A stack of each cloud that has buckets as files."""
LUSTRE = {
    "gke": ("capacityGib", 18_000, 1 << 30),
    "eks": ("capacityGib", 4_800, 1 << 30),
    "aks": ("capacityTib", 8, 1 << 40),
    "oke": ("capacityGb", 41_600, 10**9),
}
"""By stack the key of a file system's size, a size that is sold, and the bytes of its unit."""


def plan(stack: str, **said: Any) -> Any:
    """Plan a stack with further keys."""
    room: Any = import_module(f"rdma_cluster.{cloud_of(stack)}.plan")
    over = {f"rdma-cluster:{key}": json.dumps(value) for key, value in said.items()}
    config = {**read_settings(ROOT, stack).config, **over}
    return plan_stack(room.plan_rdma_cluster_args, room.STACK_KEYS, config, stack)


@pytest.mark.parametrize("stack", LUSTRE)
def test_what_is_there_is_passed_on_and_nothing_is_made(stack: str):
    """A volume of a new file system says its size, so that whoever binds a claim of that size gets it."""
    key, size, unit = LUSTRE[stack]
    there = plan(stack, storage={"existing": {"claim": "data"}}).in_cluster.storage
    volume = plan(stack, storage={"lustre": {key: size}}).in_cluster.storage.volume

    assert plan(stack).in_cluster.storage is None
    assert there.store.mounted is None and there.output("")["claim"] == "data"
    assert volume.capacity_gib - 1 < size * unit / 2**30 <= volume.capacity_gib


@pytest.mark.parametrize("stack", BUCKETS)
def test_pods_name_one_claim_on_every_cloud(stack: str):
    """A bucket is a volume of each namespace, and weights of a model are read from it."""
    model = {"model": "meta-llama/Llama-3.1-405B-Instruct", "weights": {"storage": True, "path": "llama"}}
    made = plan(stack, storage={"objectStore": {}}, claims={"namespaces": ["default", "a"]}, inference=model)
    group = made.in_cluster.addons.inference.plan.objects.leader_worker_set
    pod, found = group["spec"]["leaderWorkerTemplate"]["leaderTemplate"], made.in_cluster.storage

    assert (found.output("x")["kind"], found.output("x")["claim"]) == ("objectStore", "storage")
    assert found.volume.namespaces == ("default", "a")
    assert {"claimName": "storage", "readOnly": True} in [
        each.get("persistentVolumeClaim") for each in pod["spec"]["volumes"]
    ]
    assert found.store.annotations.items() <= pod["metadata"].get("annotations", {}).items()


@pytest.mark.parametrize("deletable", [None, False, True])
@pytest.mark.parametrize(
    ("stack", "kind"), [*((each, "objectStore") for each in BUCKETS), *((each, "lustre") for each in LUSTRE)]
)
def test_data_outlives_the_stack_unless_somebody_gives_it_up(stack: str, kind: str, deletable: bool | None):
    key, size, _ = LUSTRE.get(stack, LUSTRE["gke"])
    said = {} if deletable is None else {"deletable": deletable}
    storage = plan(stack, storage={kind: {**said, **({key: size} if kind == "lustre" else {})}}).storage
    parts = [getattr(storage, each.name) for each in fields(storage)]

    assert [part.protected for part in parts if hasattr(part, "protected")] == [not deletable]


def test_a_claim_goes_with_its_volume():
    """A volume of another bucket is another volume, and a claim that was bound to the first is lost."""
    before, after = (graph_of("eks", f"storage={{objectStore: {{bucket: {name}}}}}") for name in ("one-1", "two-2"))
    anew = {urn.rpartition("::")[0].rpartition("$")[2] for urn in replacements(before, after)}

    assert {"kubernetes:core/v1:PersistentVolume", "kubernetes:core/v1:PersistentVolumeClaim"} <= anew
    assert "aws:eks/cluster:Cluster" not in anew
