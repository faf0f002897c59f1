"""The judge of pods that serve: each of its gates by what pods' logs show, and what it prints."""

import io
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from nccl_verdict.reader import Reader
from nccl_verdict.serving import GATES, evidence_of, judge_serving, main
from tests.inference.logs import log
from tests.nccl.forms import NETWORKS

PODS = ["llama-0", *(f"llama-0-{worker}" for worker in range(1, 8))]
FOUR = "llama-0, llama-0-1, llama-0-2, llama-0-3 and 4 more"
NAMES = ("UCX", "Mellanox", "AAA", "Other", "Fifth")
DEBUG = "run the pods with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET, and send a request before their logs are read"
NO_NIC = "NCCL found no EFA NIC, or could not load its plugin: look at the pods' claims and at the image"
PLUGIN = "NCCL took another plugin: look at NCCL_NET, NCCL_NET_PLUGIN and LD_LIBRARY_PATH in the image"
NEIGHBOURS = "GPU and NIC are no neighbours on PCIe, or neither nvidia-peermem nor DMA-BUF works"
LIBFABRIC = f"libfabric did not find EFA: {NETWORKS['EFA'].where_to_look}"
Shown = tuple[bool, str, str]
"""Whether a gate passes, what was seen, and the cause."""


def fine(pods: int, networks: str = "Libfabric") -> tuple[Shown, ...]:
    """All gates, where each pod prints 16 ends of channels."""
    total = 16 * pods
    return (True, f"{total} in {pods} logs", ""), (True, "none", ""), (True, networks, ""), (
        True, f"on all {total} channels", "")  # fmt: skip


def pods(network: str = "Libfabric", direct: bool = True, channels: int = 2, provider: str = "efa") -> list[bytes]:
    """The logs of eight that are alike."""
    return [log(host, network, direct, channels, provider) for host in PODS]


def without(words: str, logs: list[bytes]) -> list[bytes]:
    """All lines but those that hold some words."""
    return [b"\n".join(line for line in each.splitlines() if words.encode() not in line) for each in logs]


OK = fine(8)
NO_CHANNEL = (False, "not shown: no channel", DEBUG), (False, "not shown", DEBUG), (False, "not shown", DEBUG)
WAYS: dict[str, tuple[list[bytes], tuple[Shown, ...]]] = {
    # The logs, and what the gates show: channels, socket, transport, gdr.
    "healthy": (pods(), OK),
    "two pods": (pods()[:2], fine(2)),
    "one pod": (pods()[:1], ((False, "1 log", DEBUG), *fine(1)[1:])),
    "no request": (
        pods(channels=0),
        ((False, "none in the log of pod 0, 1, 2, 3 and 4 more", DEBUG), *NO_CHANNEL)),
    "a silent pod between others": (
        [*pods()[:1], b"", *pods()[1:3]],
        ((False, "none in the log of pod 1", DEBUG), *fine(3)[1:])),
    "over TCP": (
        pods("Socket", direct=False),
        (OK[0], (False, f"serving over TCP on {FOUR}", NO_NIC), (False, "NET/Socket", PLUGIN),
         (False, f"128 of 128 channels without, on {FOUR}", NEIGHBOURS))),
    "processes on TCP, channels not": (
        [each.replace(b"network Libfabric", b"network Socket") for each in pods()],
        (OK[0], (False, f"serving over TCP on {FOUR}", NO_NIC), *OK[2:])),
    "TCP said by channels alone": (
        without("Using network", pods("Socket")),
        (OK[0], (False, f"serving over TCP on {FOUR}", NO_NIC), (False, "NET/Socket", PLUGIN), OK[3])),
    "one channel without GPUDirect": (
        [pods()[0].replace(b"/7/GDRDMA", b"/7"), *pods()[1:]],
        (*OK[:3], (False, "2 of 128 channels without, on llama-0", NEIGHBOURS))),
    "libfabric on others": (
        [log(host, "Libfabric", provider=f"tcp{place % 5}") for place, host in enumerate(PODS)],
        (*OK[:2], (False, "libfabric provider tcp0, tcp1, tcp2, tcp3 and 1 more", LIBFABRIC), OK[3])),
    "libfabric on another in one pod": (
        [*pods()[:7], log(PODS[7], "Libfabric", provider="verbs")],
        (*OK[:2], (False, "libfabric provider verbs", LIBFABRIC), OK[3])),
    "other plugins": (
        [log(host, NAMES[place % 5]) for place, host in enumerate(PODS)],
        (*OK[:2], (False, "NET/AAA, Fifth, Mellanox, Other and 1 more", PLUGIN), OK[3])),
    "two names of one network": (
        [*pods()[:4], *pods("AWS Libfabric")[4:]], fine(8, "AWS Libfabric, Libfabric")),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_what_each_gate_shows(name: str) -> None:
    """All four, in the order in which they explain each other."""
    logs, shown = WAYS[name]
    gates = judge_serving([evidence_of(Reader().read(io.BytesIO(each))) for each in logs], NETWORKS["EFA"])

    assert [gate.name for gate in gates] == list(GATES)
    assert [(gate.passed, gate.seen, gate.cause) for gate in gates] == list(shown)


def test_no_provider_is_asked_of_networks_without_one() -> None:
    """An image of another cloud may hold libfabric, too."""
    logs = [log(host, "IB", provider="verbs") for host in PODS]
    gates = judge_serving([evidence_of(Reader().read(io.BytesIO(each))) for each in logs], NETWORKS["InfiniBand"])

    assert [gate.seen for gate in gates if gate.passed] == ["128 in 8 logs", "none", "IB", "on all 128 channels"]


def printed(logs: list[bytes], folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, list[str]]:
    """The exit code, and the lines."""
    paths = [folder / name for name in PODS[: len(logs)]]
    for path, text in zip(paths, logs, strict=True):
        path.write_bytes(text)
    code = main([json.dumps(asdict(NETWORKS["EFA"])), *more, "--", *map(str, paths)])
    return code, capsys.readouterr().out.splitlines()


def test_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each gate; below one that stops the verdict what is wanted, and the cause."""
    assert printed(pods()[:2], tmp_path, capsys) == (0, [
        "channels: passed: 32 in 2 logs", "socket: passed: none", "transport: passed: Libfabric",
        "gdr: passed: on all 32 channels",
    ])  # fmt: skip
    off = pods(direct=False)[:2]
    seen = "32 of 32 channels without, on llama-0, llama-0-1"
    assert printed(off, tmp_path, capsys, "--waive", "gdr") == (0, [
        "channels: passed: 32 in 2 logs", "socket: passed: none", "transport: passed: Libfabric", f"gdr: waived: {seen}"
    ])  # fmt: skip
    assert printed(off, tmp_path, capsys, "--waive", "socket") == (1, [
        "channels: passed: 32 in 2 logs", "socket: passed: none", "transport: passed: Libfabric",
        f"gdr: FAILED: {seen}", "  wanted: GDRDMA on every channel between nodes", f"  cause: {NEIGHBOURS}",
    ])  # fmt: skip


def test_a_log_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Is told by its path, in characters that move no cursor, and nothing is judged."""
    path = tmp_path / "no\x1b[2Jne"

    assert main([json.dumps(asdict(NETWORKS["EFA"])), str(path)]) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isprintable() and line.startswith(str(tmp_path)) and "No such file" in line


@pytest.mark.parametrize("words", [["{}"], ["{}", "--waive", "bandwidth", "--", "x"], []])
def test_what_is_no_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A log at the least, and gates of its own alone."""
    with pytest.raises(SystemExit, match="2"):
        main(words)

    assert "usage: serving" in capsys.readouterr().err
