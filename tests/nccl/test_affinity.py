"""A channel on a NIC that is not its GPU's is told: a failure where the fabric promises its own, else a warning."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import Expectation
from nccl_verdict.gate import Gate
from tests.nccl import render
from tests.nccl.judging import LOG, PAIRS, Lines, gate_of, known, verdict
from tests.nccl.log_changes import mirrored


def gate(lines: Lines, want: Expectation) -> Gate:
    """The gate of a log in which no other one fails."""
    outcome = verdict(lines, want=want)
    (found,) = [gate for gate in outcome.gates if gate.name == "affinity"]
    assert outcome.passed is found.passed
    return found


def test_nics_beside_their_gpus_are_counted_where_the_catalogue_knows_them() -> None:
    assert gate(LOG, known()).seen == "all 16"
    assert gate(LOG, render.want()).seen == "not known which are"


def test_a_mirrored_node_fails_where_its_own_nics_are_promised() -> None:
    found = gate(mirrored(LOG), known(sure=True))

    assert "node-1 rank 8 (GPU 0) uses mlx5_7 and not mlx5_0" in found.seen
    assert "on node-1 run nvidia-smi topo -m" in found.cause


@pytest.mark.parametrize("want", [known(), render.want()], ids=["known by the catalogue", "by comparing nodes"])
def test_a_mirrored_node_is_a_warning_where_nothing_is_promised(want: Expectation) -> None:
    """The catalogue may be wrong; without it the nodes are compared with each other."""
    found = gate(mirrored(LOG), want)

    assert found.passed
    assert "node-1 rank 8 (GPU 0) uses mlx5_7" in found.warning


def test_only_the_catalogue_can_tell_that_all_nodes_are_mirrored() -> None:
    lines = mirrored(LOG, only="node-")
    assert not gate(lines, known(sure=True)).passed
    assert gate(lines, render.want()).warning == ""


def test_a_gpu_may_send_through_another_gpu_by_that_gpus_nic() -> None:
    """With PXN the number in brackets is the rank whose NIC it is."""

    def through(line: str) -> str:
        is_sent = "node-1:708:" in line and "[send]" in line
        return line.replace("via NET/gIB/0/", "via NET/gIB/3(11)/") if is_sent else line

    lines = [through(line) for line in LOG]
    assert lines != LOG
    assert gate(lines, known(sure=True)).passed


def by_index(*gpus: int, **more: Any) -> Expectation:
    """The catalogue has no addresses, and neighbours of these GPUs alone."""
    return replace(render.want(), neighbours=tuple(replace(PAIRS[gpu], addresses=()) for gpu in gpus), **more)


def sent(rank: int, nic: int, number: int = 9) -> Lines:
    """Both ends of one more channel of a rank of the second node."""
    head = f"node-1:{700 + rank}:{900 + rank} [{rank - 8}] NCCL INFO Channel {number:02}/1"
    return [
        f"{head} : {rank}[0] -> 0[0] [send] via NET/gIB/{nic}/GDRDMA",
        f"node-0:700:900 [0] NCCL INFO Channel {number:02}/1 : {rank}[0] -> 0[0] [receive] via NET/gIB/0/GDRDMA",
    ]


UNLISTED = [line for line in LOG if "for HCA" not in line]
NAMES = [line.replace("mlx5_3'", "other'") for line in LOG]
KNOWN: dict[str, tuple[Lines, Expectation, str, str]] = {
    # The lines, what the catalogue knows, what is seen, and how the warning begins.
    "some GPUs by index": (LOG, by_index(0, 5), "all 4", ""),
    "a NIC that the catalogue does not name": (NAMES, known(), "all 14", ""),
    "two NICs of one GPU": ([*mirrored(UNLISTED), *sent(8, 3)], render.want(), "not known which are", ""),
    "a NIC of two GPUs": (
        [line.replace("via NET/gIB/7/", "via NET/gIB/6/") if "node-1" in line else line for line in mirrored(UNLISTED)],
        render.want(), "not known which are", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_nodes_are_compared_where_each_gpu_has_one_nic_of_its_own(name: str) -> None:
    lines, want, seen, warning = KNOWN[name]
    found = gate_of("affinity", lines, want)

    assert (found.passed, found.seen) == (True, seen)
    assert found.warning.startswith(warning) and bool(found.warning) is bool(warning)
