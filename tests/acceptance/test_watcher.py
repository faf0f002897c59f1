"""The watcher against a small server that plays the API: it ends as the MPIJob ends, and says why."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rdma_agent import FOLDER
from rdma_agent.acceptance import mpi_watcher
from rdma_cluster.incluster.plan.acceptance.mpi_job import WATCHER_RULES
from tests.acceptance.plans import efa, only, plan
from tests.acceptance.played import FAILED, JOB, NAME, PODS, RUNNING, Answer, FakeApi, job, launcher, pod

REMEDY = "\nanother `up` sees this test again; a new text in acceptance.rerun runs a new one"


@pytest.fixture
def api() -> Iterator[FakeApi]:
    made = FakeApi()
    yield made
    made.close()


def played(api: FakeApi, folder: Path) -> list[str]:
    """The options that name a server in the place of the cluster's."""
    return ["--server", api.address, "--credentials", str(folder), "--termination", str(folder / "log")]


class Clock:
    """Time that passes when somebody sleeps, at once."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def watch(api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    (tmp_path / "token").write_text("of-the-pod\n")
    monkeypatch.setattr(mpi_watcher, "time", Clock())

    def run(seconds: int = 20) -> tuple[int, str]:
        """Its exit code and its termination message, without the remedy that every failure ends with."""
        words = ["--namespace", "rdma-acceptance", "--job", NAME, "--seconds", str(seconds), "--poll", "0.25"]
        code = mpi_watcher.main([*words, *played(api, tmp_path)])
        message = (tmp_path / "log").read_text()
        assert len(message.encode()) <= 4096
        assert message.endswith(REMEDY) is bool(code)
        return code, message.removesuffix(REMEDY)

    return run


def test_succeeds_with_the_mpi_job(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    """There is nothing yet, then it runs, then it is done: the verdict's own line is kept."""
    api.jobs = [404, {}, RUNNING, job(("Running", "False"), ("Succeeded", "True"))]
    api.pods = [launcher("passed; all_reduce on 2 x 8 GPUs of p5.48xlarge")]

    assert watch() == (0, "passed; all_reduce on 2 x 8 GPUs of p5.48xlarge")


