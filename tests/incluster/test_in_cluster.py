"""What goes into a cluster as a whole fits its pools, and each error of it is told once."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import Mounted, Store
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from rdma_cluster.incluster.plan.pod_files import PodFilesArgs, plan_pod_files
from rdma_cluster.incluster.plan.pool import GpuPool
from rdma_cluster.incluster.plan.rdma_cluster import in_cluster_options
from tests.incluster.plans import OFF, ON, OURS, THEIRS, paths, planned, refused
from tests.incluster.pools import CONTEXT, EFA, GIB, NAMED, NICS, PLUGGED, WITH_FILES

AZURE = replace(CONTEXT, host="ubuntu-operator")


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize(
    ("some", "storage", "maker"),
    [
        (GIB, OURS, "claims"),
        # Without claims the files bring them, without files the storage, and without storage of ours the queues.
        (WITH_FILES, OURS, "files"),
        (NAMED, OURS, "storage"),
        (NAMED, THEIRS, "queues"),
        (NAMED, None, "queues"),
    ],
)
def test_the_first_part_of_a_cluster_makes_its_namespaces(ours: bool, some: GpuPool, storage: Store | None, maker: str):
    """None does on a cluster whose namespaces are somebody else's."""
    made = planned(
        some,
        context=replace(AZURE if some is WITH_FILES else CONTEXT, makes_namespaces=ours),
        claims={"namespaces": ["default", "team"]},
        storage=storage,
        queues=ON,
    )
    assert made.addons.queues is not None
    makers = {
        "claims": made.claims is not None and made.claims.plan.new_namespaces == ("team",),
        "files": made.files is not None and made.files.new_namespaces == ("team",),
        "storage": made.storage is not None and made.storage.store is OURS and made.storage.new,
        "queues": made.addons.queues.plan.new_namespaces == ("team",),
    }

    assert [name for name, makes in makers.items() if makes] == [maker] * ours
    assert made.storage is None or made.storage.namespaces == ["default", "team"]


def test_each_driver_and_plugin_is_on_its_own_pools():
    made = planned(EFA, PLUGGED, context=replace(CONTEXT, host="al2023"))

    assert made.drivers is not None and made.device_plugins is not None
    assert made.drivers.plan.nic_nodes["values"] == made.drivers.plan.gpu_nodes["values"] == ["efa"]
    assert made.device_plugins.plan.nodes["values"] == ["plugged"]
    assert made.claims is not None and list(made.claims.plan.by_machine) == ["p5.48xlarge"]


def test_files_of_a_fabric_go_where_its_pods_are():
    """Pods mount them by their name; there is one namespace at least."""
    made = planned(WITH_FILES, context=AZURE, claims={"namespaces": ["a", "b"]})
    (file,), errors = made.workloads["ib"].adds.files, ErrorList()
    assert made.files is not None

    assert made.files.namespaces == ("a", "b")
    assert made.files.config_maps == {file.config_map: {file.name: file.text}}
    assert plan_pod_files(PodFilesArgs(namespaces=[], config_maps={}), errors) is None
    assert [each.path for each in errors.found()] == [("namespaces",)]


def test_of_pools_with_one_name_the_first_counts():
    """Its cloud refuses the second, and nothing else is told twice."""
    made = planned(GIB, replace(NICS, name="gib"), NAMED)

    assert list(made.workloads) == [each.name for each in made.pools] == ["gib", "named"]
    assert made.workloads["gib"].allocation is GIB.allocation
    assert list(made.acceptance.plan.skip_reason) == ["gib", "named"]


@pytest.mark.parametrize(("readiness", "held"), [(None, set()), (OFF, set()), (ON, {"gib"})])
def test_nodes_are_held_that_the_prover_clears(readiness: Any, held: set[str]):
    """A pool that is not tested takes work unproven, which its warning says."""
    made = planned(GIB, replace(NAMED, skip_reason="no nodes yet"), acceptance={}, readiness=readiness)

    assert made.held == held and made.acceptance.plan.holds == bool(held)
    assert paths(list(made.warnings)) == ["readiness"] * len(held)


def test_a_test_has_no_more_nodes_than_a_cluster_holds():
    """Kubernetes holds 15,000; more of them are an error of the pool's own."""
    assert planned(replace(NICS, nodes=15_001), acceptance={}).acceptance.plan.tests


def test_a_cluster_takes_jobs_where_a_manager_shares_its_queues():
    taking = {"enabled": True, "worker": {"queues": {"shared": "named"}}}

    assert [planned(NAMED, queues=each).takes_jobs for each in (None, ON, taking)] == [False, False, True]


def test_warnings_of_all_parts_are_told():
    told = planned(GIB, drivers={"nic": ManagedBy.EXISTING}, monitoring=ON).warnings

    assert [each.partition(" ")[0] for each in told] == ["drivers.nic", "monitoring:"]
    assert planned(GIB).warnings == ()


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"registries": {"x y": "m"}}, ["registries.x y"]),
        ({"pull_secret": "{}"}, ["pull_secret"]),
        ({"claims": {"namespaces": []}}, ["claims.namespaces"]),
        ({"acceptance": {"waive": ["x"], "enabled": False}}, ["acceptance.waive[0]"]),
        # The prover's tests are those of the acceptance test, whose errors are told once.
        ({"acceptance": {"waive": ["x"]}, "readiness": ON}, ["acceptance.waive[0]"]),
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
def test_an_error_ends_the_plan_and_is_told_once(choice: dict[str, Any], told: list[str]):
    assert paths(refused(GIB, **choice)) == told


def test_what_a_stack_leaves_out_is_not_chosen():
    """Add-ons are those that it names, and drivers are chosen by their words."""
    args: Any = {"injection": ON, "queues": OFF, "artifacts": {"digests_only": True}, "pull_secret": "{}"}
    chosen, bare = in_cluster_options(args, {"nic": "existing"}, OURS), in_cluster_options({}, {}, None)

    assert chosen.addons == {"injection": ON, "queues": OFF} and chosen.drivers == {"nic": ManagedBy.EXISTING}
    assert (chosen.digests_only, chosen.storage, chosen.pull_secret) == (True, OURS, "{}")
    assert not bare.addons and not bare.digests_only and bare.storage is None
