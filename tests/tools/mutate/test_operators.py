"""Mutants of made-up programs are of each kind, and a seed draws the same again."""

import re

import pytest
from tests.stacks import ROOT
from tools.mutate.operators import mutants_of
from tools.mutate.outcome import equivalent_lines, key_pattern
from tools.mutate.sample import draw


def found(text: str) -> set[str]:
    """The texts after each mutant."""
    source = text.encode()
    return {mutant.applied(source).decode() for mutant in mutants_of("a.py", source)}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x = a < b", {"x = a <= b"}),
        ("x = a and b", {"x = (a or b)"}),
        ("x = not a", {"x = (a)"}),
        ("if a: b = c", {"if not a: b = c"}),
        ("x = a if b else c", {"x = (c if b else a)"}),
        ("x = a + b", {"x = (a - b)"}),
        ("x = True", {"x = False"}),
        ("x = 7", {"x = 8", "x = 6"}),
        ("x = 0", {"x = 1", "x = (-1)"}),
        ("x = 'é:a'", {"x = 'é:ax'", "x = 'é:a'"} - {"x = 'é:a'"}),
        ("def f(): return a", {"def f(): return None"}),
        ("f(a)", {"None"}),
        ("x = f(a, b=c, d=e)", {"x = f(a, d=e)", "x = f(a, b=c)"}),
        ("x = any(a)", {"x = all(a)"}),
        ("x = [a for a in b if c]", {"x = [a for a in b if True]"}),
        ("for a in b: break", {"for a in b: continue"}),
    ],
)
def test_a_mutant_changes_one_place_and_nothing_else(text: str, after: set[str]):
    assert found(text) == after


def test_a_seed_draws_the_same_again():
    """Kinds take turns, and no two are in one statement."""
    mutants = mutants_of("a.py", b"\n".join(b"x = a < %d" % i for i in range(50)))
    drawn = draw(mutants, 20, seed=3)

    assert drawn == draw(mutants, 20, seed=3) != draw(mutants, 20, seed=4)
    assert len({mutant.line for mutant in drawn}) == 20
    assert {mutant.kind for mutant in drawn} == {"comparison", "number"}


@pytest.mark.thorough
def test_each_line_of_the_equivalent_ones_is_a_mutant():
    """A line about code that is gone would hide one of tomorrow's."""
    lines = equivalent_lines()
    named = {line.partition(" ")[0].removesuffix(":") for line in lines}
    paths = {path for name in named for path in ROOT.glob(name) if path.suffix == ".py"}
    keys = [each.key for path in paths for each in mutants_of(str(path.relative_to(ROOT)), path.read_bytes())]

    assert [line for line in lines if not any(re.fullmatch(key_pattern(line), key) for key in keys)] == []
