"""The judge of a served model, on logs in the forms that were published."""

import io
from pathlib import Path

import pytest
from nccl_verdict.reader import Reader
from nccl_verdict.serving import evidence_of, judge_serving, main
from tests.inference.logs import log, network_words
from tests.nccl.forms import NETWORKS


def failed(*logs: bytes, transport: str = "InfiniBand") -> list[str]:
    """The gates that fail, with what was seen."""
    evidence = [evidence_of(Reader().read(io.BytesIO(each))) for each in logs]
    return [f"{gate.name}: {gate.seen}" for gate in judge_serving(evidence, NETWORKS[transport]) if not gate.passed]


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
def test_each_fabric_passes_by_its_own_name(transport: str, network: str, provider: str):
    two = [log(host, network, provider=provider) for host in ("llama-0", "llama-0-1")]

    assert failed(*two, transport=transport) == []


def test_serving_over_tcp_fails():
    """Nothing else tells this error: the model answers, and its nodes talk over sockets."""
    assert "socket: serving over TCP on llama-0, llama-0-1" in failed(
        log("llama-0", "Socket", direct=False), log("llama-0-1", "Socket", direct=False)
    )


def test_one_node_over_tcp_is_enough_to_fail():
    """That node alone is named."""
    assert "socket: serving over TCP on llama-0-1" in failed(log("llama-0"), log("llama-0-1", "Socket", direct=False))


def test_channels_without_gpudirect_fail():
    """They go through the host's memory."""
    assert failed(log("llama-0"), log("llama-0-1", direct=False)) == ["gdr: 16 of 32 channels without, on llama-0-1"]


def test_another_network_than_the_fabrics_fails():
    """EFA's pods may find verbs devices, and libfabric may run on TCP."""
    assert failed(log("a-0"), log("a-0-1"), transport="EFA") == ["transport: NET/IB"]
    tcp = [log(host, "Libfabric", provider="tcp") for host in ("a-0", "a-0-1")]
    assert failed(*tcp, transport="EFA") == ["transport: libfabric provider tcp"]


def test_nothing_passes_by_being_absent():
    """No request was sent, one log is empty, or there is only one."""
    assert len(failed(log("a-0", channels=0), log("a-0-1", channels=0))) == 4
    assert failed(log("a-0"), b"") == ["channels: none in the log of pod 1"]
    assert failed(log("a-0")) == ["channels: 1 log"]


def test_the_program_exits_with_the_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """It names the gate that failed, and exits with 2 where a log is missing."""
    paths = [tmp_path / "a-0", tmp_path / "a-0-1"]
    for path in paths:
        path.write_bytes(log(path.name, "Socket", direct=False))

    assert main([network_words("RoCE"), *map(str, paths)]) == 1
    assert "socket: FAILED: serving over TCP on a-0, a-0-1" in capsys.readouterr().out
    assert main([network_words("RoCE"), *map(str, paths), str(tmp_path / "none")]) == 2


def test_a_waived_gate_may_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """It is named, and waives nothing else."""
    paths = [tmp_path / "a-0", tmp_path / "a-0-1"]
    for path in paths:
        path.write_bytes(log(path.name, direct=False))

    assert main([network_words("InfiniBand"), "--waive", "gdr", "--", *map(str, paths)]) == 0
    assert "gdr: waived: 32 of 32 channels without" in capsys.readouterr().out
    assert main([network_words("EFA"), "--waive", "gdr", "--", *map(str, paths)]) == 1
