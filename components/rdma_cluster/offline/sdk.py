"""What the generated SDKs know about their own types.

Pulumi publishes no such interface, so private names are used. All of them stand here and in `runtime`, and one test
says so when a release changes them.
"""

import importlib
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, get_args


class Property(NamedTuple):
    """An input property: the types a value may have (unwrapped of Input and Optional), and whether it must be there."""

    types: tuple[Any, ...]
    required: bool


def package(token: str) -> str:
    """The package a type token belongs to: `gcp` of `gcp:compute/network:Network` and of `pulumi:providers:gcp`."""
    return token.removeprefix("pulumi:providers:").partition(":")[0]


def resource_class(token: str) -> type | None:
    """The SDK's class of a type token, or None when no imported SDK has one (components, CRDs, dynamic resources)."""
    found = _found(token)
    if found is None:
        return None
    module, name = found
    return getattr(importlib.import_module(module), name)


@cache
def args_class(cls: type) -> type | None:
    """The class of a resource class's inputs, or None when the SDK has none."""
    home = sys.modules[cls.__module__]
    return getattr(home, f"{cls.__name__}InitArgs", None) or getattr(home, f"{cls.__name__}Args", None)


def version(token: str) -> str:
    """The version of the SDK a type token comes from, which it asks for with every resource; empty when unknown."""
    from pulumi.runtime import rpc

    return next((str(found.version() or "") for found in rpc._RESOURCE_PACKAGES.get(package(token), ())), "")


@cache
def properties(cls: type) -> Mapping[str, Property]:
    """The input properties of an Args class by the name that reaches the engine."""
    from pulumi import _types

    required = _types._required_property_names(cls)
    hints = _types._raw_return_hints(cls)
    return {name: Property(alternatives(hint), name in required) for name, hint in hints.items()}


@cache
def python_names(cls: type) -> Mapping[str, str]:
    """Names of an Args class as a program spells them (`node_config`) to those that reach the engine (`nodeConfig`)."""
    from pulumi import _types

    return _types.input_type_py_to_pulumi_names(cls)


@cache
def outputs(cls: type) -> Mapping[str, Any]:
    """Types of a resource's outputs, or of an output class's properties, still with their Optional."""
    from pulumi import CustomResource, Output, _types

    if not issubclass(cls, CustomResource):
        return _types._raw_return_hints(cls)
    raw = {name: get_args(hint)[0] for name, hint in _types._raw_return_hints(cls).items() if hint is not Output}
    return {**_types.resource_types(cls), **raw}


@cache
def alternatives(hint: Any) -> tuple[Any, ...]:
    """The types a value of a hint may have on the wire, without None and the Output and Awaitable that Input adds."""
    from pulumi import _types

    if not _types._is_union_type(hint):
        return (hint,)
    members = [member for member in get_args(hint) if not _types._is_plumbing_arg(member)]
    return tuple(one for member in members if member is not type(None) for one in alternatives(member))


def is_input_class(hint: Any) -> bool:
    """Whether a type is an SDK class of nested inputs."""
    from pulumi import _types

    return _types.is_input_type(hint)


def is_output_class(hint: Any) -> bool:
    """Whether a type is an SDK class of nested outputs."""
    from pulumi import _types

    return _types.is_output_type(hint)


def _registered(token: str) -> list[Any]:
    from pulumi.runtime import rpc

    if token.startswith("pulumi:providers:"):
        return list(rpc._RESOURCE_PACKAGES.get(package(token), ()))
    return list(rpc._RESOURCE_MODULES.get(token.rpartition(":")[0], ()))


def _found(token: str) -> tuple[str, str] | None:
    for registered in _registered(token):
        if token.startswith("pulumi:providers:"):
            return registered.pkg_info["fqn"], registered.pkg_info["class"]
        name = registered.mod_info["classes"].get(token)
        if name is not None:
            return registered.mod_info["fqn"], name
    return None
