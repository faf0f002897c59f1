"""What the two clouds on Google's API have in common: members of roles, and openings of firewalls."""

from collections.abc import Iterator

from pulumi_offline import Graph
from .right import Right, plain


def members(graph: Graph) -> Iterator[Right]:
    """Roles of accounts on the project and on buckets."""
    for each in graph.of_type("gcp:projects/iAMMember:IAMMember"):
        account = plain(graph, each.inputs["member"].removeprefix("serviceAccount:").partition("@")[0])
        yield Right(f"account {account}", each.inputs["role"], "the project")
    for each in graph.of_type("gcp:storage/bucketIAMMember:BucketIAMMember"):
        kind, _, namespace = each.inputs["member"].partition("/namespace/")
        who = f"pods of namespace {namespace}" if kind.startswith("principalSet:") else kind
        yield Right(who, each.inputs["role"], "the bucket")


def openings(graph: Graph) -> Iterator[Right]:
    """What firewalls let in, by the network's name."""
    for rule in graph.of_type("gcp:compute/firewall:Firewall"):
        network = plain(graph, rule.inputs["network"]).rpartition("/")[2]
        for block in rule.inputs.get("sourceRanges", []):
            inside = block if block in _OF_GOOGLE else "inside"
            for allowed in rule.inputs["allows"]:
                ports = ", ".join(allowed.get("ports", [])) or "all"
                yield Right(f"from {inside}", f"{allowed['protocol']} {ports}", f"network {network}")


_OF_GOOGLE = ("35.235.240.0/20", "0.0.0.0/0")
"""Blocks that are none of the user's own: Identity-Aware Proxy's, and everybody's."""
