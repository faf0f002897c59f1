"""The rules of each resource type, by the service that holds it."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module

from .record import Rule

SERVICES = {
    "aws:ec2": "amazon_ec2",
    "aws:eks": "amazon_eks",
    "aws:iam": "amazon_ec2",
    "gcp:compute": "google_compute",
    "gcp:container": "google_container",
    "gcp:projects": "google_iam",
    "gcp:serviceaccount": "google_iam",
}
"""The module of a type's rules, by how its token begins. It is imported when somebody asks."""


def service(token: str) -> str:
    """``gcp:compute`` of ``gcp:compute/network:Network``; of Kubernetes, which is one, its name."""
    package, module, *_ = token.split(":")
    return package if package == "kubernetes" else f"{package}:{module.partition('/')[0]}"


@cache
def rules_of(token: str) -> Sequence[Rule]:
    """All rules of a resource type; empty where none is known."""
    module = SERVICES.get(service(token))
    return import_module(f".{module}", __package__).RULES.get(token, ()) if module else ()
