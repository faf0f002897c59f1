"""``rdma-cluster schema CLOUD``: a JSON Schema of stack files, for editors and other tools."""

import re
from collections.abc import Iterable
from typing import Any

from ..config import CLOUD, NAMESPACE
from ..reference import Key, keys_of
from .output import as_json


def show_schema(cloud: str) -> int:
    """Print the schema."""
    print(as_json(schema_of(cloud)))
    return 0


def schema_of(cloud: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a stack file for one cloud."""
    keys = keys_of(cloud)
    known = [CLOUD, *(key.written for key in keys)]
    ours = "|".join(re.escape(name.removeprefix(f"{NAMESPACE}:")) for name in known)
    config = _keys(keys)
    config["properties"][CLOUD] = {"const": cloud, "description": "The stack program to run."}
    config["required"] = [CLOUD, *config["required"]]
    # Keys of other namespaces are other people's; of ours only these are known.
    config["additionalProperties"] = True
    config["patternProperties"] = {rf"^{NAMESPACE}:(?!({ours})$)": False}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A stack of rdma-cluster on {cloud}",
        "type": "object",
        "properties": {"config": config},
        "required": ["config"],
    }


def _keys(keys: Iterable[Key]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {key.written: _key(key) for key in keys},
        "required": [key.written for key in keys if key.required],
        "additionalProperties": False,
    }


def _key(key: Key) -> dict[str, Any]:
    words = [key.meaning.replace("``", "`")]
    if key.default:
        words.append(f"Default: {key.default.replace('``', '`')}.")
    words += [f"`{choice.value}`: {choice.meaning.replace('``', '`')}" for choice in key.choices if choice.meaning]
    described: dict[str, Any] = {"description": " ".join(word for word in words if word)}
    if key.example is not None and not key.keys:
        described["examples"] = [key.example]
    if key.many:
        described |= {"type": "array", "items": _keys(key.keys) if key.keys else _plain(key)}
    elif key.keys:
        described |= _keys(key.keys)
    else:
        described |= _plain(key)
    return described


_TYPES = {"text": "string", "true or false": "boolean", "whole number": "integer"}


def _plain(key: Key) -> dict[str, Any]:
    if key.choices:
        return {"enum": [choice.value for choice in key.choices]}
    if key.kind == "texts by key":
        return {"type": "object", "additionalProperties": {"type": "string"}}
    return {"type": _TYPES[key.kind.removeprefix("list of ")]}
