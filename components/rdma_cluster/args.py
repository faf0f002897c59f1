"""The door: everything that comes in from a user is checked here, once, and all its faults are told together.

An args shape is a ``TypedDict`` under ``@shape``. ``admit`` checks a value against it; the rules of a plan collect
what else is wrong in ``Faults``. Both speak of the same paths, so a user reads one list.
"""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from enum import Enum
from functools import cache
from inspect import isawaitable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic.alias_generators import to_camel
from pydantic_core.core_schema import CoreSchema, no_info_wrap_validator_function
from typing_extensions import get_type_hints, is_typeddict

from .faults import Fault, Faults, Path, Refused
from .key_docs import with_keys

if TYPE_CHECKING:
    from pulumi import Input
else:

    class Input:
        """``Input[T]``: a ``T``, or an output of another resource that becomes one; ``pulumi.Input`` to a type checker.

        Nothing left of the wall may import Pulumi. At run time ``Input[T]`` is therefore ``T`` with this class as a
        mark, as ``Annotated`` writes marks. The door reads the mark and lets outputs in; ``hosting`` reads it and puts
        ``pulumi.Input`` in its place, so that the schema says that other languages may pass outputs, too.
        """

        def __class_getitem__(cls, plain: Any) -> Any:
            if get_origin(plain) is list:  # of whose items each may be an output, too, as in all SDKs of Pulumi
                plain = list[cls[get_args(plain)[0]]]
            return Annotated[plain, cls]

        @staticmethod
        def __get_pydantic_core_schema__(source: Any, handler: Callable[[Any], CoreSchema]) -> CoreSchema:
            def check(value: Any, as_plain: Callable[[Any], Any]) -> Any:
                return value if is_output(value) else as_plain(value)

            return no_info_wrap_validator_function(check, handler(source))


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


def shape(cls: type[T]) -> type[T]:
    """Marks a ``TypedDict`` as an args shape: unknown keys are faults, and stack files write its keys in camelCase."""
    return with_keys(with_config(ConfigDict(extra="forbid", alias_generator=to_camel))(cls))


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
    at_door, by_rule = Faults(), Faults()
    admitted = admit(args_shape, args, at_door, camel=camel)
    plan = None if admitted is None else decide(admitted, by_rule)
    rules = by_rule.found()
    if camel:
        rules = [Fault(_as_in_file(args_shape, fault.path), fault.reason) for fault in rules]
    # The door speaks of keys as the user wrote them, the rules of keys as the shape has them.
    if found := [*at_door.found(), *rules]:
        raise Refused(found)
    if admitted is None or plan is None:
        raise AssertionError(f"{decide} returned no plan and named no fault")
    return admitted, plan


def admit(args_shape: type[T], value: Mapping[str, Any], faults: Faults, *, camel: bool = False) -> T | None:
    """``value`` as ``args_shape``, with whole floats made ints, choices made enums, and no key that holds ``None``.

    Adds every fault; unknown keys are left out of what is returned, so that the rules can tell what else is wrong.
    Returns ``None`` when the rest has not the shape.
    """
    value = _present(value)
    for fault in _bent(args_shape, value, camel, ()):
        faults.at(*fault.path).add(fault.reason)
    try:
        admitted = _adapter(args_shape).validate_python(value, by_alias=camel, by_name=not camel)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        for each in errors:
            fault = _translate(args_shape, each, camel)
            faults.at(*fault.path).add(fault.reason)
        if any(each["type"] != "extra_forbidden" for each in errors):
            return None
        unknown = {each["loc"] for each in errors}
        return admit(args_shape, _without(value, unknown), faults, camel=camel)
    if faults and any(_bent(args_shape, value, camel, ())):
        return None
    return _respelt(args_shape, admitted) if camel else admitted


def _respelt(hint: Any, value: Any) -> Any:
    """``value`` with the keys inside its outputs as the shape has them: only the rest could be read at the door."""
    if is_output(value):
        return value.apply(lambda known: _in_python(hint, known)) if _holds_shape(hint) else value
    if is_typeddict(hint):
        return {key: _respelt(_hints(hint)[key], of) for key, of in value.items()}
    return [_respelt(get_args(hint)[0], item) for item in value] if get_origin(hint) is list else value


def _in_python(hint: Any, value: Any) -> Any:
    """``value``, spelled in camelCase, with its keys as the shape has them."""
    if is_typeddict(hint):
        names = {to_camel(key): key for key in _hints(hint)}
        return {names.get(key, key): _in_python(_hints(hint).get(names.get(key)), of) for key, of in value.items()}
    return [_in_python(get_args(hint)[0], item) for item in value] if get_origin(hint) is list else value


