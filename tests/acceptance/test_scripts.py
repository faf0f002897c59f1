"""The scripts of the acceptance test's pods, run: every way in which a test can end, and what the user is told."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from rdma_cluster.fabrics import Launcher
from tests.acceptance.bench import Bench
from tests.nccl.render import joined, log

pytestmark = pytest.mark.variant


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., Bench]:
    def make(nodes: int = 2, launcher: Launcher = Launcher.INDEXED_JOB, waive: Sequence[str] = ()) -> Bench:
        return Bench(tmp_path / "root", nodes, launcher, waive)

    return make


def test_sandbox_catches_every_path(bench: Callable[..., Bench]):
    """No script reaches beyond the folder."""
    made = bench()

    for path in (made.sandbox.root / "acceptance").glob("*.sh"):
        left = path.read_text().replace(str(made.sandbox.root), "").split()
        assert not [word for word in left if word.startswith(("/etc", "/root", "/home", "/var"))]


@pytest.mark.parametrize("launcher", Launcher)
@pytest.mark.parametrize("nodes", [2, *(pytest.param(nodes, marks=pytest.mark.thorough) for nodes in (3, 4, 12))])
def test_a_healthy_ring_passes(bench: Callable[..., Bench], launcher: Launcher, nodes: int):
    """Every pair runs once, no node is in two tests at once, and the verdict speaks of nodes."""
    made = bench(nodes, launcher)
    names = [f"host-{'abcdefghijkl'[i]}.example.internal" for i in range(nodes)]
    for i, name in enumerate(names):
        made.answer(i, name)

    ended = made.run()

    assert (ended.code, ended.message.partition(";")[0]) == (0, "passed"), ended.out
    calls = made.sandbox.lines("mpirun.calls")
    assert len(calls) == (1 if nodes == 2 else nodes)
    assert not made.sandbox.lines("overlaps")
    logs = "".join(path.read_text() for path in (made.sandbox.root / "results").glob("pair-*.log"))
    assert set(re.findall(r"Pid +\d+ on (\S+)", logs)) == set(names)
    assert made.members[0] not in logs


@pytest.mark.parametrize("launcher", Launcher)
def test_mpirun_is_called_with_the_catalogues_choices(bench: Callable[..., Bench], launcher: Launcher):
    """The two pods have their full names, and the plugin's choices are exported."""
    made = bench(launcher=launcher)

    hosts_of_the_operator = {
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
    }
    made.run_test(FI_PROVIDER="efa", OMPI_MCA_btl_tcp_if_exclude="lo", **hosts_of_the_operator)

    (call,) = made.sandbox.lines("mpirun.calls")
    hosts = ",".join(f"{member}.{made.domain}:8" for member in made.members)
    assert f"--host {hosts} -np 16 " in call
    assert "/third_party/nccl-tests/build/all_gather_perf -b 1G -e 8589934592 " in call
    for name in ("NCCL_NET", "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_FROM_GIB", "FI_PROVIDER", "LD_LIBRARY_PATH"):
        assert f" -x {name} " in call
    assert made.sandbox.lines("mpirun.env") == ["OMPI_MCA_plm_rsh_args=-o ConnectionAttempts=10"]


def test_a_fall_back_to_tcp_is_a_failure(bench: Callable[..., Bench]):
    made = bench()
    made.pair(0, 1, lambda text: text.replace("NET/gIB", "NET/Socket").replace("network gIB", "network Socket"))

    ended = made.run()

    assert ended.code == 1
    assert ended.message.startswith("socket: ") and "node-0, node-1" in ended.message


def test_a_slow_ring_fails_unless_its_gate_is_waived(bench: Callable[..., Bench]):
    for waive, code, first in (([], 1, "bandwidth: "), (["bandwidth"], 0, "passed; ")):
        made = Bench(bench().sandbox.root.parent / f"waived-{code}", 2, Launcher.INDEXED_JOB, waive)
        text = joined(log(made.members, busbw=[40.0] * 4)).decode()
        made.sandbox.log(*made.members, text)

        ended = made.run()

        assert (ended.code, ended.message[: len(first)]) == (code, first)
        assert ("waived: bandwidth" in ended.message) is bool(waive)


def test_a_node_that_is_slow_with_both_neighbours_is_named(bench: Callable[..., Bench]):
    made = bench(4)
    for one, two in ((0, 1), (1, 2)):
        members = [made.members[one], made.members[two]]
        made.sandbox.log(*members, joined(log(members, busbw=[40.0] * 4)).decode())

    ended = made.run()

    assert ended.code == 1
    assert ended.message.startswith("bandwidth: 40 GB/s")
    assert "\nnode node-1: 40 of 325.72 GB/s with node-0" in ended.message


