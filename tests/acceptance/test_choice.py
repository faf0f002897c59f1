"""What a plan of tests is made of: which pools are tested, by which image, and what else is proved."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_agent.payload import payload
from rdma_cluster.catalog import charts
from rdma_cluster.incluster.plan.dra_drivers import InstalledBy
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.acceptance.plans import args, containers, efa, handed, only, plan, pool
from tests.incluster.pools import DRA, EFA, GIB, PLUGGED


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, None),
        ({"nodes": 1}, "a fabric is proved between 2 nodes or more, the pool has 1"),
        ({"skip_reason": "later"}, "later"),
        ({"nodes": 1, "skip_reason": "later"}, "a fabric is proved between 2 nodes or more, the pool has 1"),
        ({"skip_reason": ""}, None),
    ],
)
def test_pools_of_two_nodes_are_tested_unless_somebody_says_why_not(more: dict[str, Any], reason: str | None):
    """A pool behind one that is not tested is; too few nodes are told before what the cloud says."""
    made = plan(args(pool("a", **more), pool("b")))

    assert made.skip_reason == ({} if reason is None else {"a": reason})
    assert [test.pool for test in made.tests] == (["a"] if reason is None else []) + ["b"]


SHIPPED = payload("nccl_verdict", "rdma_agent.acceptance")


@pytest.mark.parametrize(
    ("given", "watched", "operator"),
    [
        (args(), False, False),
        (efa(), True, True),
        (args(pool(), pool("b", machine="p5.48xlarge", fabric="efa")), True, True),
        (efa(mpi_operator=InstalledBy.INSTALLED), True, True),
        (efa(mpi_operator=InstalledBy.EXISTING), True, False),
        (args(mpi_operator=InstalledBy.INSTALLED), False, False),
    ],
)
def test_tests_bring_an_operator_where_an_mpi_job_needs_one(given: Any, watched: bool, operator: bool):
    """They bring the judge and the scripts as well."""
    made = plan(given)

    assert made.files == SHIPPED
    assert (made.has_mpi_jobs, made.operator is not None) == (watched, operator)


@pytest.mark.parametrize(
    ("more", "marks", "holds"),
    [
        ({}, False, False),
        ({"taint_suspects": False}, False, False),
        ({"taint_suspects": True}, True, False),
        ({"fingerprints": {"gib": "f00"}}, True, True),
        ({"fingerprints": {}}, False, False),
    ],
)
def test_the_judge_marks_nodes_that_are_suspected_or_held(more: dict[str, Any], marks: bool, holds: bool):
    """It writes proofs in the second case alone."""
    made = handed(GIB, **more)
    (test,) = made.tests

    assert (made.marks_nodes, made.holds, test.measure.marks_nodes) == (marks, holds, marks)
    assert test.measure.held == ("fingerprints" in more)
    assert test.measure.fingerprint == ("f00" if holds else "")
    env = {each["name"]: each.get("value") for each in containers(test)["verdict"]["env"]}
    assert env.get("MARK_NODES") == (("proofs" if "fingerprints" in more else "suspects") if marks else None)
    # Without a test nobody marks.
    assert not handed(replace(GIB, skip_reason="later"), **more).marks_nodes


def test_what_later_tests_name_is_prepared():
    """The prover tests such pools when their nodes come, so that it is prepared as for two nodes."""
    later = [replace(GIB, name=name, nodes=nodes, skip_reason="later") for name, nodes in (("a", 0), ("b", 9))]
    other = replace(GIB, name="c", skip_reason="never")
    made = handed(*later, other, fingerprints={"a": "1", "b": "2", "gib": "3"})

    assert [(test.pool, test.measure.nodes) for test in made.prepared] == [("a", 2), ("b", 2)]
    assert made.tests == () and made.files.keys() >= SHIPPED.keys() and not made.marks_nodes
    assert handed(*later, other).prepared == ()
    assert handed(*later, other).files == {}


def test_a_proof_shows_what_was_judged_and_what_was_run_besides():
    given = args(waive=["nics"], also_run=["alltoall"], thresholds={"a3-ultragpu-8g": ["all_gather:2G=5"]})
    bare, full = only(args()), only(given)

    assert full.shown == {
        "collective": "all_gather",
        "tests": 2,
        "gpusPerNode": 8,
        "also": ["alltoall"],
        "thresholds": {"all_gather": [{"fromBytes": 2 << 30, "busbwGBytes": 5.0}]},
        "waived": ["nics"],
        "log": full.log,
    }
    assert "also" not in bare.shown and bare.shown["waived"] == []


def test_larger_messages_take_longer():
    """A threshold from 12 GiB on is judged in the row of 16, of one collective alone."""
    own = {"a3-ultragpu-8g": ["all_gather:12G=5", "alltoall:32G=1"]}
    test = only(args(thresholds=own, also_run=["alltoall"]))

    assert (test.most_bytes, test.measure.pair_seconds) == (16 << 30, 1200)


def test_files_that_a_fabrics_pods_mount_are_made_beside_the_test():
    (test,) = plan(args(pool("ib", machine="Standard_ND96isr_H100_v5", fabric="infiniband"), waive=["bandwidth"])).tests

    assert [file.name for file in test.files] == ["ndv5.xml"]
    assert test.files == test.measure.workload.adds.files


def test_pulumi_waits_longer_where_drivers_are_built_on_nodes():
    """The runner waits as long for idle nodes as the test's pods may take to start."""
    plain, slow = only(args()), only(args(driver_seconds=60))

    assert slow.timeout_seconds - plain.timeout_seconds == 2 * 60


