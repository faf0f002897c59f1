"""What goes into a cluster as a whole: who makes namespaces, what is proved, what claims may ask for."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import Mounted, Store
from rdma_cluster.incluster.plan import in_cluster
from rdma_cluster.incluster.plan.context import ClusterContext, InClusterOptions
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from rdma_cluster.incluster.plan.in_cluster import InClusterPlan, plan_in_cluster
from rdma_cluster.incluster.plan.pool import GpuPool
from rdma_cluster.incluster.plan.rdma_cluster import in_cluster_options
from tests.incluster.pools import (
    BARE,
    CLAIMED_RACKS,
    CONTEXT,
    DRA,
    EFA,
    GIB,
    NAMED,
    NICS,
    PLUGGED,
    RACKS,
    WITH_FILES,
    choose,
)

OFF: Any = {"enabled": False}
OURS = Store(StorageKind.OBJECT_STORE, "data", Mounted("gcsfuse"))
THEIRS = Store(StorageKind.EXISTING, "data")


def planned(*pools: GpuPool, context: ClusterContext = CONTEXT, **choice: Any) -> InClusterPlan:
    """All of a cluster with these pools, whose fabric nobody proves unless that is chosen."""
    chosen = choose(**{"acceptance": OFF, **choice})
    made = plan_in_cluster(context, pools, chosen, errors := ErrorList())
    assert made is not None, errors.found()
    return made


def refused(*pools: GpuPool, context: ClusterContext = CONTEXT, **choice: Any) -> list[str]:
    """Why such a cluster cannot be."""
    errors = ErrorList()
    assert plan_in_cluster(context, pools, choose(**{"acceptance": OFF, **choice}), errors) is None
    return [str(error) for error in errors.found()]


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize(
    ("some", "storage", "maker"),
    [
        (GIB, None, "claims"),
        (GIB, OURS, "claims"),
        # Without claims the files bring them, without these the storage, without that the queues.
        (WITH_FILES, OURS, "files"),
        (WITH_FILES, None, "files"),
        (NAMED, OURS, "storage"),
        (NAMED, THEIRS, "queues"),
        (NAMED, None, "queues"),
    ],
)
def test_one_part_makes_the_namespaces(ours: bool, some: GpuPool, storage: Store | None, maker: str):
    """The first that there is, and none on a cluster whose namespaces are somebody else's."""
    made = planned(
        some,
        context=replace(CONTEXT, makes_namespaces=ours, host="ubuntu-operator" if some is WITH_FILES else "cos"),
        claims={"namespaces": ["default", "team"]},
        storage=storage,
        queues={"enabled": True},
    )
    queues = made.addons.queues
    assert queues is not None
    # Of storage that is there already nothing is made, whatever its namespaces.
    makers = {
        "claims": made.claims is not None and made.claims.plan.new_namespaces == ("team",),
        "files": made.files is not None and made.files.new_namespaces == ("team",),
        "storage": made.storage is not None and made.storage.store is OURS and made.storage.new,
        "queues": queues.plan.new_namespaces == ("team",),
    }

    assert [name for name, makes in makers.items() if makes] == [maker] * ours
    assert (made.claims is not None, made.files is not None) == (some is GIB, some is WITH_FILES)
    assert made.storage is None or made.storage.namespaces == ["default", "team"]


def test_each_driver_and_plugin_is_on_its_own_pools():
    """Those of claims, and those of a device plugin, side by side."""
    made = planned(EFA, PLUGGED, context=replace(CONTEXT, host="al2023"))

    assert made.drivers is not None and made.device_plugins is not None
    assert made.drivers.plan.nic_nodes["values"] == made.drivers.plan.gpu_nodes["values"] == ["efa"]
    assert made.device_plugins.plan.nodes["values"] == ["plugged"]
    assert made.claims is not None and list(made.claims.plan.by_machine) == ["p5.48xlarge"]