def test_each_pair_runs_further_collectives_in_order(tmp_path: Path):
    """Each is judged by its own bound and its own kind."""
    made = Bench(tmp_path, 4, Launcher.INDEXED_JOB, [], also_run=["alltoall", "sendrecv"])
    for one in range(4):
        members = [made.members[one], made.members[(one + 1) % 4]]
        for collective, busbw in (("alltoall", 40.0), ("sendrecv", 20.0 if one == 2 else 45.0)):
            text = joined(log(members, busbw=[busbw] * 4, collective=collective)).decode()
            made.sandbox.log(*members, text, collective=collective)

    ended = made.run()

    calls = made.sandbox.lines("mpirun.calls")
    assert len(calls) == 12
    assert [re.findall(r"(\w+)_perf", call)[0] for call in calls if f"--host {made.members[3]}." in call] == [
        "all_gather", "alltoall", "sendrecv"
    ]  # fmt: skip
    assert ended.message.startswith("bandwidth: 20 GB/s, in the test of node-2 and node-3 (1 of 12 tests)")
    assert "pair node-2 - node-3: 20 of 45 GB/s; each is fine elsewhere" in ended.message


@pytest.mark.thorough
@pytest.mark.parametrize("launcher", Launcher)
def test_a_pod_that_never_answers_is_named(bench: Callable[..., Bench], launcher: Launcher):
    """Its line has what ssh says of it; nothing runs."""
    made = bench(3, launcher)
    made.silence(2)

    ended = made.run()

    assert ended.code == 1
    silent = made.members[2]
    why = f"ssh: connect to host {silent}.{made.domain}: Connection timed out"
    assert ended.message.splitlines()[0] == f"ran: no answer within 1 s from {silent} ({why}); wanted 3 nodes"
    assert not made.sandbox.lines("mpirun.calls")


def test_a_late_pod_is_waited_for(bench: Callable[..., Bench]):
    """It answers at the second time of asking."""
    made = bench()
    late = '[ -e "$ROOT/asked-$host" ] || { touch "$ROOT/asked-$host"; exit 255; }\nexec cat'
    made.sandbox.change("bin/ssh", "exec cat", late)

    assert made.run_test(READY_SECONDS="20").code == 0
    assert made.run_verdict().code == 0


@pytest.mark.thorough
def test_a_test_that_hangs_is_ended(bench: Callable[..., Bench]):
    """The others run on, and the pair is named."""
    made = bench(4)
    made.pair(2, 3, lambda text: text[: len(text) // 2], stuck=True)

    ended = made.run()

    assert ended.code == 1
    first = ended.message.splitlines()[0]
    assert first.startswith("finished: ") and "node-2 and node-3" in first
    assert len(made.sandbox.lines("mpirun.calls")) == 4


def test_an_image_without_mpirun_fails_in_the_shells_words(bench: Callable[..., Bench]):
    made = bench()

    assert made.run_test(MPIRUN="/no/such/mpirun").code == 0
    ended = made.run_verdict()

    assert ended.code == 1
    assert ended.message.startswith("ran: mpirun of node-0 and node-1 ended with 127: timeout: failed to run command")
    assert ended.message.isascii()


def test_two_pods_on_one_node_prove_nothing(bench: Callable[..., Bench]):
    made = bench()
    made.answer(1, "node-0")

    ended = made.run()

    assert ended.code == 1
    assert ended.message.startswith("nodes: 1: node-0; wanted 2 distinct nodes")


def test_the_verdict_ends_by_itself_where_the_test_dies(bench: Callable[..., Bench]):
    """Nobody says that it is done: the verdict's own deadline ends it with a gate."""
    made = bench()

    ended = made.run_verdict(SECONDS_IN_ALL="1")

    assert ended.code == 1
    assert ended.message.startswith("finished: did not finish within 1 s; wanted a finished test\n")


@pytest.mark.thorough
def test_the_first_gate_is_in_the_bytes_that_kubernetes_keeps(bench: Callable[..., Bench]):
    """Kubernetes keeps 4096 bytes, of the end."""
    made = bench(12)
    for member in range(1, 12):
        made.silence(member)
    made.sandbox.change("bin/ssh", "Connection timed out", "x" * 6000)

    ended = made.run()

    assert ended.code == 1
    assert ended.message.startswith("ran: no answer within 1 s from ")
    assert len(ended.message.encode()) <= 4096


def test_members_lend_their_node(bench: Callable[..., Bench]):
    """Neither container of another pod does anything but wait."""
    made = bench()
    made.sandbox.program("bin/sleep", '#!/bin/sh\necho "$@" >> "$ROOT/slept"\n')

    both = [made.run_test(JOB_COMPLETION_INDEX="1"), made.run_verdict(JOB_COMPLETION_INDEX="1")]

    assert [each.code for each in both] == [0, 0]
    assert made.sandbox.lines("slept") == ["infinity", "infinity"]
    assert not made.sandbox.lines("mpirun.calls")
    assert made.sandbox.lines("tmp/node") == ["node-0"]


def test_a_worker_serves_ssh(bench: Callable[..., Bench]):
    """It has keys of its own, the port of its image, and the node that it names."""
    made = bench(launcher=Launcher.MPI_JOB)
    made.sandbox.program("usr/sbin/sshd", '#!/bin/sh\necho "$@" > "$ROOT/sshd"\n')
    made.sandbox.program("bin/ssh-keygen", '#!/bin/sh\necho "$@" > "$ROOT/keygen"\n')
    (worker,) = made.test.test["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]

    ended = made.sandbox.run(worker)

    assert ended.code == 0
    assert made.sandbox.lines("sshd") == ["-De -p 222 -o StrictModes=no"]
    assert made.sandbox.lines("keygen") == ["-A"]
    assert made.sandbox.lines("tmp/node") == ["node-0"]
