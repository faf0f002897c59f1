"""Every test in a log is judged: the whole, pairs of its nodes, single rails; and a wrong extent is told as that."""

from collections.abc import Callable

import pytest
from nccl_verdict.text import plain_text
from nccl_verdict.verdict import Verdict
from tests.nccl import render
from tests.nccl.judging import Lines, verdict
from tests.nccl.log_changes import rail


def outcome(*logs: Lines, nodes: int = 2, waive: tuple[str, ...] = ()) -> Verdict:
    return verdict(*logs, want=render.want(nodes=nodes), waive=waive)


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
    """The rail is named beside a good whole run and seven good rails."""
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


@pytest.mark.parametrize("name", [name for name in DEFECTS if name != "slow"])
def test_a_bad_rail_alone_fails_and_its_defect_is_told(name: str) -> None:
    """Beside a good whole run or not; that the extent is not the wanted one hides nothing."""
    gate, change = DEFECTS[name]

    assert not outcome(render.log(), change(rail(0))).passed
    assert gate in {each.name for each in outcome(change(rail(0))).reported}


@pytest.mark.parametrize(
    ("lines", "nodes", "gate", "option"),
    [(rail(0), 2, "ranks", "--gpus-per-node 1"), (render.log(), 8, "nodes", "--nodes 2")],
    ids=["forgotten GPUs a node", "wrong nodes"],
)
def test_a_wrong_extent_is_one_sentence_and_the_option_that_mends_it(
    lines: Lines, nodes: int, gate: str, option: str
) -> None:
    said = outcome(lines, nodes=nodes)

    assert [gate.name for gate in said.reported] == [gate]
    assert option in said.reported[0].cause
    assert option in plain_text(said).splitlines()[-1]


def test_waiving_the_extent_does_not_waive_what_follows() -> None:
    first = outcome(rail(0))
    second = outcome(rail(0), waive=("ranks",))

    assert not second.passed
    assert {gate.name for gate in second.reported} == {gate.name for gate in first.failed} - {"ranks"}
    assert outcome(rail(0), waive=tuple(gate.name for gate in first.failed)).passed


def test_rails_alone_prove_no_whole() -> None:
    said = outcome(*(rail(number) for number in range(8)))

    assert [gate.name for gate in said.reported] == ["ran"]
    assert "8" in said.reported[0].seen
