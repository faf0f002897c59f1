"""The command without a catalogue: its file of machines says what the catalogue says, and a log is held to itself."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from nccl_verdict.__main__ import main
from nccl_verdict.expectation import BadExpectationError
from nccl_verdict.machines import expectation
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import Verdict, judge
from rdma_cluster.catalog import find
from rdma_cluster.incluster.plan.acceptance.expectation import expect
from docs.generate import MACHINES, machines_known
from tests.nccl import render
from tests.nccl.forms import FABRICS
from tests.nccl.judging import LOG, Lines
from tests.nccl.log_changes import CHANGES

KNOWN = json.loads(MACHINES.read_text(encoding="utf-8"))["machines"]


def alone(lines: Lines, machine: str = "") -> Verdict:
    """What the command says of a log."""
    runs = read_bytes(render.joined(lines))
    return judge(runs, *expectation(runs, machine, collective="all_gather"))


def test_the_file_is_the_catalogues() -> None:
    assert machines_known() == MACHINES.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("gpus", [0, 1])
def test_a_machine_demands_what_the_catalogue_demands(name: str, gpus: int) -> None:
    """But for what is beside what, which the file does not hold, and for whom a remedy is."""
    machine = find(name)
    assert machine is not None
    known, _ = expectation([], name, 2, gpus)
    wanted = expect(machine, 2, gpus or None)
    assert known.demands == replace(wanted, network=replace(wanted.network, claimable=False)).demands


@pytest.mark.parametrize("form", FABRICS)
def test_a_healthy_log_passes_by_itself(form: str) -> None:
    verdict = alone(render.log(form=form))
    assert [gate.name for gate in verdict.failed] == []
    assert [gate.name for gate in verdict.waived] == ["bandwidth"]
    assert "waived: bandwidth" in verdict.headline


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_log_fails_by_itself(name: str) -> None:
    change, gates = CHANGES[name]
    if gates == {"bandwidth"}:
        pytest.skip("speed alone")
    assert not alone(change(LOG, "gIB")).passed


def test_an_unknown_machine_is_told_its_neighbours() -> None:
    with pytest.raises(BadExpectationError, match=r"got 'p5.49xlarge', known: .*p5\.48xlarge"):
        expectation([], "p5.49xlarge")


def test_the_command_takes_a_log_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log").write_bytes(render.joined(LOG))
    status = main([str(tmp_path / "log"), "--collective", "all_gather"])
    assert (status, capsys.readouterr().out.splitlines()[0].partition(";")[0]) == (0, "passed")
    assert main([str(tmp_path / "log"), "--collective", "all_gather", "--threshold", "1000"]) == 1
    assert main([str(tmp_path / "log"), "--machine", "a3-ultragpu-8g", "--nodes", "4"]) == 1
    assert "rdma-cluster verdict" not in capsys.readouterr().out