def test_files_of_a_fabric_go_where_its_pods_are():
    """In every namespace of the user's, by the name that pods mount them by."""
    made = planned(WITH_FILES, context=replace(CONTEXT, host="ubuntu-operator"), claims={"namespaces": ["a", "b"]})
    assert made.files is not None
    (file,) = made.workloads["ib"].adds.files

    assert made.files.namespaces == ("a", "b")
    assert made.files.config_maps == {file.config_map: {file.name: file.text}}


def test_of_pools_with_one_name_the_first_counts():
    """Its cloud refuses the second; nothing else is told twice."""
    made = planned(GIB, replace(NICS, name="gib"), NAMED)

    assert list(made.workloads) == ["gib", "named"]
    assert made.workloads["gib"].allocation is DRA
    assert list(made.acceptance.plan.skip_reason) == [each.name for each in made.pools] == ["gib", "named"]


def test_pods_name_the_templates_of_their_pool():
    """Those with GPUs or with NICs alone; where NICs are not claimed, none."""
    made = planned(GIB, NICS, claims={"pairs": [8]})
    names = {name: workload.claim_templates for name, workload in made.workloads.items()}

    assert names == {
        "gib": ("a4-highgpu-8g-pairs-8", "a4-highgpu-8g-whole", "a4-highgpu-8g-nics"),
        "nics": ("a4-highgpu-8g-nics",),
    }
    assert planned(GIB, NAMED).workloads["named"].claim_templates == ()
    gib = made.workloads["gib"]
    assert (gib.node_selector, gib.taint, gib.other_taints) == ({"pool": "gib"}, ("gpu", "present"), {})


def test_pods_know_their_clusters_taints_and_mirrors():
    """As whatever is made for them does."""
    made = planned(
        NAMED, context=replace(CONTEXT, other_taints={"spot": "*"}), registries={"gcr.io": "m.example"}
    ).workloads["named"]

    assert (made.other_taints, made.registries) == ({"spot": "*"}, {"gcr.io": "m.example"})


def proved_from(monkeypatch: pytest.MonkeyPatch, *pools: GpuPool, **more: Any) -> Any:
    """What the acceptance test is planned from: pools, cluster, fingerprints."""
    seen: list[Any] = []
    plan = in_cluster.plan_acceptance_on

    def recorded(options: Any, tested: Any, context: Any, errors: ErrorList, fingerprints: Any) -> Any:
        seen.append((tested, context, fingerprints))
        return plan(options, tested, context, errors, fingerprints)

    monkeypatch.setattr(in_cluster, "plan_acceptance_on", recorded)
    planned(*pools, **more)
    return seen.pop()


def test_what_is_proved(monkeypatch: pytest.MonkeyPatch):
    """Each pool as its cloud has it, in the cluster with the user's mirrors; no more nodes than a cluster holds."""
    some = [replace(GIB, skip_reason="later", fingerprint="f"), replace(NICS, nodes=15_001)]
    pools, context, fingerprints = proved_from(monkeypatch, *some, registries={"a.example": "b.example"})

    assert pools == [some[0], replace(some[1], nodes=15_000)]  # the rest is an error of the pool's own
    assert (context, fingerprints) == (replace(CONTEXT, registries={"a.example": "b.example"}), None)


@pytest.mark.parametrize(
    ("some", "channels"),
    [((GIB, RACKS), {"gib": False, "racks": False}), ((GIB, CLAIMED_RACKS), {"gib": False, "claimed-racks": True})],
)
def test_channels_are_of_racks_whose_driver_hands_them_out(
    some: tuple[GpuPool, ...], channels: dict[str, bool], monkeypatch: pytest.MonkeyPatch
):
    """Of no other pool in the same cluster."""
    pools, _, _ = proved_from(monkeypatch, *some)

    assert {each.name: each.channels for each in pools} == channels


@pytest.mark.parametrize(
    ("readiness", "held"), [(None, set()), ({"enabled": False}, set()), ({"enabled": True}, {"gib"})]
)
def test_nodes_that_are_held(readiness: Any, held: set[str]):
    """Those that the prover clears: of a pool of one machine without a test none are."""
    made = planned(GIB, replace(NAMED, skip_reason="no nodes yet"), acceptance={}, readiness=readiness)

    assert made.held == held
    assert made.acceptance.plan.holds == bool(held)
    # A pool that is not tested takes work unproven, which its warning says.
    assert [each.partition(":")[0] for each in made.warnings] == ["readiness"] * len(held)


