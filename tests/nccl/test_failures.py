"""A line that says that a run failed is found behind any table, and names what, where and who."""

import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from nccl_verdict.failures import find_failure
from nccl_verdict.messages import is_fatal
from tests.nccl.judging import LOG, verdict
from tests.nccl.log_changes import without

WARN = "node-1:709:950 [1] net_ib.cc:1 NCCL WARN"
COMPLETION = "NET/IB : Got completion from peer 10.0.0.8<1> with error 12, opcode 3"


class Said(NamedTuple):
    """What a line tells."""

    named: str = ""
    """What must stand in the words of it."""
    host: str = ""
    rank: int | None = None
    cause: bool = True
    """Whether it says why, and is not the effect of a failure elsewhere."""


LINES = tomllib.loads((Path(__file__).parent / "failures.toml").read_text(encoding="utf-8"))
HARMLESS: list[str] = LINES["harmless"]
SAID = {
    each["line"]: Said(each.get("named", ""), each.get("host", ""), each.get("rank"), not each.get("effect"))
    for each in LINES["said"]
}


@pytest.mark.parametrize("line", SAID)
def test_a_line_of_failure_names_what_where_and_who(line: str) -> None:
    said, found = SAID[line], find_failure(7, line.encode())

    assert found is not None
    assert found.what
    assert said.named in found.what
    assert (found.line, found.host, found.rank, found.cause) == (7, said.host, said.rank, said.cause)


@pytest.mark.parametrize("line", SAID)
def test_a_failure_is_told_behind_a_good_table_and_in_the_place_of_one(line: str) -> None:
    """It is the one fact that is told, and not that this and that is missing."""
    good, tableless = (verdict([*lines, line]) for lines in (LOG, without(" float ")(LOG)[:-2]))

    assert [gate.name for gate in good.failed] == ["finished"]
    assert SAID[line].named in good.failed[0].seen
    assert good.failed[0].lines == (len(LOG) + 1,)
    assert [gate.name for gate in tableless.reported] == ["finished"]


@pytest.mark.parametrize("line", SAID)
def test_a_cause_is_told_before_an_effect(line: str) -> None:
    """Wherever each of them stands in the log."""
    effect, cause = "command terminated with exit code 137", "node-0: Test CUDA failure common.cu:303 'gone'"
    lines, first = ([effect, line], SAID[line].named) if SAID[line].cause else ([line, cause], "gone on node-0")

    assert first in verdict([*LOG, *lines]).failed[0].seen.partition(";")[0]


@pytest.mark.parametrize("line", HARMLESS)
def test_what_healthy_runs_print_as_well_is_no_failure(line: str) -> None:
    assert find_failure(7, line.encode()) is None
    assert verdict([*LOG, line]).passed


FATAL = {
    COMPLETION: True,
    "NET/IB : mlx5_3:1 async fatal event: port error": True,
    "NET/IB : mlx5_3:1 async fatal event: CQ error": True,
    "NET/IB : mlx5_3:1 Got non-fatal async event: port active": False,
    "NET/IB : mlx5_3:1 GID table changed": False,
    "NET/IB: Device 3 marked as failed": True,
    "Call to ibv_modify_qp failed with 110": True,
    "a new async error event: CQ error": True,
    "a new async error event: port active": False,
    "a new async error": False,
    "it completed with error": True,
    "transport retry exceeded": True,
    "remote process exited": True,
    "Cannot initialize CollNet": False,
}
"""Whether a run that warns of it has failed."""


@pytest.mark.parametrize("message", FATAL)
def test_a_message_of_nccl_fails_the_run_or_does_not(message: str) -> None:
    assert is_fatal(message.encode()) is FATAL[message]


def test_many_effects_leave_a_place_for_the_cause() -> None:
    """Each of 64 processes gives up before one prints the event that they gave up for."""
    gave_up = "net_ib.cc:1 NCCL WARN communicator encountered a fatal error (detected in ncclIbTest)"
    lines = [f"node-{n}:{n}:9 [1] {gave_up}" for n in range(64)]
    (gate,) = verdict([*LOG, *lines, f"{WARN} NET/IB : mlx5_3:1 async fatal event: port error"]).reported
    assert "port error" in gate.seen
