"""Names of a package that are imported when they are first asked for; without its SDK, what to install."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from pulumi_offline.lazy import lazy as lazy_names


class MissingLibrary(ModuleNotFoundError):
    """Something is asked for whose library is not installed; the message says what to install."""


_EXTRAS = {
    "pulumi_gcp": ("pulumi_gcp", "rdma-cluster[gke]"),
    "pulumi_aws": ("pulumi_aws", "rdma-cluster[eks]"),
    "pulumi_azure_native": ("pulumi_azure_native", "rdma-cluster[aks]"),
    "pulumi_oci": ("pulumi_oci", "rdma-cluster[oke]"),
    "rdma_rehearsal": ("rdma_rehearsal", "rdma-cluster-rehearsal"),
    "oras": ("oras", "rdma-cluster[supply]"),
    "requests": ("requests", "rdma-cluster[supply]"),
    "cyclonedx": ("cyclonedx-python-lib", "rdma-cluster[supply]"),
    "packageurl": ("cyclonedx-python-lib", "rdma-cluster[supply]"),
}
"""What is not installed where a module is not there, and what brings it."""


@contextmanager
def needed_for(what: str) -> Generator[None]:
    """Imports of what an extra brings. Raises ``MissingLibrary`` where it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        raise missing(what, error.name) from None


def missing(what: str, module: str) -> MissingLibrary:
    """The error that says what to install for ``what``, which needs a module of an extra."""
    library, distribution = _EXTRAS[module]
    clone = " (or from a clone: pip install ./rehearsal)" if module == "rdma_rehearsal" else ""
    return MissingLibrary(
        f'{what} needs {library}, which is not installed: pip install "{distribution}"{clone}', name=module
    )


def brought(group: str, name: str, what: str) -> Any:
    """What rdma-cluster-rehearsal brings by an entry point. Raises ``MissingLibrary`` where it is missing or broken."""
    from importlib.metadata import entry_points  # takes its time, and few ask

    for point in entry_points(group=group, name=name):
        try:
            return point.load()
        except ImportError as error:
            raise MissingLibrary(f"{what}: {point.value} cannot be imported: {error}; install it again") from None
    raise missing(what, "rdma_rehearsal")


def lazy(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``pulumi_offline.lazy.lazy``, with ``MissingLibrary`` where an SDK is not installed."""
    find, names = lazy_names(package, modules)

    def find_or_say(name: str) -> Any:
        with needed_for(f"{package}.{name}"):
            return find(name)

    return find_or_say, names
