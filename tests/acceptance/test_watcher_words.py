"""What the watcher of an MPIJob makes of the job and its pods: how it ended, in whose words, and who does not run."""

from typing import Any

import pytest
from rdma_agent.acceptance.mpi_watcher import _idle, _outcome
from tests.acceptance.played import FAILED, RUNNING, job, launcher, pod

DONE = job(("Created", "True"), ("Succeeded", "True"))
LIMIT = "finished: did not finish: BackoffLimitExceeded: has reached the limit; wanted a verdict"
WAITING = {"reason": "ErrImagePull", "message": "no such image"}
LOST = pod("w-1", "worker", phase="Failed")
RAN = "ran: a worker failed before the test; wanted all of them ready"


@pytest.mark.parametrize(
    ("told", "pods", "ended"),
    [
        ({}, [], None),
        (RUNNING, [], None),
        (job(("Failed", "False"), ("Succeeded", "False")), [launcher("failed")], None),
        (job(("Suspended", "True")), [launcher("failed")], None),
        (DONE, [], (0, "passed")),
        (DONE, [launcher("passed; all")], (0, "passed; all")),
        (DONE, [launcher(None), launcher(" passed; all\n")], (0, "passed; all")),
        (DONE, [pod("w-0", "worker", containerStatuses=launcher("of a worker")["status"]["containerStatuses"])],
         (0, "passed")),
        (FAILED, [launcher("socket: x")], (1, "socket: x")),
        (FAILED, [], (1, LIMIT)),
        (FAILED, [LOST], (1, f"{LIMIT}\npod w-1 is Failed")),
        (job(("Failed", "True"), message="only this"), [],
         (1, "finished: did not finish: only this; wanted a verdict")),
        (RUNNING, [pod("w-0", "worker", phase="Running"), LOST], (1, f"{RAN}\npod w-1 is Failed")),
        (RUNNING, [LOST, launcher(None)], None),
        (RUNNING, [pod("other", "", phase="Failed")], None),
        (RUNNING, [{"metadata": {"name": "w-0"}}], None),
    ],
)  # fmt: skip
def test_how_a_test_ended(told: dict[str, Any], pods: list[dict[str, Any]], ended: tuple[int, str] | None):
    """By the condition that is true, in the judge's words where some launcher has any; else it runs."""
    assert _outcome(told, pods) == ended


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ({"phase": "Running"}, None),
        ({"phase": "Succeeded"}, None),
        ({"phase": "Failed"}, "pod w is Failed"),
        ({"phase": "Failed", "reason": "Evicted", "message": "no room"}, "pod w is Failed: Evicted: no room"),
        ({"phase": "Failed", "message": "no room"}, "pod w is Failed: no room"),
        ({"phase": "Failed", "reason": "Evicted"}, "pod w is Failed"),
        ({}, "pod w is no status"),
        (
            {"phase": "Running", "containerStatuses": [{"state": {"running": {}}}, {"state": {"waiting": WAITING}}]},
            "pod w is Running: ErrImagePull: no such image",
        ),
        (
            {"phase": "Pending", "containerStatuses": [{}, {"state": {"waiting": {"reason": "ContainerCreating"}}}]},
            "pod w is Pending",
        ),
        (
            {
                "phase": "Pending",
                "conditions": [
                    {"type": "Ready", "status": "False", "reason": "x", "message": "another condition"},
                    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/4 nodes"},
                ],
            },
            "pod w is Pending: Unschedulable: 0/4 nodes",
        ),
        (
            {
                "phase": "Pending",
                "conditions": [{"type": "PodScheduled", "status": "True", "reason": "x", "message": "it is"}],
            },
            "pod w is Pending",
        ),
    ],
)
def test_why_a_pod_does_not_run(status: dict[str, Any], line: str | None):
    """The first reason with words: of a container, of the scheduler, of the pod; who runs well is not named."""
    assert _idle([pod("w", "worker", **status)]) == ([line] if line else [])


@pytest.mark.parametrize(
    ("count", "last"), [(8, "pod w-7 is Failed"), (9, "and 1 more pods"), (64, "and 56 more pods")]
)
def test_of_many_pods_eight_are_named(count: int, last: str):
    """Those that run well between them do not count."""
    lines = _idle([
        each for i in range(count)
        for each in (pod(f"w-{i}", "worker", phase="Failed"), pod(f"r-{i}", "worker", phase="Running"))
    ])  # fmt: skip

    assert lines[:8] == [f"pod w-{i} is Failed" for i in range(8)]
    assert lines[-1] == last and len(lines) == (8 if count == 8 else 9)
