"""The door: everything that comes in from a user is checked here, once, and all its faults are told together.

An args shape is a ``TypedDict``. ``admit`` reads a value as one; the rules of a plan collect what else is wrong in
``Faults``. Both speak of the same paths, so a user reads one list. What could not be read is ``UNREAD`` in what
``admit`` returns: rules that need it are skipped, all others judge.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from .faults import Fault, Faults, Path, Refused, show
from .unread import UNREAD, rule

if TYPE_CHECKING:
    from pulumi import Input

    Link = Input[str]
else:
    # The name or id of another resource, often an Output. Left of the wall nothing may import Pulumi, so that at run
    # time any value is let in here; the door's only demand is that a plain one is a string.
    Link = Any

T = TypeVar("T")
P = TypeVar("P")


def shape(cls: type[T]) -> type[T]:
    """Marks a ``TypedDict`` as an args shape."""
    return cls


def planned(
    args_shape: type[T], decide: Callable[[T, Faults], P | None], args: Mapping[str, Any], *, camel: bool = False
) -> P:
    """The plan that ``decide`` makes of ``args``, checked against ``args_shape``.

    ``camel`` reads keys, and spells the faults' paths, as stack files do. Raises ``Refused`` with every fault.
    """
    at_door, by_rule = Faults(), Faults()
    admitted = admit(args_shape, args, at_door, camel=camel)
    plan = None
    try:
        plan = rule(decide)(admitted, by_rule)
    except TypeError:  # what is written in C takes UNREAD for a value of a wrong type
        if not at_door:
            raise
    rules = by_rule.found()
    if camel:
        rules = [Fault(_as_in_file(args_shape, fault.path), fault.reason) for fault in rules]
    # The door speaks of keys as the user wrote them, the rules of keys as the shape has them.
    if found := [*at_door.found(), *rules]:
        raise Refused(found)
    if plan is None:
        raise AssertionError(f"{decide} returned no plan and named no fault")
    return plan


def admit(args_shape: type[T], value: Mapping[str, Any], faults: Faults, *, camel: bool = False) -> T:
    """``value`` as ``args_shape``, with whole floats made ints and choices made enums.

    ``camel`` reads keys as stack files spell them. Adds every fault. Unknown keys are left out of what is returned,
    and so are keys without a value (``null``, ``None``); what is missing or of a wrong type is ``UNREAD``.
    """
    return _read(args_shape, value, faults, camel)


def spelt(hint: Any, value: Any) -> Any:
    """``value`` of an args shape with its keys in camelCase; keys that are the user's own stay."""
    if is_typeddict(hint) and isinstance(value, Mapping):
        return {to_camel(key): spelt(hints(hint).get(key), of) for key, of in value.items()}
    if get_origin(hint) is list and isinstance(value, list):
        return [spelt(get_args(hint)[0], item) for item in value]
    return value


@cache
def to_camel(key: str) -> str:
    """``max_nodes`` as stack files spell it: ``maxNodes``."""
    first, *others = key.split("_")
    return first + "".join(word.capitalize() for word in others)


@cache
def hints(args_shape: type) -> dict[str, Any]:
    """The types of a shape's keys."""
    return get_type_hints(args_shape)


@cache
def required(args_shape: Any) -> frozenset[str]:
    """The keys of a shape that must be there."""
    return args_shape.__required_keys__


def _as_in_file(hint: Any, path: Path) -> Path:
    """``path`` with an args shape's keys in camelCase; keys that are the user's own stay."""
    if path and is_typeddict(hint) and path[0] in hints(hint):
        return (to_camel(str(path[0])), *_as_in_file(hints(hint)[str(path[0])], path[1:]))
    if path and get_origin(hint) is list:
        return (path[0], *_as_in_file(get_args(hint)[0], path[1:]))
    return path


def _read(hint: Any, value: Any, faults: Faults, camel: bool) -> Any:
    """``value`` as what ``hint`` asks for; ``UNREAD`` with a fault where it is something else."""
    if is_typeddict(hint):
        return _read_keys(hint, value, faults, camel)
    if get_origin(hint) is list and isinstance(value, list):
        return [_read(get_args(hint)[0], item, faults.at(i), camel) for i, item in enumerate(value)]
    if get_origin(hint) is dict and isinstance(value, Mapping):
        return {key: _read(get_args(hint)[1], item, faults.at(str(key)), camel) for key, item in value.items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice(hint, value, faults)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)  # every number of another language arrives as a float
    if hint is Any and not (value is None or isinstance(value, bool | int | float | list | dict)):
        return value
    if hint in (str, int, bool) and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    faults.add(f"must be {_NOUNS[get_origin(hint) or hint]}, got {show(value)}{_remedy(hint, value)}")
    return UNREAD


_NOUNS = {
    int: "a whole number",
    bool: "true or false",
    str: "a string",
    list: "a list",
    dict: "a set of keys",
    Any: "a string or an output",
}


def _read_keys(args_shape: type, value: Any, faults: Faults, camel: bool) -> Any:
    """A set of keys as the shape that has them."""
    known = {to_camel(key) if camel else key: key for key in hints(args_shape)}
    if not isinstance(value, Mapping):
        faults.add(f"must be a set of keys, got {show(value)}; {_as_keys(args_shape, value, known)}")
        return UNREAD
    for key in value:
        if key not in known:
            close = get_close_matches(str(key), known, n=1)
            nearest = f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"
            faults.at(str(key)).add(f"unknown key; {nearest}")
    read = {}
    for spelling, key in known.items():
        if value.get(spelling) is not None:
            read[key] = _read(hints(args_shape)[key], value[spelling], faults.at(spelling), camel)
        elif key in required(args_shape):
            faults.at(spelling).add("missing; it has no default")
            read[key] = UNREAD
    return read


def _as_keys(args_shape: type, value: Any, known: Mapping[str, str]) -> str:
    """How to write as keys what was given as one value: ``spot`` as ``{spot: true}``."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if isinstance(value, str):
        if hints(args_shape).get(known.get(value, "")) is bool:
            return f"write {{{value}: true}}"
        must = required(args_shape)
        texts = [key for key, of in known.items() if of in must and hints(args_shape)[of] is str]
        if len(texts) == len(must) == 1:
            return f"write {{{texts[0]}: {show(value)}}}"
    return f"write one or more of {', '.join(sorted(known))}, each with its value"


def _choice(choices: type[Enum], value: Any, faults: Faults) -> Any:
    """One of an enum's members, by its value."""
    known = [str(each.value) for each in choices]
    if isinstance(value, choices) or (isinstance(value, str) and value in known):
        return choices(value)
    *most, last = known
    choice = f"one of {', '.join(most)} or {last}" if most else last
    faults.add(f"got {show(value)}; choose {choice}")
    return UNREAD


def _remedy(hint: Any, value: Any) -> str:
    if hint is str and isinstance(value, int | float):  # YAML reads 1.35 as a number, and yes as true
        return "; put it in quotes"
    if get_origin(hint) is list and value is not None:
        return "; write a dash before each item" if isinstance(value, Mapping) else f"; write [{show(value)}]"
    return ""
