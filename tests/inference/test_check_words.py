"""What the check of a served model says of pods that are not ready, and how long it asks."""

import io
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
from rdma_agent import await_definitions, await_webhook, serving_check

READY = [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "True"}]
WAITING = {"state": {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}}
CREATING = {"state": {"waiting": {"reason": "ContainerCreating"}}}
ENDED = {"state": {"running": {}}, "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}
UNSCHEDULED = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes"}


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ({}, "without status, and not ready"),
        ({"phase": "Running"}, "Running, and not ready"),
        ({"phase": "Running", "containerStatuses": [{"state": {"running": {}}, "lastState": {}}, {}]},
         "Running, and not ready"),
        ({"phase": "Pending", "containerStatuses": [CREATING]}, "Pending: ContainerCreating"),
        ({"phase": "Pending", "containerStatuses": [WAITING]}, "Pending: ErrImagePull: no such image"),
        ({"phase": "Running", "containerStatuses": [ENDED]}, "Running: OOMKilled"),
        ({"phase": "Pending", "conditions": [UNSCHEDULED]}, "Pending: Unschedulable: 0/2 nodes"),
        ({"phase": "Pending", "conditions": [{**UNSCHEDULED, "status": "True"}]}, "Pending, and not ready"),
        ({"phase": "Pending", "conditions": [{**UNSCHEDULED, "type": "Ready"}]}, "Pending, and not ready"),
        ({"phase": "Pending", "containerStatuses": [ENDED, WAITING], "conditions": [UNSCHEDULED]},
         "Pending: ErrImagePull: no such image; Unschedulable: 0/2 nodes; OOMKilled"),
    ],
)  # fmt: skip
def test_why_a_pod_is_not_ready(status: dict[str, Any], why: str):
    """All that Kubernetes says of it: what containers wait for, that no node takes it, how it ended before."""
    assert serving_check._why({"status": status} if status else {}) == why


class Pods:
    """An API server that says of each pod in turn what it is told to; the last word stays."""

    def __init__(self, **said: list[Any]) -> None:
        self._said = said
        self.asked: list[str] = []

    def get(self, path: str) -> Any:
        self.asked.append(path)
        said = self._said[path.rpartition("/")[2]]
        answer = said.pop(0) if len(said) > 1 else said[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def pod(revision: str | None = "new", ready: bool = True) -> dict[str, Any]:
    """As the API has it."""
    labels = {} if revision is None else {"labels": {"revision": revision}}
    return {"metadata": labels, "status": {"phase": "Running", "conditions": READY if ready else []}}


def code(of: int) -> HTTPError:
    """A no."""
    return HTTPError("", of, "no", {}, None)  # ty: ignore[invalid-argument-type]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Time that passes by sleeping alone."""
    now = [1000.0]
    fake = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))
    for each in (serving_check, await_webhook, await_definitions):
        monkeypatch.setattr(each, "time", fake)
    return now


def waited(pods: Any, seconds: float = 60) -> tuple[int, str]:
    """How the wait ends."""
    options = Namespace(label="revision=new", pods=["a", "b"], poll=5.0, seconds=seconds)
    return serving_check._ready(pods, "/pods/", options, 1000 + seconds)


def test_every_pod_is_waited_for(clock: list[float]):
    """Both are looked at each time; trouble of the API server is outlived."""
    pods = Pods(a=[code(500), pod("old"), pod()], b=[TimeoutError("slow"), pod(ready=False), ValueError("html"), pod()])

    assert waited(pods) == (0, "")
    assert pods.asked == ["/pods/a", "/pods/b"] * 4
    assert clock[0] == 1015


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (code(404), "pod b: HTTP 404 (there is none yet)"),
        (code(403), "pod b: HTTP 403"),
        (TimeoutError("slow"), "pod b: TimeoutError: slow"),
        (ValueError("html"), "pod b: ValueError: html"),
        (pod("old"), "pod b is still the one before"),
        (pod(None), "pod b is still the one before"),
        (pod(ready=False), "pod b is Running, and not ready"),
    ],
)
def test_who_keeps_it_waiting_is_named(clock: list[float], said: Any, line: str):
    """Whoever is not ready when the time is over, and nobody else."""
    assert waited(Pods(a=[pod()], b=[said])) == (1, f"served: not within 60 s\n{line}")
    assert clock[0] == 1065


