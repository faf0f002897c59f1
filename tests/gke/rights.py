"""Who may do what in Google Cloud, and who reaches what."""

from collections.abc import Iterator

from pulumi_offline import Graph
from tests.rights.google import members, openings
from tests.rights.right import Right


def rights(graph: Graph) -> Iterator[Right]:
    """Roles of accounts, openings of networks and of the API, and the drivers that GKE runs."""
    yield from members(graph)
    yield from openings(graph)
    for cluster in graph.of_type("gcp:container/cluster:Cluster"):
        endpoints = cluster.inputs["controlPlaneEndpointsConfig"]
        if endpoints["dnsEndpointConfig"]["allowExternalTraffic"]:
            yield Right("whoever IAM lets", "HTTPS", "the Kubernetes API by its DNS endpoint, from the internet")
        for block in cluster.inputs.get("masterAuthorizedNetworksConfig", {}).get("cidrBlocks", []):
            yield Right(f"from {block['cidrBlock']}", "TCP 443", "the Kubernetes API by its private address")
        for addon, said in cluster.inputs.get("addonsConfig", {}).items():
            if said["enabled"]:
                yield Right(f"add-on {addon}", "whatever GKE gives it", "the cluster")