@pytest.mark.parametrize(
    ("more", "image"),
    [
        ({"images": {"operator": "my/operator:1"}, "registries": {"my": "m.example"}}, "my/operator:1"),
        ({"registries": {"docker.io": "m.example"}}, "m.example/mpioperator/mpi-operator:"),
    ],
)
def test_the_operators_image_is_the_users_own_or_from_the_mirror(more: dict[str, Any], image: str):
    operator = plan(efa(mpi_operator="installed", **more)).operator

    assert operator is not None and operator.image.startswith(image)


@pytest.mark.parametrize(
    ("some", "chart", "again"),
    [
        (EFA, "AWS_DRANET", True),
        (EFA, "NVIDIA_DRA_DRIVER", True),
        (EFA, "NVIDIA_DEVICE_PLUGIN", False),
        (PLUGGED, "EFA_DEVICE_PLUGIN", True),
        (PLUGGED, "NVIDIA_DEVICE_PLUGIN", True),
        (PLUGGED, "NVIDIA_DRA_DRIVER", False),
        (replace(PLUGGED, allocation=DRA), "NVIDIA_DRA_DRIVER", True),
    ],
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_a_pool_is_proved_again_with_new_drivers_of_its_own(
    some: GpuPool, chart: str, again: bool, monkeypatch: pytest.MonkeyPatch
):
    """No object of the test names the drivers that hand out GPUs and NICs."""
    before = job_of(some)
    old = getattr(charts, chart)
    newer = replace(old, version="99.0.0")
    monkeypatch.setattr(charts, chart, newer)

    assert (job_of(with_chart(some, old, newer)) != before) is again


def job_of(some: GpuPool) -> str:
    """The name of the Job that proves a pool, which holds the digest of what it proves."""
    (test,) = handed(some).tests
    return test.test["metadata"]["name"]


def with_chart(some: GpuPool, old: Any, newer: Any) -> GpuPool:
    """The pool with the chart that its NICs' driver comes from in a newer version, where it is that one."""
    attachment = some.fabric.nic_attachment
    chart = getattr(attachment, "chart", None)
    if chart is None or chart.chart is not old:
        return some
    return replace(
        some, fabric=replace(some.fabric, nic_attachment=replace(attachment, chart=replace(chart, chart=newer)))
    )
