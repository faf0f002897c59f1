"""What a plan of tests is made of: which pools are tested, by which image, and what else is proved."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_agent.payload import payload
from rdma_cluster.catalog import find
from rdma_cluster.catalog.charts import AWS_DRANET, EFA_DEVICE_PLUGIN, NVIDIA_DEVICE_PLUGIN, NVIDIA_DRA_DRIVER
from rdma_cluster.catalog.images import JUDGE_PYTHON, MPI_OPERATOR
from rdma_cluster.fabrics import FABRICS, HostPlugin, Launcher
from rdma_cluster.incluster.plan.acceptance import AcceptancePlan, PoolTest, plan_acceptance, plan_acceptance_on
from rdma_cluster.incluster.plan.acceptance.args import AcceptanceImages
from rdma_cluster.incluster.plan.acceptance.checks import Carried, Choice
from rdma_cluster.incluster.plan.acceptance.plan import _image, _versions
from rdma_cluster.incluster.plan.context import context_of
from rdma_cluster.incluster.plan.dra_drivers import InstalledBy
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.acceptance.plans import args, containers, efa, only, plan, pool
from tests.incluster.pools import BARE, DRA, EFA, GIB, MANAGED, NAMED, NICS, PLUGGED


def handed(*pools: GpuPool, **more: Any) -> AcceptancePlan:
    """The plan of pools that a stack has resolved."""
    given: Any = args(**more)
    made = plan_acceptance_on(given, pools, context_of(given), ErrorList(), more.get("fingerprints"))
    assert made is not None
    return made


def operator_image(given: dict[str, Any]) -> str:
    """The image of the operator that a plan installs."""
    operator = plan(given).operator
    assert operator is not None
    return operator.image


def refused(given: Any) -> list[str]:
    """What is told; there is no plan."""
    errors = ErrorList()
    assert plan_acceptance(given, errors) is None
    return [str(error) for error in errors.found()]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, None),
        ({"nodes": 1}, "a fabric is proved between 2 nodes or more, the pool has 1"),
        ({"nodes": 0}, "a fabric is proved between 2 nodes or more, the pool has 0"),
        ({"skip_reason": "later"}, "later"),
        # Too few nodes are told before what the cloud says.
        ({"nodes": 1, "skip_reason": "later"}, "a fabric is proved between 2 nodes or more, the pool has 1"),
        ({"skip_reason": ""}, None),
    ],
)
def test_which_pools_are_tested(more: dict[str, Any], reason: str | None):
    """Those of two nodes and more of which nobody says why not; a pool behind one that is not tested is."""
    made = plan(args(pool("a", **more), pool("b")))

    assert made.skip_reason == ({} if reason is None else {"a": reason})
    assert [test.pool for test in made.tests] == (["a"] if reason is None else []) + ["b"]


def test_nobody_is_tested():
    """Where that is switched off, whatever else is said."""
    made = plan(args(pool(nodes=1, skip_reason="later"), enabled=False))

    assert made.skip_reason == {"a": "acceptance is disabled"}
    assert plan(args(enabled=True)).skip_reason == {}


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
def test_what_tests_bring(given: Any, watched: bool, operator: bool):
    """The judge and the scripts, whole, and an operator where an MPIJob is and nobody brings one."""
    made = plan(given)

    assert made.files == SHIPPED
    assert (made.watched, made.operator is not None) == (watched, operator)
    assert (made.operator.image if made.operator else None) == (MPI_OPERATOR.image if operator else None)


@pytest.mark.parametrize(
    ("more", "image"),
    [
        ({"images": {"operator": "my/operator:1"}}, "my/operator:1"),
        ({"registries": {"docker.io": "m.example"}}, "m.example/mpioperator/mpi-operator:"),
        ({"images": {"operator": "my/operator:1"}, "registries": {"my": "m.example"}}, "my/operator:1"),
    ],
)
def test_the_operators_image(more: dict[str, Any], image: str):
    """The user's own as it is written, or the pinned one from its mirror."""
    assert operator_image(efa(**more)).startswith(image)


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
def test_who_marks_nodes(more: dict[str, Any], marks: bool, holds: bool):
    """The judge, where suspects are tainted or nodes are held; it writes proofs in the second case alone."""
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
    """Of pools that the prover tests when their nodes come, as for two nodes; of no others that are not tested."""
    later = [replace(GIB, name=name, nodes=nodes, skip_reason="later") for name, nodes in (("a", 0), ("b", 9))]
    other = replace(GIB, name="c", skip_reason="never")
    made = handed(*later, other, fingerprints={"a": "1", "b": "2", "gib": "3"})

    assert [(test.pool, test.measure.nodes) for test in made.prepared] == [("a", 2), ("b", 2)]
    assert made.tests == () and made.files.keys() >= SHIPPED.keys() and not made.marks_nodes
    assert handed(*later, other).prepared == ()
    assert handed(*later, other).files == {}


def shown(test: PoolTest) -> dict[str, Any]:
    """What the proof of a pool shows, but for the command that prints its log."""
    return {key: value for key, value in test.shown.items() if key != "log"}


def test_what_a_proof_shows():
    """Of the thresholds and waivers that were judged, and what was run besides."""
    given = args(waive=["nics"], also_run=["alltoall"], thresholds={"a3-ultragpu-8g": ["all_gather:2G=5"]})
    bare, full = only(args()), only(given)

    assert shown(full) == {
        "collective": "all_gather",
        "tests": 2,
        "gpusPerNode": 8,
        "also": ["alltoall"],
        "thresholds": {"all_gather": [{"fromBytes": 2 << 30, "busbwGBytes": 5.0}]},
        "waived": ["nics"],
    }
    assert "also" not in shown(bare) and shown(bare)["waived"] == []
    assert full.shown["log"] == full.log


