"""The components as a Pulumi package, for programs in TypeScript, Go, C#, Java and YAML.

Pulumi starts the folders in ``packages/``: each calls ``host`` with the clouds whose components it serves.
"""

import json
from collections.abc import Callable
from importlib import import_module
from inspect import isclass
from sys import argv
from typing import Any, get_args, get_origin

import pulumi
from pulumi.output import Unknown
from pulumi.provider import ConstructResult, Provider, main
from .. import __version__
from ..base.args import CamelCased, spelt, to_camel
from ..component.frame import output_types
from ..incluster.on_cluster import HOSTED
from .schema import schema_of


def host(*clouds: str) -> None:
    """Serve the components of these clouds, and what any cluster can have, until the engine ends the process."""
    main(ComponentPlugin(components_of(*clouds, "incluster")), argv[1:])


def components_of(*packages: str) -> list[type[pulumi.ComponentResource]]:
    """The components that these packages of ours export."""
    modules = [import_module(f"..{package}", __name__) for package in packages]
    public = [getattr(module, name) for module in modules for name in module.__all__]
    return [each for each in public if isclass(each) and issubclass(each, pulumi.ComponentResource)]


class ComponentPlugin(Provider):
    """A provider that constructs ``components``, in the place of the SDK's own ``component_provider_host``.

    That one (pulumi 3.272, pulumi/provider/experimental/component.py) reads inputs by itself before a component sees
    them: it drops keys that it does not know, stops at the first that is missing, and hands whole numbers on as floats.
    What a component then raises it wraps, so that a list of errors with their paths ends as a Python traceback in the
    user's terminal. Here each component reads its inputs itself, as in a Python program. Everything else is the SDK's.
    """

    def __init__(self, components: list[type[pulumi.ComponentResource]]) -> None:
        super().__init__(__version__, json.dumps(schema_of(components)))
        self._constructors: dict[str, Callable[..., Any]] = {each.__name__: each for each in components}

    def construct(
        self, name: str, resource_type: str, inputs: pulumi.Inputs, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        HOSTED.set(True)
        constructor = self._constructors[resource_type.rpartition(":")[2]]
        component = constructor(name, CamelCased(_later(dict(inputs))), options)
        hints = output_types(type(component))
        # All keys of ours in camelCase.
        outputs = {to_camel(key): _spelt(hint, getattr(component, key)) for key, hint in hints.items()}
        return ConstructResult(component.urn, outputs)


def _spelt(hint: Any, value: Any) -> Any:
    if get_origin(hint) is not pulumi.Output:
        return spelt(hint, value)
    return pulumi.Output.from_input(value).apply(lambda known: spelt(get_args(hint)[0], known))


def _later(value: Any) -> Any:
    """``value`` with what is not known yet as outputs, however the engine wrote it."""
    if isinstance(value, Unknown):
        return pulumi.Output.from_input(value)
    if isinstance(value, dict):
        return {key: _later(of) for key, of in value.items()}
    return [_later(item) for item in value] if isinstance(value, list) else value
