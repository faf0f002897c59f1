"""What cannot be changed in place, by resource type: a provider, its API or Kubernetes makes it anew instead."""

from collections.abc import Mapping

from . import amazon, azure, google, kubernetes, oci
from .record import Fixed, Nodes

__all__ = ["FIXED", "Fixed", "Nodes", "fixed"]

FIXED: Mapping[str, Fixed] = {**google.FIXED, **amazon.FIXED, **azure.FIXED, **oci.FIXED, **kubernetes.FIXED}
"""The rows by type token."""


def fixed(token: str) -> Fixed | None:
    """The inputs of a resource type that cannot change, of every Kubernetes object its name; ``None`` if unknown."""
    return FIXED.get(token, kubernetes.ANY if token.startswith("kubernetes:") else None)
