"""What runs in the cluster, against a small server that plays the API and vLLM."""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from rdma_agent import await_webhook, serving_check
from tests.inference.logs import log
from tests.inference.played import MADE, PODS, Played, pod
from tests.inference.pods import LLAMA, container, plan
from tests.inference.test_judge import words as network_words

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
    """The check with the judge's files beside it, as its ConfigMap has them."""
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


def test_served_over_the_fabric(cluster: Played, check: Check):
    """It waits for the pods, asks once, reads both logs, and says what it saw."""
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


def test_serving_over_tcp_fails(cluster: Played, check: Check):
    """It answers all the same, which is why somebody has to look."""
    cluster.logs = {name: log(name, "Socket", direct=False) for name in (LEADER, WORKER)}

    code, message = check()

    assert code == 1
    assert f"socket: FAILED: serving over TCP on {LEADER}, {WORKER}" in message


def test_what_is_waived_reaches_the_judge(cluster: Played, check: Check):
    """As the acceptance test has it."""
    cluster.logs = {name: log(name, direct=False) for name in (LEADER, WORKER)}

    assert check()[0] == 1
    assert check(waive=["gdr"])[0] == 0
    (one,) = plan(waive=["gdr"]).objects.check.job["spec"]["template"]["spec"]["containers"]
    assert one["args"][-2:] == ["--waive", "gdr"]


def test_pods_of_the_set_before_do_not_count(cluster: Played, check: Check):
    """While a new one is rolled out, the old one answers."""
    cluster.pods = {name: [pod("old"), pod("new")] for name in (LEADER, WORKER)}
    assert check()[0] == 0

    cluster.pods = {name: [pod("old")] for name in (LEADER, WORKER)}
    code, message = check(seconds=0.05)
    assert (code, message.splitlines()[1]) == (1, f"pod {LEADER} is still the one before")


def test_why_pods_wait(cluster: Played, check: Check):
    """In Kubernetes' own words: a Secret that is missing, a claim that nobody answers, a program that ended."""
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
        ((200, {"choices": []}), "answered: no answer to a request of 4 tokens: IndexError"),
        ((200, b"<html>"), "answered: no answer to a request of 4 tokens: JSONDecodeError"),
    ],
)
def test_no_answer_fails(cluster: Played, check: Check, answer: tuple, says: str):
    """Ready, and without an answer to a request."""
    cluster.answers = [answer]

    code, message = check()

    assert code == 1
    assert says in message


def test_a_service_that_is_not_reached_yet_is_asked_again(
    cluster: Played, check: Check, monkeypatch: pytest.MonkeyPatch
):
    """The leader is ready a moment before nodes know of it; one that is never reached is told of."""
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


def test_key_of_callers_is_sent(cluster: Played, check: Check, monkeypatch: pytest.MonkeyPatch):
    """From the Secret, through the environment."""
    monkeypatch.setenv("API_KEY", "of-the-callers")

    assert check()[0] == 0
    assert [said for path, said, _ in cluster.asked if path == "/v1/completions"] == ["Bearer of-the-callers"]


def test_a_log_that_cannot_be_read(cluster: Played, check: Check):
    """It is no proof."""
    del cluster.logs[WORKER]

    code, message = check()

    assert (code, message.partition(": HTTPError")[0]) == (1, f"judged: the log of pod {WORKER} cannot be read")


def test_it_is_shipped_with_all_it_needs():
    """The Job runs the files of its ConfigMap, and asks for the pods that the set makes."""
    made = plan()
    (one,) = made.objects.check.job["spec"]["template"]["spec"]["containers"]

    assert {"nccl_verdict.serving.py", "rdma_agent.serving_check.py", "run.py"} <= made.objects.check.files.keys()
    folder = next(each["mountPath"] for each in one["volumeMounts"] if each["name"] == "files")
    assert one["command"] == ["python3", f"{folder}/run.py", "check-serving"]
    serving_check._parser().parse_args(one["args"])
    assert container(made, "leader")["name"] == serving_check._CONTAINER


def test_webhook_is_waited_for(cluster: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Its pod is ready before its certificate is; a dry run tells."""
    (tmp_path / "token").write_text("of-the-pod\n")
    (tmp_path / "namespace").write_text("lws-system")
    cluster.made = [(500, {"message": "failed calling webhook: x509"}), (201, {})]

    assert await_webhook.main(20, cluster.address, tmp_path, 0.01) == 0
    assert [path for path, _, _ in cluster.asked] == [MADE, MADE]

    cluster.made = [(500, {"message": "failed calling webhook: x509"})]
    assert await_webhook.main(0.05, cluster.address, tmp_path, 0.01) == 1
    assert "failed calling webhook: x509" in capsys.readouterr().out


def test_probe_of_the_webhook_is_of_the_pinned_form():
    """What the definition refuses would never be made."""
    from jsonschema import Draft202012Validator
    from tests.controlplane.definitions import RECORDED

    found = Draft202012Validator(RECORDED["LeaderWorkerSet"]["spec"]).iter_errors(await_webhook.PROBE["spec"])
    assert list(found) == []
