"""Published runs, one by one, in their own form and in every other one; and verbatim logs, where they are at hand."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from rdma_cluster.nccl.expectation import Expectation, SizeThreshold, from_json
from rdma_cluster.nccl.reader import read_bytes
from rdma_cluster.nccl.text import plain_text
from rdma_cluster.nccl.verdict import judge

from tests.nccl.cases import CASES, Case
from tests.nccl.forms import NETWORKS, PREFIXES
from tests.nccl.render import joined

G = 1 << 30
FOLDER = Path(__file__).parents[3] / "shared" / "nccl-logs"
VERBATIM = sorted(FOLDER.glob("*.log"))


def want(
    transport: str, gpus: int, model: str, nics: int, wire: float, collective: str, threshold: float
) -> Expectation:
    """What a run of two nodes must show."""
    return Expectation(
        machine="m", network=NETWORKS[transport], nodes=2, gpus_per_node=gpus, gpu_model=model, nics=nics,
        wire_gbytes=wire, collective=collective, thresholds={collective: (SizeThreshold(G, threshold),)},
    )  # fmt: skip


# Name: expectation, gates that are told.
WITH_INFO = {
    "keita-p5-2223": (want("EFA", 8, "NVIDIA H100 80GB HBM3", 32, 400, "all_reduce", 349.0), []),
    "odissei-ar": (want("InfiniBand", 4, "NVIDIA H100", 4, 100, "all_reduce", 120.0), []),
    "dolphin-gdr-all_reduce": (want("InfiniBand", 1, "NVIDIA A100-PCIE-40GB", 1, 25, "all_reduce", 8.0), []),
    "dolphin-gdr-sendrecv": (want("InfiniBand", 1, "NVIDIA A100-PCIE-40GB", 1, 25, "sendrecv", 9.0), []),
    "nt321-roce-pxn-alltoall": (want("RoCE", 2, "NVIDIA H20-3e", 2, 100, "alltoall", 40.0), ["finished"]),
    "init-a3mega-fastrak": (want("GPUDirect-TCPXO", 8, "NVIDIA H100", 8, 200, "all_gather", 145.0), ["ran", "nodes"]),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_published_run(case: Case) -> None:
    """The gates that fail are exactly the noted ones, and the figures are the published ones."""
    verdict = judge(read_bytes(case.text), case.expectation)

    assert tuple(gate.name for gate in verdict.failed) == case.fails
    largest = verdict.largest
    seen = None if largest is None else (largest.size_bytes, largest.out_of_place, largest.in_place)
    assert seen == case.largest
    assert verdict.exit_code == (1 if case.fails else 0)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_published_run_behind_a_prefix(prefix: str) -> None:
    """What launchers put before the lines changes no outcome."""
    for case in CASES:
        lines = [PREFIXES[prefix](number, line) for number, line in enumerate(case.lines())]
        verdict = judge(read_bytes(joined(lines)), case.expectation)

        assert tuple(gate.name for gate in verdict.failed) == case.fails, case.name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_waiving_what_a_publisher_left_out(case: Case) -> None:
    """A verdict passes when every failed gate is waived by name, and names them all."""
    verdict = judge(read_bytes(case.text), case.expectation, waive=case.fails)

    assert verdict.passed
    assert all(name in verdict.headline for name in case.fails)


def test_enough_cases() -> None:
    """Every table of the source documents, and at least 25 further published runs."""
    seeds = [case for case in CASES if case.name.startswith("seed-")]

    assert len(seeds) == 7
    assert len(CASES) - len(seeds) >= 25
    assert all(case.data["source"] for case in CASES)


@pytest.mark.skipif(not VERBATIM, reason="no logs, which are their publishers': put them into ../shared/nccl-logs")
def test_verbatim_logs() -> None:
    """The publishers' own text gives what our rendering of its figures gives."""
    for path in VERBATIM:
        text = path.read_bytes()
        head = dict(line[3:].split(": ", 1) for line in text.decode().splitlines()[:4] if line.startswith("## "))
        if "expect" not in head:
            continue
        expect = json.loads(head["expect"].replace('"floors', '"thresholds'))
        expect["network"] = asdict(NETWORKS[expect.pop("transport")])
        verdict = judge(read_bytes(text), from_json(json.dumps(expect)))

        assert [gate.name for gate in verdict.failed] == head["fails"].split(), path.name
        assert "Traceback" not in plain_text(verdict)


@pytest.mark.skipif(not VERBATIM, reason="no logs, which are their publishers': put them into ../shared/nccl-logs")
@pytest.mark.parametrize("name", WITH_INFO)
def test_verbatim_logs_with_info_lines(name: str) -> None:
    """Healthy, whole ones pass every gate; the others fail for the true reason."""
    expectation, told = WITH_INFO[name]
    path = FOLDER / "info" / f"{name}.log"
    if not path.exists():
        pytest.skip("no logs, which are their publishers': put them into ../shared/nccl-logs")
    verdict = judge(read_bytes(path.read_bytes()), expectation)

    assert [gate.name for gate in verdict.reported] == told
    assert verdict.passed is (not told)
