"""The rules of each resource type, by the service that holds it."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module

from .models import modelled
from .record import Rule

SERVICES = {
    "aws:ec2": "amazon_ec2",
    "aws:eks": "amazon_eks",
    "aws:fsx": "amazon_storage",
    "aws:iam": "amazon_iam",
    "aws:s3": "amazon_storage",
    "aws:vpc": "amazon_ec2",
    "azure-native:authorization": "azure_others",
    "azure-native:containerservice": "azure_containerservice",
    "azure-native:monitor": "azure_others",
    "azure-native:network": "azure_network",
    "azure-native:storage": "azure_storage",
    "azure-native:storagecache": "azure_storage",
    "gcp:compute": "google_compute",
    "gcp:container": "google_container",
    "gcp:lustre": "google_storage",
    "gcp:projects": "google_iam",
    "gcp:servicenetworking": "google_storage",
    "gcp:serviceaccount": "google_iam",
    "gcp:storage": "google_storage",
    "kubernetes": "kubernetes",
    "oci:ContainerEngine": "oracle_others",
    "oci:Core": "oracle_core",
    "oci:Identity": "oracle_others",
    "oci:Lustre": "oracle_others",
}
"""The module of a type's rules, by how its token begins. It is imported when somebody asks."""


def service(token: str) -> str:
    """``gcp:compute`` of ``gcp:compute/network:Network``; of Kubernetes, which is one, its name."""
    package, module, *_ = token.split(":")
    return package if package == "kubernetes" else f"{package}:{module.partition('/')[0]}"


@cache
def rules_of(token: str) -> Sequence[Rule]:
    """All rules of a resource type: what its model states as data, and what it and other sources say in words."""
    return (*modelled(token), *stated(token))


def stated(token: str) -> Sequence[Rule]:
    """The rules in words alone."""
    if (name := SERVICES.get(service(token))) is None:
        return ()
    module = import_module(f".{name}", __package__)
    every = getattr(module, "every", None)
    return (*(every(token) if every else ()), *module.RULES.get(token, ()))
