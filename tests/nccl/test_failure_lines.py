"""Each line that says that a run failed, taken apart: what, where, who, and whether it is the cause."""

import pytest
from nccl_verdict.failures import Failure, find_failure, find_warning
from nccl_verdict.messages import HINTS, Meaning, meaning_of
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.test_failures import EFFECTS, HARMLESS, SAID

WARN = "node-1:709:950 [1] net_ib.cc:1 NCCL WARN"
COMPLETION = "NET/IB : Got completion from peer 10.0.0.8<1> with error 12, opcode 3"


def cause(what: str, host: str = "", rank: int | None = None) -> Failure:
    """One that says why."""
    return Failure(7, what, host, rank=rank, cause=True)


LINES = {
    "node-1: Test NCCL failure common.cu:958 'unhandled system error'":
        cause("nccl-tests: NCCL failure common.cu:958: unhandled system error", "node-1"),
    "Test CUDA failure in a line that is cut": cause("nccl-tests: CUDA failure"),
    " .. node-1 pid 709: Test failure common.cu:1161":
        Failure(7, "nccl-tests: test failure at common.cu:1161", "node-1", pid=709),
    "node-0: Test timeout (600s) common.cu:523": cause("nccl-tests: no progress for 600 s", "node-0"),
    "Test timeout: mpirun was ended after 600 s": cause("mpirun was ended after 600 s"),
    "mpirun noticed that process rank 11 with PID 0 on node node-1 exited on signal 11 (Segmentation error).":
        cause("mpirun: ended by signal 11 (Segmentation error)", "node-1", 11),
    "prterun noticed that process rank 3 with PID 33 on node node-0 exited on signal 9.":
        cause("mpirun: ended by signal 9", "node-0", 3),
    "mpirun has exited due to process rank 3 with PID 7 on node node-1 exiting improperly.":
        cause("mpirun: exiting improperly", "node-1", 3),
    "process rank 3 with PID 7 on node-1 exiting without calling finalize":
        cause("mpirun: exiting without calling finalize", "node-1", 3),
    "MPI_ABORT was invoked on rank 9 in communicator MPI_COMM_WORLD": Failure(7, "MPI_ABORT was called", rank=9),
    "mpirun detected that one or more processes exited with non-zero status, thus causing":
        Failure(7, "mpirun: a process exited with non-zero status"),
    "Primary job  terminated normally, but 1 process returned a non-zero exit code.":
        Failure(7, "mpirun: a process returned a non-zero exit code"),
    "An ORTE daemon has unexpectedly failed after launch": cause("mpirun: lost a daemon"),
    "ORTE has lost communication with a remote daemon.": cause("mpirun: lost a daemon"),
    "PRTE has lost communication with its daemon": cause("mpirun: lost a daemon"),
    "srun: error: node-1: task 9: Exited with exit code 3": cause("srun: Exited with exit code 3", "node-1", 9),
    "srun: error: node-[1-3]: tasks 9-11: Killed": cause("srun: Killed", "node-[1-3]", 9),
    "slurmstepd: error: *** STEP 4711.0 ON node-0 CANCELLED AT 2026-11-16T10:00:00 DUE TO TIME LIMIT ***":
        cause("slurm: CANCELLED AT 2026-11-16T10:00:00 DUE TO TIME LIMIT", "node-0"),
    "*** JOB 4711 ON node-0 CANCELLED ***": cause("slurm: CANCELLED", "node-0"),
    "*** JOB 4711 WAS NOT STARTED AND IS CANCELLED ***": cause("slurm: CANCELLED"),
    "slurmstepd: error: Detected 2 oom-kill event(s) in step 4711.0 cgroup.":
        cause("slurm: out of memory, the kernel killed a process"),
    "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES": Failure(7, "mpirun: a process ended badly"),
    "[node-1:709  :0:709] Caught signal 11 (Segmentation error: address not mapped)":
        cause("UCX: caught signal 11 (Segmentation error)"),
    "[node-1:709] *** Process received signal ***": Failure(7, "Open MPI: a process received a signal"),
    "/bin/run.sh: line 9:   709 Segmentation error      (core dumped) x": cause("Segmentation error"),
    "/bin/run.sh: line 9:   709 Bus error               (core dumped) x": cause("Bus error"),
    "terminate called after throwing an instance of 'std::bad_alloc'": cause("a process threw std::bad_alloc"),
    "[Rank 9] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5) ran for 600013 milliseconds":
        cause("PyTorch: a collective did not end in time: WorkNCCL(SeqNum=5) ran for 600013 milliseconds", rank=9),
    "[rank9] watchdog caught collective operation timeout": cause("PyTorch: a collective did not end in time"),
    "node-1:709:950 [1] NCCL INFO RAS declaring peer 10.0.0.8<28028> as DEAD; rasDeadPeersHash 0x1":
        cause("NCCL: RAS gave peer 10.0.0.8<28028> up as dead"),
    "  1 job process is considered dead (unreachable by RAS)": cause("NCCL: RAS gave a process up as dead"),
    "  2 job processes are considered dead": cause("NCCL: RAS gave a process up as dead"),
    "[ 1234.5] NVRM: Xid (PCI:0000:c1:00): 79, pid=709, GPU has fallen off the bus.":
        cause("kernel: Xid 79 of GPU PCI:0000:c1:00, pid=709, GPU has fallen off the bus."),
    "error: unexpected EOF": Failure(7, "kubectl: the stream of the log broke"),
    "error: lost connection to pod": Failure(7, "kubectl: the stream of the log broke"),
    "command terminated with exit code 137": Failure(7, "kubectl: exit code 137"),
    "srun exited with status: 3": Failure(7, "exit code 3"),
    f"{WARN} {COMPLETION}": Failure(
        7, f"NCCL: {COMPLETION}", "node-1", 709, cause=True,
        hint="the other end 10.0.0.8<1> did not answer or refused: run node-1 and it apart, each against a third node, "
             "and ibv_devinfo or fi_info on both; it is probably not NCCL where other pairs pass",
    ),
    f"{WARN} NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)": Failure(
        7, "NCCL: NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)", "node-1", 709, cause=True,
        nic="mlx5_3:1",
        hint="the link of that port went down: on node-1 run ibv_devinfo -d mlx5_3 and mlxlink or ethtool, and look at "
             "cable and switch port; it is probably neither the GPU nor NCCL",
    ),
    f"{WARN} Cuda failure 700 'an illegal memory access'":
        Failure(7, "NCCL: Cuda failure 700 'an illegal memory access'", "node-1", 709, cause=True),
    "[1] net_ib.cc:1 NCCL WARN NET/IB : Got async event : local catastrophic error": Failure(
        7, "NCCL: NET/IB : Got async event : local catastrophic error", cause=True,
        hint="the NIC itself failed: on that host run dmesg -T | grep -i mlx5, then ibv_devinfo -d mlx5, and take the "
             "node out; it is probably neither the cable nor NCCL",
    ),
}  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_failure(line: str) -> None:
    """Its words, host, process, rank, NIC, and what to run next."""
    assert find_failure(7, line.encode()) == LINES[line]


