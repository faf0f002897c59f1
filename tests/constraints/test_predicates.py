"""The limits that constraints are made of, each on both sides of its edge, and beside what exists already."""

from typing import Any

import pytest
from pulumi_offline.constraints import predicates as p
from pulumi_offline.constraints.record import Existing, ExistingResources, Limit

TOKEN, OUTER = "t:x:Subnet", "t:x:Network"
LATER = "[mtu of t:x:Y z]"
"""What a preview shows of an output."""


def broken(limit: Limit, inputs: Any, *others: Existing) -> list[str]:
    """The paths that break a limit."""
    return list(limit.check(inputs, ExistingResources(others)))


INPUTS = {"a": {"b": [{"c": 1}, {"c": None}, {"d": 2}, {"c": [3, 4]}]}, "e": "x", "f": None, "g": 0}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b.c", [("a.b[0].c", 1), ("a.b[3].c[0]", 3), ("a.b[3].c[1]", 4)]),
        ("e", [("e", "x")]),
        ("f", []),
        ("g", [("g", 0)]),
        ("e.x", []),
        ("none.x", []),
        ("", [("", INPUTS)]),
    ],
)
def test_values_at_a_path(path: str, found: list[Any]):
    """Through lists, each with its index; what is not set is not there."""
    assert list(p.at(INPUTS, path)) == found
    assert p.values(INPUTS, path) == [value for _, value in found]


def test_the_first_that_is_known():
    """Or what is told in its place."""
    inputs = {"a": [{"b": LATER}, {"b": 2}, {"b": 3}], "c": LATER}

    assert (p.get(inputs, "a.b"), p.get(inputs, "c"), p.get(inputs, "c", 7)) == (2, None, 7)


@pytest.mark.parametrize(
    ("value", "there"),
    [
        (False, False),
        ({}, False),
        ("", False),
        (None, False),
        (True, True),
        (0, False),
        (1, True),
        ("x", True),
        ({"b": 1}, True),
    ],
)
def test_what_counts_as_set(value: Any, there: bool):
    """What is empty or off does not; what is known later does."""
    assert p.has({"a": value}, "a") is there
    assert p.has({"a": [{"b": value}, {"b": LATER}]}, "a.b") and not p.has({}, "a")


def test_texts_and_lists():
    """A form is of the whole text; a value comes once."""
    assert p.matches("a+", "aa") and not p.matches("a+", "aab") and not p.matches("a+", "baa") and p.matches("[0-9]", 7)
    assert p.distinct(["a", "b"]) and p.distinct([]) and not p.distinct(["a", "b", "a"])
    assert p.inputs_with(("a.b", 1), ("a.c", 2), ("d", 3)) == {"a": {"b": 1, "c": 2}, "d": 3}


@pytest.mark.parametrize(
    ("limit", "kept", "over"),
    [
        (p.each("a", lambda value: value > 1), [2, LATER], [1]),
        (p.form("a", "[a-z]+"), ["abc", LATER], ["abc1", ""]),
        (p.one_of("a", ("x", 2)), ["x", 2, LATER], ["y", 3]),
        (p.between("a", 2, 4), [2, 4, "3.5", LATER], [1, 5, 1.9]),
        (p.length("a", 2, 3), ["ab", "abc", ["xy", "xyz"], LATER], ["a", "abcd"]),
        (
            p.block("a", 16, 28, "", ""),
            ["10.0.0.0/16", "10.0.0.0/28", LATER],
            ["10.0.0.0/15", "10.0.0.0/29", "10.0.0.1/24", "x"],
        ),
        (p.at_most("a", 2), [[], ["a", "b"]], [["a", "b", "c"]]),
        (p.once("a", "", []), [["a", "b"], []], [["a", "b", "a"]]),
        (p.disjoint("a", [], []), [["10.0.0.0/24", "10.0.1.0/24", "fd00::/64"], ["10.0.0.0/24", "x", LATER]], []),
    ],
)  # fmt: skip
def test_a_limit_of_one_value(limit: Limit, kept: list[Any], over: list[Any]):
    """The last values that keep to it, and the first that do not; what is known later does."""
    assert [value for value in kept if broken(limit, {"a": value})] == []
    assert [broken(limit, {"a": value}) for value in over] == [["a"]] * len(over)
    assert broken(limit, {}) == []


