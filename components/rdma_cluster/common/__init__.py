"""What the clouds share: pools, addresses, versions, existing networks and clusters, summaries. Pure but for
``google.resources``."""

from importlib import import_module
from typing import Any

CLOUDS = ("aks", "eks", "gce", "gke", "oke")
"""The clouds that are built, by the names of their folders: the one line that a new cloud adds."""


def module_of(cloud: str, name: str) -> Any:
    """A module of a cloud's room. Nothing else finds one by the cloud's name."""
    return import_module(f"rdma_cluster.{cloud}.{name}")