@pytest.mark.parametrize(
    ("queues", "takes"),
    [(None, False), ({"enabled": True}, False), ({"enabled": True, "worker": {"queues": {"shared": "named"}}}, True)],
)
def test_who_takes_jobs(queues: Any, takes: bool):
    """A cluster whose queues have names that a manager shares."""
    assert planned(NAMED, queues=queues).takes_jobs == takes


def test_warnings_of_all_parts():
    """Classes that somebody must bring, and what an add-on warns of."""
    told = planned(GIB, drivers={"nic": ManagedBy.EXISTING}, monitoring={"enabled": True}).warnings

    assert [each.partition(" ")[0] for each in told] == ["drivers.nic", "monitoring:"]
    assert planned(GIB).warnings == ()


def test_only_locked_images_run_where_that_is_asked():
    """Those of the plan, in the namespaces that hold pods of ours alone."""
    made = planned(GIB, digests_only=True).locked_images

    assert planned(GIB).locked_images is None
    assert made is not None and any("dranet" in image for image in made.images)
    assert made.namespaces == (
        "rdma-acceptance",
        "dra-driver-nvidia-gpu",
        "nvidia-device-plugin",
        "jobset-system",
        "kueue-system",
        "lws-system",
        "rdma-monitoring",
        "rdma-readiness",
    )


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"registries": {"x y": "m"}}, ["registries.x y"]),
        ({"pull_secret": "{}"}, ["pull_secret"]),
        ({"claims": {"namespaces": []}}, ["claims.namespaces"]),
        ({"acceptance": {"waive": ["x"], "enabled": False}}, ["acceptance.waive[0]"]),
        # The prover's tests are those of the acceptance test, whose errors are told once.
        ({"acceptance": {"waive": ["x"]}, "readiness": {"enabled": True}}, ["acceptance.waive[0]"]),
        ({"monitoring": {"enabled": True, "labels": {"a b": "c"}}}, ["monitoring.labels.a b"]),
        (
            {
                "claims": {"namespaces": ["a", "b"]},
                "storage": Store(StorageKind.LUSTRE, "data", Mounted("lustre", separator="")),
            },
            ["claims.namespaces"],
        ),
    ],
)
def test_each_error_by_itself_ends_the_plan(choice: dict[str, Any], told: list[str]):
    """And is told under the key that is wrong, once."""
    assert [each.partition(": ")[0] for each in refused(GIB, **choice)] == told


def test_what_a_stack_chooses():
    """By the keys of all clouds; what is left out is nothing."""
    args: Any = {
        "claims": {"pairs": [1]},
        "acceptance": {"enabled": False},
        "registries": {"a": "b"},
        "injection": {"enabled": True},
        "queues": {"enabled": False},
        "inference": {"model": "m"},
        "monitoring": {"enabled": True},
        "readiness": {"enabled": True},
        "artifacts": {"digests_only": True},
        "pull_secret": "{}",
    }

    addons: Any = {key: args[key] for key in ("injection", "queues", "inference", "monitoring", "readiness")}
    assert in_cluster_options(args, {"nic": "existing"}, OURS) == InClusterOptions(
        drivers={"nic": ManagedBy.EXISTING},
        claims={"pairs": [1]},
        acceptance={"enabled": False},
        registries={"a": "b"},
        pull_secret="{}",
        addons=addons,
        digests_only=True,
        storage=OURS,
    )
    assert in_cluster_options({}, {}, None) == InClusterOptions({}, {}, {})
    assert in_cluster_options({"artifacts": {}}, {}, None).digests_only is False


def test_every_taint_of_the_nodes():
    """The GPUs' own, where there is one, and the others."""
    assert replace(CONTEXT, other_taints={"spot": "*"}).taints == {"gpu": "present", "spot": "*"}
    assert BARE.taints == {}