def test_each_item_has_its_place():
    """Of a list those alone that break the limit."""
    pools = {"pools": [{"size": 1}, {"size": 9}, {"name": "x"}, {"size": 0}]}

    assert broken(p.between("pools.size", 1, 8), pools) == ["pools[1].size", "pools[3].size"]
    assert broken(p.required("pools.size"), pools) == ["pools[2].size"]
    assert broken(p.required("pools.size"), {"pools": ["x"]}) == [] == broken(p.required("pools.size"), {})
    assert (broken(p.required("name"), {}), broken(p.required("name"), {"name": ""})) == (["name"], [])
    assert broken(p.once("pools", "name", []), {"pools": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}) == ["pools"]
    assert broken(p.disjoint("b", [], []), {"b": ["10.0.0.0/24", "10.1.0.0/24", "10.0.0.0/25"]}) == ["b[2]"]


@pytest.mark.parametrize(
    ("inputs", "fits"),
    [({"a": 1, "b": 1}, False), ({"a": 1}, True), ({"b": 1}, True), ({"a": 1, "b": False}, True), ({}, True)],
)
def test_of_two_one_at_the_most(inputs: Any, fits: bool):
    """The first is the one to mend."""
    assert broken(p.not_both("a", 1, "b", 1), inputs) == ([] if fits else ["a"])


def there(token: str = TOKEN, names: tuple[str, ...] = (), provider: str = "", **inputs: Any) -> Existing:
    """What a cloud holds."""
    return Existing(token, inputs, frozenset(names), provider)


@pytest.mark.parametrize(
    ("others", "fits"),
    [
        ([], True),
        ([there(name="x", zone="z")], False),
        ([there(name="y", zone="z"), there(name="x", zone="z")], False),
        ([there(name="x", zone="other")], True),
        ([there(name="y", zone="z")], True),
        ([there("t:x:Other", name="x", zone="z")], True),
    ],
)
def test_a_value_is_unique_in_its_scope(others: list[Existing], fits: bool):
    """Among those of the type, whatever else they have; one without the value takes nobody's."""
    unique = p.unique(TOKEN, "name", "zone")

    assert broken(unique, {"name": "x", "zone": "z", "more": 1}, *others) == ([] if fits else ["name"])
    assert broken(unique, {"zone": "z"}, there(zone="z")) == []


@pytest.mark.parametrize(("count", "fits"), [(0, True), (1, True), (2, False), (3, False)])
def test_an_owner_has_room_for_so_many(count: int, fits: bool):
    """By what refers to it; those of another owner take none."""
    others = [*(there(owner=f"[id of {OUTER} o]") for _ in range(count)), *(there(owner="other") for _ in range(5))]

    assert broken(p.room(TOKEN, "owner", 2), {"owner": f"{OUTER} o"}, *others) == ([] if fits else ["owner"])


@pytest.mark.parametrize(
    ("inputs", "paths"),
    [
        ({"cidr": "10.0.1.0/24", "net": "n"}, []),
        ({"cidr": "10.0.0.128/25", "net": "n"}, ["cidr"]),
        ({"cidr": "10.0.0.128/25", "net": "other"}, []),
        ({"cidr": "10.0.1.0/24", "more": ["10.0.2.0/24", "10.0.1.0/25"], "net": "n"}, ["more[1]"]),
        ({"cidr": "10.1.0.0/16", "more": ["10.0.0.0/8"], "net": "n"}, ["more[0]"]),
        ({"cidr": LATER, "net": "n"}, []),
        ({"cidr": "fd00::/64", "net": "n"}, []),
    ],
)
def test_blocks_lie_apart(inputs: Any, paths: list[str]):
    """From those of others in the same network, and from each other."""
    others = [there(cidr="10.0.0.0/24", net="n"), there("t:x:Other", cidr="10.0.1.0/24", net="n")]

    assert broken(p.apart(TOKEN, "cidr", "net", "more"), inputs, *others) == paths


