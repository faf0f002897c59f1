"""What each line of NCCL leaves behind: who printed it, and the network, NICs and addresses that it tells."""

from types import SimpleNamespace
from typing import Any

import pytest
from nccl_verdict.evidence import Evidence, Nic, apart, host_of, process_of
from nccl_verdict.run import Run

HEAD, OTHER = b"a:7:70 [0]", b"b:8:80 [1]"
A, B = ("a", 7), ("b", 8)


def read(*lines: tuple[bytes, str]) -> dict[str, Any]:
    """What lines leave, each with what stands before ``NCCL INFO``, numbered from 1; of what is not empty."""
    evidence = Evidence()
    for number, (head, message) in enumerate(lines, 1):
        evidence.read(number, head, message.encode())
    return facts(evidence)


def facts(evidence: Evidence) -> dict[str, Any]:
    """All that is kept and is not empty."""
    empty = Evidence()
    return {
        name: getattr(evidence, name)
        for name in Evidence.__dataclass_fields__
        if getattr(evidence, name) != getattr(empty, name)
    }


@pytest.mark.parametrize(
    ("head", "process"),
    [
        (b"worker-0:12:34 [0]", ("worker-0", 12)),
        (b"[1,0]<stdout>: worker-0:12:999 [0]", ("worker-0", 12)),
        (b"worker-0:12345678901:1 [0]", None),
        (b"worker-0:x:34 [0]", None),
        (b"worker-0:34 [0]", None),
    ],
)
def test_threads_are_of_one_process(head: bytes, process: tuple[str, int] | None):
    """The second number is the process; a number that no kernel gives is none."""
    assert process_of(head) == process


def test_a_name_that_text_ran_into_is_the_longest_that_is_known():
    """The end of one host's name may be another's."""
    run = Run("log")
    ranks: Any = {0: SimpleNamespace(host="gpu-1"), 1: SimpleNamespace(host="a-gpu-1")}
    run.ranks = ranks
    run.evidence.networks = {(("textgpu-1", 7), "IB"): 1, (("texta-gpu-1", 8), "IB"): 2, (("other", 9), "IB"): 3}

    run.settle()

    assert {host for (host, _), _ in run.evidence.networks} == {"gpu-1", "a-gpu-1", "other"}


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("Using network IB", {"networks": {(A, "IB"): 1}}),
        ("Assigned NET plugin NCCL RDMA Plugin v10 to comm", {"networks": {(A, "NCCL RDMA Plugin v10"): 1}}),
        ("Using network " + "x" * 200, {"networks": {(A, "x" * 128): 1}}),
        ("comm 0x5 rank 3 nRanks 8 nNodes 2 localRanks 4 localRank 3 MNNVL 1", {"nvlink": {A: (True, 1)}}),
        ("comm 0x5 rank 3 nRanks 8 nNodes 2 MNNVL 0", {"nvlink": {A: (False, 1)}}),
        ("comm 0x5 rank 3 nranks 16 cudaDev 3 nvmlDev 3 busId 901000 commId 0x1 - Init COMPLETE",
         {"addresses": {3: "0009:01:00"}}),
        ("comm 0x5 rank 3 nranks 16 cudaDev 3 busId 18a0ff0 commId 0x1", {"addresses": {3: "0018:a0:ff"}}),
        ("comm 0x5 rank 3 nranks 16 cudaDev 3 busId zz", {}),
        ("NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0> [9]eth9:1",
         {"nics": {("a", 0): Nic(("mlx5_0",), ("IB",), 1), ("a", 1): Nic(("mlx5_1",), ("RoCE",), 1)}}),
        ("NET/FasTrak : Using [0]eth1:10.0.0.2<0>", {"nics": {("a", 0): Nic(("eth1",), (), 1)}}),
        ("NET/IB : Using [0]={[0] mlx5_0:1/RoCE, [1] mlx5_1:1/IB} [RO]",
         {"nics": {("a", 0): Nic(("mlx5_0", "mlx5_1"), ("RoCE", "IB"), 1)}, "fused": {("a", 0): 2}}),
        ("NET/IB : Using [4]={[0] mlx5_0:1/RoCE} [RO]", {"nics": {("a", 4): Nic(("mlx5_0",), ("RoCE",), 1)}}),
        ("NET/Socket : Using [0]eth0:10.0.0.1<0>", {}),
        ("NET/gIB : GPU Direct RDMA Enabled for HCA 3 'mlx5_3'",
         {"nics": {("a", 3): Nic(("mlx5_3",), (), 1)}, "direct": {(A, 3): {True: 1}}}),
        ("NET/IB : GPU Direct RDMA (DMABUF) disabled for HCA 3 'mlx5_3",
         {"nics": {("a", 3): Nic(("mlx5_3",), (), 1)}, "direct": {(A, 3): {False: 1}}}),
        ("NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'", {}),
        ("NET/IB : Made virtual device [2] name=mlx5_4+mlx5_5 speed=400000 ndevs=2",
         {"nics": {("a", 2): Nic(("mlx5_4", "mlx5_5"), (), 1)}, "fused": {("a", 2): 2}}),
        ("NET/IB : Made virtual device [2] name=mlx5_4 speed=400000 ndevs=1", {}),
        ("NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)",
         {"providers": {("a", "efa"): 1}, "provider_nics": {("a", 32): 1}}),
        ("NET/OFI Selected Provider is tcp", {"providers": {("a", "tcp"): 1}}),
        ("NET/Plugin: No plugin found", {}),
        ("Bootstrap : Using eth0:10.0.0.1<0>", {}),
    ],
)  # fmt: skip
def test_one_line(message: str, left: dict[str, Any]) -> None:
    """Nothing else is kept of it."""
    assert read((HEAD, message)) == left


