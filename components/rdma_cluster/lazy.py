"""Names of a package that are imported when they are first asked for."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


class MissingSdk(ModuleNotFoundError):
    """A component is asked for whose SDK is not installed."""


_EXTRAS = {"pulumi_gcp": "gke", "pulumi_aws": "eks", "pulumi_azure_native": "aks", "pulumi_oci": "oke"}
"""What to install for each SDK."""


def lazy(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A ``__getattr__`` for ``package`` that finds each name in its module, so that a plan imports no SDK.

    ``names`` lists them by the module that they stand in, written as ``package`` would import it.
    """
    modules = {name: module for module, listed in names.items() for name in listed}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(modules[name], package), name)
        except ModuleNotFoundError as error:
            if (extra := _EXTRAS.get(error.name or "")) is None:
                raise
            raise MissingSdk(
                f'{package}.{name} needs {error.name}, which is not installed: pip install "rdma-cluster[{extra}]"',
                name=error.name,
            ) from None

    return find
