"""The list of equivalent mutants is of code that is there."""

import re

import pytest
from tests.stacks import ROOT
from tools.mutate.operators import mutants_of
from tools.mutate.outcome import equivalent_lines, key_pattern


@pytest.mark.thorough
def test_each_line_of_the_equivalent_ones_is_a_mutant():
    """A line about code that is gone would hide one of tomorrow's."""
    lines = equivalent_lines()
    named = {line.partition(" ")[0].removesuffix(":") for line in lines}
    paths = {path for name in named for path in ROOT.glob(name) if path.suffix == ".py"}
    keys = [each.key for path in paths for each in mutants_of(str(path.relative_to(ROOT)), path.read_bytes())]

    assert [line for line in lines if not any(re.fullmatch(key_pattern(line), key) for key in keys)] == []
