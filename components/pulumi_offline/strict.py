"""A resource's inputs against the SDK's own Args classes.

The SDKs check the keywords of a constructor and nothing below them: a misspelt key in a nested dict, a string where a
number belongs or an unknown enum value travel to the cloud. Their Args classes know better, and this module asks them.
"""

import json
from collections import abc
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from enum import Enum
from functools import cache
from inspect import isclass
from typing import Any, Literal, get_args, get_origin

from . import sdk
from .codec import SECRET, SIGNATURE, signature, unwrap
from .provider_keys import provider_keys
from .unknowns import UNKNOWN

Problem = tuple[str, str, str]
"""The path of a property, its value in short (empty where it does not matter) and what is wrong."""

Check = Callable[[str, Any], Iterator[Problem]]

BEYOND_ENUM = (
    ("ProtocolType", "-1"),
    ("OSSKU", "Ubuntu2404"),
    ("KnownDataFlowStreams", "Microsoft-PrometheusMetrics"),
    ("KnownPrometheusForwarderDataSourceStreams", "Microsoft-PrometheusMetrics"),
)
"""Values a cloud takes although the SDK's open enum does not list them. AWS: -1 is every protocol. Azure: an operating
system that later versions of its API list (azure-mgmt-containerservice 41.8.0), a stream that its own guides name."""


def check_inputs(token: str, inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Check the inputs of one resource, spelt as the engine sees them, and list (path, what is wrong) for each problem.

    The list is empty when all is well, and for every type no imported SDK knows: components, custom resources of
    Kubernetes (of which `metadata` is checked), stack references. Unknown values, assets and references to resources
    fit everywhere; secrets are checked but never shown. A provider's inputs may be JSON text, as its SDK sends them.
    """
    cls = sdk.resource_class(token)
    args = sdk.args_class(cls) if cls else None
    if cls and token.startswith("pulumi:providers:"):
        others = provider_keys(cls).keys() - sdk.properties(args) if args else ()
        inputs = {key: value for key, value in decode_provider(token, inputs).items() if key not in others}
    problems = _check_object("", inputs, args) if args else _check_metadata(token, inputs)
    return [(path, f"{value} {wrong}".lstrip()) for path, value, wrong in problems]


def decode_provider(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A provider's inputs with those that are no strings decoded from the JSON text its SDK makes of them."""
    cls = sdk.resource_class(token)
    args = sdk.args_class(cls) if cls else None
    known = sdk.properties(args) if args else {}

    def decoded(key: str, value: Any) -> Any:
        if signature(value) == SECRET:
            return {**value, "value": decoded(key, value["value"])}
        if not isinstance(value, str) or key not in known or str in known[key].types:
            return value
        try:
            return json.loads(value)
        except ValueError:
            return value

    return {key: decoded(key, value) for key, value in inputs.items()}


def _check_metadata(token: str, inputs: Mapping[str, Any]) -> Iterator[Problem]:
    if sdk.package(token) == "kubernetes" and isinstance(inputs.get("metadata"), dict) and "kind" in inputs:
        from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

        yield from _check_object("metadata.", inputs["metadata"], ObjectMetaArgs)


def _check_object(prefix: str, value: Mapping[str, Any], cls: type) -> Iterator[Problem]:
    known = sdk.properties(cls)
    for key in value:
        if key not in known:
            names = sdk.python_names(cls)
            near = [names[key]] if key in names else get_close_matches(key, [*names, *known], n=1)
            hint = f"; did you mean {near[0]}" if near else ""
            yield f"{prefix}{key}", "", f"unknown property of {cls.__name__}{hint}"
    for key, (types, required) in known.items():
        item = value.get(key)
        if item is not None:
            yield from _check_any(f"{prefix}{key}", item, types)
        elif required:
            yield f"{prefix}{key}", "", f"required by {cls.__name__}"


def _check_any(path: str, value: Any, types: tuple[Any, ...]) -> Iterator[Problem]:
    """Check against alternative types: one that fits is enough, else the shortest of the complaints is yielded."""
    if signature(value) == SECRET:
        for where, shown, wrong in _check_any(path, unwrap(value), types):
            yield where, shown and "a secret value", wrong
        return
    if value is None or value == UNKNOWN or (isinstance(value, dict) and SIGNATURE in value):
        return
    complaints: list[list[Problem]] = []
    for hint in types:
        complaint = list(_check_of(hint)(path, value))
        if not complaint:
            break
        complaints.append(complaint)
    else:
        # A complaint about something below the value comes from an alternative of the right shape.
        yield from min(complaints, key=lambda each: (any(at == path for at, _, _ in each), len(each)), default=[])
        return
    if isinstance(value, str) and len(types) > 1:
        yield from _check_open_enum(path, value, types)


def _check_open_enum(path: str, value: str, types: tuple[Any, ...]) -> Iterator[Problem]:
    """`Union[str, Enum]` takes any string on the wire, but one that the enum lacks is far likelier a typo."""
    for hint in types:
        if isclass(hint) and issubclass(hint, Enum) and (hint.__name__, value) not in BEYOND_ENUM:
            yield from _check_enum(hint)(path, value)


@cache
def _check_of(hint: Any) -> Check:
    """The check of one type, built once."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (list, abc.Sequence):
        return _check_items(list, "list", sdk.alternatives(args[0]))
    if origin in (dict, abc.Mapping):
        return _check_items(dict, "map", sdk.alternatives(args[1]))
    if origin is Literal:
        return _check_choice(args, "one of its constants")
    if hint is Any or not isclass(hint):
        return lambda path, value: iter(())
    if sdk.is_input_class(hint):
        return _check_nested(hint)
    if issubclass(hint, Enum):
        return _check_enum(hint)
    return _check_plain(hint)


def _check_items(kind: type, what: str, types: tuple[Any, ...]) -> Check:
    """The check of a list or a map, ``what``, whose items are of ``types``."""

    def check(path: str, value: Any) -> Iterator[Problem]:
        if not isinstance(value, kind):
            yield path, _quote(value), f"is not a {what}"
            return
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from _check_any(f"{path}.{key}" if kind is dict else f"{path}[{key}]", item, types)

    return check


def _check_nested(cls: type) -> Check:
    def check(path: str, value: Any) -> Iterator[Problem]:
        if isinstance(value, dict):
            yield from _check_object(f"{path}.", value, cls)
        else:
            yield path, _quote(value), f"is not the object {cls.__name__}"

    return check


@cache
def _check_enum(cls: type[Enum]) -> Check:
    return _check_choice(tuple(member.value for member in cls), cls.__name__)


def _check_choice(choices: tuple[Any, ...], what: str) -> Check:
    def check(path: str, value: Any) -> Iterator[Problem]:
        if value not in choices:
            near = get_close_matches(str(value), map(str, choices), n=1)
            remedy = f"did you mean {near[0]}" if near else f"allowed: {', '.join(map(str, choices[:12]))}"
            yield path, _quote(value), f"is not a known {what}; {remedy}"

    return check


def _check_plain(cls: type) -> Check:
    def fits(value: Any) -> bool:
        if cls is bool or isinstance(value, bool):
            return cls is bool and isinstance(value, bool)
        if cls is float:
            return isinstance(value, (int, float))
        return isinstance(value, cls)

    def check(path: str, value: Any) -> Iterator[Problem]:
        if not fits(value):
            yield path, _quote(value), f"is not {cls.__name__}"

    return check


def _quote(value: Any) -> str:
    """A value short enough for a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
