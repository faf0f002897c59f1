"""One request that an API takes, and how its resources are written."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tools.google_server.documents import Document, Method, Schema
from tools.google_server.fake_google import Body, FakeGoogle

CREATED = "2026-01-01T00:00:00Z"


@dataclass(frozen=True)
class Call:
    """A request that the document of its API has nothing against."""

    google: FakeGoogle
    document: Document
    method: Method
    path: str
    """Of what it is about, without the API's version and without a verb: ``projects/p/global/networks``."""
    parameters: Mapping[str, str]
    """Of the path."""
    query: Mapping[str, str]
    body: Body

    @property
    def verb(self) -> str:
        """The last part of the method's name: ``insert``."""
        return self.method.id.rpartition(".")[2]

    @property
    def resources(self) -> dict[str, Body]:
        """All resources, by their paths."""
        return self.google.resources

    @property
    def project(self) -> str:
        """Whose resource it is."""
        steps = self.path.split("/")
        return steps[steps.index("projects") + 1] if "projects" in steps else self.query.get("project", "")


Handler = Callable[[Call], Body]
"""Answers a request. Raises ``ApiError``."""


def fingerprint(value: Any) -> str:
    """What tells one content from another."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12] + "="


def merged(before: Body, change: Mapping[str, Any]) -> Body:
    """A resource after a change of some of its fields, as a PATCH means it: ``null`` takes a field away."""
    after = dict(before)
    for key, value in change.items():
        if value is None:
            after.pop(key, None)
        elif isinstance(value, dict) and isinstance(after.get(key), dict) and "fingerprint" not in value:
            after[key] = merged(after[key], value)
        else:
            after[key] = value
    return after


def written(document: Document, schema: Schema, value: Any, *, zeros: bool) -> Any:
    """A value as the API writes it: empty lists and maps left out, long integers as text.

    ``zeros`` says whether it writes what is false, 0 or empty text. Container's messages are of proto3, whose JSON
    leaves them out (https://protobuf.dev/programming-guides/json, field presence); that Compute writes them is a guess.
    """
    schema = document.resolve(schema)
    kind = schema.get("type")
    if kind == "object" and isinstance(value, dict):
        if (properties := schema.get("properties")) is None:
            return dict(value)
        schemas = {key: properties.get(key, {}) for key in value}
        found = {key: written(document, schemas[key], inner, zeros=zeros) for key, inner in value.items()}
        return {key: item for key, item in found.items() if not _left_out(document, schemas[key], item, zeros)}
    if kind == "array" and isinstance(value, list):
        return [written(document, schema["items"], item, zeros=zeros) for item in value]
    if schema.get("format") in ("int64", "uint64") and isinstance(value, int):
        return str(value)
    if kind == "integer" and isinstance(value, str) and value:
        return int(value)
    return value


def _left_out(document: Document, schema: Schema, value: Any, zeros: bool) -> bool:
    if value is None or value == []:
        return True
    if value == {}:
        # A message that is there and has nothing in it is written; an empty map is not.
        return "properties" not in document.resolve(schema)
    return not zeros and value in (False, 0, "", "0")
