"""What each line of NCCL leaves behind: who printed it, and the network, NICs, channels and addresses that it tells."""

from typing import Any

import pytest
from nccl_verdict.channels import Spot
from nccl_verdict.evidence import Evidence, Nic

HEAD, OTHER = b"a:7:70 [0]", b"b:8:80 [1]"
A, B = ("a", 7), ("b", 8)
SENT = "Channel 03/0 : 1[1] -> 9[1] [send] via NET/IB/4"


def read(*lines: tuple[bytes, str]) -> Evidence:
    """What lines leave, each with what stands before ``NCCL INFO``, numbered from 1."""
    evidence = Evidence()
    for number, (head, message) in enumerate(lines, 1):
        evidence.read(number, head, message.encode())
    return evidence


def facts(evidence: Evidence) -> dict[str, Any]:
    """All that is kept and is not empty."""
    empty, names = Evidence(), Evidence.__dataclass_fields__
    return {name: getattr(evidence, name) for name in names if getattr(evidence, name) != getattr(empty, name)}


LEFT: dict[str, dict[str, Any]] = {
    "Using network IB": {"networks": {(A, "IB"): 1}},
    "Assigned NET plugin NCCL RDMA Plugin v10 to comm": {"networks": {(A, "NCCL RDMA Plugin v10"): 1}},
    "Using network " + "x" * 200: {"networks": {(A, "x" * 128): 1}},
    "comm 0x5 rank 3 nRanks 8 nNodes 2 localRanks 4 localRank 3 MNNVL 1": {"nvlink": {A: (True, 1)}},
    "comm 0x5 rank 3 nRanks 8 nNodes 2 MNNVL 0": {"nvlink": {A: (False, 1)}},
    "comm 0x5 rank 3 nranks 16 cudaDev 3 nvmlDev 3 busId 901000 commId 0x1": {"addresses": {3: "0009:01:00"}},
    "comm 0x5 rank 3 nranks 16 cudaDev 3 busId 18a0ff0 commId 0x1": {"addresses": {3: "0018:a0:ff"}},
    "comm 0x5 rank 3 nranks 16 cudaDev 3 busId zz": {},
    "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0> [9]eth9:1": {
        "nics": {("a", 0): Nic(("mlx5_0",), ("IB",), 1), ("a", 1): Nic(("mlx5_1",), ("RoCE",), 1)}
    },
    "NET/FasTrak : Using [0]eth1:10.0.0.2<0>": {"nics": {("a", 0): Nic(("eth1",), (), 1)}},
    "NET/IB : Using [0]={[0] mlx5_0:1/RoCE, [1] mlx5_1:1/IB} [RO]": {
        "nics": {("a", 0): Nic(("mlx5_0", "mlx5_1"), ("RoCE", "IB"), 1)},
        "fused": {("a", 0): 2},
    },
    "NET/IB : Using [4]={[0] mlx5_0:1/RoCE} [RO]": {"nics": {("a", 4): Nic(("mlx5_0",), ("RoCE",), 1)}},
    "NET/Socket : Using [0]eth0:10.0.0.1<0>": {},
    "NET/gIB : GPU Direct RDMA Enabled for HCA 3 'mlx5_3'": {
        "nics": {("a", 3): Nic(("mlx5_3",), (), 1)},
        "direct": {(A, 3): {True: 1}},
    },
    "NET/IB : GPU Direct RDMA (DMABUF) disabled for HCA 3 'mlx5_3": {
        "nics": {("a", 3): Nic(("mlx5_3",), (), 1)},
        "direct": {(A, 3): {False: 1}},
    },
    "NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'": {},
    "NET/IB : Made virtual device [2] name=mlx5_4+mlx5_5 speed=400000 ndevs=2": {
        "nics": {("a", 2): Nic(("mlx5_4", "mlx5_5"), (), 1)},
        "fused": {("a", 2): 2},
    },
    "NET/IB : Made virtual device [2] name=mlx5_4 speed=400000 ndevs=1": {},
    "NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)": {
        "providers": {("a", "efa"): 1},
        "provider_nics": {("a", 32): 1},
    },
    "NET/OFI Selected Provider is tcp": {"providers": {("a", "tcp"): 1}},
    "Bootstrap : Using eth0:10.0.0.1<0>": {"bootstrap": {A: ("eth0", "10.0.0.1")}},
    "Bootstrap: Using [0]eth0:fd00::1%eth0<0>": {"bootstrap": {A: ("eth0", "fd00::1%eth0")}},
    "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM": {},
    "Channel 00/0 : 0[0] -> 8[0] [sent] via NET/IB/0": {},
}


@pytest.mark.parametrize("message", LEFT)
def test_a_line_leaves_its_fact_and_nothing_else(message: str) -> None:
    """A process that is not named leaves nothing of what is true of a process alone."""
    evidence = read((HEAD, message))

    assert facts(evidence) == LEFT[message]
    assert evidence.empty is not bool({"networks", "nics", "providers"} & LEFT[message].keys())
    assert {"networks", "nvlink", "direct"}.isdisjoint(facts(read((b"[0]", message))))


@pytest.mark.parametrize(
    ("message", "rank", "own", "rings", "direct"),
    [
        (f"{SENT}/GDRDMA/Shared", 1, {4: 1}, {3}, True),
        (SENT, 1, {4: 1}, {3}, False),
        (f"{SENT}(PCI)/GDRDMA", 1, {}, {3}, True),
        (f"{SENT}(5)", 1, {}, {3}, False),
        ("Channel 12/1 : 1[1] -> 9[1] [receive] via NET/IB/4/GDRDMA", 9, {4: 1}, set(), True),
        ("Channel 12 : 1[81000] -> 9[81000] [receive] via NET/IB/4/GDRDMA", 9, {4: 1}, {12}, True),
        ("Channel 00 : 1 -> 9 [send] via NET/IB/4/GDRDMA", 1, {4: 1}, {0}, True),
        ("CollNet 00/0 : 7 [receive] via COLLNET/SHARP/4/GDRDMA", 7, {4: 1}, set(), True),
    ],
)
def test_an_end_of_a_channel_speaks_for_one_rank(
    message: str, rank: int, own: dict[int, int], rings: set[int], direct: bool
) -> None:
    """In brackets behind the NIC stands the rank whose NIC it is; only index 0, or none, is of a ring."""
    channels = read((HEAD, message), (HEAD, message)).channels

    assert (channels.own, channels.used, channels.total) == ({("a", rank): own}, {"a": {4: 1}}, 1)
    assert set(channels.rings) == rings
    assert channels.spots == ({} if direct else {("a", rank, 4): Spot("a", rank, 4, [1], 1)})
    assert channels.in_network is ("SHARP" in message)
    assert channels.networks == ({} if channels.in_network else {("a", "IB"): 1})