@pytest.mark.parametrize(
    ("inputs", "paths"),
    [
        ({"cidr": "10.0.0.0/24", "net": "n"}, []),
        ({"cidr": "10.0.0.0/16", "net": "n"}, []),
        ({"cidr": "10.2.255.0/24", "net": "n"}, []),
        ({"cidr": "10.0.0.0/15", "net": "n"}, ["cidr"]),
        ({"cidr": "9.255.0.0/16", "net": "n"}, ["cidr"]),
        ({"cidr": "10.4.0.0/15", "net": "n"}, ["cidr"]),
        ({"cidr": "10.1.0.0/24", "net": "n"}, ["cidr"]),
        ({"cidr": "fd00::/64", "net": "n"}, ["cidr"]),
        ({"cidr": "10.1.0.0/24", "net": "unknown"}, []),
        ({"cidr": "10.1.0.0/24", "net": "empty"}, []),
        ({"cidr": LATER, "net": "n"}, []),
        ({"cidr": "10.1.0.0/24"}, []),
    ],
)
def test_blocks_lie_inside_their_network(inputs: Any, paths: list[str]):
    """In one of its blocks; of a network that nobody knows nothing is said."""
    networks = [
        there(OUTER, ("m",), blocks=["10.0.0.0/8"]),
        there(OUTER, ("x", "n"), blocks=["10.0.0.0/16", "10.2.0.0/16", "10.5.0.0/16"]),
        there(OUTER, ("empty",)),
    ]

    assert broken(p.inside("cidr", OUTER, "net", "blocks"), inputs, *networks) == paths


def test_what_exists_beside_one_is_of_its_provider():
    """Itself is not among them; without one, all are."""
    one, other, apart, third = there(provider="p"), there(provider="p"), there(provider="q"), there(OUTER, ("n",), "p")
    everything = ExistingResources([one, other, apart, third])

    assert list(everything.of(TOKEN)) == [one, other, apart] and list(everything.of("t:x:None")) == []
    beside = everything.beside(one)
    assert beside.of(TOKEN) == [other] and everything.beside(apart).of(TOKEN) == []
    assert beside.find(OUTER, f"[id of {OUTER} n]") is None and beside.find(OUTER, "n") is third
    assert everything.beside(apart).find(OUTER, "n") is None


@pytest.mark.parametrize(
    "limit",
    [
        p.each("a.b", lambda value: value > 1, 2, 1),
        p.required("a", 1),
        p.once("a", "k", [{"k": 1}, {"k": 2}]),
        p.at_most("a", 2),
        p.not_both("a", 1, "b", 2),
        p.unique(TOKEN, "a", "scope"),
        p.room(TOKEN, "a", 2),
        p.disjoint("a", ["10.0.0.0/24"], ["10.0.0.0/24", "10.0.0.0/25"]),
        p.apart(TOKEN, "a", "scope"),
        p.inside("a", OUTER, "net", "blocks"),
    ],
)
def test_a_limit_brings_its_examples(limit: Limit):
    """One that keeps to it, and one that breaks it."""
    assert limit.accepted is not None and limit.refused is not None

    assert broken(limit, limit.accepted, *limit.among) == []
    assert broken(limit, limit.refused, *limit.among) != []


def test_an_example_is_a_value_or_all_inputs():
    """Those of a limit that a model states as data are none."""
    limit = p.each("a.b", bool, 5, {"c": 1})

    assert (limit.accepted, limit.refused) == ({"a": {"b": 5}}, {"c": 1})
    assert (p.each("a", bool).accepted, p.each("a", bool).refused) == (None, None)
