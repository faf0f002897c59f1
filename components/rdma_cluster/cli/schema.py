"""``rdma-cluster schema CLOUD``: a JSON Schema of stack files, for editors and other tools."""

import re
from collections.abc import Iterable
from enum import Enum
from typing import Any, get_args, get_origin

from ..base.args import is_hidden, plain
from ..base.config import CLOUD, NAMESPACE
from ..base.reference import Key
from ..common.stack import keys_of
from .options import Verb, cloud_option
from .output import as_json


class Schema(Verb):
    """Print the schema."""

    cloud: str = cloud_option()

    def run(self) -> int:
        print(as_json(schema_of(self.cloud)))
        return 0


def schema_of(cloud: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a stack file for one cloud."""
    keys = keys_of(cloud)
    known = [CLOUD, *(key.written for key in keys)]
    ours = "|".join(re.escape(name.removeprefix(f"{NAMESPACE}:")) for name in known)
    config = _keys(keys)
    for key in keys:
        if key.hint is bool:  # the engine hands over texts, and `pulumi config set` writes them
            config["properties"][key.written] |= {"enum": [True, False, "true", "false", None]}
            del config["properties"][key.written]["type"]
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
        "properties": {key.written: _key(key) if key.required else _or_nothing(_key(key)) for key in keys},
        "required": [key.written for key in keys if key.required],
        "additionalProperties": False,
    }


def _or_nothing(value: dict[str, Any]) -> dict[str, Any]:
    """A key whose value is ``null`` counts as not written."""
    if "enum" in value:
        return {**value, "enum": [*value["enum"], None]}
    kinds = value["type"]
    return {**value, "type": [*(kinds if isinstance(kinds, list) else [kinds]), "null"]}


def _key(key: Key) -> dict[str, Any]:
    words = [key.meaning.replace("``", "`")]
    if key.default:
        words.append(f"Default: {key.default.replace('``', '`')}.")
    words += [f"`{choice.value}`: {choice.meaning.replace('``', '`')}" for choice in key.choices if choice.meaning]
    described: dict[str, Any] = {"description": " ".join(words)}
    if key.example is not None and not key.keys:
        described["examples"] = [key.example]
    if not key.keys:
        described |= _plain(key.hint)
    elif key.many:
        described |= {"type": "array", "items": _keys(key.keys)}
    else:
        described |= _keys(key.keys)
    return described


_TYPES = {str: "string", bool: "boolean", int: "integer"}


def _plain(hint: Any) -> dict[str, Any]:
    """A value without keys of ours below it."""
    if is_hidden(hint):
        return {"type": ["string", "object"]}  # a text, an encrypted one, or what becomes JSON
    hint = plain(hint)
    if get_origin(hint) is list:
        return {"type": "array", "items": _plain(get_args(hint)[0])}
    if get_origin(hint) is dict:
        return {"type": "object", "additionalProperties": _or_nothing(_plain(get_args(hint)[1]))}
    if issubclass(hint, Enum):
        return {"enum": [choice.value for choice in hint]}
    return {"type": _TYPES[hint]}
