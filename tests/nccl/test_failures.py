"""A run that says it failed has failed, also behind a table that is whole; the cause is told with node and rank."""

import pytest
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import judge
from tests.nccl import render

SAID = {
    "node-1: Test NCCL failure common.cu:958 'unhandled system error (run with NCCL_DEBUG=INFO for details)'":
        "unhandled system error (run with NCCL_DEBUG=INFO for details) on node-1",
    "node-1: Test NCCL failure common.cu:958 'remote process exited or there was a network error / '":
        "network error",
    "node-0: Test CUDA failure common.cu:303 'an illegal memory access was encountered'":
        "an illegal memory access was encountered on node-0",
    " .. node-1 pid 709: Test failure common.cu:1161": "on node-1, rank 9",
    "node-0: Test timeout (600s) common.cu:523": "no progress for 600 s on node-0",
    "Test timeout: mpirun was ended after 600 s": "mpirun was ended after 600 s",
    "mpirun noticed that process rank 11 with PID 0 on node node-1 exited on signal 11 (Segmentation error).":
        "ended by signal 11 (Segmentation error) on node-1, rank 11",
    "prterun noticed that process rank 3 with PID 33 on node node-0 exited on signal 9 (Killed).":
        "signal 9 (Killed) on node-0, rank 3",
    "mpirun detected that one or more processes exited with non-zero status, thus causing": "non-zero status",
    "Primary job  terminated normally, but 1 process returned a non-zero exit code.": "non-zero exit code",
    "MPI_ABORT was invoked on rank 9 in communicator MPI_COMM_WORLD": "MPI_ABORT was called on node-1, rank 9",
    "srun: error: node-1: task 9: Exited with exit code 3": "srun: Exited with exit code 3 on node-1, rank 9",
    "slurmstepd: error: *** STEP 4711.0 ON node-0 CANCELLED AT 2026-11-16T10:00:00 ***": "CANCELLED",
    "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM Killed.":
        "slurm: out of memory",
    "slurmstepd: error: Detected 2 oom-kill event(s) in step 4711.0 cgroup.": "slurm: out of memory",
    "[rank9]:[E1116 10:00:00.4 ProcessGroupNCCL.cpp:632] [Rank 9] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600013 milliseconds before timing out.":
        "ran for 600013 milliseconds before timing out. on node-1, rank 9",
    "  1 job process is considered dead (unreachable via the RAS network)": "RAS gave a process up as dead",
    "node-1:709:950 [1] NCCL INFO RAS declaring peer 10.0.0.8<28028> as DEAD; rasDeadPeersHash 0x1":
        "RAS gave peer 10.0.0.8<28028> up as dead",
    "[ 1234.5] NVRM: Xid (PCI:0000:c1:00): 79, pid=709, GPU has fallen off the bus.":
        "kernel: Xid 79 of GPU PCI:0000:c1:00, pid=709, GPU has fallen off the bus.",
    "error: unexpected EOF": "kubectl: the stream of the log broke",
    "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES": "a process ended badly",
    "[node-1:709  :0:709] Caught signal 11 (Segmentation error: address not mapped)": "caught signal 11",
    "/bin/run.sh: line 9:   709 Segmentation error      (core dumped) all_gather_perf": "Segmentation error",
    "terminate called after throwing an instance of 'std::bad_alloc'": "std::bad_alloc",
    "command terminated with exit code 137": "exit code 137",
    "node-1:709:950 [1] transport/net_ib.cc:1890 NCCL WARN NET/IB : Got completion from peer 10.0.0.8<1> with error 12":
        "Got completion from peer 10.0.0.8<1> with error 12 on node-1, rank 9",
    "[2026-11-16 10:00:00] node-1:709:950 [1] net.cc:9 (send) NCCL WARN Cuda failure 700 'an illegal memory access'":
        "illegal memory access' on node-1, rank 9",
}  # fmt: skip

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

EFFECTS = (
    "Test failure",
    "processes exited",
    "returned a non-zero exit code",
    "MPI_ABORT",
    "unexpected EOF",
    "command terminated",
    "BAD TERMINATION",
)
"""What a failure elsewhere leads to: whoever reads these has learnt nothing yet."""


@pytest.mark.parametrize("line", [line for line in SAID if not any(effect in line for effect in EFFECTS)])
def test_a_cause_is_told_before_an_effect(line: str) -> None:
    """Wherever it stands in the log."""
    log = render.joined([*render.log(), "command terminated with exit code 137", line])

    assert SAID[line] in judge(read_bytes(log), render.want()).failed[0].seen.partition(";")[0]


@pytest.mark.parametrize("line", SAID)
def test_failure_behind_a_good_table(line: str) -> None:
    """It is found, and the words name what, where and who."""
    lines = [*render.log(), line]
    outcome = judge(read_bytes(render.joined(lines)), render.want())

    assert [gate.name for gate in outcome.failed] == ["finished"]
    assert SAID[line] in outcome.failed[0].seen
    assert outcome.failed[0].lines == (len(lines),)


@pytest.mark.parametrize("line", SAID)
def test_failure_in_the_place_of_a_table(line: str) -> None:
    """It is the one fact that is told of the test, and not that this and that is missing."""
    lines = [each for each in render.log() if " float " not in each][:-2]
    outcome = judge(read_bytes(render.joined([*lines, line])), render.want())

    assert [gate.name for gate in outcome.reported] == ["finished"]


@pytest.mark.parametrize("line", HARMLESS)
def test_healthy_runs_warn_too(line: str) -> None:
    """A warning is no failure."""
    assert judge(read_bytes(render.joined([*render.log(), line])), render.want()).passed


def test_warning_explains_a_failure() -> None:
    """What NCCL warned of stands beside what failed."""
    warned = (
        "node-1:709:950 [1] misc/ibvwrap.cc:174 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory"
    )
    lines = [*render.log()[:-4], warned, "node-1: Test NCCL failure common.cu:958 'unhandled system error'"]
    outcome = judge(read_bytes(render.joined(lines)), render.want())

    assert "unhandled system error on node-1" in outcome.reported[0].seen
    assert "Cannot allocate memory" in outcome.reported[0].cause


def test_the_cause_is_told_before_its_echo() -> None:
    """mpirun's own words come first or last, and tell less."""
    lines = [
        *render.log(),
        "Primary job  terminated normally, but 1 process returned a non-zero exit code.",
        "node-1: Test CUDA failure common.cu:303 'out of memory'",
    ]
    outcome = judge(read_bytes(render.joined(lines)), render.want())

    assert "out of memory on node-1" in outcome.failed[0].seen
