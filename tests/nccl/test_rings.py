"""A ring, and a tree, reaches every node: one that never leaves or enters a node lacks its lines."""

from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import judge
from tests.nccl import render


def _gdr(lines: list[str]) -> tuple[bool, str]:
    gate = next(gate for gate in judge(read_bytes(render.joined(lines)), render.want()).gates if gate.name == "gdr")
    return gate.passed, gate.seen


def test_a_whole_ring_passes():
    assert _gdr(render.log()) == (True, "on all 32 channels")


def test_a_ring_that_never_leaves_a_node():
    """Both ends of one ring's way out of a node are lost, so that no line lacks its other end."""
    kept = [line for line in render.log() if "Channel 03/0 : 3[3] -> 11[3]" not in line]

    assert _gdr(kept) == (False, "ring 3 never leaves or enters node-0: lines of channels are lost")


def test_sends_between_two_ranks_are_no_ring():
    """Channels of another index (`03/1`) are made for one pair: of these nobody asks that they come back."""
    alone = [
        f"node-{node}:{700 + rank}:{900 + rank} [0] NCCL INFO Channel 40/1 : 0[0] -> 8[0] [{way}] "
        "via NET/gIB/0/GDRDMA/Shared"
        for node, rank, way in ((0, 0, "send"), (1, 8, "receive"))
    ]

    assert _gdr([*render.log(), *alone])[0]
