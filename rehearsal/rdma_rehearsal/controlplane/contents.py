"""The objects on a server: whether a user's own cluster has any, and how those that a rehearsal left are removed."""

import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from pulumi_offline.errors import InputError, Refused
from rdma_cluster.kubernetes_api.client import Answered, Client, Kind

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
MERGE = "application/merge-patch+json"
WITHOUT_FINALIZERS = {"metadata": {"finalizers": None}}
SECONDS = 60.0
POLL_SECONDS = 0.2
PASSING = {"events", "leases", "endpoints", "endpointslices", "componentstatuses", "ipaddresses", "apiservices"}
"""Kinds that a server and its controllers keep for themselves, or that follow from others."""
OF_EACH_NAMESPACE = {"configmaps/kube-root-ca.crt", "serviceaccounts/default"}
"""What controllers put into every namespace."""


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
    for root in _roots(client):
        for kind in client.request("GET", root)["resources"]:
            plural, inside = kind["name"], "/namespaces/default" if kind["namespaced"] else ""
            if "list" in kind["verbs"] and plural != "events" and (inside or plural in _SHARED):
                items = client.request("GET", f"{root}{inside}/{plural}", limit="10")["items"]
                names = [f"{plural}/{each['metadata']['name']}" for each in items]
                yield from (each for each in names if each not in _NEW)


def _roots(client: Client) -> list[str]:
    """The path of each group of kinds, in the version that the server prefers."""
    groups = client.request("GET", "/apis")["groups"]
    return ["/api/v1", *(f"/apis/{each['preferredVersion']['groupVersion']}" for each in groups)]


class Existing(NamedTuple):
    """One object."""

    kind: Kind
    namespace: str
    name: str

    def __str__(self) -> str:
        return "/".join(each for each in (self.kind.plural, self.namespace, self.name) if each)


def existing(client: Client) -> set[Existing]:
    """All there is, but for what comes and goes by itself."""
    return {each for root in _roots(client) for kind in _kinds(client, root) for each in _objects(client, kind)}


def _kinds(client: Client, root: str) -> Iterator[Kind]:
    with suppress(Answered):  # a kind that is on its way out
        for each in client.request("GET", root)["resources"]:
            if "/" not in each["name"] and {"list", "delete"} <= set(each["verbs"]) and each["name"] not in PASSING:
                yield Kind(root, each["name"], each["namespaced"])


def _objects(client: Client, kind: Kind) -> Iterator[Existing]:
    with suppress(Answered):
        for each in client.request("GET", f"{kind.root}/{kind.plural}")["items"]:
            meta = each["metadata"]
            if f"{kind.plural}/{meta['name']}" not in OF_EACH_NAMESPACE:
                yield Existing(kind, meta.get("namespace", ""), meta["name"])


def take_away(client: Client, objects: set[Existing]) -> None:
    """Delete objects as the end of their cluster would, without their finalizers. Raises ``Answered`` where some stay.

    Kinds and namespaces go last: with them would go what has finalizers, later.
    """
    deadline = time.monotonic() + SECONDS
    last = [each for each in objects if each.kind.plural in ("namespaces", "customresourcedefinitions")]
    for left in (sorted(objects - set(last)), sorted(last)):
        while left := [each for each in left if not _gone(client, each)]:
            if time.monotonic() > deadline:
                raise Answered(504, f"does not go: {', '.join(map(str, left[:5]))}")
            time.sleep(POLL_SECONDS)


def _gone(client: Client, each: Existing) -> bool:
    path = each.kind.path({"namespace": each.namespace, "name": each.name})
    no_grace: dict[str, Any] = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
    try:
        live = client.request("DELETE", path, no_grace)
        if live.get("metadata", {}).get("finalizers"):
            client.request("PATCH", path, WITHOUT_FINALIZERS, MERGE)
        return False
    except Answered as answered:
        if answered.code not in (404, 405, 409):
            raise
        return answered.code != 409
