"""The log of a job is judged by what it shows; the rank that waited is no cause, and such a log proves nothing."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from nccl_verdict.__main__ import main
from nccl_verdict.job import is_job, judge_job
from nccl_verdict.records import Certainty, behind
from nccl_verdict.text import plain_text
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render
from tests.nccl.judging import LOG, Lines, runs, verdict, want

JOB = [line for line in LOG if "NCCL INFO" in line]
"""What NCCL prints in a job that runs over the fabric."""
RAY = "\x1b[36m(RayWorkerWrapper pid=581, ip=10.0.0.2)\x1b[0m "
CAUGHT = (
    "[rank{0}]:[E ProcessGroupNCCL.cpp:563] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum={1}, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600027 milliseconds"
)
STATUS = (
    "[rank{0}]:[E ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {0}]  failure detected by watchdog at "
    "work sequence id: {1} PG status: last enqueued work: {1}, last completed work: {2}"
)
TORCHRUN = """Failures:
[1]:
  time      : 2026-11-28_13:03:29
  host      : train-0
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 14689)
  traceback : Signal 15 (SIGTERM) received by PID 14689
Root Cause (first observed failure):
[0]:
  time      : 2026-11-28_13:02:58
  host      : train-0
  rank      : 5 (local_rank: 5)
  exitcode  : -9 (pid: 14690)
  traceback : Signal 9 (SIGKILL) received by PID 14690"""


def job(*lines: str) -> Verdict:
    return judge_job(runs([*lines]), want())


def test_a_job_over_the_fabric_passes_where_it_was_asked_for_and_says_what_it_does_not_show() -> None:
    tried = job(*JOB)

    assert [gate.name for gate in tried.gates] == ["socket", "transport", "fatal", "nics", "gdr"]
    assert tried.exit_code == 0
    assert "proves no fabric" in plain_text(tried)
    assert "bandwidth: no test ran" in tried.unseen
    assert judge_job(runs(JOB), want(), asked=False).exit_code == 1


@pytest.mark.parametrize("prefix", ["", RAY, "[1,3]<stdout>:", "(EngineCore_DP0 pid=742) ", "train-0: "])
def test_launchers_and_engines_put_before_a_line_what_they_like(prefix: str) -> None:
    assert job(*(prefix + line for line in JOB)).passed
    assert [gate.name for gate in job(*(prefix + line.replace("/GDRDMA", "") for line in JOB)).failed] == ["gdr"]


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        (("network gIB", "network Socket"), ["socket"]),
        (("NET/gIB/", "NET/Socket/"), ["socket"]),
        (("network gIB", "network IB"), ["transport"]),
        (("Enabled for", "Disabled for"), []),
        (("via NET/gIB/7/", "via NET/gIB/6/"), ["nics"]),
    ],
)
def test_a_job_off_the_fabric_fails_by_what_it_shows(change: tuple[str, str], failed: list[str]) -> None:
    """That GPUDirect is off for a NIC whose channels have it is HPC-X's own way of telling."""
    found = [gate.name for gate in job(*(line.replace(*change) for line in JOB)).failed]
    assert set(failed) <= set(found)
    assert failed or set(found) <= {"gdr"}


def test_a_job_that_shows_nothing_of_the_fabric_passes_nothing() -> None:
    tried = job("node-0:700:900 [0] NCCL INFO NCCL_IB_HCA set to mlx5")
    assert not tried.passed
    assert "NCCL_DEBUG=INFO" in tried.reported[0].cause


def test_a_test_whose_own_lines_are_lost_does_not_pass_for_a_job() -> None:
    """In a pod it is judged as the test that it should have been; elsewhere it fails until somebody asks for a job."""
    assert is_job(runs(JOB))
    assert not is_job(runs(LOG))
    assert not is_job([])
    assert judge(runs(JOB), want()).exit_code == 1
    assert verdict(JOB).gates[0].name == "ran"


