"""Google's APIs: the discovery documents that google-api-python-client carries, and messages of its own libraries."""

import json
import re
from functools import cache
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from tools.api.model import Member, Shape

_DOCUMENTS = "discovery_cache/documents"
_KINDS = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean", "any": "any"}
_READ_ONLY = re.compile(r"\[?output[ -]only", re.IGNORECASE)
_DEPRECATED = re.compile(r"(this field is )?deprecated", re.IGNORECASE)


@cache
def _document(api: str) -> dict[str, Any]:
    return json.loads((files("googleapiclient") / _DOCUMENTS / f"{api}.json").read_text())


def revision(api: str) -> str:
    """The day a document was made, e.g. ``20261027``."""
    return _document(api)["revision"]


@cache
def schema(api: str, name: str, method: str = "") -> Shape:
    """A named schema, e.g. ``schema("container.v1", "NodePool")``; ``method`` says whose required fields count."""
    return _shape(api, {"$ref": name}, method)


def message(path: str, name: str) -> Shape:
    """A message of a library, of an API without a document there, by the file that has it.

    The file alone: the library loads a `google.rpc.Status`, which Pulumi's SDK has under another file's name, and
    protobuf takes only one of them.
    """
    spec = spec_from_file_location(path, str(files("google.cloud") / path))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return _described(getattr(module, name).pb().DESCRIPTOR)


def _described(of: Any) -> Shape:
    return Shape("object", of.name, cache(lambda: {field.json_name: Member(_field(field)) for field in of.fields}))


def _field(field: Any) -> Shape:
    kind = {field.CPPTYPE_STRING: "string", field.CPPTYPE_BOOL: "boolean"}.get(field.cpp_type, "integer")
    one = _described(field.message_type) if field.message_type else Shape(kind)
    if field.enum_type:
        one = Shape("string", field.enum_type.name, enum=tuple(each.name for each in field.enum_type.values))
    return Shape("list", item=lambda: one) if field.is_repeated else one


def _shape(api: str, of: dict[str, Any], method: str) -> Shape:
    if "$ref" in of:
        name = of["$ref"]
        of = _document(api)["schemas"][name]
        return Shape("object", name, cache(lambda: _members(api, of.get("properties", {}), method)))
    kind = of.get("type", "any")
    if kind == "array":
        return Shape("list", item=lambda: _shape(api, of["items"], method))
    if kind == "object":
        if "properties" in of:
            return Shape("object", members=cache(lambda: _members(api, of["properties"], method)))
        return Shape("map", item=lambda: _shape(api, of.get("additionalProperties", {}), method))
    if of.get("format") in ("int64", "uint64"):
        return Shape("integer")
    return Shape(_KINDS[kind], enum=tuple(of.get("enum", ())), pattern=of.get("pattern", ""))


def _members(api: str, properties: dict[str, Any], method: str) -> dict[str, Member]:
    return {
        name: Member(
            _shape(api, of, method),
            required=bool(method) and method in of.get("annotations", {}).get("required", ()),
            deprecated=of.get("deprecated", False) or bool(_DEPRECATED.match(of.get("description", ""))),
            read_only=of.get("readOnly", False) or bool(_READ_ONLY.match(of.get("description", ""))),
            words=" ".join(of.get("description", "").split()),
        )
        for name, of in properties.items()
    }