def test_a_model_that_nobody_reaches_is_asked_for_a_minute(clock: list[float], monkeypatch: pytest.MonkeyPatch):
    """Then that is told; any other error is told at once."""
    errors: list[Exception] = [URLError("refused")]
    asked: list[float] = []

    def opened(request: Any, timeout: float) -> Any:
        asked.append(timeout)
        raise errors[0]

    monkeypatch.setattr(serving_check, "direct_opener", lambda: SimpleNamespace(open=opened))
    options = Namespace(model="m", url="http://m", poll=20.0)

    told = "answered: no answer to a request of 4 tokens"
    assert serving_check._answers(options) == (1, f"{told}: URLError: <urlopen error refused>")
    assert (len(asked), clock[0]) == (5, 1080)
    errors[0] = TimeoutError("slow")
    assert serving_check._answers(options) == (1, f"{told}: TimeoutError: slow")
    assert len(asked) == 6


@pytest.mark.parametrize(
    ("error", "why"),
    [(code(500), "HTTP 500: "), (ConnectionResetError(104, "reset"), "ConnectionResetError: [Errno 104] reset")],
)
def test_why_no_group_can_be_made_yet(error: Exception, why: str):
    """In the words of the API server, or of the connection."""
    asked: list[tuple[str, str, Any]] = []

    def refuses(path: str, method: str, body: Any) -> Any:
        asked.append((path, method, body))
        raise error

    api: Any = SimpleNamespace(open=refuses)
    if isinstance(error, HTTPError):
        error.read = lambda: b""  # ty: ignore[invalid-assignment]

    assert await_webhook.refusal(api, "ns") == why
    path = "/apis/leaderworkerset.x-k8s.io/v1/namespaces/ns/leaderworkersets?dryRun=All"
    assert asked == [(path, "POST", await_webhook.PROBE)]
    assert await_webhook.PROBE["apiVersion"] == "leaderworkerset.x-k8s.io/v1"
    assert await_webhook.PROBE["kind"] == "LeaderWorkerSet" and await_webhook.PROBE["metadata"]


def test_the_webhook_is_asked_every_three_seconds(
    clock: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Until it answers, or the time is over; then it is told why."""
    (tmp_path / "namespace").write_text("lws-system\n")
    answers: Any = iter([ConnectionResetError("x"), ConnectionResetError("x"), None])
    paths: list[str] = []

    def asks(path: str, method: str, body: Any) -> io.BytesIO:
        paths.append(path)
        if error := next(answers, ConnectionResetError("x")):
            raise error
        return io.BytesIO()

    monkeypatch.setattr(await_webhook, "Api", lambda server, credentials: SimpleNamespace(open=asks))

    assert await_webhook.main(60, "http://127.0.0.1:1", tmp_path) == 0
    assert (len(paths), clock[0], capsys.readouterr().out) == (3, 1006, "")
    assert "/namespaces/lws-system/" in paths[0]
    assert await_webhook.main(60, "http://127.0.0.1:1", tmp_path) == 1
    assert clock[0] == 1006 + 63
    assert capsys.readouterr().out == "after 60 s no LeaderWorkerSet can be made: ConnectionResetError: x\n"


def test_definitions_are_asked_for_every_five_seconds(clock: list[float], capsys: pytest.CaptureFixture[str]):
    """Those that are missing are named; trouble of the connection is told and outlived, a refusal ends it."""
    served = {"status": {"conditions": [{"type": "Established", "status": "True"}]}}
    kinds: Any = Pods(a=[code(404), served], b=[URLError("away"), {}, served], c=[{"status": {"conditions": None}}])

    assert await_definitions.main(60, ["a", "b"], kinds) == 0
    assert clock[0] == 1010
    assert capsys.readouterr().out == "no answer: <urlopen error away>\n"
    assert set(kinds.asked) == {f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}" for name in "ab"}

    assert await_definitions.main(60, ["a", "c"], kinds) == 1
    assert clock[0] == 1010 + 65
    assert capsys.readouterr().out == "after 60 s the API server does not serve c: is the add-on well?\n"
    refuses: Any = Pods(a=[code(403)])
    with pytest.raises(HTTPError):
        await_definitions.main(60, ["a"], refuses)