def _holds_shape(hint: Any) -> bool:
    return is_typeddict(hint) or (get_origin(hint) is list and _holds_shape(get_args(hint)[0]))


def spelt(hint: Any, value: Any) -> Any:
    """``value`` of an args shape with its keys in camelCase; keys that are the user's own stay."""
    if is_typeddict(hint) and isinstance(value, Mapping):
        return {to_camel(key): spelt(_hints(hint).get(key), of) for key, of in value.items()}
    if get_origin(hint) is list and isinstance(value, list):
        return [spelt(get_args(hint)[0], item) for item in value]
    return value


def _as_in_file(hint: Any, path: Path) -> Path:
    """``path`` with an args shape's keys in camelCase; keys that are the user's own stay."""
    if path and is_typeddict(hint) and path[0] in _hints(hint):
        return (to_camel(str(path[0])), *_as_in_file(_hints(hint)[str(path[0])], path[1:]))
    if path and get_origin(hint) is list:
        return (path[0], *_as_in_file(get_args(hint)[0], path[1:]))
    return path


def _present(value: Any) -> Any:
    """``value`` without keys that hold ``None``: such a key is absent, as everywhere in Pulumi."""
    if isinstance(value, Mapping):
        return {key: _present(of) for key, of in value.items() if of is not None}
    return [_present(item) for item in value] if isinstance(value, list) else value


def _without(value: Any, paths: set[Path], path: Path = ()) -> Any:
    """``value`` with the keys at ``paths`` left out."""
    if isinstance(value, Mapping):
        return {key: _without(of, paths, (*path, key)) for key, of in value.items() if (*path, key) not in paths}
    if isinstance(value, list):
        return [_without(of, paths, (*path, i)) for i, of in enumerate(value)]
    return value


@cache
def _adapter(args_shape: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(args_shape)


@cache
def _hints(args_shape: type) -> dict[str, Any]:
    return get_type_hints(args_shape)


def _bent(hint: Any, value: Any, camel: bool, path: Path) -> Iterator[Fault]:
    """Values of a wrong type that pydantic would convert: ``"2"`` for 2, or ``true`` for 1."""
    if is_typeddict(hint) and isinstance(value, Mapping):
        for key, of in _hints(hint).items():
            if (spelt := to_camel(key) if camel else key) in value:
                yield from _bent(of, value[spelt], camel, (*path, spelt))
    elif get_origin(hint) is list and isinstance(value, list):
        for i, item in enumerate(value):
            yield from _bent(get_args(hint)[0], item, camel, (*path, i))
    elif is_output(value):
        return
    elif (hint is int and isinstance(value, str | bool)) or (hint is bool and not isinstance(value, bool)):
        yield Fault(path, f"must be {_NOUN[hint]}, got {_show(value)}")


_NOUN = {int: "a whole number", bool: "true or false"}
_NOUNS = {
    "int": "a whole number",
    "bool": "true or false",
    "string": "a string",
    "list": "a list",
    "dict": "a set of keys",
}


def _translate(args_shape: type, error: Any, camel: bool) -> Fault:
    """One pydantic error in the words of this project."""
    path, kind, got = tuple(error["loc"]), error["type"], _show(error["input"])
    if kind == "extra_forbidden":
        known = sorted(to_camel(key) if camel else key for key in _hints(_shape_at(args_shape, path[:-1])))
        close = get_close_matches(str(path[-1]), known, n=1)
        return Fault(
            path, f"unknown key; did you mean {close[0]}?" if close else f"unknown key; known are {', '.join(known)}"
        )
    if kind == "missing":
        return Fault(path, "missing; it has no default")
    if is_output(error["input"]):
        return Fault(path, "got an output; this decides what is built, so it must be known before: write the value")
    if kind == "enum":
        return Fault(path, f"got {got}; choose one of {error['ctx']['expected'].replace(chr(39), '')}")
    noun = next((noun for prefix, noun in _NOUNS.items() if kind.startswith(prefix)), None)
    if noun is None:
        return Fault(path, f"{error['msg'].lower()}, got {got}")
    # YAML reads 1.35 as a number.
    remedy = "; put it in quotes" if kind.startswith("string") and isinstance(error["input"], int | float) else ""
    return Fault(path, f"must be {noun}, got {got}{remedy}")


def _shape_at(args_shape: type, path: Path) -> type:
    """The TypedDict that stands at ``path`` below ``args_shape``."""
    at: Any = args_shape
    for part in path:
        if isinstance(part, int):
            at = get_args(at)[0]
        else:
            at = next(of for key, of in _hints(at).items() if part in (key, to_camel(key)))
    return at


def _show(value: Any) -> str:
    if isinstance(value, Enum):
        value = value.value
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
