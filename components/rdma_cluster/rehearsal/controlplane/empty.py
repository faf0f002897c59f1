"""The user's own cluster for a rehearsal, which must be for nothing else: what stands on it already."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...errors import InputError, Refused
from ...kubernetes_api.client import Answered, Client

OPTION = "--control-plane"
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
