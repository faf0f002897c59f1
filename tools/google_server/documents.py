"""Google's discovery documents: which method a request is, and what its body may hold.

For two APIs Google's package has no document; they are described here, in the same form.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote

from pulumi_offline.errors import InputError, Refused

PACKAGE = "google-api-python-client"
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
        self.methods = frozenset(each.id for each in self._methods)
        """The names of all methods."""

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
    file = files("googleapiclient") / "discovery_cache/documents" / f"{name}.json"
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


_TEXT, _FLAG, _OBJECT = {"type": "string"}, {"type": "boolean"}, {"type": "object"}
_MASK = {"updateMask": {"location": "query"}}
_INSTANCES = "lustre.projects.locations.instances"
_VERBS = ("get", "delete", "patch")


def _one(collection: str) -> dict[str, Any]:
    """What the methods of one instance or operation have in common."""
    name = {"location": "path", "pattern": f"^projects/[^/]+/locations/[^/]+/{collection}/[^/]+$"}
    return {"path": "v1/{+name}", "parameters": {"name": name, **_MASK}, "request": {"$ref": "Instance"}}


_EVERYWHERE = {"alt": {"location": "query"}, "prettyPrint": {"location": "query"}}
LUSTRE: Mapping[str, Any] = {
    # google-cloud-lustre 0.4.3 has the same message, to which a test holds this.
    "revision": "google-cloud-lustre 0.4.3",
    "servicePath": "",
    "parameters": _EVERYWHERE,
    "schemas": {
        "Instance": {
            "id": "Instance",
            "type": "object",
            "properties": {
                **dict.fromkeys(("name", "filesystem", "network", "mountPoint", "description", "kmsKey", "uid"), _TEXT),
                **dict.fromkeys(("state", "stateReason", "placementPolicy", "createTime", "updateTime"), _TEXT),
                **{key: {**_TEXT, "format": "int64"} for key in ("capacityGib", "perUnitStorageThroughput")},
                **dict.fromkeys(("labels", "accessRulesOptions", "maintenancePolicy", "dynamicTierOptions"), _OBJECT),
                "gkeSupportEnabled": _FLAG,
            },
        }
    },
    "methods": {
        "create": {
            "id": f"{_INSTANCES}.create",
            "httpMethod": "POST",
            "path": "v1/{+parent}/instances",
            "parameters": {
                "parent": {"location": "path", "pattern": "^projects/[^/]+/locations/[^/]+$"},
                "instanceId": {"location": "query", "required": True},
            },
            "request": {"$ref": "Instance"},
        },
        **{verb: {**_one("instances"), "id": f"{_INSTANCES}.{verb}", "httpMethod": verb.upper()} for verb in _VERBS},
        "operation": {**_one("operations"), "id": "lustre.projects.locations.operations.get", "httpMethod": "GET"},
    },
}
_QUOTA = {"location": "path", "pattern": "^projects/[^/]+/locations/global/services/[^/]+/quotaInfos/[^/]+$"}
QUOTAS: Mapping[str, Any] = {
    # The address is the provider's: terraform-provider-google-beta@39d359d
    # google-beta/services/cloudquotas/data_source_google_cloud_quotas_quota_info.go, read on 2026-11-23.
    "revision": "the provider's own address",
    "servicePath": "",
    "parameters": _EVERYWHERE,
    "schemas": {},
    "methods": {
        "get": {
            "id": "cloudquotas.projects.locations.services.quotaInfos.get",
            "httpMethod": "GET",
            "path": "v1/{+name}",
            "parameters": {"name": _QUOTA},
        }
    },
}
OWN = {"cloudquotas": Document("cloudquotas.v1", QUOTAS), "lustre": Document("lustre.v1", LUSTRE)}
"""By the first part of the API's host."""
