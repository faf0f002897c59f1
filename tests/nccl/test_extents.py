"""Every test in a log is judged: the whole, pairs of its nodes, single rails; and a wrong extent is told as that."""

from collections.abc import Callable

import pytest
from nccl_verdict.reader import read_bytes
from nccl_verdict.run import Run
from nccl_verdict.text import plain_text
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render

Lines = list[str]


def rail(number: int, busbw: float = 46.0, nodes: int = 2) -> Lines:
    """A test of one GPU a node, all of the same index."""
    lines = render.log(render.hosts(nodes), gpus=1, busbw=[busbw] * 2)
    return [line.replace("device  0", f"device {number:2}") for line in lines]


def runs(*logs: Lines) -> list[Run]:
    return [run for lines in logs for run in read_bytes(render.joined(lines))]


def outcome(*logs: Lines, nodes: int = 2, waive: tuple[str, ...] = ()) -> Verdict:
    return judge(runs(*logs), render.want(nodes=nodes), waive)


DEFECTS: dict[str, tuple[str, Callable[[Lines], Lines]]] = {
    "wrong data": ("data", lambda lines: [line[:-1] + "500" if " float " in line else line for line in lines]),
    "unfinished": ("finished", lambda lines: lines[:-2]),
    "no rows": ("ran", lambda lines: [line for line in lines[:-2] if " float " not in line]),
    "over TCP": ("socket", lambda lines: [line.replace("gIB", "Socket").replace("/GDRDMA", "") for line in lines]),
    "without GPUDirect": ("gdr", lambda lines: [line.replace("/GDRDMA", "") for line in lines]),
    "silent": ("transport", lambda lines: [line for line in lines if "NCCL INFO" not in line]),
    "a row lost": ("rows", lambda lines: [line for line in lines if "2147483648  " not in line]),
    "failed": ("finished", lambda lines: [*lines, "node-1: Test NCCL failure common.cu:958 'internal error'"]),
    "out of bounds": ("data", lambda lines: [line.replace("0 OK", "7 FAILED") for line in lines]),
    "above the wire": ("rows", lambda lines: rail(5, 56.0)),
    "slow": ("bandwidth", lambda lines: rail(5, 20.0)),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_bad_rail_fails_the_whole(name: str) -> None:
    """Beside a good whole run and seven good rails; the rail is named."""
    gate, change = DEFECTS[name]
    rails = [rail(number) for number in range(8)]

    assert outcome(render.log(), *rails).passed
    rails[5] = change(rails[5])
    bad = outcome(render.log(), *rails)

    assert not bad.passed
    assert gate in {each.name for each in bad.reported}
    assert next(each for each in bad.gates if each.name == gate).subtest == "rail 5"
    assert [(each.kind, each.name) for each in bad.suspects] == [("rail", "5")]
    assert bad.judged_failed == 1
    assert "1 of 9 tests failed" in bad.headline


@pytest.mark.parametrize("name", [name for name in DEFECTS if name not in ("slow", "above the wire")])
def test_a_bad_pair_fails_the_whole(name: str) -> None:
    """Also with bandwidth waived."""
    gate, change = DEFECTS[name]
    whole = render.log(render.hosts(4))
    pairs = [render.log([one, two], busbw=[320.0, 320.0]) for one, two in (("node-0", "node-1"), ("node-2", "node-3"))]

    assert outcome(whole, *pairs, nodes=4).passed
    bad = outcome(whole, pairs[0], change(pairs[1]), nodes=4, waive=("bandwidth",))

    assert not bad.passed
    assert gate in {each.name for each in bad.reported}


def test_a_single_bad_rail_alone_fails() -> None:
    """A log with one rank a node and any defect fails, whatever it stands beside."""
    for name, (_, change) in DEFECTS.items():
        if name == "slow":
            continue  # there is nothing to compare it with
        assert not outcome(render.log(), change(rail(0))).passed, name
        assert not outcome(change(rail(0))).passed, name


def test_forgotten_gpus_per_node() -> None:
    """One sentence, and not fourteen lines of what is not shown."""
    said = outcome(rail(0))

    assert [gate.name for gate in said.reported] == ["ranks"]
    assert "the log shows 1 rank on each of 2 nodes; you said 8" in said.reported[0].cause
    assert "--gpus-per-node 1" in plain_text(said).splitlines()[-1]


def test_wrong_nodes() -> None:
    """Likewise."""
    said = outcome(render.log(), nodes=8)

    assert [gate.name for gate in said.reported] == ["nodes"]
    assert "the log shows 2 nodes; you said 8" in said.reported[0].cause
    assert "--nodes 2" in plain_text(said).splitlines()[-1]


def test_wrong_extent_hides_no_defect() -> None:
    """What is bad by the test's own extent is told beside it."""
    for name, (gate, change) in DEFECTS.items():
        if name != "slow":
            assert gate in {each.name for each in outcome(change(rail(0))).reported}, name


def test_waiving_the_extent_does_not_waive_what_follows() -> None:
    """Each gate needs its own waiver."""
    first = outcome(rail(0))
    second = outcome(rail(0), waive=("ranks",))

    assert not second.passed
    assert {gate.name for gate in second.reported} == {gate.name for gate in first.failed} - {"ranks"}
    assert outcome(rail(0), waive=tuple(gate.name for gate in first.failed)).passed


def test_rails_alone_prove_no_whole() -> None:
    """Eight good rails are not a run over whole nodes."""
    said = outcome(*(rail(number) for number in range(8)))

    assert [gate.name for gate in said.reported] == ["ran"]
    assert "only 8 runs over pairs or rails" in said.reported[0].seen


def test_every_process_for_itself() -> None:
    """nccl-tests built without MPI runs sixteen tests of one GPU: told as one node."""
    lines = render.log(["node-0"], gpus=1, busbw=[300.0])
    lines = [line for line in lines if "via NET" not in line]
    said = outcome(*[lines] * 16)

    assert not said.passed
    assert "without MPI=1" in next(gate.cause for gate in said.reported if gate.name == "nodes")
