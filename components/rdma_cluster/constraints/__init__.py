"""What the clouds and Kubernetes refuse, by resource type: each constraint in the API's own words, with its source.

    broken("gcp:compute/network:Network", {"mtu": 9000})
    replaced_by("gcp:compute/network:Network", {"name": "a"}, {"name": "b"})

Inputs are the engine's: camelCase, secrets unwrapped. A value that is not known yet (the engine's own mark for it, or
what an offline preview shows in its place) breaks no constraint. Nothing here needs Pulumi.

Only what an API refuses whoever asks stands here. What follows from the choice of our arguments is refused by a plan;
what cannot change while a resource lives is in `catalog.immutable`. The tables are laid out by hand: of each constraint
its place and words, then its limit with an example that passes and one that fails.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module

from .changes import refused_changes, replaced_by
from .models import modelled
from .record import Broken, Constraint, Existing, ExistingResources, Inputs

__all__ = [
    "Broken",
    "Constraint",
    "Existing",
    "ExistingResources",
    "Inputs",
    "broken",
    "constraints_of",
    "refused_changes",
    "replaced_by",
]

SERVICES = {
    "aws:ec2": "amazon_ec2",
    "aws:eks": "amazon_eks",
    "aws:fsx": "amazon_others",
    "aws:iam": "amazon_others",
    "aws:s3": "amazon_others",
    "aws:vpc": "amazon_ec2",
    "azure-native:authorization": "azure_others",
    "azure-native:containerservice": "azure_containerservice",
    "azure-native:monitor": "azure_others",
    "azure-native:network": "azure_others",
    "azure-native:storage": "azure_others",
    "azure-native:storagecache": "azure_others",
    "gcp:compute": "google_compute",
    "gcp:container": "google_container",
    "gcp:lustre": "google_others",
    "gcp:projects": "google_others",
    "gcp:servicenetworking": "google_others",
    "gcp:serviceaccount": "google_others",
    "gcp:storage": "google_others",
    "kubernetes": "kubernetes",
    "oci:ContainerEngine": "oci_others",
    "oci:Core": "oci_core",
    "oci:Identity": "oci_others",
    "oci:Lustre": "oci_others",
}
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
