"""What publishers and clouds have stopped supporting, by the catalogue's own lists."""

from collections.abc import Iterator
from datetime import date

from rdma_cluster.base.versions import minor_of
from rdma_cluster.catalog import oke_releases, releases
from rdma_cluster.catalog.aks_releases import FLOORS
from rdma_cluster.catalog.support import CLOUDS, SUPPORT
from .pins import Pin

Row = tuple[Pin, str, str, bool]
"""A pin, the newest beside it, what is said of its support, and whether that has ended."""
_KUBERNETES = {
    "gke": (releases.GKE.default, releases.GKE.minors[1]),
    "eks": (releases.EKS.default, releases.EKS.minors[1]),
    "aks": (FLOORS.default, FLOORS.minors[1]),
    "oke": (oke_releases.VERSIONS.default, oke_releases.VERSIONS.offered[0]),
}
"""The default and the newest of each cloud."""


def support_of(name: str, version: str) -> tuple[str, bool]:
    """What the publisher of a part says of this version, where its support is not whole, and whether it has ended."""
    row = SUPPORT.get(name)
    if row is None or not version.removeprefix("v").startswith(row.release):
        return "", False
    if row.ended:
        return f"UNSUPPORTED, seen on {row.ended}", True
    return f"deprecated, seen on {row.deprecated}" if row.deprecated else "", False


def of_addons() -> Iterator[Row]:
    """OKE's add-ons whose version we name."""
    for each in oke_releases.ADDONS:
        if each.version:
            yield Pin(each.name, each.version, ("catalog/oke_releases.py",)), "?", *support_of(each.name, each.version)


def clouds(today: date) -> Iterator[Row]:
    """The Kubernetes that a stack asks for by default, on each cloud."""
    for name, (default, newest) in _KUBERNETES.items():
        pin = Pin(f"Kubernetes on {CLOUDS[name].service}", default, ("catalog/support.py",))
        known = CLOUDS[name].minors.get(minor_of(default))
        ended = known is not None and known.ends < today.isoformat()
        said = f"supported until {known.ends}" if known else "no day of its end is known"
        yield pin, newest, f"UNSUPPORTED: {said}" if ended else said, ended
