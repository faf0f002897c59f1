"""The machine catalogue: facts only, every row sourced and dated. Imports no SDK."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from .machine import Capacity, Gpu, Known, Machine, NicKind, PcieRoot, Source, Threshold, Transport

__all__ = [
    "Capacity",
    "Gpu",
    "Known",
    "Machine",
    "NicKind",
    "PcieRoot",
    "Source",
    "Threshold",
    "Transport",
    "find",
    "machines",
    "nearest",
    "unknown",
]


@cache
def machines(cloud: str | None = None) -> tuple[Machine, ...]:
    """All rows of one cloud, or of every cloud, in catalogue order. Raises ``ValueError`` for a cloud without any."""
    from .clouds import CLOUD_FACTS

    if cloud is None:
        return tuple(machine for each in CLOUD_FACTS for machine in machines(each))
    if cloud not in CLOUD_FACTS:
        raise ValueError(f"the catalogue has machines of {', '.join(CLOUD_FACTS)}, and none of {cloud!r}")
    return import_module(f"{__name__}.{cloud}").MACHINES


def find(name: str, cloud: str | None = None) -> Machine | None:
    """The row of a machine type, or ``None``."""
    from .clouds import CLOUD_FACTS

    clouds = CLOUD_FACTS if cloud is None else (cloud,)
    return next((machine for each in clouds for machine in machines(each) if machine.name == name), None)


def nearest(name: str, cloud: str | None = None) -> list[str]:
    """The names most like what a user wrote, best first."""
    return get_close_matches(name, [machine.name for machine in machines(cloud)], n=4, cutoff=0.0)


def unknown(name: str) -> str:
    """Why a name is no machine type's, with those that are most like it."""
    from .clouds import why_without_rdma

    if why := why_without_rdma(name):
        return f"{name} has {why}; nearest with a fabric are {', '.join(nearest(name))}"
    return f"unknown machine {name!r}; nearest are {', '.join(nearest(name))}"