@pytest.mark.parametrize("launcher", Launcher)
def test_a_tests_own_record(launcher: Launcher):
    """What is measured, judged and awaited; Pulumi waits five minutes longer than the Job may run."""
    test = only(args(launcher=launcher, driver_seconds=60, images={"python": "p:1"}, other_taints={"spot": "*"}))
    plain = only(args(launcher=launcher))

    assert (test.pool, test.short, test.waived, test.most_bytes) == ("a", "a", (), 8 << 30)
    assert test.config == {"expectation.json": test.expectation.to_json()}
    assert [template.name for template in test.templates] == ["a3-ultragpu-8g-whole"]
    assert test.measure.workload.claim_templates == ("a3-ultragpu-8g-whole",)
    assert test.measure.workload.other_taints == {"spot": "*"}
    assert (test.measure.judge_image, plain.measure.judge_image) == ("p:1", JUDGE_PYTHON.image)
    assert (test.measure.pair_seconds, test.measure.nodes, test.measure.gpus) == (600, 2, 8)
    assert test.measure.ready_seconds == (900 if launcher is Launcher.INDEXED_JOB else 300)
    assert test.timeout_seconds == test.job["spec"]["activeDeadlineSeconds"] + 300
    assert test.timeout_seconds - plain.timeout_seconds == 60
    assert test.compute_domain is None and test.files == ()


def test_larger_messages_take_longer():
    """A threshold from 12 GiB on is judged in the row of 16, of one collective alone."""
    own = {"a3-ultragpu-8g": ["all_gather:12G=5", "alltoall:32G=1"]}
    test = only(args(thresholds=own, also_run=["alltoall"]))

    assert (test.most_bytes, test.measure.pair_seconds) == (16 << 30, 1200)


def test_files_of_a_fabric():
    """Its pods mount them, so that they are made beside the test."""
    (test,) = plan(args(pool("ib", machine="Standard_ND96isr_H100_v5", fabric="infiniband"), waive=["bandwidth"])).tests

    assert [file.name for file in test.files] == ["ndv5.xml"]
    assert test.files == test.measure.workload.adds.files


@pytest.mark.parametrize(
    ("some", "channels", "versions"),
    [
        (EFA, False, [AWS_DRANET, NVIDIA_DRA_DRIVER]),
        (replace(EFA, allocation=NICS.allocation), False, [AWS_DRANET]),
        (replace(EFA, allocation=NICS.allocation), True, [AWS_DRANET, NVIDIA_DRA_DRIVER]),
        (PLUGGED, False, [EFA_DEVICE_PLUGIN, NVIDIA_DEVICE_PLUGIN]),
        (replace(PLUGGED, allocation=DRA), False, [EFA_DEVICE_PLUGIN, NVIDIA_DRA_DRIVER]),
    ],
)
def test_drivers_that_are_proved_as_well(some: GpuPool, channels: bool, versions: list[Any]):
    """Those that hand out the pool's GPUs and NICs, as far as they are ours."""
    assert _versions(some, channels=channels) == [f"{each.chart} {each.version}" for each in versions]


def test_plugins_and_operators_that_are_proved_as_well():
    """What is installed on hosts, and what a fabric names besides; of what the cloud brings nothing."""
    metal, plugin = FABRICS["gib-metal"], MANAGED.fabric.plugin
    assert isinstance(plugin, HostPlugin)
    row = find("a4x-maxgpu-4g-metal")
    assert row is not None

    assert _versions(MANAGED, channels=False) == [
        f"{NVIDIA_DRA_DRIVER.chart} {NVIDIA_DRA_DRIVER.version}",
        plugin.release.installer,
    ]
    assert _versions(NAMED, channels=False)[1:] == list(NAMED.fabric.acceptance.also)
    alone = GpuPool("m", row, 2, metal, NICS.allocation)
    assert _versions(alone, channels=False) == list(metal.acceptance.also)
    by_operator = GpuPool("ib", row, 2, FABRICS["infiniband-rdma-ib"], NICS.allocation)
    assert _versions(by_operator, channels=False) == list(by_operator.fabric.acceptance.also)


@pytest.mark.parametrize(
    ("images", "expected"),
    [
        ({}, ("arm:1", "/t", "/m")),
        ({"test": "own:1"}, ("own:1", "/t", "/m")),
        ({"nccl_tests": "/own", "mpirun": "/own/mpirun"}, ("arm:1", "/own", "/own/mpirun")),
    ],
)
def test_the_image_of_a_machines_processors(images: AcceptanceImages, expected: tuple[str, str, str]):
    """Among several; what the user names takes the place of each part."""
    arm, x86 = (
        replace(FABRICS["gib"].acceptance.tests[0], image=f"{name}:1", architecture=arch, tests="/t", mpirun="/m")
        for name, arch in (("arm", "arm64"), ("x86", "amd64"))
    )
    row = find("p6e-gb200.36xlarge")
    assert row is not None
    errors = ErrorList()
    given = Choice({"images": images}, BARE, None, Carried())

    made = [_image(row, tests, given, errors) for tests in ((x86, arm), (arm, x86))]
    assert [(each.image, each.tests, each.mpirun) for each in made] == [expected] * 2
    assert not errors
    _image(row, (x86,), given, errors)
    assert bool(errors) == ("test" not in images)
