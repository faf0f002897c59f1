"""Reads what a user wrote as typed args, in two phases, and collects the errors of each.

An args schema is a ``TypedDict``. First form: ``parse`` reads a value as a schema and collects unknown and missing
keys, wrong types and wrong choices. Only where there are none, the plan function judges its rules over args that are
what their types say, and collects everything that is broken. So does Kubernetes: it decodes, then it validates.
"""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from inspect import isawaitable
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, Required, TypeVar, get_args, get_origin

from pulumi_offline.errors import ErrorList, InputError, Path, Refused, show
from pulumi_offline.unknowns import SECRET
from typing_extensions import get_type_hints, is_typeddict
from .key_docs import with_keys
from .other_names import suggest

E = TypeVar("E", bound=Enum)

if TYPE_CHECKING:
    from pulumi import Input

    # `Any` where `str` would do: `parse` has made a member of it where a plan reads it.
    Choice = E | Any
else:

    class Choice:
        """``Choice[E]``: a member of the enum ``E`` or, to a type checker, its value, as stack files write it.

        At run time it is ``E``: the schema of other languages takes enums, and no ``Union``. ``parse`` makes members.
        """

        def __class_getitem__(cls, choices: Any) -> Any:
            return choices

    class Input:
        """``Input[T]``: a ``T``, or an output of another resource that becomes one; ``pulumi.Input`` to a type checker.

        Nothing left of the wall may import Pulumi. At run time ``Input[T]`` is therefore ``T`` with this class as a
        mark, as ``Annotated`` writes marks. ``parse`` lets outputs in where it stands, and ``hosting`` puts
        ``pulumi.Input`` in its place, so that the schema lets other languages pass outputs, too.
        """

        def __class_getitem__(cls, plain: Any) -> Any:
            if get_origin(plain) in (list, dict):  # of whose items each may be an output, too, as in all SDKs of Pulumi
                *keys, item = get_args(plain)
                plain = get_origin(plain)[(*keys, cls[item])]
            return Annotated[plain, cls]


T = TypeVar("T")
P = TypeVar("P")

Link = Input[str]
"""The name, id or address of another resource."""
Texts = dict[str, Link]
"""Texts by keys of the user's own, as tags and labels are: the keys are known, each text may come later."""
_HIDDEN = "hidden"
Hidden = Annotated[Input[str], _HIDDEN]
"""A secret: neither an error nor the engine shows it."""


def is_output(value: Any) -> bool:
    """Whether ``value`` is known only later: an output of a resource, or something that is awaited."""
    return hasattr(type(value), "apply") or isawaitable(value)


def at_hand(items: Input[list[T]]) -> list[T] | None:
    """A list that another resource may bring, where it is known now; what its items hold may still be not."""
    return items if isinstance(items, list) else None


def within(item: Any, key: str) -> Any:
    """What a set of keys holds; of one that another resource brings that is known later, too."""
    return item if is_output(item) else item[key]


def args_schema(cls: type[T]) -> type[T]:
    """Marks a ``TypedDict`` as an args schema, whose keys ``help`` shows with their meaning."""
    return with_keys(cls)


class CamelCased(dict[str, Any]):
    """Args whose keys are spelled as stack files and all languages but Python spell them."""


def plan_from(
    schema: type[T], make_plan: Callable[[T, ErrorList], P | None], args: Mapping[str, Any], *, camel: bool = False
) -> P:
    """The plan that ``make_plan`` makes of ``args``, checked against ``schema``.

    ``camel`` reads keys, and spells the errors' paths, as stack files do. Raises ``Refused`` with every error.
    """
    return parse_and_plan(schema, make_plan, args, camel=camel)[1]