def test_fails_with_the_verdict(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    """The first failed gate is the first word of the message, as in the container that judged."""
    api.jobs = [RUNNING, FAILED]
    api.pods = [launcher("socket: fell back to TCP sockets; wanted none\nfailed; all_reduce")]

    assert watch() == (1, "socket: fell back to TCP sockets; wanted none\nfailed; all_reduce")


def test_fails_without_a_verdict(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    """The launcher was ended before it could judge, and the operator's words are told."""
    api.jobs = [FAILED]
    api.pods = [launcher(None)]

    code, message = watch()

    assert code == 1
    assert message.splitlines() == [
        "finished: did not finish: BackoffLimitExceeded: has reached the limit; wanted a verdict",
        f"pod {NAME}-launcher-abcde is Failed",
    ]


def test_gives_up_and_names_who_waits(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    """Workers that never start are named with Kubernetes' reasons."""
    pulling = {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}
    creating = {"waiting": {"reason": "ContainerCreating"}}
    unscheduled = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/4 nodes"}]
    api.jobs = [RUNNING]
    api.pods = [
        pod("w-0", "worker", phase="Running", containerStatuses=[{"name": "worker", "state": {"running": {}}}]),
        pod("w-1", "worker", phase="Pending", conditions=unscheduled),
        pod("w-2", "worker", phase="Pending", containerStatuses=[{"name": "worker", "state": pulling}]),
        pod("w-3", "worker", phase="Pending", containerStatuses=[{"name": "worker", "state": creating}]),
    ]

    code, message = watch(seconds=1)

    assert code == 1
    assert message.splitlines() == [
        "finished: did not finish within 1 s; wanted a verdict",
        "pod w-1 is Pending: Unschedulable: 0/4 nodes",
        "pod w-2 is Pending: ImagePullBackOff: Back-off pulling image",
        "pod w-3 is Pending",
    ]


def test_names_eight_of_many_pods_that_do_not_run(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    """A message has 4096 bytes, in plain letters; pods that run well between them do not count."""
    why = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "é" * 900}]
    api.jobs = [RUNNING]
    for i in range(9):
        api.pods += [pod(f"w-{i}", "worker", phase="Pending"), pod(f"r-{i}", "worker", phase="Running")]
    _, message = watch(seconds=1)
    assert message.splitlines()[1:] == [*(f"pod w-{i} is Pending" for i in range(8)), "and 1 more pods"]

    api.pods = [pod(f"w-{i}", "worker", phase="Pending", conditions=why) for i in range(64)]
    _, message = watch(seconds=1)
    assert message.isascii() and "Unschedulable: ???" in message


@pytest.mark.parametrize(
    ("ended", "pods", "outcome"),
    [
        (job(("Succeeded", "True")), [], (0, "passed")),
        (job(("Succeeded", "True")), [launcher(None), launcher(" passed; all\n")], (0, "passed; all")),
        (FAILED, [], (1, "BackoffLimitExceeded: has reached the limit")),
        (job(("Failed", "True"), message="only this"), [], (1, "only this")),
        (FAILED, [pod("w-1", "worker", phase="Failed", reason="Evicted", message="no room")], (1, "Evicted: no room")),
        (FAILED, [pod("w-1", "worker", phase="Failed", message="no room")], (1, "w-1 is Failed: no room")),
    ],
)
def test_ends_in_the_judges_words_or_in_the_operators(
    api: FakeApi, watch: Callable[..., tuple[int, str]], ended: Answer, pods: list[Any], outcome: tuple[int, str]
):
    """A condition that is not true ends nothing, nor does a verdict alone."""
    api.jobs, api.pods = [job(("Failed", "False"), ("Succeeded", "False")), job(("Suspended", "True")), ended], pods
    code, message = watch()

    assert code == outcome[0] and outcome[1] in message


def test_ends_at_once_where_no_launcher_can_come(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    """The operator makes no worker twice, and no launcher without all workers."""
    api.jobs = [RUNNING]
    api.pods = [
        pod("w-0", "worker", phase="Running"),
        pod("w-1", "worker", phase="Failed", reason="UnexpectedAdmissionError", message="no healthy devices"),
    ]

    code, message = watch()

    assert code == 1
    assert message.splitlines() == [
        "ran: a worker failed before the test; wanted all of them ready",
        "pod w-1 is Failed: UnexpectedAdmissionError: no healthy devices",
    ]


def test_lost_worker_is_the_launchers_to_tell(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    """Once there is a launcher, its verdict is waited for."""
    api.jobs = [RUNNING, RUNNING, FAILED]
    api.pods = [pod("w-1", "worker", phase="Failed"), launcher("finished: did not finish")]

    assert watch() == (1, "finished: did not finish")


@pytest.mark.parametrize("trouble", [500, 403, 429, "{"])
def test_outlives_trouble(api: FakeApi, watch: Callable[..., tuple[int, str]], trouble: Answer):
    """A server that fails is asked again."""
    api.jobs = [trouble, trouble, job(("Succeeded", "True"))]

    assert watch() == (0, "passed")


@pytest.mark.parametrize(("trouble", "told"), [(403, "HTTPError: HTTP Error 403"), (404, "there is no MPIJob")])
def test_trouble_that_lasts_is_a_failure(
    api: FakeApi, watch: Callable[..., tuple[int, str]], trouble: Answer, told: str
):
    api.jobs = [trouble]

    code, message = watch(seconds=1)

    assert code == 1
    first, second = message.splitlines()
    assert first == "finished: did not finish within 1 s; wanted a verdict"
    assert second.startswith(told)


def test_fails_when_the_mpi_job_is_deleted(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    api.jobs = [RUNNING, 404]

    assert watch() == (1, f"finished: did not finish: MPIJob {NAME} was deleted; wanted its verdict")


def test_asks_for_no_more_than_its_role_gives(api: FakeApi, watch: Callable[..., tuple[int, str]]):
    """It asks for one MPIJob by name and its pods by label, with its own token."""
    api.jobs = [RUNNING, job(("Succeeded", "True"))]
    watch()

    selector = f"training.kubeflow.org/job-name={NAME}"
    assert set(api.seen) == {(JOB, "", "Bearer of-the-pod"), (PODS, selector, "Bearer of-the-pod")}
    verbs = {(resource, verb) for rule in WATCHER_RULES for resource in rule["resources"] for verb in rule["verbs"]}
    assert verbs == {("mpijobs", "get"), ("pods", "list")}


def test_runs_from_its_config_map_alone(api: FakeApi, tmp_path: Path):
    """The command is that of its container, and nothing is installed."""
    (tmp_path / "token").write_text("t")
    for name, text in plan(efa()).files.items():
        (tmp_path / name).write_text(text)
    (container,) = only(efa()).job["spec"]["template"]["spec"]["containers"]
    words = [word.replace(FOLDER, str(tmp_path)) for word in container["command"]]
    given = container["args"]
    api.jobs = [FAILED]
    api.pods = [launcher("gdr: 4 without; wanted GDRDMA on every channel between nodes")]
    given[given.index("--job") + 1] = NAME

    done = subprocess.run(
        [sys.executable, "-E", "-S", *words[1:], *given, *played(api, tmp_path)], capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (1, "")
    assert (tmp_path / "log").read_text().startswith("gdr: 4 without; ")
