"""A provider that constructs components, in the place of the SDK's own ``component_provider_host``.

That one (pulumi 3.272, pulumi/provider/experimental/component.py) reads inputs by itself before a component sees them:
it drops keys that it does not know, stops at the first that is missing, and hands whole numbers on as floats. What a
component then raises it wraps, so that a list of faults with their paths ends as a Python traceback in the user's
terminal. Here the component's own door reads the inputs, as in a Python program. Everything else is the SDK's.
"""

import json
from collections.abc import Callable
from typing import Any, get_args, get_origin

import pulumi
from pulumi.output import Unknown
from pulumi.provider import ConstructResult, Provider

from .. import __version__
from ..args import CamelCased, spelt, to_camel
from ..component import output_types
from .schema import schema_of


class ComponentPlugin(Provider):
    """Constructs ``components``, and says what they are."""

    def __init__(self, components: list[type[pulumi.ComponentResource]]) -> None:
        super().__init__(__version__, json.dumps(schema_of(components)))
        self._constructors: dict[str, Callable[..., Any]] = {each.__name__: each for each in components}

    def construct(
        self, name: str, resource_type: str, inputs: pulumi.Inputs, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        constructor = self._constructors[resource_type.rpartition(":")[2]]
        made = constructor(name, CamelCased(_later(dict(inputs))), options)
        return ConstructResult(made.urn, _outputs(made))


def _outputs(made: pulumi.ComponentResource) -> dict[str, Any]:
    """A component's outputs with all keys of ours in camelCase."""
    return {to_camel(key): _spelt(hint, getattr(made, key)) for key, hint in output_types(type(made)).items()}


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
