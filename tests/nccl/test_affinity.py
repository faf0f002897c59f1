"""A channel on a NIC that is not its GPU's is told: a failure where the fabric promises its own, else a warning."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import Expectation, Neighbours, from_json
from nccl_verdict.gate import Gate
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import judge
from rdma_cluster.catalog import find
from rdma_cluster.incluster.plan.acceptance.expectation import expect
from tests.nccl import render

Lines = list[str]
PAIRS = tuple(Neighbours((gpu,), (render.bus(gpu, False),), (f"mlx5_{gpu}",)) for gpu in range(8))


def mirrored(lines: Lines, only: str = "node-1") -> Lines:
    """Each GPU on the NIC at the other end of the node."""
    network = "via NET/gIB/"
    return [
        line.replace(f"{network}{n}/", f"{network}{7 - n}/") if network in line and only in line else line
        for line in lines
        for n in [int(line.partition(network)[2][:1] or 0)]
    ]


def gate(lines: Lines, want: Expectation) -> Gate:
    verdict = judge(read_bytes(render.joined(lines)), want)
    (found,) = [gate for gate in verdict.gates if gate.name == "affinity"]
    assert verdict.passed is found.passed
    return found


def known(sure: bool = False) -> Expectation:
    return replace(render.want(), neighbours=PAIRS, neighbours_sure=sure)


def test_all_is_well() -> None:
    """Where the catalogue knows, it is counted; where nobody knows, that is said."""
    assert gate(render.log(), known()).seen == "all 16"
    assert gate(render.log(), render.want()).seen == "not known which are"


def test_a_mirrored_node_fails_where_its_own_are_promised() -> None:
    """With node, rank, GPU and NIC, and where to look."""
    found = gate(mirrored(render.log()), known(sure=True))

    assert found.seen.startswith("8 of 16 not so: node-1 rank 8 (GPU 0) uses mlx5_7 and not mlx5_0")
    assert "on node-1 run nvidia-smi topo -m" in found.cause


@pytest.mark.parametrize("want", [known(), render.want()])
def test_a_mirrored_node_is_a_warning_elsewhere(want: Expectation) -> None:
    """The catalogue may be wrong; without it the nodes are compared with each other."""
    found = gate(mirrored(render.log()), want)

    assert found.passed
    assert "node-1 rank 8 (GPU 0) uses mlx5_7" in found.warning
    assert "warnings: affinity" in judge(read_bytes(render.joined(mirrored(render.log()))), want).headline


def test_all_nodes_mirrored() -> None:
    """Only the catalogue can tell."""
    lines = mirrored(render.log(), only="node-")
    assert not gate(lines, known(sure=True)).passed
    assert gate(lines, render.want()).warning == ""


def test_another_gpu_s_nic_through_that_gpu_is_in_order() -> None:
    """PXN: the number in brackets is the rank whose NIC it is."""

    def through(line: str) -> str:
        is_sent = "node-1:708:" in line and "[send]" in line
        return line.replace("via NET/gIB/0/", "via NET/gIB/3(11)/") if is_sent else line

    lines = [through(line) for line in render.log()]
    assert lines != render.log()
    assert gate(lines, known(sure=True)).passed


def test_gpus_that_share_a_root() -> None:
    """Any NIC of the root is beside any GPU of it."""
    pairs = tuple(
        Neighbours((n, n + 1), tuple(render.bus(gpu, False) for gpu in (n, n + 1)), (f"mlx5_{n}", f"mlx5_{n + 1}"))
        for n in range(0, 8, 2)
    )
    swapped = [line.replace("gIB/0/", "gIB/x/").replace("gIB/1/", "gIB/0/").replace("gIB/x/", "gIB/1/")
               for line in render.log()]  # fmt: skip
    assert gate(swapped, replace(known(sure=True), neighbours=pairs)).passed
    assert not gate(swapped, known(sure=True)).passed


@pytest.mark.parametrize(("change", "seen"), [
    (lambda want: replace(want, neighbours=tuple(replace(each, addresses=()) for each in PAIRS)), "all 16"),
    (lambda want: replace(want, part_of_node=True, neighbours=tuple(replace(each, addresses=()) for each in PAIRS)),
     "not known which are"),
    (lambda want: replace(want, neighbours=tuple(replace(each, addresses=("0000:01:00",)) for each in PAIRS)),
     "not known which are"),
    (lambda want: replace(want, neighbours=tuple(replace(each, nics=("eth0",)) for each in PAIRS)),
     "not known which are"),
])  # fmt: skip
def test_what_the_catalogue_lacks_is_not_guessed(change: Callable[[Expectation], Expectation], seen: str) -> None:
    """An index says where a GPU is only where all GPUs take part; names must be those that are printed."""
    assert gate(render.log(), change(known(sure=True))).seen == seen


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


UNLISTED = [line for line in render.log() if "for HCA" not in line]
NAMES = [line.replace("mlx5_3'", "other'") for line in render.log()]
KNOWN: dict[str, tuple[Lines, Expectation, str, str]] = {
    # The lines, what the catalogue knows, what is seen, and how the warning begins.
    "some GPUs by index": (render.log(), by_index(0, 5), "all 4", ""),
    "a NIC that the catalogue does not name": (NAMES, known(), "all 14", ""),
    "an address that the catalogue does not know": (
        [line.replace("[0000:8f:00]", "[0000:01:00]") for line in render.log()], known(), "not known which are", ""),
    "NICs without names": (
        mirrored(UNLISTED), render.want(), "nodes differ",
        "node-0 rank 0 (GPU 0) uses NIC 0, and node-1 rank 8 (GPU 0) uses NIC 7: run nvidia-smi topo -m in a pod"),
    "the last GPU alone differs": (
        [line.replace("via NET/gIB/7/", "via NET/gIB/9/") if "node-1" in line else line for line in UNLISTED],
        render.want(), "nodes differ", "node-0 rank 7 (GPU 7) uses NIC 7, and node-1 rank 15 (GPU 7) uses NIC 9: run"),
    "two NICs of one GPU": ([*mirrored(UNLISTED), *sent(8, 3)], render.want(), "not known which are", ""),
    "a NIC of two GPUs": (
        [line.replace("via NET/gIB/7/", "via NET/gIB/6/") if "node-1" in line else line for line in mirrored(UNLISTED)],
        render.want(), "not known which are", ""),
    "a part of each node": (
        mirrored(UNLISTED), replace(render.want(), part_of_node=True), "not known which are", ""),
    "alike": (UNLISTED, render.want(), "not known which are", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_of_nics(name: str) -> None:
    """It passes in any case; nodes are compared where each GPU has a NIC of its own, and none has two."""
    lines, want, seen, warning = KNOWN[name]
    found = next(gate for gate in judge(read_bytes(render.joined(lines)), want).gates if gate.name == "affinity")

    assert (found.passed, found.seen) == (True, seen)
    assert found.warning.startswith(warning) and bool(found.warning) is bool(warning)


def test_what_the_catalogue_knows() -> None:
    """By PCIe root, by the provider's pairs, and nothing where a name is missing."""
    names = ("a4-highgpu-8g", "Standard_ND96isr_H100_v5", "p5.48xlarge", "p6e-gb200.36xlarge")
    a4, azure, p5, rack = (find(name) for name in names)
    assert a4 and azure and p5 and rack
    assert expect(a4).neighbours[0] == Neighbours((0, 1), ("0000:8f:00", "0000:90:00"), ("mlx5_0", "mlx5_1"))
    assert expect(azure).neighbours[7].nics == ("mlx5_7",)
    assert expect(p5).neighbours[0].nics == ("rdmap79s0", "rdmap80s0", "rdmap81s0", "rdmap82s0")
    assert expect(rack).neighbours == ()
    assert expect(a4).neighbours_sure and not expect(azure).neighbours_sure  # roots that were read, and inferred ones


def test_it_travels_and_runs_no_test_again() -> None:
    """A judge in a pod knows as much; what only warns is no part of what is proved."""
    assert from_json(known(sure=True).to_json()) == known(sure=True)
    assert known(sure=True).demands == render.want().demands
