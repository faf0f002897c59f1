"""What runs in the cluster, against a small server that plays the API and vLLM."""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
from rdma_agent import await_definitions, await_webhook, serving_check
from tests.inference.logs import log, network_words
from tests.inference.played import MADE, PODS, Played, pod
from tests.inference.pods import LLAMA, container, plan

LEADER, WORKER = "llama-3-1-405b-instruct-0", "llama-3-1-405b-instruct-0-1"
Check = Callable[..., tuple[int, str]]


@pytest.fixture
def cluster() -> Iterator[Played]:
    made = Played()
    made.pods = {name: [pod("new")] for name in (LEADER, WORKER)}
    made.logs = {name: log(name) for name in (LEADER, WORKER)}
    yield made
    made.close()


@pytest.fixture
def check(cluster: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """The check with the judge's files beside it, as its ConfigMap has them; it returns the code and the message."""
    (tmp_path / "token").write_text("of-the-pod\n")
    monkeypatch.delenv("API_KEY", raising=False)

    def run(seconds: float = 20, waive: Sequence[str] = (), url: str = "") -> tuple[int, str]:
        """Its exit code and its termination message."""
        words = ["--namespace", "default", "--pods", LEADER, WORKER, "--label", "rdma-cluster/revision=new"]
        words += [
            "--url",
            url or cluster.address,
            "--model",
            LLAMA,
            "--network",
            network_words("InfiniBand"),
            "--poll",
            "0.01",
        ]
        words += [word for gate in waive for word in ("--waive", gate)]
        words += ["--seconds", str(seconds), "--server", cluster.address, "--credentials", str(tmp_path)]
        code = serving_check.main([*words, "--termination", str(tmp_path / "log")])
        message = (tmp_path / "log").read_text()
        assert len(message.encode()) <= 4096
        return code, message

    return run


def test_a_model_served_over_the_fabric_passes(cluster: Played, check: Check):
    """The check waits for the pods, asks once, reads both logs, and says what it saw."""
    cluster.pods[WORKER] = [pod("new", ready=False), pod("new")]

    code, message = check()

    assert code == 0
    assert message.splitlines() == [
        "channels: passed: 32 in 2 logs",
        "socket: passed: none",
        "transport: passed: IB",
        "gdr: passed: on all 32 channels",
    ]
    asked = [path for path, _, _ in cluster.asked]
    assert asked.index("/v1/completions") < asked.index(f"{PODS}{LEADER}/log?container=vllm")
    assert [body["model"] for path, _, body in cluster.asked if path == "/v1/completions"] == [LLAMA]
    assert {said for path, said, _ in cluster.asked if path.startswith(PODS)} == {"Bearer of-the-pod"}


def test_a_model_served_over_tcp_fails(cluster: Played, check: Check):
    """It answers all the same, so the logs are looked at."""
    cluster.logs = {name: log(name, "Socket", direct=False) for name in (LEADER, WORKER)}

    code, message = check()

    assert code == 1
    assert f"socket: FAILED: serving over TCP on {LEADER}, {WORKER}" in message


def test_pods_of_the_set_before_do_not_count(cluster: Played, check: Check):
    """While a new set is rolled out, the old one answers."""
    cluster.pods = {name: [pod("old"), pod("new")] for name in (LEADER, WORKER)}
    assert check()[0] == 0

    cluster.pods = {name: [pod("old")] for name in (LEADER, WORKER)}
    code, message = check(seconds=0.05)
    assert (code, message.splitlines()[1]) == (1, f"pod {LEADER} is still the one before")


def test_pods_that_wait_are_explained_in_kubernetes_own_words(cluster: Played, check: Check):
    """A Secret is missing, a claim is not served, or a program has ended."""
    waiting = {"state": {"waiting": {"reason": "CreateContainerConfigError", "message": 'secret "hf-token" not found'}}}
    unscheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes"}
    ended = {"state": {"running": {}}, "lastState": {"terminated": {"reason": "OOMKilled"}}}
    cluster.pods[LEADER] = [pod("new", ready=False, phase="Pending", containerStatuses=[waiting])]
    cluster.pods[WORKER] = [pod("new", ready=False, phase="Pending", conditions=[unscheduled])]

    code, message = check(seconds=0.05)

    assert code == 1
    assert message.splitlines()[0] == "served: not within 0 s"
    assert 'CreateContainerConfigError: secret "hf-token" not found' in message
    assert "Unschedulable: 0/2 nodes" in message
    cluster.pods[LEADER] = [pod("new", ready=False, containerStatuses=[ended])]
    assert "OOMKilled" in check(seconds=0.05)[1]
    del cluster.pods[WORKER]
    assert f"pod {WORKER}: HTTP 404 (there is none yet)" in check(seconds=0.05)[1]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((401, {"error": "Unauthorized"}), "answered: HTTP 401 to a request of 4 tokens"),
        ((500, {"error": "EngineDeadError"}), "EngineDeadError"),
        ((200, b"<html>"), "answered: no answer to a request of 4 tokens: JSONDecodeError"),
    ],
)
def test_pods_that_are_ready_and_do_not_answer_fail(cluster: Played, check: Check, answer: tuple, says: str):
    cluster.answers = [answer]

    code, message = check()

    assert code == 1
    assert says in message


