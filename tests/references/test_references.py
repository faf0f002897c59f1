"""Ours beside a configuration that is known to work: every difference has its reason."""

from importlib import import_module

import pytest
from tests.references.reference import Reference, differences, not_as_told
from tests.stacks import ROOT, graph_of

MODULES = [
    import_module(f"tests.{path.parent.name}.references") for path in sorted((ROOT / "tests").glob("*/references.py"))
]
CASES = [
    pytest.param(stack, each, id=f"{stack[0]} {each.token.rpartition(':')[2]} {each.name}")
    for module in MODULES
    for each in module.REFERENCES
    for stack in [each.stack if isinstance(each.stack, tuple) else (each.stack or module.STACK,)]
]


@pytest.mark.parametrize(("stack", "reference"), CASES)
def test_every_difference_has_its_reason(stack: tuple[str, ...], reference: Reference):
    """What we set otherwise, leave out or add; and no reason is given for what is alike."""
    resource = graph_of(*stack).one(reference.token, reference.name)

    assert differences(reference, resource) == set(reference.ours)


@pytest.mark.parametrize(("stack", "reference"), CASES)
def test_what_is_ours_is_what_the_reason_is_for(stack: tuple[str, ...], reference: Reference):
    """A reason for a switch that is on is none for one that is off."""
    assert not_as_told(reference, graph_of(*stack).one(reference.token, reference.name)) == {}
