"""What a cloud returns that was not sent, by the rows of `reads.yaml`, and what a provider makes of it at a refresh."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from .inventory import Thing, texts

ROWS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("reads.yaml").read_text())


def returned(thing: Thing, all_of: Iterable[Thing]) -> dict[str, Any]:
    """A resource's outputs as its API returns them beside those that there are now."""
    found, others = dict(thing.outputs), list(all_of)
    for row in _rows(thing.token):
        if "when" not in row or thing.inputs.get(row["when"]):
            _put(found, row["path"].split("."), lambda value, row=row: _value(row, value, thing, others))
    return found


def followed(token: str, inputs: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> Any:
    """Inputs after a refresh that found outputs as ``after`` that were as ``before``.

    As azure-native does it, which compares outputs with outputs and lists by position: Read and applyDiff in
    github.com/pulumi/pulumi-azure-native@006a62a provider/pkg/provider (2026-11-28).
    """
    keys = [row["path"] for row in _rows(token) if "alike" not in row]
    seen = [{key: outputs[key] for key in keys if key in outputs} for outputs in (before, after)]
    return _moved(dict(inputs), *seen)


def _rows(token: str) -> Iterator[dict[str, Any]]:
    return (row for row in ROWS if token in row["types"])


def _moved(base: Any, before: Any, after: Any) -> Any:
    if before == after:
        return base
    if isinstance(base, dict) and isinstance(before, dict) and isinstance(after, dict):
        kept = {key: value for key, value in base.items() if key not in before or key in after}
        new = {key: value for key, value in after.items() if key not in before or before[key] != value}
        return {**kept, **{key: _moved(base.get(key), before.get(key), value) for key, value in new.items()}}
    if isinstance(base, list) and isinstance(before, list) and isinstance(after, list):
        beside = min(len(base), len(before))
        pairs = [_moved(*each) for each in zip(base[:beside], before, after, strict=False)]
        return [*pairs, *after[len(pairs) :]]
    return after


def _put(within: dict[str, Any], path: list[str], make: Callable[[Any], Any]) -> None:
    """Put what is made of the value at a path in its place; nothing where that is None, or nothing holds it."""
    key, *rest = path
    if rest and isinstance(within.get(key), Mapping):
        within[key] = dict(within[key])
        _put(within[key], rest, make)
    elif not rest and (value := make(within.get(key))) is not None:
        within[key] = value
    elif not rest:
        within.pop(key, None)


def _value(row: Mapping[str, Any], value: Any, thing: Thing, others: Iterable[Thing]) -> Any:
    if "others" in row:
        return _with_others(row["others"], value if row["path"] in thing.inputs else None, thing, others)
    if "adds" in row:
        return {**row["adds"], **(value or {})}
    if "order" in row and isinstance(value, list):
        return sorted(value, key=str)
    if "full" in row and isinstance(value, str) and "/" not in value:
        location = str(thing.inputs["location"])
        region = location.rpartition("-")[0] if location.count("-") > 1 else location
        return row["full"].format(project=thing.inputs["project"], region=region, sent=value)
    return row.get("is", None if "is" in row else value)


def _with_others(how: Mapping[str, Any], value: Any, thing: Thing, others: Iterable[Thing]) -> Any:
    beside = [each for each in others if each.token == how["type"]]
    standing = [each for each in beside if any(map(thing.is_named_in, texts(each.inputs.get(how["naming"]))))]
    if how.get("as") == "id":
        return next(({"id": each.id} for each in standing), value)
    left_out = {*how["without"], how["name"]}
    own = {each["name"]: each for each in value or []}
    for each in standing:
        inputs = {key: item for key, item in each.inputs.items() if key not in left_out}
        own[each.inputs[how["name"]]] = {"name": each.inputs[how["name"]], **inputs}
    return [own[name] for name in sorted(own)]
