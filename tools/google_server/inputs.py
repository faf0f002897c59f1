"""From the requests of Google's APIs back to the inputs of resources, which `constraints/` judges."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_offline.constraints import (
    Broken,
    Existing,
    ExistingResources,
    Inputs,
    refused_changes,
    stated as constraints_of,
)
from tools.google_server.fake_google import ApiError, Body, FakeGoogle

TOKENS: Mapping[str, str] = {
    "firewalls": "gcp:compute/firewall:Firewall",
    "instances": "gcp:compute/instance:Instance",
    "networks": "gcp:compute/network:Network",
    "resourcePolicies": "gcp:compute/resourcePolicy:ResourcePolicy",
    "routers": "gcp:compute/router:Router",
    "subnetworks": "gcp:compute/subnetwork:Subnetwork",
    "clusters": "gcp:container/cluster:Cluster",
    "nodePools": "gcp:container/nodePool:NodePool",
    "serviceAccounts": "gcp:serviceaccount/account:Account",
    "b": "gcp:storage/bucket:Bucket",
}
"""The resource type of each collection."""
_NAT = "gcp:compute/routerNat:RouterNat"
_RENAMED: Mapping[str, Mapping[str, str]] = {
    "firewalls": {"allowed": "allows", "allowed.IPProtocol": "protocol"},
    "instances": {"reservationAffinity.consumeReservationType": "type"},
    "nodePools": {
        "config": "nodeConfig",
        "config.accelerators": "guestAccelerators",
        "config.accelerators.acceleratorCount": "count",
        "config.accelerators.acceleratorType": "type",
        "locations": "nodeLocations",
    },
    "clusters": {"locations": "nodeLocations", "initialClusterVersion": "minMasterVersion"},
}
"""Fields whose input has another name, by collection: paths in a resource, without indices."""


def against(google: FakeGoogle, path: str, body: Body) -> list[Broken]:
    """The constraints that a resource breaks as it would be at its path."""
    existing = ExistingResources(
        Existing(token, inputs_of(other, each), frozenset({other, name, each.get("selfLink", other)}))
        for other, each in google.resources.items()
        for kind, name in [other.split("/")[-2:]]
        if other != path and (token := TOKENS.get(kind))
    )
    return [
        Broken(place, constraint.words, constraint.source)
        for token, inputs in _judged(path, body)
        for constraint in constraints_of(token)
        for place in constraint.limit.check(inputs, existing)
    ]


def refuse(broken: list[Broken], reason: str = "badRequest", prefix: str = "") -> None:
    """Raises ``ApiError`` where anything is broken."""
    if broken:
        raise ApiError(400, reason, prefix + "; ".join(f"{each.path}: {each.words}" for each in broken))


def against_change(path: str, before: Body, after: Body) -> list[Broken]:
    """What the API changes on no living resource."""
    token = TOKENS.get(path.split("/")[-2])
    return refused_changes(token, inputs_of(path, before), inputs_of(path, after)) if token else []


def inputs_of(path: str, body: Body) -> Inputs:
    """A resource as a program would have asked for it, as far as constraints read it."""
    steps = path.split("/")
    collection = steps[-2]
    place = {kind.removesuffix("s"): name for kind, name in zip(steps[::2], steps[1::2], strict=False)}
    places = {key: place[key] for key in ("project", "location", "region", "zone", "cluster") if key in place}
    inputs = {**_renamed(_RENAMED.get(collection, {}), body, ""), **places, "name": steps[-1]}
    if collection == "clusters":
        inputs.update(_endpoints(body))
    if collection == "serviceAccounts":
        inputs["accountId"] = steps[-1].partition("@")[0]
    if collection == "instances" and "key" in (affinity := {**inputs.get("reservationAffinity", {})}):
        affinity["specificReservation"] = {"key": affinity.pop("key"), "values": affinity.pop("values", [])}
        inputs["reservationAffinity"] = affinity
    return inputs


def _endpoints(cluster: Body) -> Inputs:
    """The provider asks for endpoints by the newer fields alone, and its inputs are older.

    terraform-provider-google-beta@93c65b2 resource_container_cluster.go, expandControlPlaneEndpointsConfig, 2026-08-21.
    """
    by_address = cluster.get("controlPlaneEndpointsConfig", {}).get("ipEndpointsConfig", {})
    made = {"privateClusterConfig": {"enablePrivateEndpoint": not by_address.get("enablePublicEndpoint")}}
    networks = by_address.get("authorizedNetworksConfig") or {}
    return {**made, **({"masterAuthorizedNetworksConfig": networks} if networks.get("enabled") else {})}


def _renamed(names: Mapping[str, str], value: Any, path: str) -> Any:
    """A number of 0 is left out: the provider sends it where a program set none, and to the API it is the same."""
    if isinstance(value, list):
        return [_renamed(names, each, path) for each in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, inner in value.items():
        if inner == 0 and not isinstance(inner, bool):
            continue
        here = f"{path}.{key}".lstrip(".")
        found[names.get(here, key)] = _renamed(names, inner, here)
    return found


def _judged(path: str, body: Body) -> Iterator[tuple[str, Inputs]]:
    collection = path.split("/")[-2]
    if token := TOKENS.get(collection):
        yield token, inputs_of(path, body)
    for nat in body.get("nats") or () if collection == "routers" else ():
        yield _NAT, nat