@pytest.mark.parametrize("message", [
    "Using network IB", "comm 0x5 rank 3 nRanks 8 nNodes 2 MNNVL 1",
    "NET/gIB : GPU Direct RDMA Enabled for HCA 3 'mlx5_3'",
])  # fmt: skip
def test_a_line_of_no_process(message: str) -> None:
    """What is true of a process alone is nobody's."""
    assert read((b"[0]", message)) == {}


def test_what_is_said_again() -> None:
    """The first line stays, but of NVLink and of each way of GPUDirect the last; processes and hosts stay apart."""
    lines = [
        "Using network IB", "comm 0x5 rank 3 nRanks 8 nNodes 2 MNNVL 1",
        "NET/OFI Selected provider is efa (found 4 nics)", "NET/IB : GPU Direct RDMA Enabled for HCA 3 'mlx5_3'",
        "comm 0x5 rank 3 nranks 8 cudaDev 3 busId 10000",
    ]  # fmt: skip
    off = ["comm 0x5 rank 3 nRanks 8 nNodes 2 MNNVL 0", "NET/IB : GPU Direct RDMA Disabled for HCA 3 'mlx5_3'"]
    said = [*((HEAD, line) for line in (*lines, *lines, *off)), *((OTHER, line) for line in lines[:4])]

    assert read(*said) == {
        "networks": {(A, "IB"): 1, (B, "IB"): 13},
        "nvlink": {A: (False, 11), B: (True, 14)},
        "providers": {("a", "efa"): 3, ("b", "efa"): 15},
        "provider_nics": {("a", 4): 3, ("b", 4): 15},
        "nics": {("a", 3): Nic(("mlx5_3",), (), 4), ("b", 3): Nic(("mlx5_3",), (), 16)},
        "direct": {(A, 3): {True: 9, False: 12}, (B, 3): {True: 16}},
        "addresses": {3: "0000:10:00"},
    }


def test_ports_that_are_fused_after_they_were_listed() -> None:
    """The device that is made of them has their link layers, of those that are known."""
    listed = "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/IB [RO]"
    of = ((0, "mlx5_1+mlx5_0"), (5, "x+mlx5_1"))
    made = [f"NET/IB : Made virtual device [{n}] name={names} ndevs=2" for n, names in of]

    assert read((HEAD, listed), *((HEAD, line) for line in made)) == {
        "nics": {
            ("a", 0): Nic(("mlx5_1", "mlx5_0"), ("IB", "RoCE"), 2), ("a", 1): Nic(("mlx5_1",), ("IB",), 1),
            ("a", 5): Nic(("x", "mlx5_1"), ("IB",), 3),
        },
        "fused": {("a", 0): 2, ("a", 5): 2},
    }  # fmt: skip


FULL = (
    "Using network IB", "comm 0x5 rank 3 nRanks 8 nNodes 2 MNNVL 1", "NET/OFI Selected provider is efa (found 4 nics)",
    "NET/IB : GPU Direct RDMA Enabled for HCA 3 'mlx5_3'", "NET/IB : Made virtual device [2] name=p+q ndevs=2",
    "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA",
)  # fmt: skip


