"""From the inputs of a resource to the request that its provider makes of them, and what is wrong with that."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tools.api.model import Member, Shape

_COMPUTED = re.compile(r"\[\w+ of [^]]+\]|.*\.invalid")  # what the offline preview fills in for outputs
Request = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """How a resource type's inputs become a request.

    Paths are of the inputs, without indices: ``nodeConfig.guestAccelerators.count``. A field that is not listed goes
    under its own name into the object that its parent became.
    """

    token: str
    """The resource type: ``gcp:container/nodePool:NodePool``."""
    shape: Shape
    """The request."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Where a field goes: a path from the parent's object, or with a slash in front from the request's."""
    own: Mapping[str, str] = field(default_factory=dict)
    """Fields that are no part of the request, with what the provider does with them."""
    added: Mapping[str, Any] = field(default_factory=dict)
    """What the provider puts into every request by itself, by path from the request; ours has precedence."""
    excused: Mapping[str, str] = field(default_factory=dict)
    """Deprecated fields, by place, that cannot be done without, with the reason."""


def request_of(table: Table, inputs: Mapping[str, Any]) -> Request:
    """The request, field for field."""
    request: Request = {}
    for path, value in table.added.items():
        _put(request, path.split("."), value)
    _translate(table, inputs, "", request, request)
    return request


def errors(table: Table, inputs: Mapping[str, Any]) -> Iterator[str]:
    """What the API's model says against the request."""
    request = request_of(table, inputs)
    yield from _check(table, table.shape, request, table.token.rpartition(":")[2])


def places(shape: Shape, seen: frozenset[str] = frozenset()) -> Iterator[tuple[str, Member]]:
    """Every field below a shape by its place, ``NodePool.name``."""
    for name, member in shape.members().items():
        yield f"{shape.name}.{name}", member
        inner = member.shape
        while inner.item is not None:
            inner = inner.item()
        if inner.kind == "object" and inner.name not in seen:
            yield from places(inner, seen | {inner.name})


def _translate(table: Table, value: Mapping[str, Any], path: str, into: Request, request: Request) -> None:
    for key, item in value.items():
        here = f"{path}.{key}".lstrip(".")
        if here in table.own or key.startswith("__"):
            continue
        found = _inside(table, item, here, request)
        if (target := table.renamed.get(here)) is None:
            _put(into, [key], found)
        else:
            _put(request if target.startswith("/") else into, target.lstrip("/").split("."), found)


def _inside(table: Table, value: Any, path: str, request: Request) -> Any:
    if isinstance(value, dict):
        inner: Request = {}
        _translate(table, value, path, inner, request)
        return inner
    if isinstance(value, list):
        return [_inside(table, item, path, request) for item in value]
    return value


def _put(into: Request, path: list[str], value: Any) -> None:
    """Set a place, making the objects on the way; ``members[]`` puts the value into a list."""
    *way, last = path
    for step in way:
        into = into.setdefault(step[:-2], [{}])[0] if step.endswith("[]") else into.setdefault(step, {})
    if last.endswith("[]"):
        into.setdefault(last[:-2], []).append(value)
    elif isinstance(value, dict) and isinstance(into.get(last), dict):
        into[last].update(value)
    else:
        into[last] = value


def _check(table: Table, shape: Shape, value: Any, path: str) -> Iterator[str]:
    if isinstance(value, str) and _COMPUTED.fullmatch(value):
        return
    if shape.kind == "object":
        yield from _object(table, shape, value, path)
    elif shape.kind in ("list", "map") and shape.item is not None:
        wanted = list if shape.kind == "list" else dict
        if not isinstance(value, wanted):
            yield f"{path}: {value!r} is no {shape.kind}"
            return
        yield from _size(shape, len(value), path)
        for key, item in enumerate(value) if isinstance(value, list) else value.items():
            yield from _check(table, shape.item(), item, f"{path}[{key}]")
    else:
        yield from _scalar(shape, value, path)


def _object(table: Table, shape: Shape, value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r} is no object"
        return
    if shape.chosen is not None:
        shape = shape.chosen(value)
    members = shape.members()
    known = {name[:1].lower() + name[1:]: name for name in members}
    given = {known.get(key[:1].lower() + key[1:], key): (key, item) for key, item in value.items()}
    for name, (key, item) in given.items():
        if name not in members:
            yield f"{path}.{key}: {shape.name} has no such field"
            continue
        member = members[name]
        if member.deprecated and f"{shape.name}.{name}" not in table.excused:
            yield f"{path}.{key}: {shape.name}.{name} is deprecated: {member.words[:120]}"
        if member.read_only:
            yield f"{path}.{key}: {shape.name}.{name} is an output"
        yield from _check(table, member.shape, item, f"{path}.{key}")
    for name, member in members.items():
        if member.required and name not in given:
            yield f"{path}.{name}: required by {shape.name}"


def _scalar(shape: Shape, value: Any, path: str) -> Iterator[str]:
    if shape.kind == "boolean":
        # Some providers spell booleans as text, so that unset differs from false.
        if not isinstance(value, bool) and value not in ("true", "false"):
            yield f"{path}: {value!r} is no boolean"
    elif shape.kind in ("integer", "number"):
        if isinstance(value, bool) or not re.fullmatch(r"-?\d+(\.\d+)?", str(value)):
            yield f"{path}: {value!r} is no {shape.kind}"
        else:
            yield from _size(shape, float(value), path)
    elif shape.kind == "string":
        if not isinstance(value, str):
            yield f"{path}: {value!r} is no string"
            return
        if shape.enum and value not in shape.enum:
            yield f"{path}: {value!r} is none of {', '.join(shape.enum[:12])}"
        if shape.pattern and not re.fullmatch(shape.pattern, value):
            yield f"{path}: {value!r} is not of the form {shape.pattern}"
        yield from _size(shape, len(value), path)


def _size(shape: Shape, size: float, path: str) -> Iterator[str]:
    if shape.least is not None and size < shape.least:
        yield f"{path}: {size:g} is less than {shape.least:g}"
    if shape.most is not None and size > shape.most:
        yield f"{path}: {size:g} is more than {shape.most:g}"
