"""A line that says that a run failed is found behind any table, and names what, where and who."""

from typing import NamedTuple

import pytest
from nccl_verdict.failures import find_failure, find_warning
from nccl_verdict.messages import HINTS, Meaning, meaning_of
from tests.nccl.changes import without
from tests.nccl.judging import LOG, verdict

WARN = "node-1:709:950 [1] net_ib.cc:1 NCCL WARN"
COMPLETION = "NET/IB : Got completion from peer 10.0.0.8<1> with error 12, opcode 3"
WATCHDOG = "[rank9]:[E1116 ProcessGroupNCCL.cpp:632] [Rank 9] Watchdog caught collective operation timeout: "


class Said(NamedTuple):
    """What a line tells."""

    named: str = ""
    """What must stand in the words of it."""
    host: str = ""
    rank: int | None = None
    cause: bool = True
    """Whether it says why, and is not the effect of a failure elsewhere."""


SAID = {
    "node-1: Test NCCL failure common.cu:958 'unhandled system error (run with NCCL_DEBUG=INFO)'": Said(
        "common.cu:958: unhandled system error (run with NCCL_DEBUG=INFO)", "node-1"
    ),
    "node-0: Test CUDA failure common.cu:303 'out of memory'": Said("CUDA failure common.cu:303", "node-0"),
    "Test CUDA failure in a line that is cut": Said("CUDA failure"),
    " .. node-1 pid 709: Test failure common.cu:1161": Said("common.cu:1161", "node-1", cause=False),
    "node-0: Test timeout (600s) common.cu:523": Said("600 s", "node-0"),
    "Test timeout: mpirun was ended after 600 s": Said("mpirun was ended after 600 s"),
    "mpirun noticed that process rank 11 with PID 0 on node node-1 exited on signal 11 (Segmentation error).": Said(
        "signal 11 (Segmentation error)", "node-1", 11
    ),
    "prterun noticed that process rank 3 with PID 33 on node node-0 exited on signal 9.": Said("9", "node-0", 3),
    "mpirun has exited due to process rank 3 with PID 7 on node node-1 exiting improperly.": Said(
        "exiting improperly", "node-1", 3
    ),
    "mpirun has exited due to process rank 3 with PID 7 on node-1 exiting without calling finalize": Said(
        "without", "node-1", 3
    ),
    "MPI_ABORT was invoked on rank 9 in communicator MPI_COMM_WORLD": Said("MPI_ABORT", rank=9, cause=False),
    "mpirun detected that one or more processes exited with non-zero status, thus causing": Said(cause=False),
    "Primary job  terminated normally, but 1 process returned a non-zero exit code.": Said(cause=False),
    "An ORTE daemon has unexpectedly failed after launch": Said("daemon"),
    "PRTE has lost communication with its daemon": Said("daemon"),
    "srun: error: node-1: task 9: Exited with exit code 3": Said("Exited with exit code 3", "node-1", 9),
    "srun: error: node-[1-3]: tasks 9-11: Killed": Said("Killed", "node-[1-3]", 9),
    "slurmstepd: error: *** STEP 4711.0 ON node-0 CANCELLED AT 2026-11-16T10:00:00 DUE TO TIME LIMIT ***": Said(
        "CANCELLED AT 2026-11-16T10:00:00 DUE TO TIME LIMIT", "node-0"
    ),
    "*** JOB 4711 WAS NOT STARTED AND IS CANCELLED ***": Said("CANCELLED"),
    "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM Killed.": Said(
        "slurm"
    ),
    "slurmstepd: error: Detected 2 oom-kill event(s) in step 4711.0 cgroup.": Said("slurm"),
    "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES": Said(cause=False),
    "[node-1:709  :0:709] Caught signal 11 (Segmentation error: address not mapped)": Said("11 (Segmentation error)"),
    "[node-1:709] *** Process received signal ***": Said(cause=False),
    "/bin/run.sh: line 9:   709 Segmentation error      (core dumped) x": Said("Segmentation error"),
    "/bin/run.sh: line 9:   709 Bus error               (core dumped) x": Said("Bus error"),
    "terminate called after throwing an instance of 'std::bad_alloc'": Said("std::bad_alloc"),
    f"{WATCHDOG}WorkNCCL(SeqNum=5) ran for 600013 milliseconds": Said("600013 milliseconds", rank=9),
    "[rank9] watchdog caught collective operation timeout": Said("PyTorch"),
    "node-1:709:950 [1] NCCL INFO RAS declaring peer 10.0.0.8<28028> as DEAD; rasDeadPeersHash 0x1": Said(
        "10.0.0.8<28028>"
    ),
    "  1 job process is considered dead (unreachable by RAS)": Said("RAS"),
    "  2 job processes are considered dead": Said("RAS"),
    "[ 1234.5] NVRM: Xid (PCI:0000:c1:00): 79, pid=709, GPU has fallen off the bus.": Said(
        "Xid 79 of GPU PCI:0000:c1:00, pid=709, GPU has fallen off the bus."
    ),
    "error: unexpected EOF": Said("kubectl", cause=False),
    "error: lost connection to pod": Said("kubectl", cause=False),
    "command terminated with exit code 137": Said("137", cause=False),
    "srun exited with status: 3": Said("3", cause=False),
    f"{WARN} {COMPLETION}": Said(COMPLETION, "node-1"),
    f"{WARN} NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)": Said("port error(10)", "node-1"),
    f"[2026-11-16 10:00:00] {WARN} Cuda failure 700 'an illegal memory access'": Said("illegal", "node-1"),
    "[1] net_ib.cc:1 NCCL WARN NET/IB : Got async event : local catastrophic error": Said("catastrophic"),
}
HARMLESS = [
    "node-1:709:950 [1] sharp_plugin.c:382 NCCL WARN SHARP int8,uint8,bfloat16 Datatypes not supported",
    "node-1:709:950 [1] init.cc:9 NCCL WARN Cuda failure 801 'operation not supported'",
    "node-1:709:950 [1] transport.cc:384 NCCL WARN Cannot initialize CollNet, using point-to-point network instead",
    "node-1:709:709 [1] NCCL INFO comm 0x5f56040 rank 9 nranks 16 cudaDev 1 busId 88000 - Destroy COMPLETE",
    "[ 1234.5] NVRM: Xid (PCI:0000:c1:00): 43, pid=709, name=python3, Ch 00000008",
    "node-1:709:950 [1] NCCL INFO RAS already knew it was dead",
    "srun: job 4711 queued and waiting for resources",
    "All processes exited with code 0; by default a signal would be told",
]


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


