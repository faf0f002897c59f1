"""Azure's APIs: the model classes of its management libraries, of both generations."""

import re
import typing
from datetime import datetime
from enum import Enum
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, ForwardRef, Union, get_args, get_origin

from tools.api.model import Member, Shape

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", datetime: "string"}
_OLD_KINDS = {"str": "string", "int": "integer", "long": "integer", "float": "number", "bool": "boolean"}


def model(library: str, name: str) -> Shape:
    """A model of a library, e.g. ``model("containerservice", "ManagedClusterAgentPoolProfileProperties")``.

    Its fields have the names of the REST API.
    """
    return _object(import_module(f"azure.mgmt.{library}.models"), name)


@cache
def _object(models: ModuleType, name: str) -> Shape:
    of = getattr(models, name)
    read = _old_members if hasattr(of, "_attribute_map") else _members
    return Shape("object", name, cache(lambda: read(models, of)))


def _members(models: ModuleType, of: type) -> dict[str, Member]:
    """The newer libraries: annotated class attributes."""
    words = _docs(of)
    found = {}
    for owner in reversed(of.__mro__):
        for name, hint in vars(owner).get("__annotations__", {}).items():
            field = vars(owner).get(name)
            if hasattr(field, "_rest_name_input"):
                found[field._rest_name_input or name] = Member(
                    _shape(models, hint),
                    required=type(None) not in get_args(hint),
                    read_only=field._visibility == ["read"],
                    deprecated="deprecated" in words.get(name, "").lower(),
                    words=words.get(name, ""),
                )
    return found


def _shape(models: ModuleType, hint: Any) -> Shape:
    if isinstance(hint, (str, ForwardRef)):
        name = (hint if isinstance(hint, str) else hint.__forward_arg__).rpartition(".")[2]
        of = getattr(models, name)
        if issubclass(of, Enum):
            return Shape("string", name, enum=tuple(each.value for each in of))
        return _object(models, name)
    origin, inside = get_origin(hint), [each for each in get_args(hint) if each is not type(None)]
    if origin is Union:
        # A text that is one of an enum is written as either of the two.
        return _shape(models, next((each for each in inside if each is not str), str))
    if origin in (list, typing.List):  # noqa: UP006
        return Shape("list", item=lambda: _shape(models, inside[0]))
    if origin in (dict, typing.Dict):  # noqa: UP006
        return Shape("map", item=lambda: _shape(models, inside[1]))
    return Shape(_KINDS.get(hint, "any"))


def _old_members(models: ModuleType, of: Any) -> dict[str, Member]:
    """The older libraries: a table of names, in which ``properties.name`` lies one deeper, and a table of rules."""
    words = _docs(of)
    found: dict[str, Member] = {}
    deeper: dict[str, dict[str, Member]] = {}
    for name, field in of._attribute_map.items():
        rules = of._validation.get(name, {})
        outer, _, inner = field["key"].rpartition(".")
        (deeper.setdefault(outer, {}) if outer else found)[inner] = Member(
            _old_shape(models, field["type"], rules),
            required=rules.get("required", False),
            read_only=rules.get("readonly", False),
            words=words.get(name, ""),
        )
    for outer, members in deeper.items():
        shape = Shape("object", f"{of.__name__}.{outer}", lambda members=members: members)
        found[outer] = Member(shape, required=any(each.required for each in members.values()))
    return found


def _old_shape(models: ModuleType, kind: str, rules: dict[str, Any]) -> Shape:
    if kind.startswith("["):
        return Shape("list", item=lambda: _old_shape(models, kind[1:-1], {}))
    if kind.startswith("{"):
        return Shape("map", item=lambda: _old_shape(models, kind[1:-1], {}))
    if kind in _OLD_KINDS:
        least, most = rules.get("min_length", rules.get("minimum")), rules.get("max_length", rules.get("maximum"))
        return Shape(_OLD_KINDS[kind], pattern=rules.get("pattern", ""), least=least, most=most)
    return _object(models, kind) if hasattr(models, kind) else Shape("any")


def _docs(of: type) -> dict[str, str]:
    """What the docstrings say of each field."""
    found: dict[str, str] = {}
    for owner in reversed(of.__mro__):
        for name, words in re.findall(r":ivar (\w+): (.*?)(?=:vartype)", owner.__doc__ or "", re.DOTALL):
            found[name] = " ".join(words.split())
    return found
