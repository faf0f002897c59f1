"""What the models say of each input that we set: read here, kept in the package, and held to the models by tests."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pulumi_offline import Graph
from pulumi_offline.constraints import models
from tools.api.model import Member, Shape
from tools.api.request import Table, request_of

Facts = dict[str, dict[str, Any]]
"""What limits the inputs of a type, by path."""

_MOST_CHOICES = 40
"""Longer lists, as EC2's of instance types, are older than what is on offer."""


def path_of(sdk: str) -> Path:
    """Where the facts of a cloud lie, by the name of its SDK as a Pulumi package."""
    return Path(models.__file__).with_name(f"{sdk}.json")


def of_graphs(by_token: Mapping[str, Table], graphs: Iterable[Graph]) -> dict[str, Facts]:
    """The facts of every input that some graph sets, by resource type."""
    found: dict[str, Facts] = {}
    seen: set[tuple[str, str]] = set()
    for graph in graphs:
        for resource in graph.resources:
            # Graphs have most of their resources in common.
            this = (resource.type, json.dumps(resource.inputs, sort_keys=True))
            if this not in seen and (table := by_token.get(resource.type)) is not None:
                seen.add(this)
                for path, limits in facts(table, resource.inputs).items():
                    found.setdefault(resource.type, {}).setdefault(path, limits)
    return found


def write(sdk: str, source: str, seen: str, found: Mapping[str, Facts]) -> None:
    """Keep the facts, one a line."""
    types = ",\n".join(
        f"    {json.dumps(token)}: {{\n"
        + ",\n".join(f"      {json.dumps(path)}: {json.dumps(limits)}" for path, limits in sorted(of.items()))
        + "\n    }"
        for token, of in sorted(found.items())
    )
    head = f'{{\n  "source": {json.dumps(source)},\n  "seen": {json.dumps(seen)},\n  "types": {{\n'
    path_of(sdk).write_text(f"{head}{types}\n  }}\n}}\n", encoding="utf-8")


def facts(table: Table, inputs: Mapping[str, Any]) -> Facts:
    """What limits each input, by its path without indices; inputs without limits are left out."""
    found = {}
    for path, place, member in _below(table, inputs, "", table.shape):
        if len(limits := _limits(table, path, member)) > 0:
            found[path] = {"of": place, **limits}
    return found


def _limits(table: Table, path: str, member: Member) -> dict[str, Any]:
    shape = member.shape
    while shape.kind == "list" and shape.item is not None:
        shape = shape.item()
    text = shape.kind == "string"
    target = table.renamed.get(path, path)
    all_of = {
        "required": member.required and not target.startswith("/") and target not in table.added,
        "choices": sorted(shape.enum) if len(shape.enum) <= _MOST_CHOICES else [],
        "pattern": shape.pattern,
        "least": shape.least if text or shape.kind in ("integer", "number") else None,
        "most": shape.most if text or shape.kind in ("integer", "number") else None,
        "kind": "length" if text and (shape.least, shape.most) != (None, None) else None,
    }
    return {key: value for key, value in all_of.items() if value not in (None, False, "", [])}


def _below(table: Table, value: Mapping[str, Any], path: str, shape: Shape) -> Iterator[tuple[str, str, Member]]:
    base = shape
    if base.chosen is not None:
        shape = base.chosen(request_of(table, value) if not path else dict(value))
    for key, item in value.items():
        here = f"{path}.{key}".lstrip(".")
        if here in table.own or key.startswith("__"):
            continue
        target = table.renamed.get(here, key)
        owner, name, member = _find(table.shape if target.startswith("/") else shape, target.lstrip("/").split("."))
        if owner is shape and (name not in base.members() or not base.members()[name].required):
            member = _optional(member)
        yield here, f"{owner.name}.{name}", member
        inner = member.shape
        while inner.kind == "list" and inner.item is not None:
            inner = inner.item()
        if inner.kind == "object":
            for one in item if isinstance(item, list) else [item]:
                if isinstance(one, dict):
                    yield from _below(table, one, here, inner)


def _optional(member: Member) -> Member:
    """Required of one kind alone, which another field names."""
    return Member(member.shape, words=member.words)


def _find(shape: Shape, steps: list[str]) -> tuple[Shape, str, Member]:
    *way, last = (step.removesuffix("[]") for step in steps)
    for step in way:
        shape = _member(shape, step)[1].shape
        while shape.kind == "list" and shape.item is not None:
            shape = shape.item()
    return shape, *_member(shape, last)


def _member(shape: Shape, key: str) -> tuple[str, Member]:
    found = {name[:1].lower() + name[1:]: name for name in shape.members()}
    name = found[key[:1].lower() + key[1:]]
    return name, shape.members()[name]
