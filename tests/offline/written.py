"""Graphs of a few resources, written by hand: no SDK is needed for them."""

from typing import Any

from pulumi_offline import Graph, Resource

HOME = "urn:pulumi:lab::gpu::"
TEAM, RAIL = "t:index:Team", "t:index:Rail"
NETWORK, SUBNET = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"


def urn(*types: str, name: str) -> str:
    """The URN of a resource below parents of these types."""
    return f"{HOME}{'$'.join(types)}::{name}"


def made(of: str, **more: Any) -> Resource:
    """The resource of a URN."""
    token, name = of.rpartition("::")[0].rpartition("::")[2].rpartition("$")[2], of.rpartition("::")[2]
    own: dict[str, Any] = {"parent": None, "provider": None, "inputs": {}, **more}
    return Resource(of, token, name, **own)


def graph(*resources: Resource, **outputs: Any) -> Graph:
    """A stack of them."""
    return Graph("lab", tuple(sorted(resources, key=lambda each: each.urn)), outputs)
