"""The user's own cluster for a rehearsal, which must be for nothing else: what stands on it already."""

import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ...errors import InputError, Refused
from ...kubernetes_api.client import Answered, Client
from ...kubernetes_api.kubeconfig import connection

OPTION = "--control-plane"
_UNREADABLE = (KeyError, OSError, StopIteration, TypeError, ValueError, subprocess.SubprocessError)
"""What comes of a file that is no kubeconfig, and of an exec plugin that fails."""
NAMESPACES = frozenset({"default", "kube-node-lease", "kube-public", "kube-system", "local-path-storage"})
"""Those that a new cluster has; the last one is kind's."""
_NEW = {"configmaps/kube-root-ca.crt", "endpoints/kubernetes", "endpointslices/kubernetes", "serviceaccounts/default",
        "services/kubernetes"}  # fmt: skip
"""What a new cluster has in the namespace `default`; events tell of the past."""
_SHARED = {
    "customresourcedefinitions", "deviceclasses", "mutatingadmissionpolicies", "mutatingwebhookconfigurations",
    "persistentvolumes", "validatingadmissionpolicies", "validatingwebhookconfigurations",
}  # fmt: skip
"""Kinds without a namespace of which a new cluster has none. Of others, as nodes and classes of storage, it has."""


def cluster_of(kubeconfig: Path) -> Client:
    """The cluster of a kubeconfig. Raises ``Refused``."""
    try:
        return Client(connection(kubeconfig))
    except Refused as refused:
        raise Refused([InputError((OPTION,), str(each)) for each in refused.errors]) from None
    except _UNREADABLE as error:
        why = f"{kubeconfig} is no kubeconfig that can be read: {error or type(error).__name__}"
        raise Refused([InputError((OPTION,), why)]) from None


def check_empty(client: Client) -> None:
    """Raises ``Refused`` where a cluster is in use, or does not say."""
    try:
        used = list(islice(used_by(client), 5))
    except (OSError, Answered) as error:
        raise Refused([InputError((OPTION,), f"{client.server} does not let us look around: {error}")]) from None
    if used:
        why = f"{client.server} is not empty: it has {', '.join(used)}; name a cluster that is for nothing else"
        raise Refused([InputError((OPTION,), why)])


def used_by(client: Client) -> Iterator[str]:
    """What a new cluster would not have: ``namespace team-a``, ``deployments/web``. Raises as ``Client.request``."""
    for each in client.request("GET", "/api/v1/namespaces")["items"]:
        if each["metadata"]["name"] not in NAMESPACES:
            yield f"namespace {each['metadata']['name']}"
    groups = client.request("GET", "/apis")["groups"]
    for root in ("/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)):
        for kind in client.request("GET", root)["resources"]:
            yield from (each for each in _objects(client, root, kind) if each not in _NEW)


def _objects(client: Client, root: str, kind: dict[str, Any]) -> Iterator[str]:
    plural = kind["name"]
    if "list" not in kind["verbs"] or plural == "events" or not (kind["namespaced"] or plural in _SHARED):
        return
    inside = "/namespaces/default" if kind["namespaced"] else ""
    for each in client.request("GET", f"{root}{inside}/{plural}", limit="10")["items"]:
        yield f"{plural}/{each['metadata']['name']}"
