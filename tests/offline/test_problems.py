"""How problems are told: by resource, property and message, all of them in one exception."""

import pytest
from pulumi_offline import BrokenProgram, Graph, Problem

URN = "urn:pulumi:lab::gpu::t:index:Team$t:index:Rail::rail-0"


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (Problem(URN, "mtu", "'big' is not int"), "t:index:Rail rail-0: mtu: 'big' is not int"),
        (Problem(URN, "", "two have it"), "t:index:Rail rail-0: two have it"),
        (Problem("", "", "no capacity"), "no capacity"),
        (Problem("", "a", "wrong"), "a: wrong"),
    ],
)
def test_a_problem_is_a_line(problem: Problem, told: str):
    """What it is not of is left out."""
    assert str(problem) == told


def test_problems_come_together():
    """So many, with the stack; a program keeps them and its graph."""
    one, other, graph = Problem(URN, "a", "x"), Problem("", "", "y"), Graph("lab", (), {})

    assert str(BrokenProgram((one,), graph)) == "1 problem in stack lab\n  t:index:Rail rail-0: a: x"
    both = BrokenProgram((one, other), graph)
    assert str(both) == "2 problems in stack lab\n  t:index:Rail rail-0: a: x\n  y"
    assert both.problems == (one, other) and both.graph is graph
    assert sorted([one, other]) == [other, one]
