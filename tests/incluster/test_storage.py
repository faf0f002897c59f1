"""What pods find of a stack's storage, the same on every cloud."""

import json
from dataclasses import fields
from importlib import import_module
from typing import Any

import pytest
from pulumi_offline.project import read_settings
from pulumi_offline.replacements import replacements
from rdma_cluster.common.stack import plan_stack
from rdma_cluster.incluster.addons.storage.plan import CLAIM
from rdma_cluster.incluster.addons.storage.store import StoragePlace
from tests.stacks import ROOT, cloud_of, graph_of

KEYS = {"kind", "claim", "namespaces", "annotations", "storageClass", "volume", "store"}
BUCKETS: dict[str, dict[str, Any]] = {
    "gke-a3-ultra": {"objectStore": {}},
    "eks": {"objectStore": {}},
    "aks": {"objectStore": {}},
}
"""A stack of each cloud that has buckets as files."""
EVERYWHERE = ("gke", "eks", "aks", "oke")
"""A stack of each cloud."""
LUSTRE = {
    "gke": ("capacityGib", 18_000, 1 << 30),
    "eks": ("capacityGib", 4_800, 1 << 30),
    "aks": ("capacityTib", 8, 1 << 40),
    "oke": ("capacityGb", 41_600, 10**9),
}
"""By stack the key of a file system's size, a size that is sold, and the bytes of its unit."""


def plan(stack: str, **said: Any) -> Any:
    """The plan of a stack with further keys."""
    room: Any = import_module(f"rdma_cluster.{cloud_of(stack)}.plan")
    settings = read_settings(ROOT, stack)
    over = {f"rdma-cluster:{key}": json.dumps(value) for key, value in said.items()}
    return plan_stack(room.plan_rdma_cluster_args, room.STACK_KEYS, {**settings.config, **over}, stack)


def place(stack: str, **said: Any) -> StoragePlace:
    """The stack's storage."""
    return plan(stack, **said).in_cluster.storage


@pytest.mark.parametrize("stack", EVERYWHERE)
def test_nothing_is_kept_where_nobody_asks(stack: str):
    """No store, no claim, no output."""
    assert plan(stack).in_cluster.storage is None


@pytest.mark.parametrize("stack", EVERYWHERE)
def test_what_is_there_is_passed_on(stack: str):
    """Under the same keys as what we make, and nothing is made of it."""
    by_claim = place(stack, storage={"existing": {"claim": "data"}})
    by_class = place(stack, storage={"existing": {"storageClass": "fast"}})

    assert by_claim.store.mounted is None and by_class.store.mounted is None
    assert by_claim.output("").keys() == KEYS
    assert (by_claim.output("")["claim"], by_claim.output("")["namespaces"]) == ("data", ["default"])
    assert (by_class.output("")["storageClass"], by_class.output("")["namespaces"]) == ("fast", [])


@pytest.mark.parametrize("stack", BUCKETS)
def test_pods_name_one_claim_on_every_cloud(stack: str):
    """A bucket is a volume of each namespace of the claim templates, by a handle of its own."""
    found = place(stack, storage=BUCKETS[stack], claims={"namespaces": ["default", "team-a"]})

    assert found.output("x").keys() == KEYS
    assert (found.output("x")["kind"], found.output("x")["claim"]) == ("objectStore", CLAIM)
    assert found.volume is not None and found.volume.namespaces == ("default", "team-a")


@pytest.mark.parametrize("stack", LUSTRE)
def test_a_volume_says_the_size_of_its_file_system(stack: str):
    """Whatever the cloud counts in: whoever binds a claim of that size gets it."""
    key, size, unit = LUSTRE[stack]
    volume = place(stack, storage={"lustre": {key: size}}).volume
    assert volume is not None
    gib = volume.capacity_gib

    assert gib - 1 < size * unit / 2**30 <= gib


@pytest.mark.parametrize("deletable", [None, False, True])
@pytest.mark.parametrize(
    ("stack", "kind"), [*((stack, "objectStore") for stack in BUCKETS), *((stack, "lustre") for stack in LUSTRE)]
)
def test_data_outlives_the_stack_unless_somebody_gives_it_up(stack: str, kind: str, deletable: bool | None):
    """Each kind of new store, on each cloud that has it."""
    key, size, _ = LUSTRE.get(stack, LUSTRE["gke"])
    said = {} if deletable is None else {"deletable": deletable}
    storage = plan(stack, storage={kind: {**said, **({key: size} if kind == "lustre" else {})}}).storage
    parts = [getattr(storage, each.name) for each in fields(storage)]

    assert [part.protected for part in parts if hasattr(part, "protected")] == [not deletable]


@pytest.mark.parametrize("stack", BUCKETS)
def test_weights_are_read_from_it(stack: str):
    """Without a claim of the user's own, and with what the driver asks of pods."""
    model = {"model": "meta-llama/Llama-3.1-405B-Instruct", "weights": {"storage": True, "path": "llama"}}
    made = plan(stack, storage=BUCKETS[stack], inference=model)
    (group,) = [made.in_cluster.addons.inference.plan.objects.leader_worker_set]
    template = group["spec"]["leaderWorkerTemplate"]["leaderTemplate"]

    assert {"name": "weights", "persistentVolumeClaim": {"claimName": CLAIM, "readOnly": True}} in template["spec"][
        "volumes"
    ]
    assert made.in_cluster.storage.store.annotations.items() <= template["metadata"].get("annotations", {}).items()
    assert not any("is not checked" in warning for warning in made.warnings)


def test_a_claim_goes_with_its_volume():
    """A volume of another bucket is another volume, and a claim that was bound to the first is lost."""
    before, after = (graph_of("eks", f"storage={{objectStore: {{bucket: {name}}}}}") for name in ("one-1", "two-2"))
    anew = {urn.rpartition("::")[0].rpartition("$")[2] for urn in replacements(before, after)}

    assert {"kubernetes:core/v1:PersistentVolume", "kubernetes:core/v1:PersistentVolumeClaim"} <= anew
    assert "aws:eks/cluster:Cluster" not in anew
