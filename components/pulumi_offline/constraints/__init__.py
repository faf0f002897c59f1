"""What the clouds and Kubernetes refuse, by resource type: each constraint in the API's own words, with its source.

    broken("gcp:compute/network:Network", {"mtu": 9000})
    replaced_by("gcp:compute/network:Network", {"name": "a"}, {"name": "b"})

Inputs are the engine's: camelCase, secrets unwrapped. A value that is not known yet (the engine's own mark for it, or
what an offline preview shows in its place) breaks no constraint. Nothing here needs Pulumi.

Only what an API refuses whoever asks stands here. What follows from the choice of our arguments is refused by a plan;
what cannot change while a resource lives is in `immutable`. The tables are laid out by hand: of each constraint
its place and words, then its limit with an example that passes and one that fails.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from ipaddress import IPv4Network
from typing import Any

from ..immutable import Fixed, fixed
from ..json_diff import Change, compare
from .models import modelled
from .record import Broken, Constraint, Existing, ExistingResources, Inputs

__all__ = [
    "Broken", "Constraint", "Existing", "ExistingResources", "Inputs", "broken", "constraints_of", "refused_changes",
    "replaced_by",
]  # fmt: skip

_MODULES = {
    "amazon_ec2": "aws:ec2 aws:vpc",
    "amazon_eks": "aws:eks",
    "amazon_others": "aws:fsx aws:iam aws:s3",
    "azure_containerservice": "azure-native:containerservice",
    "azure_others": "azure-native:authorization azure-native:monitor azure-native:network azure-native:storage "
    "azure-native:storagecache",
    "google_compute": "gcp:compute",
    "google_container": "gcp:container",
    "google_others": "gcp:lustre gcp:projects gcp:servicenetworking gcp:serviceaccount gcp:storage",
    "kubernetes": "kubernetes",
    "oci_core": "oci:Core",
    "oci_others": "oci:ContainerEngine oci:Identity oci:Lustre",
}
SERVICES = {service: module for module, services in _MODULES.items() for service in services.split()}
"""The module of a type's constraints, by how its token begins. It is imported when the type is judged."""


def broken(token: str, inputs: Inputs, others: ExistingResources | Iterable[Existing] = ()) -> list[Broken]:
    """Every constraint that the creation of a resource breaks, in their order; of an unknown type none.

    ``others`` is what its cloud holds already: names that are taken, networks that it joins.
    """
    existing = others if isinstance(others, ExistingResources) else ExistingResources(others)
    return [
        Broken(path, constraint.words, constraint.source)
        for constraint in constraints_of(token)
        for path in constraint.limit.check(inputs, existing)
    ]


@cache
def constraints_of(token: str) -> Sequence[Constraint]:
    """All constraints of a type: those that its model states as data, and those that sources state in words."""
    return (*modelled(token), *stated(token))


def stated(token: str) -> Sequence[Constraint]:
    """The constraints in words alone."""
    package, place, *_ = token.split(":")
    # Kubernetes is one service; of `gcp:compute/network:Network` it is `gcp:compute`.
    service = package if package == "kubernetes" else f"{package}:{place.partition('/')[0]}"
    if (name := SERVICES.get(service)) is None:
        return ()
    module = import_module(f".{name}", __package__)
    every = getattr(module, "every", None)
    return (*(every(token) if every else ()), *module.CONSTRAINTS.get(token, ()))


def replaced_by(token: str, old: Inputs, new: Inputs) -> list[str]:
    """The paths for whose change the provider makes another object: ``nodeConfig.spot``; of an unknown type none."""
    return [change.path for row, change in _changes(token, old, new) if replaces(row, change)]


def refused_changes(token: str, old: Inputs, new: Inputs) -> list[Broken]:
    """The changes that the provider asks for in place, and the API refuses."""
    answers = ((row.answer(change.path), change.path, row.source) for row, change in _changes(token, old, new))
    return [Broken(path, words, source) for words, path, source in answers if words is not None]


def replaces(row: Fixed, change: Change) -> bool:
    """Whether a provider makes another object for a changed input."""
    return row.replaces(change.path) and not (change.path in row.grows and _grows(change.before, change.after))


def _changes(token: str, old: Inputs, new: Inputs) -> Iterator[tuple[Fixed, Change]]:
    if (row := fixed(token)) is not None:
        yield from ((row, change) for change in compare("", old, new))


def _grows(before: Any, after: Any) -> bool:
    """Whether a block of addresses keeps all that it has; one that is not known yet does not."""
    try:
        return IPv4Network(before).subnet_of(IPv4Network(after))
    except (TypeError, ValueError):
        return False