CAUSES: dict[str, tuple[Sequence[str], str, Certainty, int | None, str]] = {
    "a watchdog": ([CAUGHT.format(1, 46)], "ALLREDUCE 46", Certainty.VICTIM, 1, "not to blame"),
    "a watchdog, older": (
        ["[PG 1 Rank 1] Timeout at NCCL work: 46, last enqueued NCCL work: 46, last completed NCCL work: 45."],
        "enqueued work 46, completed 45 in group 1", Certainty.VICTIM, 1, "not to blame"),
    "a rank that did not arrive": (
        [STATUS.format(0, 46, 45), STATUS.format(1, 46, 45), STATUS.format(2, 45, 45)],
        "enqueued work", Certainty.VICTIM, 0, "rank 2 enqueued work 45 and no more, the others 46"),
    "torchrun": (TORCHRUN.splitlines(), "ended with -9 (SIGKILL", Certainty.ENDED, 5, "certain"),
    "torchrun behind a watchdog": (
        [CAUGHT.format(1, 46), *TORCHRUN.splitlines()], "the first on its agent", Certainty.ENDED, 5, "certain"),
    "DeepSpeed": (
        ["[2026-04-14 13:11:27,885] [ERROR] [launch.py:434:sigkill_handler] ['python3', '--local_rank=4'] exits with "
         "return code = -9"], "local rank 4", Certainty.ENDED, None, "certain"),
    "vLLM": (
        ["DEBUG [shm_broadcast.py:456] No available shared memory broadcast block found in 60 second.",
         "ERROR 07-04 17:35:16 [multiproc_executor.py:140] Worker proc VllmWorker-1 died unexpectedly"],
        "VllmWorker-1 died", Certainty.ENDED, 1, "certain"),
    "JAX": (
        ["E0704 failed: invalid usage. Last NCCL warning(error) log entry (may be unrelated) 'Bootstrap : no socket "
         "interface found'."], "no socket interface found", Certainty.CAUSE, None, "NCCL_SOCKET_IFNAME"),
    "PyTorch's last error": (
        ["[rank3]: Last error:", "[rank3]: Error: network gIB not found."], "gIB not found", Certainty.CAUSE, 3, ""),
    "Ray": (
        ["(raylet) died. Worker IP address: 10.0.1.75 Worker port: 10230 Worker PID: 207258 Worker exit type: SYSTEM"],
        "PID 207258", Certainty.ENDED, None, "certain"),
    "ssh": (["ssh: Could not resolve hostname w-3.job: Name or service not known"], "w-3.job", Certainty.CAUSE, None,
            "the launcher failed"),
    "a pod": (['Error from server (BadRequest): container "x" in pod "w-0" is waiting to start: trying and failing to '
               "pull image"], "w-0", Certainty.CAUSE, None, "the pod failed"),
}  # fmt: skip


@pytest.mark.parametrize("name", CAUSES)
def test_what_ended_a_job_is_told_with_how_certain_it_is(name: str) -> None:
    lines, words, certainty, rank, cause = CAUSES[name]
    tried = job(*lines)
    first = tried.reported[0]
    leading = next(each for each in tried.records if each.what in first.seen)

    assert first.name == "fatal"
    assert words in first.seen
    assert (leading.certainty, leading.rank) == (certainty, rank)
    assert cause in first.cause


def test_a_network_that_is_not_the_fabrics_comes_before_what_ended_the_job() -> None:
    sockets: Lines = [line.replace("network gIB", "network Socket") for line in JOB if " via " not in line]
    assert [gate.name for gate in job(*sockets, CAUGHT.format(1, 46)).reported] == ["socket", "fatal"]
    assert job(*sockets, "ssh: Could not resolve hostname w-3: no such name").reported[0].name == "fatal"


def test_nobody_is_late_where_all_enqueued_alike_or_one_alone_tells() -> None:
    assert behind(job(STATUS.format(0, 46, 45), STATUS.format(1, 46, 45)).records) is None
    assert behind(job(STATUS.format(0, 46, 45)).records) is None


def test_the_command_alone_judges_a_job_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log").write_bytes(render.joined(JOB))
    assert [main([str(tmp_path / "log"), *words]) for words in ([], ["--job"])] == [1, 0]
    assert "proves no fabric" in capsys.readouterr().out


def test_of_many_ranks_few_lines_are_kept() -> None:
    assert len(job(*(CAUGHT.format(rank, rank) for rank in range(5000))).records) <= 300
