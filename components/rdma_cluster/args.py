"""Reads what a user wrote as typed args, in two phases, and collects the errors of each.

An args shape is a ``TypedDict``. First form: ``admit`` reads a value as a shape and collects unknown and missing keys,
wrong types and wrong choices. Only where there are none, the plan function judges its rules over args that are what
their types say, and collects everything that is broken. So does Kubernetes: it decodes, then it validates.
"""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from enum import Enum
from functools import cache
from inspect import isawaitable
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, Required, TypeVar, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from .faults import Fault, Faults, Path, Refused, show
from .key_docs import with_keys

if TYPE_CHECKING:
    from pulumi import Input
else:

    class Input:
        """``Input[T]``: a ``T``, or an output of another resource that becomes one; ``pulumi.Input`` to a type checker.

        Nothing left of the wall may import Pulumi. At run time ``Input[T]`` is therefore ``T`` with this class as a
        mark, as ``Annotated`` writes marks. ``admit`` lets outputs in where it stands, and ``hosting`` puts
        ``pulumi.Input`` in its place, so that the schema lets other languages pass outputs, too.
        """

        def __class_getitem__(cls, plain: Any) -> Any:
            if get_origin(plain) is list:  # of whose items each may be an output, too, as in all SDKs of Pulumi
                plain = list[cls[get_args(plain)[0]]]
            return Annotated[plain, cls]


T = TypeVar("T")
P = TypeVar("P")

Link = Input[str]
"""The name, id or address of another resource."""


def is_output(value: Any) -> bool:
    """Whether ``value`` is known only later: an output of a resource, or something that is awaited."""
    return hasattr(type(value), "apply") or isawaitable(value)


def at_hand(items: Input[list[T]]) -> list[T] | None:
    """A list that another resource may bring, where it is known now; what its items hold may still be not."""
    return items if isinstance(items, list) else None


def within(item: Any, key: str) -> Any:
    """What a set of keys holds; of one that another resource brings that is known later, too."""
    return item if is_output(item) else item[key]


def shape(cls: type[T]) -> type[T]:
    """Marks a ``TypedDict`` as an args shape, whose keys ``help`` shows with their meaning."""
    return with_keys(cls)


class CamelCased(dict[str, Any]):
    """Args whose keys are spelled as stack files and all languages but Python spell them."""


def planned(
    args_shape: type[T], decide: Callable[[T, Faults], P | None], args: Mapping[str, Any], *, camel: bool = False
) -> P:
    """The plan that ``decide`` makes of ``args``, checked against ``args_shape``.

    ``camel`` reads keys, and spells the faults' paths, as stack files do. Raises ``Refused`` with every fault.
    """
    return checked(args_shape, decide, args, camel=camel)[1]


def checked(
    args_shape: type[T], decide: Callable[[T, Faults], P | None], args: Mapping[str, Any], *, camel: bool = False
) -> tuple[T, P]:
    """``args`` as ``args_shape``, and the plan that ``decide`` makes of them; else as ``planned``."""
    of_form, of_rules = Faults(), Faults()
    admitted = admit(args_shape, args, of_form, camel=camel)
    if of_form:
        raise Refused(of_form.found(), rules_follow=True)
    plan = decide(admitted, of_rules)
    if broken := of_rules.found():
        # Form errors carry the keys that the user wrote, rules those of the shape.
        raise Refused([Fault(_as_in_file(args_shape, each.path), each.reason) if camel else each for each in broken])
    if plan is None:
        raise AssertionError(f"{decide} returned no plan and named no fault")
    return admitted, plan


def admit(args_shape: type[T], value: Mapping[str, Any], faults: Faults, *, camel: bool = False) -> T:
    """``value`` as ``args_shape``, with whole floats made ints and choices made enums.

    ``camel`` reads keys as stack files spell them. Adds every fault; what is returned has the shape's type only where
    none was added. Keys without a value (``null``, ``None``) are left out.
    """
    return _read(args_shape, value, faults, camel)


def spelt(hint: Any, value: Any) -> Any:
    """``value`` of an args shape with its keys in camelCase; keys that are the user's own stay."""
    hint = plain(hint)
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
    """The types of a shape's keys; what may be an output is marked with ``Input``."""
    types = get_type_hints(args_shape, include_extras=True).items()
    return {key: get_args(hint)[0] if get_origin(hint) in (NotRequired, Required) else hint for key, hint in types}


