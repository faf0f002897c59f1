"""The limits that constraints are made of: those of lists, and those beside what exists already."""

from typing import Any

import pytest
from pulumi_offline.constraints import predicates as p
from pulumi_offline.constraints.record import Existing, ExistingResources, Limit
from tests.constraints.judged import LATER

TOKEN, OUTER = "t:x:Subnet", "t:x:Network"


def broken(limit: Limit, inputs: Any, *others: Existing) -> list[str]:
    """The paths that break a limit."""
    return list(limit.check(inputs, ExistingResources(others)))


def there(token: str = TOKEN, names: tuple[str, ...] = (), provider: str = "", **inputs: Any) -> Existing:
    """What a cloud holds."""
    return Existing(token, inputs, frozenset(names), provider)


def test_each_item_of_a_list_that_breaks_a_limit_is_named():
    pools = {"pools": [{"size": 1}, {"size": 9}, {"name": "x"}, {"size": 0}, {"size": [2, 9]}, {"size": LATER}]}

    assert broken(p.between("pools.size", 1, 8), pools) == ["pools[1].size", "pools[3].size", "pools[4].size[1]"]
    assert broken(p.required("pools.size"), pools) == ["pools[2].size"]
    assert (broken(p.required("name"), {}), broken(p.required("name"), {"name": ""})) == (["name"], [])
    assert broken(p.once("pools", "name", []), {"pools": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}) == ["pools"]
    assert broken(p.disjoint("b", [], []), {"b": ["10.0.0.0/24", "10.1.0.0/24", "10.0.0.0/25"]}) == ["b[2]"]


@pytest.mark.parametrize(
    "limit",
    [p.form("a", "[a-z]+"), p.between("a", 2, 4), p.length("a", 2, 3), p.block("a", 16, 28, "", ""), p.one_of("a", ())],
)
def test_what_is_not_known_yet_or_not_set_keeps_every_limit(limit: Limit):
    assert broken(limit, {"a": LATER}) == broken(limit, {}) == broken(limit, {"a": None}) == []
    assert broken(limit, {"a": "1"}) == ["a"]


@pytest.mark.parametrize("value", [False, {}, "", None, 0])
def test_what_is_empty_or_off_is_not_set(value: Any):
    limit = p.not_both("a", 1, "b", 1)

    assert broken(limit, {"a": 1, "b": value}) == broken(limit, {"b": 1}) == []
    assert broken(limit, {"a": 1, "b": 1}) == ["a"]


def test_a_value_is_unique_among_those_of_its_type_and_scope():
    unique = p.unique(TOKEN, "name", "zone")
    free = [there(name="x", zone="other"), there(name="y", zone="z"), there("t:x:Other", name="x", zone="z")]

    assert broken(unique, {"name": "x", "zone": "z"}, *free) == broken(unique, {"zone": "z"}, there(zone="z")) == []
    assert broken(unique, {"name": "x", "zone": "z"}, *free, there(name="x", zone="z")) == ["name"]


@pytest.mark.parametrize(
    ("inputs", "paths"),
    [
        ({"cidr": "10.0.1.0/24", "net": "n"}, []),
        ({"cidr": "10.0.0.128/25", "net": "n"}, ["cidr"]),
        ({"cidr": "10.0.0.128/25", "net": "other"}, []),
        ({"cidr": "10.0.1.0/24", "more": ["10.0.2.0/24", "10.0.1.0/25"], "net": "n"}, ["more[1]"]),
        ({"cidr": "fd00::/64", "more": [LATER, "x"], "net": "n"}, []),
    ],
)
def test_blocks_lie_apart_from_each_other_and_from_those_in_their_network(inputs: Any, paths: list[str]):
    others = [there(cidr="10.0.0.0/24", net="n"), there("t:x:Other", cidr="10.0.1.0/24", net="n")]

    assert broken(p.apart(TOKEN, "cidr", "net", "more"), inputs, *others) == paths


@pytest.mark.parametrize(("net", "fits"), [("n", False), ("unknown", True), ("empty", True)])
def test_blocks_lie_inside_one_of_their_network_s(net: str, fits: bool):
    """Of a network that nobody knows nothing is said."""
    networks = [
        there(OUTER, ("m",), blocks=["10.0.0.0/8"]),
        there(OUTER, ("x", "n"), blocks=["10.0.0.0/16", "10.2.0.0/16"]),
        there(OUTER, ("empty",)),
    ]
    limit = p.inside("cidr", OUTER, "net", "blocks")

    assert broken(limit, {"cidr": ["10.0.0.0/16", "10.2.255.0/24", LATER], "net": net}, *networks) == []
    for cidr in ("10.0.0.0/15", "9.255.0.0/16", "10.2.0.0/15", "10.1.0.0/24", "fd00::/64"):
        assert broken(limit, {"cidr": cidr, "net": net}, *networks) == ([] if fits else ["cidr"])


def test_a_resource_is_beside_the_others_of_its_provider():
    one, other, apart, third = there(provider="p"), there(provider="p"), there(provider="q"), there(OUTER, ("n",), "p")
    everything = ExistingResources([one, other, apart, third])

    assert everything.beside(one).of(TOKEN) == [other] and everything.beside(apart).of(TOKEN) == []
    assert everything.beside(one).find(OUTER, "n") is third and everything.beside(apart).find(OUTER, "n") is None
