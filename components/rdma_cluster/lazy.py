"""Names of a package that are imported when they are first asked for, so that a plan imports no SDK."""

import ast
import gc
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


class MissingLibrary(ModuleNotFoundError):
    """Something is asked for whose library is not installed; the message says what to install."""


_EXTRAS = {
    "pulumi_gcp": ("pulumi_gcp", "gke"),
    "pulumi_aws": ("pulumi_aws", "eks"),
    "pulumi_azure_native": ("pulumi_azure_native", "aks"),
    "pulumi_oci": ("pulumi_oci", "oke"),
    "oras": ("oras", "supply"),
    "requests": ("requests", "supply"),
    "cyclonedx": ("cyclonedx-python-lib", "supply"),
    "packageurl": ("cyclonedx-python-lib", "supply"),
}
"""What is not installed where a module is not there, and the extra that brings it."""


@contextmanager
def needed_for(what: str) -> Generator[None]:
    """Imports of what an extra brings. Raises ``MissingLibrary`` where it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (known := _EXTRAS.get(error.name or "")) is None:
            raise
        library, extra = known
        raise MissingLibrary(
            f'{what} needs {library}, which is not installed: pip install "rdma-cluster[{extra}]"', name=error.name
        ) from None


def lazy(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` for ``package``, of what the package imports below ``if TYPE_CHECKING``.

    Each name stands there alone, as ``from .cluster import GkeCluster as GkeCluster``: type checkers take this form for
    a public name of the package. At run time the imports are read from the source when a first name is asked for.
    """

    def find(name: str) -> Any:
        modules = _modules(package)
        if name == "__all__":
            return sorted(modules)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with needed_for(f"{package}.{name}"), _uncollected():
            return getattr(import_module(modules[name], package), name)

    return find, lambda: sorted({*vars(sys.modules[package]), *_modules(package)})


@contextmanager
def _uncollected() -> Generator[None]:
    """Imports without looks of the garbage collector, which take a fifth of an SDK's import and find nothing."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@cache
def _modules(package: str) -> dict[str, str]:
    """The module of each name, written as ``package`` would import it."""
    source = Path(str(sys.modules[package].__file__)).read_text(encoding="utf-8")
    blocks = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    imports = (node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom))
    return {alias.name: "." * node.level + (node.module or "") for node in imports for alias in node.names}
