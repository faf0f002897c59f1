"""Which nodes of a pool are in use: a pod that asks for GPUs or for claims is on them."""

from collections.abc import Mapping
from typing import Any

from ..kube_api import Reads, listed
from ..names import GPU, TESTS_NAMESPACE

_LIVE = "status.phase!=Succeeded,status.phase!=Failed"


def asks_for_devices(spec: Mapping[str, Any]) -> bool:
    """Whether a pod asks for GPUs, or has claims of its own."""
    limits = [name for each in spec["containers"] for name in each.get("resources", {}).get("limits", {})]
    return bool(spec.get("resourceClaims")) or GPU in limits


def users(api: Reads, selector: str) -> dict[str, str]:
    """The nodes that a selector names, each with a pod that uses its devices; no text where there is none.

    Pods of tests do not count.
    """
    found = {node["metadata"]["name"]: "" for node in listed(api, "/api/v1/nodes", labelSelector=selector)}
    for pod in listed(api, "/api/v1/pods", fieldSelector=_LIVE):
        metadata, node = pod["metadata"], pod["spec"].get("nodeName", "")
        if node in found and metadata["namespace"] != TESTS_NAMESPACE and asks_for_devices(pod["spec"]):
            found[node] = f"{metadata['namespace']}/{metadata['name']}"
    return found
