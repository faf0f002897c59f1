"""What the generated SDKs know about their own types.

Pulumi publishes no such interface, so private names are used. `sdk_names` lists them, and says so when one is missing.
"""

import importlib
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, get_args

from .sdk_names import demand_names

demand_names()
from pulumi import CustomResource, Output, _types  # noqa: E402
from pulumi.runtime import rpc  # noqa: E402


class Property(NamedTuple):
    """An input property: the types a value may have (unwrapped of Input and Optional), and whether it must be there."""

    types: tuple[Any, ...]
    required: bool


def package(token: str) -> str:
    """The package a type token belongs to: `gcp` of `gcp:compute/network:Network` and of `pulumi:providers:gcp`."""
    return token.removeprefix("pulumi:providers:").partition(":")[0]


def resource_class(token: str) -> type | None:
    """The SDK's class of a type token, or None when no imported SDK has one (components, CRDs, dynamic resources)."""
    for registered in _registered(token):
        if token.startswith("pulumi:providers:"):
            module, name = registered.pkg_info["fqn"], registered.pkg_info["class"]
        else:
            module, name = registered.mod_info["fqn"], registered.mod_info["classes"].get(token)
        if name is not None:
            return getattr(importlib.import_module(module), name)
    return None


@cache
def args_class(cls: type) -> type | None:
    """The class of a resource class's inputs, or None when the SDK has none."""
    home = sys.modules[cls.__module__]
    return getattr(home, f"{cls.__name__}InitArgs", None) or getattr(home, f"{cls.__name__}Args", None)


def version(token: str) -> str:
    """The version of the SDK a type token comes from, which it asks for with every resource; empty when unknown."""
    return next((str(each.version() or "") for each in rpc._RESOURCE_PACKAGES.get(package(token), ())), "")


@cache
def properties(cls: type) -> Mapping[str, Property]:
    """The input properties of an Args class by the name that reaches the engine."""
    required = _types._required_property_names(cls)
    hints = _types._raw_return_hints(cls)
    return {name: Property(alternatives(hint), name in required) for name, hint in hints.items()}


@cache
def python_names(cls: type) -> Mapping[str, str]:
    """Names of an Args class as a program spells them (`node_config`) to those that reach the engine (`nodeConfig`)."""
    return _types.input_type_py_to_pulumi_names(cls)


@cache
def outputs(cls: type) -> Mapping[str, Any]:
    """Types of a resource's outputs, or of an output class's properties, still with their Optional."""
    if not issubclass(cls, CustomResource):
        return _types._raw_return_hints(cls)
    raw = {name: get_args(hint)[0] for name, hint in _types._raw_return_hints(cls).items() if hint is not Output}
    return {**_types.resource_types(cls), **raw}


@cache
def alternatives(hint: Any) -> tuple[Any, ...]:
    """The types a value of a hint may have on the wire, without None and the Output and Awaitable that Input adds."""
    if not _types._is_union_type(hint):
        return (hint,)
    members = [member for member in get_args(hint) if not _types._is_plumbing_arg(member)]
    return tuple(one for member in members if member is not type(None) for one in alternatives(member))


def is_input_class(hint: Any) -> bool:
    """Whether a type is an SDK class of nested inputs."""
    return _types.is_input_type(hint)


def is_output_class(hint: Any) -> bool:
    """Whether a type is an SDK class of nested outputs."""
    return _types.is_output_type(hint)


def _registered(token: str) -> list[Any]:
    if token.startswith("pulumi:providers:"):
        return list(rpc._RESOURCE_PACKAGES.get(package(token), ()))
    return list(rpc._RESOURCE_MODULES.get(token.rpartition(":")[0], ()))
