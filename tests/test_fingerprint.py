"""A proof outlives the code that asked for it: a fingerprint is made of named values."""

import asyncio
from contextlib import closing
from dataclasses import field, make_dataclass
from enum import Enum
from typing import Any

import pulumi
import pytest
from rdma_cluster.common.fingerprint import RELEASED_AS, fingerprint

Kind = Enum("Kind", {"FIRST": "first"}, type=str)
Sort = Enum("Sort", {"ONE": "first"}, type=str)


def plan(cls: str = "Plan", kind: Any = Kind.FIRST, **more: Any) -> Any:
    """A plan of a class of that name, with one further field."""
    return make_dataclass(cls, ["kind", *more], frozen=True)(kind, **more)


def test_names_of_classes_and_choices_do_not_count():
    inside = fingerprint(plan(part=plan("Part")), {"network": plan("Network")})

    assert fingerprint(plan("Renamed", kind=Sort.ONE, part=plan("Piece")), {"network": plan("Fabric")}) == inside


def test_a_field_keeps_the_name_that_it_was_released_with():
    """Its metadata says so; otherwise the nodes would count as others."""
    renamed = make_dataclass("Plan", [("sort", str, field(metadata={RELEASED_AS: "kind"}))])

    assert fingerprint(renamed("first"), {}) == fingerprint(plan(), {})
    assert fingerprint(make_dataclass("Plan", ["sort"])("first"), {}) != fingerprint(plan(), {})


@pytest.mark.parametrize("place", [{"zone": "a"}, {"zone": None}, {"room": "b"}, {"zone": "b", "tags": {"a": "b"}}])
def test_each_named_value_counts(place: dict[str, Any]):
    """Another name is another value, too."""
    assert fingerprint(plan(), place) != fingerprint(plan(), {"zone": "b"})


def test_the_order_of_keys_and_of_sets_does_not_count():
    assert fingerprint(plan(), {"a": {"x", "y"}, "b": 1}) == fingerprint(plan(), {"b": 1, "a": {"y", "x"}})
    # Python walks through these two in the order in which they were put in.
    assert list({0, 8}) != list({8, 0})
    assert fingerprint(plan(), {"a": {0, 8}}) == fingerprint(plan(), {"a": {8, 0}})


def test_all_outputs_count_as_one_value():
    """An output has no value yet, and its representation is an address in memory."""

    async def twice() -> list[str]:
        return [fingerprint(plan(), {"subnet": pulumi.Output.from_input("a")}) for _ in range(2)]

    with closing(asyncio.new_event_loop()) as loop:
        first, second = loop.run_until_complete(twice())

    assert first == second
