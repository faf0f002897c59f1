"""The judge of pods that serve: each of its gates by what pods' logs show, and what it prints."""

import io
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from nccl_verdict.gate import Gate
from nccl_verdict.reader import Reader
from nccl_verdict.serving import GATES, evidence_of, judge_serving, main
from tests.inference.logs import log
from tests.nccl.forms import NETWORKS

PODS = ["llama-0", *(f"llama-0-{worker}" for worker in range(1, 8))]
FOUR = "llama-0, llama-0-1, llama-0-2, llama-0-3 and 4 more"


def pods(network: str = "Libfabric", direct: bool = True, channels: int = 2, provider: str = "efa") -> list[bytes]:
    """The logs of eight that are alike."""
    return [log(host, network, direct, channels, provider) for host in PODS]


def without(words: str, logs: list[bytes]) -> list[bytes]:
    """All lines but those that hold some words."""
    return [b"\n".join(line for line in each.splitlines() if words.encode() not in line) for each in logs]


def judged(logs: list[bytes], network: str = "EFA") -> dict[str, Gate]:
    gates = judge_serving([evidence_of(Reader().read(io.BytesIO(each))) for each in logs], NETWORKS[network])
    assert [gate.name for gate in gates] == list(GATES)
    return {gate.name: gate for gate in gates}


FAILING: dict[str, tuple[list[bytes], dict[str, tuple[str, str]]]] = {
    "one pod": (pods()[:1], {"channels": ("1", "NCCL_DEBUG=INFO")}),
    "no request": (
        pods(channels=0),
        {"channels": ("0, 1, 2, 3 and 4 more", "NCCL_DEBUG=INFO"), **dict.fromkeys(GATES[1:], ("", "NCCL_DEBUG=INFO"))},
    ),
    "a silent pod between others": ([*pods()[:1], b"", *pods()[1:3]], {"channels": ("pod 1", "NCCL_DEBUG=INFO")}),
    "over TCP": (
        pods("Socket", direct=False),
        {
            "socket": (FOUR, "EFA"),
            "transport": ("Socket", "NCCL_NET"),
            "gdr": (f"128 of 128 channels without, on {FOUR}", ""),
        },
    ),
    "TCP said by channels alone": (
        without("Using network", pods("Socket")),
        {"socket": (FOUR, ""), "transport": ("Socket", "")},
    ),
    "one channel without GPUDirect": (
        [pods()[0].replace(b"/7/GDRDMA", b"/7"), *pods()[1:]],
        {"gdr": ("2 of 128 channels without, on llama-0", "nvidia-peermem")},
    ),
    "libfabric on another in one pod": (
        [*pods()[:7], log(PODS[7], "Libfabric", provider="verbs")],
        {"transport": ("verbs", "fi_info -p efa")},
    ),
    "other plugins": (
        [log(host, ("UCX", "Mellanox", "AAA", "Other", "Fifth")[place % 5]) for place, host in enumerate(PODS)],
        {"transport": ("AAA, Fifth, Mellanox, Other and 1 more", "NCCL_NET_PLUGIN")},
    ),
}
"""The logs, and by each gate that fails what it must name and what its cause must."""


@pytest.mark.parametrize("name", FAILING)
def test_a_gate_fails_that_the_logs_do_not_show(name: str) -> None:
    logs, failing = FAILING[name]
    gates = judged(logs)

    assert {name for name, gate in gates.items() if not gate.passed} == failing.keys()
    for gate, (seen, cause) in failing.items():
        assert seen in gates[gate].seen
        assert cause in gates[gate].cause


@pytest.mark.parametrize(
    ("logs", "network", "seen"),
    [
        (pods(), "EFA", ["128 in 8", "", "Libfabric", "128"]),
        (pods()[:2], "EFA", ["32 in 2", "", "Libfabric", "32"]),
        ([*pods()[:4], *pods("AWS Libfabric")[4:]], "EFA", ["128", "", "AWS Libfabric, Libfabric", "128"]),
        ([log(host, "IB", provider="verbs") for host in PODS], "InfiniBand", ["128", "", "IB", "128"]),
    ],
    ids=["eight pods", "two pods", "two names of one network", "a network that has no provider"],
)
def test_pods_that_talk_over_the_fabric_pass(logs: list[bytes], network: str, seen: list[str]) -> None:
    """An image of another cloud may hold libfabric, too."""
    gates = judged(logs, network).values()

    assert all(gate.passed for gate in gates)
    assert [each in gate.seen for each, gate in zip(seen, gates, strict=True)] == [True] * 4


def test_a_line_is_printed_for_each_gate_and_the_cause_below_one_that_stops_the_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = json.dumps(asdict(NETWORKS["EFA"]))

    def printed(logs: list[bytes], *more: str) -> tuple[int, list[str]]:
        paths = [tmp_path / name for name in PODS[: len(logs)]]
        for path, text in zip(paths, logs, strict=True):
            path.write_bytes(text)
        return main([network, *more, "--", *map(str, paths)]), capsys.readouterr().out.splitlines()

    code, good = printed(pods()[:2])
    waived_code, waived = printed(pods(direct=False)[:2], "--waive", "gdr")
    failed_code, failed = printed(pods(direct=False)[:2], "--waive", "socket")

    assert (code, waived_code, failed_code) == (0, 0, 1)
    assert [line.split(": ")[:2] for line in good] == [[gate, "passed"] for gate in GATES]
    assert [line.split(": ")[:2] for line in waived] == [*([gate, "passed"] for gate in GATES[:3]), ["gdr", "waived"]]
    assert failed[3].startswith("gdr: FAILED: 32 of 32")
    assert [line.partition(":")[0] for line in failed[4:]] == ["  wanted", "  cause"]


def test_a_log_that_is_not_there_is_told_in_characters_that_move_no_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([json.dumps(asdict(NETWORKS["EFA"])), str(tmp_path / "no\x1b[2Jne")]) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isprintable()
    assert line.startswith(str(tmp_path))
