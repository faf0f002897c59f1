"""What cannot be changed in place, by resource type: a provider, its API or Kubernetes makes it anew instead."""

from collections.abc import Mapping

from . import amazon, azure, google, kubernetes, oracle
from .record import Fixed

__all__ = ["FIXED", "Fixed", "fixed"]

FIXED: Mapping[str, Fixed] = {
    **google.FIXED,
    **amazon.FIXED,
    **azure.FIXED,
    **oracle.FIXED,
    **kubernetes.FIXED,
}
"""By type token."""


def fixed(token: str) -> Fixed:
    """What of a resource type is decided once. An object of Kubernetes always has its name. Raises ``KeyError``."""
    if token not in FIXED and token.startswith("kubernetes:"):
        return kubernetes.ANY
    return FIXED[token]
