"""Names of a package that are imported when they are first asked for."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A ``__getattr__`` for ``package`` that finds each name in its module, so that a plan imports no SDK.

    ``names`` lists them by the module that they stand in, written as ``package`` would import it.
    """
    modules = {name: module for module, listed in names.items() for name in listed}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name], package), name)

    return find
