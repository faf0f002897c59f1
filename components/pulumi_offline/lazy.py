"""Names of a package that are imported when they are first asked for, so that importing the package costs nothing."""

import gc
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any


def lazy(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` for ``package``.

    ``modules`` has the names of each module, separated by spaces: ``{".cluster": "GkeCluster GkeClusterArgs"}``. Type
    checkers do not read it: the same names stand below ``if TYPE_CHECKING``, and a test compares the two.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def find(name: str) -> Any:
        if name == "__all__":
            return sorted(module_of)
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with fast_imports():
            return getattr(import_module(module_of[name], package), name)

    return find, lambda: sorted({*vars(sys.modules[package]), *module_of})


@contextmanager
def fast_imports() -> Generator[None]:
    """Pauses the garbage collector, which scans an SDK's classes again and again while they are imported.

    That takes a quarter of the CPU time of importing GKE's components (2026-11-27, Python 3.11), and finds nothing:
    the classes live as long as the process.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