def parse_and_plan(
    schema: type[T], make_plan: Callable[[T, ErrorList], P | None], args: Mapping[str, Any], *, camel: bool = False
) -> tuple[T, P]:
    """``args`` as ``schema``, and the plan that ``make_plan`` makes of them; else as ``plan_from``."""
    of_form, of_rules = ErrorList(), ErrorList()
    parsed = parse(schema, args, of_form, camel=camel)
    if of_form:
        raise Refused(_told(of_form, "an encrypted value, which cannot be read here"), rules_follow=True)
    plan = make_plan(parsed, of_rules)
    if broken := _told(of_rules):
        # Form errors carry the keys that the user wrote, rules those of the schema.
        raise Refused([InputError(_as_in_file(schema, each.path), each.reason) if camel else each for each in broken])
    if plan is None:
        raise AssertionError(f"{make_plan} returned no plan and named no error")
    return parsed, plan


def _told(errors: ErrorList, encrypted: str = "") -> list[InputError]:
    """Every error; of a value that the stack keeps encrypted that it is."""
    found = []
    for each in errors.found():
        before, got, _ = each.reason.partition(f"got {SECRET!r}")
        rule = "is encrypted, and cannot be read here, while it decides what is built; write it unencrypted"
        found.append(InputError(each.path, f"{before}got {encrypted}" if encrypted else rule) if got else each)
    return found


def parse(schema: type[T], value: Mapping[str, Any], errors: ErrorList, *, camel: bool = False) -> T:
    """``value`` as ``schema``, with whole floats made ints and choices made enums.

    ``camel`` reads keys as stack files spell them. Adds every error; what is returned has the schema's type only where
    none was added. Keys without a value (``null``, ``None``) are left out.
    """
    return _read(schema, value, errors, camel)


def spelt(hint: Any, value: Any) -> Any:
    """``value`` of an args schema with its keys in camelCase; keys that are the user's own stay."""
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
def hints(schema: type) -> dict[str, Any]:
    """The types of a schema's keys; what may be an output is marked with ``Input``."""
    types = get_type_hints(schema, include_extras=True).items()
    return {key: get_args(hint)[0] if get_origin(hint) in (NotRequired, Required) else hint for key, hint in types}


def is_hidden(hint: Any) -> bool:
    """Whether a type is ``Hidden``."""
    return get_origin(hint) is Annotated and _HIDDEN in hint.__metadata__


def plain(hint: Any) -> Any:
    """A type without its mark."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


@cache
def required(schema: Any) -> frozenset[str]:
    """The keys of a schema that must be there."""
    return schema.__required_keys__


def _as_in_file(hint: Any, path: Path) -> Path:
    """``path`` with an args schema's keys in camelCase; keys that are the user's own stay."""
    hint = plain(hint)
    if path and is_typeddict(hint) and path[0] in hints(hint):
        return (to_camel(str(path[0])), *_as_in_file(hints(hint)[str(path[0])], path[1:]))
    if path and get_origin(hint) is list:
        return (path[0], *_as_in_file(get_args(hint)[0], path[1:]))
    return path


def _in_python(hint: Any, value: Any) -> Any:
    """``value``, spelled in camelCase, with its keys as the schema has them."""
    hint = plain(hint)
    if is_typeddict(hint):
        names = {to_camel(key): key for key in hints(hint)}
        return {names.get(key, key): _in_python(hints(hint).get(names.get(key, "")), of) for key, of in value.items()}
    return [_in_python(get_args(hint)[0], item) for item in value] if get_origin(hint) is list else value


def _read(hint: Any, value: Any, errors: ErrorList, camel: bool) -> Any:
    """``value`` as what ``hint`` asks for; ``None`` with an error where it is something else."""
    if is_output(value):
        return _read_output(hint, value, errors, camel)
    if is_hidden(hint) and not isinstance(value, str):
        errors.add("must be a string; what was got is a secret and not shown; write a set of keys as JSON")
        return None
    hint = plain(hint)
    if is_typeddict(hint):
        return _read_keys(hint, value, errors, camel)
    if get_origin(hint) is list and isinstance(value, list):
        return [_read(get_args(hint)[0], item, errors.at(i), camel) for i, item in enumerate(value)]
    if get_origin(hint) is dict and isinstance(value, Mapping):
        entries = {str(key): of for key, of in value.items() if of is not None}
        return {key: _read(get_args(hint)[1], of, errors.at(key), camel) for key, of in entries.items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice(hint, value, errors)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)  # every number of another language arrives as a float
    if hint in (str, int, bool) and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    errors.add(f"must be {_NOUNS[get_origin(hint) or hint]}, got {show(value)}{_remedy(hint, value)}")
    return None


def _read_output(hint: Any, value: Any, errors: ErrorList, camel: bool) -> Any:
    """A value that is known later, where it may be one; the keys inside it then have Python's spelling."""
    if get_origin(hint) is not Annotated:
        errors.add("got an output; this decides what is built, so it must be known before: write the value")
    return value.apply(lambda known: _in_python(hint, known)) if camel and _holds_schema(hint) else value


