"""The judge of a served model, on logs in the forms that were published."""

import io
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from nccl_verdict.reader import Reader
from nccl_verdict.serving import evidence_of, judge_serving, main
from tests.inference.logs import log
from tests.nccl.forms import NETWORKS


def failed(*logs: bytes, transport: str = "InfiniBand") -> list[str]:
    """The gates that fail."""
    evidence = [evidence_of(Reader().read(io.BytesIO(each))) for each in logs]
    return [f"{gate.name}: {gate.seen}" for gate in judge_serving(evidence, NETWORKS[transport]) if not gate.passed]


def words(transport: str) -> str:
    """What the judge is given of a transport's network."""
    return json.dumps(asdict(NETWORKS[transport]))


@pytest.mark.parametrize(
    ("transport", "network", "provider"),
    [
        ("InfiniBand", "IB", ""),
        ("RoCE", "NCCL RDMA Plugin v6", ""),
        ("gIB", "gIB", ""),
        ("EFA", "Libfabric", "efa"),
        ("EFA", "AWS Libfabric", "efa-direct"),
    ],
)
def test_each_fabric_passes(transport: str, network: str, provider: str):
    """By the names that NCCL has for it."""
    two = [log(host, network, provider=provider) for host in ("llama-0", "llama-0-1")]

    assert failed(*two, transport=transport) == []


def test_serving_over_tcp():
    """The error that nothing else tells: it answers, and its nodes talk over sockets."""
    assert "socket: serving over TCP on llama-0, llama-0-1" in failed(
        log("llama-0", "Socket", direct=False), log("llama-0-1", "Socket", direct=False)
    )


def test_one_node_over_tcp_is_enough_to_fail():
    """Named alone."""
    assert "socket: serving over TCP on llama-0-1" in failed(log("llama-0"), log("llama-0-1", "Socket", direct=False))


def test_without_gpudirect():
    """RDMA that goes through the host's memory."""
    assert failed(log("llama-0"), log("llama-0-1", direct=False)) == ["gdr: 16 of 32 channels without, on llama-0-1"]


def test_another_network():
    """EFA's pods on verbs devices, and libfabric on TCP."""
    assert failed(log("a-0"), log("a-0-1"), transport="EFA") == ["transport: NET/IB"]
    tcp = [log(host, "Libfabric", provider="tcp") for host in ("a-0", "a-0-1")]
    assert failed(*tcp, transport="EFA") == ["transport: libfabric provider tcp"]


def test_nothing_passes_by_being_absent():
    """No request was sent, one log is empty, or there is one only."""
    assert len(failed(log("a-0", channels=0), log("a-0-1", channels=0))) == 4
    assert failed(log("a-0"), b"") == ["channels: none in the log of pod 1"]
    assert failed(log("a-0")) == ["channels: 1 log"]


def test_as_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """As the check runs it: its exit is the outcome, its words name the gate."""
    paths = [tmp_path / "a-0", tmp_path / "a-0-1"]
    for path in paths:
        path.write_bytes(log(path.name, "Socket", direct=False))

    assert main([words("RoCE"), *map(str, paths)]) == 1
    assert "socket: FAILED: serving over TCP on a-0, a-0-1" in capsys.readouterr().out
    assert main([words("RoCE"), *map(str, paths), str(tmp_path / "none")]) == 2


def test_a_gate_that_may_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A machine without GPUDirect serves all the same; what is waived is named, and waives nothing else."""
    paths = [tmp_path / "a-0", tmp_path / "a-0-1"]
    for path in paths:
        path.write_bytes(log(path.name, direct=False))

    assert main([words("InfiniBand"), "--waive", "gdr", "--", *map(str, paths)]) == 0
    assert "gdr: waived: 32 of 32 channels without" in capsys.readouterr().out
    assert main([words("EFA"), "--waive", "gdr", "--", *map(str, paths)]) == 1