def test_three_hundred_letters_of_a_failure_and_of_a_warning_are_kept() -> None:
    long = find_failure(1, b"node-1: Test NCCL failure common.cu:958 '" + b"x" * 390 + b"'")
    assert long is not None
    assert len(long.what) == 300
    assert find_warning(f"{WARN} {'y' * 400}".encode()) == "y" * 300


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        (f"{WARN}  Call failed \r", "Call failed"),
        ("node-1:709:950 [1] NCCL INFO Call failed", None),
        ("the words NCCL WARN Call failed in prose", None),
    ],
)
def test_a_warning_stands_behind_nccls_own_head(line: str, warning: str | None) -> None:
    """The head shows a GPU in brackets."""
    assert find_warning(line.encode()) == warning


MEANINGS = {
    COMPLETION: Meaning(True, "peer", "", "10.0.0.8<1>"),
    "NET/IB : mlx5_3:1 async fatal event: port error": Meaning(True, "port", "mlx5_3:1"),
    "NET/IB : mlx5_3:1 async fatal event: WQ fatal": Meaning(True, "device", "mlx5_3:1"),
    "NET/IB : mlx5_3:1 async fatal event: local catastrophic error": Meaning(True, "device", "mlx5_3:1"),
    "NET/IB : mlx5_3:1 async fatal event: CQ error": Meaning(True, "queue", "mlx5_3:1"),
    "NET/IB : mlx5_3:1 Got non-fatal async event: port active": Meaning(False, "queue", "mlx5_3:1"),
    "NET/IB : mlx5_3:1 GID table changed": Meaning(False, "", "mlx5_3:1"),
    "NET/IB: Device 3 marked as failed": Meaning(True, "device"),
    "Call to ibv_modify_qp failed with 110": Meaning(True, "call"),
    "a new async error event: CQ error": Meaning(True),
    "a new async error event: port active": Meaning(False),
    "a new async error": Meaning(False),
    "it completed with error": Meaning(True),
    "transport retry exceeded": Meaning(True),
    "remote process exited": Meaning(True),
    "Cannot initialize CollNet": Meaning(False),
}
"""Whether a message is a failure, of what, and the NIC and the peer that it names."""


@pytest.mark.parametrize("message", MEANINGS)
def test_a_message_of_nccl_has_a_meaning(message: str) -> None:
    assert meaning_of(message.encode()) == MEANINGS[message]
    assert MEANINGS[message].about in ("", *HINTS)


def test_a_peer_in_bytes_that_are_no_text_is_shown_as_unknown() -> None:
    found = meaning_of(b"NET/IB: Got completion from peer \xff1\xfe with status=12 opcode=3")
    assert found == Meaning(True, "peer", "", "\ufffd1\ufffd")