@pytest.mark.parametrize("line", HARMLESS)
def test_no_failure(line: str) -> None:
    """A healthy run prints such lines too."""
    assert find_failure(7, line.encode()) is None


@pytest.mark.parametrize("line", [line for line in SAID if any(effect in line for effect in EFFECTS)])
def test_an_effect_is_told_behind_its_cause(line: str) -> None:
    """Also where it stands before it in the log."""
    log = render.joined([*render.log(), line, "node-0: Test CUDA failure common.cu:303 'out of memory'"])
    first = judge(read_bytes(log), render.want()).failed[0].seen.partition(";")[0]
    assert first.endswith("nccl-tests: CUDA failure common.cu:303: out of memory on node-0")


def test_words_are_cut() -> None:
    """300 of a failure and of a warning are kept."""
    long = find_failure(1, b"node-1: Test NCCL failure common.cu:958 '" + b"x" * 390 + b"'")
    assert long is not None and long.what == "nccl-tests: NCCL failure common.cu:958: " + "x" * 260
    assert find_warning(f"{WARN} {'y' * 400}".encode()) == "y" * 300


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        (f"{WARN}  Call failed \r", "Call failed"),
        ("node-1:709:950 [1] NCCL INFO Call failed", None),
        ("the words NCCL WARN Call failed in prose", None),
    ],
)
def test_a_warning(line: str, warning: str | None) -> None:
    """It stands behind NCCL's own head, which shows a GPU in brackets."""
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
    "Cuda failure 700 'x'": Meaning(True),
    "a new async error event: CQ error": Meaning(True),
    "a new async error event: port active": Meaning(False),
    "a new async error": Meaning(False),
    "an event": Meaning(False),
    "Got completion in new words": Meaning(True),
    "it completed with error": Meaning(True),
    "transport retry exceeded": Meaning(True),
    "remote process exited": Meaning(True),
    "Cannot initialize CollNet": Meaning(False),
}


@pytest.mark.parametrize("message", MEANINGS)
def test_meanings(message: str) -> None:
    """Whether it is a failure, of what, with the NIC and the peer that it names."""
    assert meaning_of(message.encode()) == MEANINGS[message]
    assert MEANINGS[message].about in ("", *HINTS)


def test_a_peer_in_bytes_that_are_no_text() -> None:
    """Each such byte is shown as one that is not known."""
    found = meaning_of(b"NET/IB: Got completion from peer \xff1\xfe with status=12 opcode=3")
    assert found == Meaning(True, "peer", "", "\ufffd1\ufffd")