def test_names_put_right() -> None:
    """In all that has a host."""
    right, wrong = Evidence(), Evidence()
    for number, message in enumerate(FULL):
        right.read(number, HEAD, message.encode())
        wrong.read(number, b"xya:7:70 [0]", message.encode())
    for each in (right, wrong):
        each.rename({"xya": "a", "yb": "b"})
        each.channels.settle()

    assert wrong == right
    assert wrong.hosts == {"a"} and set(facts(wrong)) == {
        "networks", "nvlink", "providers", "provider_nics", "nics", "direct", "fused", "channels"}  # fmt: skip


@pytest.mark.parametrize(
    ("message", "hosts"),
    [*((FULL[place], {"a"}) for place in (0, 2, 3, 4, 5)), (FULL[1], set()), ("Bootstrap : Using eth0", set())],
)
def test_hosts_by_what_they_print(message: str, hosts: set[str]) -> None:
    """Their network, provider, NICs and channels."""
    evidence = Evidence()
    evidence.read(1, HEAD, message.encode())

    assert evidence.hosts == hosts
    assert evidence.empty is not bool(hosts)


@pytest.mark.parametrize(("place", "silent"), [(0, False), (1, True), (2, True), (3, True), (5, False)])
def test_who_names_its_network(place: int, silent: bool) -> None:
    """By itself, or by a channel; whatever else is printed."""
    evidence = Evidence()
    evidence.read(1, HEAD, FULL[place].encode())

    assert evidence.silent is silent and evidence.names() == ({} if silent else {"IB": 1})


def test_names_of_networks_and_their_lines() -> None:
    """What a process says comes before what its channels say."""
    evidence = Evidence()
    for number, message in enumerate((FULL[5], FULL[5].replace("IB", "gIB"), FULL[0]), 1):
        evidence.read(number, HEAD, message.encode())

    assert evidence.names() == {"IB": 3, "gIB": 2}


@pytest.mark.parametrize(
    "message",
    ["Using network N{n}", "comm 0x5 rank 3 nRanks 8 nNodes 2 MNNVL 1", "x rank {n} nranks 8 cudaDev 3 busId 10000",
     "NET/IB : Using [{n}]mlx5_{n}:1/IB", "NET/OFI Selected provider is p{n}", FULL[5].replace("00/0", "0{n}/0")],
)  # fmt: skip
def test_more_facts_than_are_kept(monkeypatch: pytest.MonkeyPatch, message: str) -> None:
    """As many as the limit are; one more, and the log is not judged as whole."""
    for module in ("evidence", "channels"):
        monkeypatch.setattr(f"nccl_verdict.{module}.LIMIT", 3)
    evidence = Evidence()
    for n in range(4):
        assert not evidence.overflow
        evidence.read(n, b"a:%d:70 [0]" % n, message.format(n=n).encode())

    assert evidence.overflow and not evidence.empty
    evidence.read(9, HEAD, FULL[5].encode())
    assert evidence.overflow and evidence.nics == evidence.networks == evidence.providers == evidence.addresses == {}


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("x", [(HEAD, "x")]),
        ("xb:8:80 [1] NCCL INFO y", [(HEAD, "x"), (b"xb:8:80 [1]", "y")]),
        ("xworker-12:8:80 [1] NCCL INFO yb:9:90 [ 2 ] NCCL INFO z",
         [(HEAD, "x"), (b"xworker-12:8:80 [1]", "y"), (b"yb:9:90 [ 2 ]", "z")]),
        ("x NCCL INFO y", [(HEAD, "x")]),
        ("see unknown:8:80 [1] NCCL INFO y", [(HEAD, "see unknown:8:80 [1]"), (b"unknown:8:80 [1]", "y")]),
    ],
)  # fmt: skip
def test_lines_that_ran_into_one(message: str, parts: list[tuple[bytes, str]]) -> None:
    """Each of its own process; the longest fitting name of a known host is cut off."""
    assert list(apart(HEAD, message.encode(), ["b", "12", "worker-12"])) == [(head, m.encode()) for head, m in parts]


@pytest.mark.parametrize(
    ("head", "host"),
    [(b"worker-0:12:34 [0]", "worker-0"), (b"[1,0]<stdout>: a.b:12:34 [0]", "a.b"), (b"[0]", ""), (b"", "")],
)
def test_the_host_alone(head: bytes, host: str) -> None:
    """Where there is one."""
    assert host_of(head) == host
