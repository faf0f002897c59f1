"""What goes into a cluster as a whole fits its pools, and each error of it is told once."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import Mounted, Store
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.plans import OFF, ON, OURS, THEIRS, paths, planned, refused
from tests.incluster.pools import CONTEXT, GIB, NAMED, NICS, WITH_FILES

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
