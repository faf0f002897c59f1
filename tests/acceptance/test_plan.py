"""What is tested with what, for how long, and what makes it run again."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import machines
from rdma_cluster.catalog.machine import Source
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.stack import plan_of
from rdma_cluster.fabrics import Launcher
from rdma_cluster.incluster.plan import resolve
from rdma_cluster.incluster.plan.acceptance import collective_of, plan as acceptance
from tests.acceptance.plans import MACHINE, args, containers, efa, only, plan, pool, refused
from tests.incluster.pools import BARE
from tests.machines import known_machine
from tests.stacks import ROOT, cloud_of


def name_of(given: dict[str, Any]) -> str:
    """The Job's name, which holds the digest of what it proves."""
    return only(given).test["metadata"]["name"]


def test_collective_has_a_threshold_where_there_is_one():
    """No machine with a threshold of two whole nodes is tested without it."""
    for row in machines():
        if any((threshold.nodes, threshold.gpus_per_node) == (2, row.gpus) for threshold in row.thresholds):
            assert any(
                (threshold.nodes, threshold.gpus_per_node, threshold.collective) == (2, row.gpus, collective_of(row))
                for threshold in row.thresholds
            )


def test_messages_reach_the_threshold():
    """A threshold of 16 GiB rows is reached by messages of 16 GiB, in twice the time."""
    usual, large = only(efa()), only(efa(pool(machine="p6-b300.48xlarge", fabric="efa")))

    env = [{each["name"]: each.get("value") for each in containers(test)["test"]["env"]} for test in (usual, large)]

    assert [each["MOST_BYTES"] for each in env] == [str(8 << 30), str(16 << 30)]
    assert [each["PAIR_SECONDS"] for each in env] == ["600", "1200"]
    assert large.expectation.thresholds["all_reduce"][0].size_bytes == 16 << 30


@pytest.mark.parametrize("launcher", Launcher)
@pytest.mark.parametrize("nodes", [2, 3, 255])
def test_each_deadline_is_within_the_next(launcher: Launcher, nodes: int):
    """The verdict's comes before the pods', theirs before the Job's, and the Job's before Pulumi's."""
    test = only(args(pool(nodes=nodes), launcher=launcher))
    env = {each["name"]: each.get("value") for each in containers(test)["test"]["env"]}
    (verdict,) = (int(each["value"]) for each in containers(test)["verdict"]["env"] if each["name"] == "SECONDS_IN_ALL")

    rounds = len(env["ROUNDS"].splitlines())
    deadlines = [int(env["READY_SECONDS"]) + 17 + rounds * (int(env["PAIR_SECONDS"]) + 20), verdict]
    if test.test["kind"] == "MPIJob":
        run, worker = test.test["spec"]["runPolicy"], test.test["spec"]["mpiReplicaSpecs"]["Worker"]
        deadlines += [run["activeDeadlineSeconds"], worker["template"]["spec"]["activeDeadlineSeconds"]]
    else:
        deadlines.append(test.test["spec"]["activeDeadlineSeconds"])
    (watcher,) = test.watcher["spec"]["template"]["spec"]["containers"]
    deadlines += [test.seconds, test.runner["spec"]["activeDeadlineSeconds"]]
    deadlines.append(int(watcher["args"][watcher["args"].index("--seconds") + 1]))
    deadlines += [test.watcher["spec"]["activeDeadlineSeconds"], test.timeout_seconds]

    assert deadlines == sorted(set(deadlines))
    assert test.timeout_seconds < 3 * 3600  # whatever the number of nodes: rounds run side by side


OTHER: dict[str, Mapping[str, Any]] = {
    "rerun": {"rerun": "again"},
    "waive": {"waive": ["nics"]},
    "threshold": {"thresholds": {MACHINE: ["all_gather:1G=250"]}},
    "test image": {"images": {"test": "mirror.example/tests:1"}},
    "fabric": {"pools": [pool(fabric="gib-managed")]},
    "nodes": {"pools": [pool(nodes=3)]},
    "machine": {"pools": [pool(machine="a4-highgpu-8g")]},
    "GPUs by a device plugin": {"pools": [pool(gpu_allocation="device-plugin")]},
}


@pytest.mark.parametrize("what", OTHER)
def test_runs_again_when_it_proves_something_else(what: str):
    """A new name is a new Job."""
    assert name_of(args()) != name_of({**args(), **OTHER[what]})


