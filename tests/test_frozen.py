"""Classes that ``frozen`` makes are frozen dataclasses in all that the package and its users do with them."""

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from importlib import import_module
from inspect import signature
from typing import Any

import pytest
from pulumi_offline.frozen import frozen
from rdma_cluster.common import CLOUDS


@frozen
class Point:
    """Two fields, one with a default, one that is not compared, one that is made anew."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False, repr=False)
    tags: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Original:
    """The same by the standard library."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False, repr=False)
    tags: Mapping[str, str] = field(default_factory=dict, compare=False)


@frozen(kw_only=True)
class Base:
    """A base whose field goes by keyword."""

    warnings: tuple[str, ...] = ()


@frozen(kw_only=True)
class Derived(Base):
    """It checks itself."""

    size: int

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError("too small")


@pytest.mark.parametrize(
    "arguments", [((1,), {}), ((1, 3), {}), ((), {"x": 1}), ((1,), {"y": 5, "note": "n", "tags": {"a": "b"}})]
)
def test_is_what_a_dataclass_is(arguments: tuple[tuple[Any, ...], dict[str, Any]]):
    """Values, text, equality, hash and fields agree with the standard library's."""
    args, named = arguments
    ours, theirs = Point(*args, **named), Original(*args, **named)

    assert asdict(ours) == asdict(theirs)
    assert repr(ours) == repr(theirs).replace("Original", "Point")
    assert ours == Point(*args, **named) and ours != theirs and hash(ours) == hash(theirs)
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    assert replace(ours, y=9) == Point(ours.x, 9)
    assert Point(1).tags is not Point(1).tags


def test_signature_is_a_dataclass_s():
    """An editor and ``help`` show the fields. A default that is made for each record is shown as it is made."""
    ours, theirs = signature(Point), signature(Original)
    assert str(ours) == str(theirs).replace("<factory>", "{}").removesuffix(" -> None")

    assert str(signature(Derived)) == "(*, warnings: tuple[str, ...] = (), size: int)"
    plans = [
        each for cloud in CLOUDS for each in vars(import_module(f"rdma_cluster.{cloud}.plan.rdma_cluster")).values()
    ]
    for record in filter(lambda each: "__signature__" in getattr(each, "__dict__", {}), plans):
        assert set(signature(record).parameters) == {each.name for each in fields(record)}


def test_what_is_not_compared_is_not_told_apart():
    """Nor does it change the hash; another class with the same fields is another."""
    assert Point(1, 2, "a", {"b": "c"}) == Point(1, 2) and hash(Point(1, 2, "a")) == hash(Point(1, 2))
    assert Point(1, 3) != Point(1, 2) and hash(Point(1, 3)) != hash(Point(1, 2))
    assert Point(1).__eq__(Original(1)) is NotImplemented
    assert repr(Point(1, note="n")) == "Point(x=1, y=2, tags={})"


def test_a_class_s_own_methods_stay():
    """Those of the text, of equality, and the constructor's check."""

    @frozen
    class Own:
        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    assert (repr(Own("a")), Own("a") == Own("b"), hash(Own("a"))) == ("<a>", True, 7)


def test_stays_as_it_is():
    """No field can be set or deleted."""
    point = Point(1)

    with pytest.raises(FrozenInstanceError, match=r"^cannot assign to field 'x'$"):
        point.x = 2  # ty: ignore[invalid-assignment]
    with pytest.raises(FrozenInstanceError, match=r"^cannot delete field 'x'$"):
        del point.x  # ty: ignore[invalid-assignment]
    assert point.x == 1


@pytest.mark.parametrize(
    ("args", "named", "words"),
    [
        ((), {}, "needs x"),
        ((1,), {"x": 1}, "Point got two values for x$"),
        ((1, 2, "n"), {"y": 1, "note": "", "x": 1}, "Point got two values for note, x, y$"),
        ((1, 2, "", {}, 5), {}, "takes 4 positional arguments, got 5"),
        ((1,), {"z": 1}, "Point has no z$"),
        ((), {"z": 1, "w": 1, "v": 1}, "Point has no v, w, z$"),
        ((), {"y": 1}, "Point needs x$"),
    ],
)
def test_wrong_arguments(args: tuple[Any, ...], named: dict[str, Any], words: str):
    """As of any constructor."""
    with pytest.raises(TypeError, match=words):
        Point(*args, **named)


def test_inherits():
    """Fields of a base come along, by keyword, and a class may check itself."""
    assert Derived(size=1).warnings == ()
    assert Derived(size=1, warnings=("w",)) != Derived(size=1)
    with pytest.raises(TypeError, match="takes 0 positional"):
        Derived(1)  # ty: ignore[missing-argument, too-many-positional-arguments]
    with pytest.raises(ValueError, match="too small"):
        Derived(size=0)
    match Point(1, 7):
        case Point(_, y):
            assert y == 7


def made(cls: Any, *args: Any) -> Any:
    """What a type checker would not let pass."""
    return cls(*args)


def test_fields_that_go_by_keyword_alone():
    """Take no place among the others, and no pattern's."""

    @frozen(kw_only=True)
    class Pool:
        name: str

    assert Pool.__match_args__ == () and Pool(name="a") == Pool(name="a")
    with pytest.raises(TypeError, match="takes 0 positional arguments, got 1"):
        made(Pool, "a")
