"""What follows from a difference where claims decide it, and a difference as JSON."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog.machine import Known
from rdma_cluster.conform.devices import by_claims
from rdma_cluster.conform.difference import difference

GPU, NIC, RATE = (difference(kind, (0, 0), "x", 1, 2) for kind in ("gpu address", "nic address", "nic rate"))
ROOT = difference("gpu root", (0, 0), "x", 1, 2)


@pytest.mark.parametrize(
    ("unfit", "said"),
    [
        (["a"], "a"),
        (["a", "b", "c"], "a, b, c"),
        (["a", "b", "c", "d"], "a, b, c and 1 more"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
    ],
)
def test_claims_that_fail_decide(unfit: list[str], said: str):
    """Of what they rest on, and of nothing else; the first three are named."""
    failed = {"follows": f"claims fail on this node: {said}", "breaks": True}

    assert by_claims([ROOT, RATE, GPU], unfit, topology_file=True) == [
        replace(ROOT, **failed),
        RATE,
        replace(GPU, **failed),
    ]


def test_a_file_of_addresses_breaks_where_no_claim_does():
    """Of addresses alone: NCCL takes the wrong devices for neighbours."""
    assert by_claims([ROOT, RATE, GPU, NIC], [], topology_file=False) == [ROOT, RATE, GPU, NIC]

    *others, gpu, nic = by_claims([ROOT, RATE, GPU, NIC], [], topology_file=True)
    assert others == [ROOT, RATE]
    assert [each.breaks for each in (gpu, nic)] == [True, True] and gpu.follows.startswith("NCCL's topology file")


@pytest.mark.parametrize(
    ("where", "known", "place"),
    [
        ((), None, {"pool": None, "node": None, "known": None}),
        ((2,), None, {"pool": 2, "node": None, "known": None}),
        ((2, 5), Known.NOT_PUBLISHED, {"pool": 2, "node": 5, "known": "not published"}),
    ],
)
def test_a_difference_as_json(where: tuple[int, ...], known: Known | None, place: dict[str, Any]):
    """What `conform --json` prints: keys are added, never renamed."""
    told = difference("nic link", where, "rail 3", "a link", "none", known=known).to_dict()

    assert told == {
        "kind": "nic link",
        "what": "rail 3",
        "expected": "a link",
        "found": "none",
        "breaks": True,
        "consequence": "the rail has no link: NCCL takes fewer rails, or hangs",
        "remedy": "replace the node (docs/bad-node.md)",
        **place,
    }