def test_a_new_version_of_kubernetes_proves_no_fabric_again():
    """Nodes that stay have the fabric that they had; new nodes are another input."""
    assert name_of(args()) == name_of({**args(), "version": "1.36"})


@pytest.mark.parametrize(
    "more",
    [
        {"taint_suspects": True},
        {"images": {"python": "mirror.example/python:3"}},
        {"images": {"mpirun": "/opt/mpirun"}},
        {"taint": {"key": "k", "value": "v"}},
        {"launcher": Launcher.MPI_JOB},
        {"on_busy": "fail"},
    ],
)
def test_how_a_test_is_run_is_no_reason_to_run_it_again(more: Mapping[str, Any]):
    """A proof is of machines, drivers, plugin, environment and threshold."""
    assert only({**args(), **more}).values == only(args()).values


def test_does_not_run_again_for_a_better_source(monkeypatch: pytest.MonkeyPatch):
    """The same threshold is read again in a newer version of its source."""
    before = only(args())
    row = known_machine(MACHINE)
    newer = replace(
        row, thresholds=tuple(replace(threshold, source=Source("r", "2030-01-01")) for threshold in row.thresholds)
    )
    monkeypatch.setattr(resolve, "find", lambda name: newer)

    after = only(args())

    assert after.config != before.config
    assert after.test == before.test


def test_runs_again_for_a_higher_threshold(monkeypatch: pytest.MonkeyPatch):
    """A figure that was enough may be so no more."""
    before = name_of(args())
    row = known_machine(MACHINE)
    higher = replace(row, thresholds=tuple(replace(threshold, busbw_gbytes=300.0) for threshold in row.thresholds))
    monkeypatch.setattr(resolve, "find", lambda name: higher)

    assert name_of(args()) != before


def test_does_not_run_again_for_another_pool():
    one, both = plan(args(pool("a"))), plan(args(pool("a"), pool("b", nodes=4)))

    assert both.tests[0] == one.tests[0]


def test_a_machine_with_arm_needs_an_image_of_the_users():
    """The pinned image is built for x86."""
    given = efa(pool(machine="p6e-gb200.36xlarge", fabric="efa"), waive=["bandwidth"])

    (line,) = refused(given)
    assert line.startswith("images.test: ") and "arm64" in line
    image = {"test": "r.example/tests:1", "nccl_tests": "/t", "mpirun": "/m"}
    test = containers(only({**given, "images": image}))["test"]
    env = {each["name"]: each.get("value") for each in test["env"]}
    assert (test["image"], env["TESTS"], env["MPIRUN"]) == ("r.example/tests:1", "/t", "/m")


@pytest.mark.parametrize("given", [args(), efa()], ids=["indexed-job", "mpi-job"])
def test_a_failure_is_the_last_word(given: dict):
    """No pod runs again after a verdict, and the container whose log is looked for is there."""
    test = only(given)
    (container,) = re.findall(r"--container (\S+)", test.log)

    assert test.test["spec"].get("runPolicy", test.test["spec"])["backoffLimit"] == 0
    assert container in containers(test)


@pytest.mark.parametrize(
    ("stack", "quicker", "seconds"),
    [("aks", "drivers={gpuDriver: aks}", 1200), ("oke-b200", "rdma={nicAttachment: host-network}", 1800)],
)
def test_a_test_waits_for_what_is_built_on_nodes(
    stack: str, quicker: str, seconds: int, monkeypatch: pytest.MonkeyPatch
):
    """A driver may be compiled on each node, and an operator may configure virtual functions."""
    monkeypatch.chdir(ROOT)
    waits = []
    for overrides in ([], [quicker]):
        whole = plan_of(cloud_of(stack), read_stack(stack, None, overrides)[1].config, stack)
        waits.append([test.seconds for test in whole.tests])

    assert [slow - quick for slow, quick in zip(*waits, strict=True)] == [seconds] * len(waits[0]) != []


def test_what_is_proved_later_must_be_testable_now():
    """A single node is proved when a second one comes; that its machine has no GPU is told before."""
    errors = ErrorList()
    one = pool(nodes=1, machine="hpc7a.96xlarge", fabric="efa")
    record = resolve.resolve(one, errors)
    assert record is not None

    assert acceptance.plan_acceptance_on({}, [record], BARE, errors, {"a": "0"}) is None
    (error,) = errors.found()
    assert "no GPU" in error.reason