def test_a_service_that_is_not_reached_yet_is_asked_again(
    cluster: Played, check: Check, monkeypatch: pytest.MonkeyPatch
):
    """The leader is ready a moment before nodes know of it; one that is never reached fails."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    late: list[Played] = []
    opens = threading.Timer(0.1, lambda: late.append(Played(port)))
    opens.start()

    code, _ = check(url=f"http://127.0.0.1:{port}")
    opens.join()
    late[0].close()

    assert code == 0
    monkeypatch.setattr(serving_check, "_REACHED_SECONDS", 0)
    code, message = check(url=f"http://127.0.0.1:{port}")
    assert code == 1
    assert "Connection refused" in message


def test_the_key_of_callers_is_sent(cluster: Played, check: Check, monkeypatch: pytest.MonkeyPatch):
    """It comes from the Secret, through the environment."""
    monkeypatch.setenv("API_KEY", "of-the-callers")

    assert check()[0] == 0
    assert [said for path, said, _ in cluster.asked if path == "/v1/completions"] == ["Bearer of-the-callers"]


def test_a_log_that_cannot_be_read_fails(cluster: Played, check: Check):
    """It is no proof."""
    del cluster.logs[WORKER]

    code, message = check()

    assert (code, message.partition(": HTTPError")[0]) == (1, f"judged: the log of pod {WORKER} cannot be read")


def test_the_job_ships_all_that_the_check_needs(cluster: Played, tmp_path: Path):
    """It runs the files of its ConfigMap, takes its own arguments, and reads the log of the container that serves."""
    made = plan()
    (one,) = made.objects.check.job["spec"]["template"]["spec"]["containers"]
    folder = next(each["mountPath"] for each in one["volumeMounts"] if each["name"] == "files")
    (tmp_path / "token").write_text("of-the-pod\n")
    here = ["--server", cluster.address, "--credentials", str(tmp_path), "--termination", str(tmp_path / "log")]

    assert {"nccl_verdict.serving.py", "rdma_agent.serving_check.py", "run.py"} <= made.objects.check.files.keys()
    assert one["command"] == ["python3", f"{folder}/run.py", "check-serving"]
    assert container(made, "leader")["name"] == "vllm"
    assert serving_check.main([*one["args"], *here, "--seconds", "0.01", "--poll", "0.01"]) == 1
    assert "still the one before" in (tmp_path / "log").read_text()


def test_the_webhook_is_asked_until_it_answers(cluster: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Its pod is ready before its certificate is, and a dry run tells."""
    (tmp_path / "token").write_text("of-the-pod\n")
    (tmp_path / "namespace").write_text("lws-system")
    cluster.made = [(500, {"message": "failed calling webhook: x509"}), (201, {})]

    assert await_webhook.main(20, cluster.address, tmp_path, 0.01) == 0
    assert [path for path, _, _ in cluster.asked] == [MADE, MADE]

    cluster.made = [(500, {"message": "failed calling webhook: x509"})]
    assert await_webhook.main(0.05, cluster.address, tmp_path, 0.01) == 1
    assert "failed calling webhook: x509" in capsys.readouterr().out


class Kinds:
    """An API server that says of each definition in turn what it is told to; the last word stays."""

    def __init__(self, **said: list[Any]) -> None:
        self._said = said

    def get(self, path: str) -> Any:
        said = self._said[path.rpartition("/")[2]]
        answer = said.pop(0) if len(said) > 1 else said[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def no(code: int) -> HTTPError:
    """An API server's refusal."""
    return HTTPError("", code, "no", {}, None)  # ty: ignore[invalid-argument-type]


def test_definitions_are_asked_for_until_all_are_served(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Trouble of the connection is outlived, missing definitions are named, and a refusal ends the wait."""
    now = [0.0]
    fake = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr(await_definitions, "time", fake)
    served = {"status": {"conditions": [{"type": "Established", "status": "True"}]}}
    kinds: Any = Kinds(a=[no(404), served], b=[URLError("away"), {}, served], c=[{"status": {"conditions": None}}])

    assert await_definitions.main(60, ["a", "b"], kinds) == 0
    assert "away" in capsys.readouterr().out
    assert await_definitions.main(60, ["a", "c"], kinds) == 1
    assert now[0] >= 60 and "does not serve c" in capsys.readouterr().out
    refuses: Any = Kinds(a=[no(403)])
    with pytest.raises(HTTPError):
        await_definitions.main(60, ["a"], refuses)
