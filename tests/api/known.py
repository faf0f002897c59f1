"""What the models say of each input that we set: read once, kept in the package, and held to the models by a test."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.api.model import Member, Shape
from tests.api.request import Table, request_of


def members(table: Table, inputs: Mapping[str, Any]) -> Iterator[tuple[str, str, Member]]:
    """Each input that is part of the request by its path without indices, with its place in the model."""
    yield from _below(table, inputs, "", table.shape)


def _below(table: Table, value: Mapping[str, Any], path: str, shape: Shape) -> Iterator[tuple[str, str, Member]]:
    if shape.chosen is not None:
        shape = shape.chosen(request_of(table, value) if not path else dict(value))
    for key, item in value.items():
        here = f"{path}.{key}".lstrip(".")
        if here in table.own or key.startswith("__"):
            continue
        target = table.renamed.get(here, key)
        owner, member = _find(table.shape if target.startswith("/") else shape, target.lstrip("/").split("."))
        yield here, owner, member
        inner = member.shape
        while inner.kind == "list" and inner.item is not None:
            inner = inner.item()
        if inner.kind == "object":
            for one in item if isinstance(item, list) else [item]:
                if isinstance(one, dict):
                    yield from _below(table, one, here, inner)


def _find(shape: Shape, steps: list[str]) -> tuple[str, Member]:
    *way, last = (step.removesuffix("[]") for step in steps)
    for step in way:
        shape = _member(shape, step)[1].shape
        while shape.kind == "list" and shape.item is not None:
            shape = shape.item()
    name, member = _member(shape, last)
    return f"{shape.name}.{name}", member


def _member(shape: Shape, key: str) -> tuple[str, Member]:
    found = {name[:1].lower() + name[1:]: name for name in shape.members()}
    name = found[key[:1].lower() + key[1:]]
    return name, shape.members()[name]
