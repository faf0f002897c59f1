"""The components as a Pulumi package, for programs in TypeScript, Go, C#, Java and YAML.

The folders in ``packages/`` are what Pulumi starts: each calls ``host`` with the clouds whose components it serves.
"""

from collections.abc import Iterator
from importlib import import_module
from inspect import isclass
from sys import argv

from pulumi import ComponentResource
from pulumi.provider import main

from .provider import ComponentPlugin


def host(*clouds: str) -> None:
    """Serve the components of these clouds, and what any cluster can have, until the engine ends the process."""
    main(ComponentPlugin(components_of(*clouds, "incluster")), argv[1:])


def components_of(*packages: str) -> list[type[ComponentResource]]:
    """The components that these packages of ours name as public."""
    return [component for package in packages for component in _public(package)]


def _public(package: str) -> Iterator[type[ComponentResource]]:
    module = import_module(f"..{package}", __name__)
    for name in module.__all__:
        if isclass(public := getattr(module, name)) and issubclass(public, ComponentResource):
            yield public
