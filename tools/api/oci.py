"""OCI's APIs: the model classes of its SDK."""

import ast
import inspect
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from tools.api.model import Member, Shape

_KINDS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "datetime": "string"}
_DEPRECATED = re.compile(r"\bdeprecated\b", re.IGNORECASE)


@cache
def model(service: str, name: str) -> Shape:
    """A model of a service, e.g. ``model("container_engine", "CreateNodePoolDetails")``, with the API's own names."""
    chosen = getattr(getattr(import_module(f"oci.{service}.models"), name), "get_subtype", None)
    return Shape(
        "object",
        name,
        cache(lambda: _members(service, name)),
        chosen=None if chosen is None else lambda value: _subtype(service, name, chosen, value),
    )


def _subtype(service: str, name: str, chosen: Callable[[dict[str, Any]], str], value: dict[str, Any]) -> Shape:
    try:
        found = chosen(value)
    except KeyError:  # the field that would say so is missing: the base's own members say which
        found = name
    return Shape("object", found, cache(lambda: _members(service, found)))


def _members(service: str, name: str) -> dict[str, Member]:
    of = getattr(import_module(f"oci.{service}.models"), name)
    empty = of()
    found = {}
    for attribute, kind in empty.swagger_types.items():
        words = _words(getattr(of, attribute))
        found[empty.attribute_map[attribute]] = Member(
            _shape(service, kind, _allowed(getattr(of, attribute))),
            required="**[Required]**" in words,
            deprecated=bool(_DEPRECATED.search(words)),
            words=words,
        )
    return found


def _shape(service: str, kind: str, allowed: tuple[str, ...]) -> Shape:
    if kind.startswith("list["):
        return Shape("list", item=lambda: _shape(service, kind[5:-1], allowed))
    if kind.startswith("dict("):
        return Shape("map", item=lambda: _shape(service, kind.partition(", ")[2][:-1], ()))
    if kind in _KINDS:
        return Shape(_KINDS[kind], enum=allowed)
    # A few classes are named and not shipped.
    return model(service, kind) if hasattr(import_module(f"oci.{service}.models"), kind) else Shape("any")


def _words(field: Any) -> str:
    """The docstring, without its first line and its last, which name the field."""
    text = re.sub(r"\A\s*(\*\*\[Required\]\*\* )?Gets the .*?\n", r"\1", field.__doc__ or "")
    return " ".join(text.partition(":return:")[0].split())


def _allowed(field: Any) -> tuple[str, ...]:
    """The values that the setter lets pass."""
    found = re.search(r"allowed_values = (\[.*?\])", inspect.getsource(field.fset), re.DOTALL)
    return tuple(ast.literal_eval(found[1])) if found else ()
