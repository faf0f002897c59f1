"""All objects that a server has: what a rehearsal has left there, and how to have it gone."""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from ...kubernetes_api.client import Answered, Client, Kind

SECONDS = 60.0
POLL_SECONDS = 0.2
PASSING = {"events", "leases", "endpoints", "endpointslices", "componentstatuses", "ipaddresses", "apiservices"}
"""Kinds that a server and its controllers keep for themselves, or that follow from others."""
OF_EACH_NAMESPACE = {"configmaps/kube-root-ca.crt", "serviceaccounts/default"}
"""What controllers put into every namespace."""


class Existing(NamedTuple):
    """One object."""

    kind: Kind
    namespace: str
    name: str

    def __str__(self) -> str:
        return "/".join(each for each in (self.kind.plural, self.namespace, self.name) if each)

    @property
    def path(self) -> str:
        """Where it is served."""
        return self.kind.path({"namespace": self.namespace, "name": self.name})


def existing(client: Client) -> set[Existing]:
    """All there is, but for what comes and goes by itself."""
    groups = client.request("GET", "/apis")["groups"]
    roots = ["/api/v1", *(f"/apis/{each['preferredVersion']['groupVersion']}" for each in groups)]
    return {each for root in roots for kind in _kinds(client, root) for each in _objects(client, kind)}


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
    """As when their cluster goes: nobody is asked, and no finalizer is waited for. Raises ``Answered`` where some stay.

    Kinds and namespaces go last: with them would go what has finalizers, later.
    """
    deadline = time.monotonic() + SECONDS
    last = [each for each in objects if each.kind.plural in ("namespaces", "customresourcedefinitions")]
    for some in (sorted(objects - set(last)), sorted(last)):
        left: list[Existing] = some
        while left := [each for each in left if not _gone(client, each)]:
            if time.monotonic() > deadline:
                raise Answered(504, f"does not go: {', '.join(map(str, left[:5]))}")
            time.sleep(POLL_SECONDS)


def _gone(client: Client, each: Existing) -> bool:
    no_grace: dict[str, Any] = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
    try:
        live = client.request("DELETE", each.path, no_grace)
        if live.get("metadata", {}).get("finalizers"):
            free = {"metadata": {"finalizers": None}}
            client.request("PATCH", each.path, free, "application/merge-patch+json")
        return False
    except Answered as answered:
        if answered.code in (404, 405):
            return True
        if answered.code == 409:
            return False
        raise
