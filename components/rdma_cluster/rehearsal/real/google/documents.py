"""Google's discovery documents: which method a request is, and what its body may hold."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote

from ....errors import InputError, Refused

PACKAGE = "google-api-python-client"
_FOLDER = "discovery_cache/documents"
Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """One method of an API."""

    id: str
    """Without the version: ``compute.networks.insert``."""
    verb: str
    parameters: Mapping[str, Schema]
    request: Schema | None
    """What the body is; nothing where the method takes none."""
    path: re.Pattern[str]
    """The address below the API's own, with a group for each parameter."""


class Document:
    """The description of one version of an API."""

    def __init__(self, name: str, described: Mapping[str, Any]) -> None:
        """``name`` is its file's, ``container.v1beta1``."""
        self.name = name
        self.revision: str = described["revision"]
        """The day it was made, e.g. ``20261027``."""
        self.schemas: Mapping[str, Schema] = described["schemas"]
        self.base: str = described["servicePath"]
        """What its addresses begin with: ``compute/v1/``; empty where the version is a part of each path."""
        self._methods = list(_methods(described, described))

    @property
    def methods(self) -> frozenset[str]:
        """The names of all."""
        return frozenset(each.id for each in self._methods)

    def resolve(self, schema: Schema) -> Schema:
        """The schema itself, where it is named."""
        return self.schemas[schema["$ref"]] if "$ref" in schema else schema

    def method(self, verb: str, path: str) -> tuple[Method, dict[str, str]] | None:
        """The method of a request, and the parameters of its path, from a path below ``base``."""
        # A parameter of several steps may be written as one, `reservations%2Fr%2FreservationBlocks%2Fb`.
        for written in dict.fromkeys((path, unquote(path))):
            for each in self._methods:
                if each.verb == verb and (found := each.path.fullmatch(written)) is not None:
                    return each, {name: unquote(text) for name, text in found.groupdict().items()}
        return None


@cache
def document(name: str) -> Document | None:
    """The document of an API's version; ``None`` where there is none. Raises ``Refused`` without their package."""
    if find_spec("googleapiclient") is None:
        raise Refused([InputError(("--real-provider",), f"gcp: needs Google's documents; run `pip install {PACKAGE}`")])
    file = files("googleapiclient") / _FOLDER / f"{name}.json"
    return Document(name, json.loads(file.read_text("utf-8"))) if file.is_file() else None


def _methods(of: Mapping[str, Any], everywhere: Mapping[str, Any]) -> Iterator[Method]:
    for each in of.get("methods", {}).values():
        parameters = {**everywhere.get("parameters", {}), **each.get("parameters", {})}
        path = re.compile(_pattern(each["path"], parameters))
        yield Method(each["id"], each["httpMethod"], parameters, each.get("request"), path)
    for each in of.get("resources", {}).values():
        yield from _methods(each, everywhere)


def _pattern(path: str, parameters: Mapping[str, Schema]) -> str:
    """A path as a regular expression. A parameter of several steps, ``{+name}``, has the form that it states."""

    def group(found: re.Match[str]) -> str:
        name = found[2]
        several = parameters.get(name, {}).get("pattern", ".+").strip("^$") if found[1] else "[^/:]+"
        return f"(?P<{name}>{several})"

    # Between two parameters stand letters, slashes, colons and dots.
    return re.sub(r"\{(\+?)(\w+)\}", group, path.replace(".", r"\."))