def plain(hint: Any) -> Any:
    """A type without its mark."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


@cache
def required(args_shape: Any) -> frozenset[str]:
    """The keys of a shape that must be there."""
    return args_shape.__required_keys__


def _as_in_file(hint: Any, path: Path) -> Path:
    """``path`` with an args shape's keys in camelCase; keys that are the user's own stay."""
    hint = plain(hint)
    if path and is_typeddict(hint) and path[0] in hints(hint):
        return (to_camel(str(path[0])), *_as_in_file(hints(hint)[str(path[0])], path[1:]))
    if path and get_origin(hint) is list:
        return (path[0], *_as_in_file(get_args(hint)[0], path[1:]))
    return path


def _in_python(hint: Any, value: Any) -> Any:
    """``value``, spelled in camelCase, with its keys as the shape has them."""
    hint = plain(hint)
    if is_typeddict(hint):
        names = {to_camel(key): key for key in hints(hint)}
        return {names.get(key, key): _in_python(hints(hint).get(names.get(key, "")), of) for key, of in value.items()}
    return [_in_python(get_args(hint)[0], item) for item in value] if get_origin(hint) is list else value


def _read(hint: Any, value: Any, faults: Faults, camel: bool) -> Any:
    """``value`` as what ``hint`` asks for; ``None`` with a fault where it is something else."""
    if is_output(value):
        return _read_output(hint, value, faults, camel)
    hint = plain(hint)
    if is_typeddict(hint):
        return _read_keys(hint, value, faults, camel)
    if get_origin(hint) is list and isinstance(value, list):
        return [_read(get_args(hint)[0], item, faults.at(i), camel) for i, item in enumerate(value)]
    if get_origin(hint) is dict and isinstance(value, Mapping):
        entries = {str(key): of for key, of in value.items() if of is not None}
        return {key: _read(get_args(hint)[1], of, faults.at(key), camel) for key, of in entries.items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice(hint, value, faults)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)  # every number of another language arrives as a float
    if hint in (str, int, bool) and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    faults.add(f"must be {_NOUNS[get_origin(hint) or hint]}, got {show(value)}{_remedy(hint, value)}")
    return None


def _read_output(hint: Any, value: Any, faults: Faults, camel: bool) -> Any:
    """A value that is known later, where it may be one; the keys inside it then have Python's spelling."""
    if get_origin(hint) is not Annotated:
        faults.add("got an output; this decides what is built, so it must be known before: write the value")
    return value.apply(lambda known: _in_python(hint, known)) if camel and _holds_shape(hint) else value


def _holds_shape(hint: Any) -> bool:
    hint = plain(hint)
    return is_typeddict(hint) or (get_origin(hint) is list and _holds_shape(get_args(hint)[0]))


_NOUNS = {int: "a whole number", bool: "true or false", str: "a string", list: "a list", dict: "a set of keys"}


def _read_keys(args_shape: type, value: Any, faults: Faults, camel: bool) -> Any:
    """A set of keys as the shape that has them; the key that a misspelt one means is not missing as well."""
    known = {to_camel(key) if camel else key: key for key in hints(args_shape)}
    if not isinstance(value, Mapping):
        faults.add(f"must be a set of keys, got {show(value)}; {_as_keys(args_shape, value, known)}")
        return None
    meant = set()
    for key in value:
        if key not in known and value[key] is not None:
            close = get_close_matches(str(key), known, n=1)
            nearest = f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"
            faults.at(str(key)).add(f"unknown key; {nearest}")
            meant.update(close)
    read = {}
    for spelling, key in known.items():
        if value.get(spelling) is not None:
            read[key] = _read(hints(args_shape)[key], value[spelling], faults.at(spelling), camel)
        elif key in required(args_shape) and spelling not in meant:
            faults.at(spelling).add("missing; it has no default")
    return read


def _as_keys(args_shape: type, value: Any, known: Mapping[str, str]) -> str:
    """How to write one value as keys: ``spot`` as ``{spot: true}``."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if isinstance(value, bool) and hints(args_shape).get(known.get("enabled", "")) is bool:
        return f"write {{enabled: {show(value)}}}"
    if isinstance(value, str):
        hint = hints(args_shape).get(known.get(value, ""))
        if hint is bool:
            return f"write {{{value}: true}}"
        if is_typeddict(hint) and not required(hint):
            return f"write {{{value}: {{}}}}"
        must = required(args_shape)
        texts = [key for key, of in known.items() if of in must and plain(hints(args_shape)[of]) is str]
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
    return None


def _remedy(hint: Any, value: Any) -> str:
    if hint is str and isinstance(value, int | float):  # YAML reads 1.35 as a number, and yes as true
        return "; put it in quotes"
    unquoted = {int: r"-?[0-9]+", bool: "true|false"}.get(hint)
    if unquoted and isinstance(value, str) and re.fullmatch(unquoted, value):
        return "; write it without quotes"
    if get_origin(hint) is list and value is not None:
        return "; write a dash before each item" if isinstance(value, Mapping) else f"; write [{show(value)}]"
    if get_origin(hint) is dict:
        return "; write KEY: VALUE, each on a line of its own, or {KEY: VALUE}"
    return ""
