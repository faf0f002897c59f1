"""What Google's APIs say against a request before they look at what there is, by their discovery documents."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tools.google_server.documents import Document, Method, Schema

_INTEGERS = re.compile(r"-?\d+")
# As answers quoted in issues of terraform-provider-google spell them, 2026-08; what stands between quotes is ours.
_UNKNOWN = 'Invalid JSON payload received. Unknown name "{name}"{at}: Cannot find field.'
_UNKNOWN_PARAMETER = (
    'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter. '
    "Field '{name}' could not be found in request message."
)
_INVALID = "Invalid value{at} ({kind}), {value}"
# Words of our own: what a field must be is the document's.
_REQUIRED = "Required field '{name}' not specified"
_FORM = "Invalid value for field '{name}': '{value}'. Must be a match of regex '{form}'"

BESIDES = {
    # In the request of every network since terraform-provider-google-beta 700b31a (2025-11-24), and they are made.
    "NetworkRoutingConfig.deleteBgpAlwaysCompareMed",
    # In that of every NAT, as an empty list, since 5e9eed8 (2024-09-20).
    "RouterNat.initialNatIps",
}
"""Fields of the provider's own that no document has. That Compute overlooks them follows from their being sent."""


def against_address(method: Method, path: Mapping[str, str], query: Mapping[str, str]) -> Iterator[str]:
    """Parts of the path that have not their form, parameters that the method has not, and those that are missing."""
    for name, text in path.items():
        form = method.parameters.get(name, {}).get("pattern")
        if form and not re.fullmatch(form, text):
            yield _FORM.format(name=name, value=text, form=form)
    for name, text in query.items():
        if (schema := method.parameters.get(name)) is None:
            yield _UNKNOWN_PARAMETER.format(name=name)
        elif schema.get("enum") and text not in schema["enum"]:
            yield _INVALID.format(at=f" at '{name}'", kind="TYPE_ENUM", value=f'"{text}"')
    for name, schema in method.parameters.items():
        if schema.get("required") and name not in path and name not in query:
            yield _REQUIRED.format(name=name)


def against_body(document: Document, method: Method, body: Mapping[str, Any]) -> Iterator[str]:
    """Fields that there are not, values of another type or of no choice, and what the method requires."""
    if method.request is not None:
        yield from _value(document, method, method.request, body, "")
    elif body:
        yield _UNKNOWN.format(name=next(iter(body)), at="")


def _value(document: Document, method: Method, schema: Schema, value: Any, path: str) -> Iterator[str]:
    schema = document.resolve(schema)
    kind = schema.get("type", "any")
    if value is None or kind == "any":
        return
    if kind == "object" and isinstance(value, dict):
        yield from _object(document, method, schema, value, path)
    elif kind == "array" and isinstance(value, list):
        for at, item in enumerate(value):
            yield from _value(document, method, schema["items"], item, f"{path}[{at}]")
    elif kind in ("object", "array"):
        yield _INVALID.format(at=_at(path), kind=f"TYPE_{kind.upper()}", value=_shown(value))
    else:
        yield from _scalar(schema, value, path)


def _object(document: Document, method: Method, schema: Schema, value: Mapping[str, Any], path: str) -> Iterator[str]:
    if (properties := schema.get("properties")) is None:
        inner = schema.get("additionalProperties", {})
        for name, item in value.items():
            yield from _value(document, method, inner, item, f"{path}[{name}]")
        return
    for name, item in value.items():
        if name in properties:
            yield from _value(document, method, properties[name], item, f"{path}.{name}".lstrip("."))
        elif f"{schema.get('id')}.{name}" not in BESIDES:
            yield _UNKNOWN.format(name=name, at=_at(path))
    for name, of in properties.items():
        if method.id in of.get("annotations", {}).get("required", ()) and value.get(name) is None:
            yield _REQUIRED.format(name=f"{path}.{name}".lstrip("."))


def _scalar(schema: Schema, value: Any, path: str) -> Iterator[str]:
    kind, number = schema["type"], schema.get("format", "")
    long = number in ("int64", "uint64")
    if long or kind == "integer":
        fits = isinstance(value, int) and not isinstance(value, bool)
        fits = fits or (isinstance(value, str) and bool(_INTEGERS.fullmatch(value)))
    elif kind == "number":
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    else:
        fits = isinstance(value, bool if kind == "boolean" else str)
    if not fits:
        named = f"TYPE_{(number or kind).upper()}" if kind != "boolean" else "TYPE_BOOL"
        yield _INVALID.format(at=_at(path), kind=named, value=_shown(value))
    elif schema.get("enum") and value not in (*schema["enum"], ""):
        # Empty text is no choice. The provider sends it for each field of a machine's `scheduling` that nobody set.
        yield _INVALID.format(at=_at(path), kind="TYPE_ENUM", value=_shown(value))
    elif isinstance(value, str) and value and "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        yield _FORM.format(name=f"resource.{path}", value=value, form=schema["pattern"])


def _at(path: str) -> str:
    """Where, as the APIs spell it: ``at 'cluster.node_config'``."""
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda upper: f"_{upper[1].lower()}", path)
    return f" at '{snake}'" if path else ""


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