def _holds_schema(hint: Any) -> bool:
    hint = plain(hint)
    return is_typeddict(hint) or (get_origin(hint) is list and _holds_schema(get_args(hint)[0]))


_NOUNS = {int: "a whole number", bool: "true or false", str: "a string", list: "a list", dict: "a set of keys"}


def _read_keys(schema: type, value: Any, errors: ErrorList, camel: bool) -> Any:
    """A set of keys as the schema that has them; the key that a misspelt one means is not missing as well."""
    known = {to_camel(key) if camel else key: key for key in hints(schema)}
    if not isinstance(value, Mapping):
        errors.add(f"must be a set of keys, got {show(value)}; {_as_keys(schema, value, known)}")
        return None
    meant = set()
    for key in value:
        if key not in known and value[key] is not None:
            remedy, close = suggest(schema, known, str(key), near=not errors.many)
            errors.at(str(key)).add(f"unknown key; {remedy}")
            meant.update(close)
    read = {}
    for spelling, key in known.items():
        if value.get(spelling) is not None:
            read[key] = _read(hints(schema)[key], value[spelling], errors.at(spelling), camel)
        elif key in required(schema) and spelling not in meant:
            errors.at(spelling).add("missing; it has no default")
    return read


def _as_keys(schema: type, value: Any, known: Mapping[str, str]) -> str:
    """How to write one value as keys: ``spot`` as ``{spot: true}``."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if isinstance(value, bool) and hints(schema).get(known.get("enabled", "")) is bool:
        return f"write {{enabled: {show(value)}}}"
    if isinstance(value, str):
        hint = hints(schema).get(known.get(value, ""))
        if hint is bool:
            return f"write {{{value}: true}}"
        if is_typeddict(hint) and not required(hint):
            return f"write {{{value}: {{}}}}"
        must = required(schema)
        texts = [key for key, of in known.items() if of in must and plain(hints(schema)[of]) is str]
        if len(texts) == len(must) == 1:
            return f"write {{{texts[0]}: {show(value)}}}"
    return f"write one or more of {', '.join(sorted(known))}, each with its value"


def _choice(choices: type[Enum], value: Any, errors: ErrorList) -> Any:
    """One of an enum's members, by its value."""
    known = [str(each.value) for each in choices]
    if isinstance(value, str) and value in known:
        return choices(value)
    *most, last = known
    choice = f"one of {', '.join(most)} or {last}" if most else last
    errors.add(f"got {show(value)}; choose {choice}")
    return None


def _remedy(hint: Any, value: Any) -> str:
    if value is None:
        return "; write a value, or take the item away"
    if hint is str and isinstance(value, int | float):  # YAML reads 1.35 as a number, and yes as true
        return "; put it in quotes"
    unquoted = {int: r"-?[0-9]+", bool: "true|false"}.get(hint)
    if unquoted and isinstance(value, str) and re.fullmatch(unquoted, value):
        return "; write it without quotes"
    if get_origin(hint) is list:
        return "; write a dash before each item" if isinstance(value, Mapping) else f"; write [{show(value)}]"
    if get_origin(hint) is dict:
        return "; write KEY: VALUE, each on a line of its own, or {KEY: VALUE}"
    return ""
