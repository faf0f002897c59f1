"""A public endpoint and the addresses by which nodes come to it."""

from pulumi_offline import Graph
from pulumi_offline.replacements import replacements
from tests.aks.plans import inputs
from tests.aks.variants import NETWORK
from tests.stacks import graph_of

ADDRESS = "azure-native:network:PublicIPAddress"


def let_in(graph: Graph) -> list[str]:
    """The blocks that reach the API server."""
    return inputs(graph, "ManagedCluster", "aks")["apiServerAccessProfile"]["authorizedIPRanges"]


def behind(address: str) -> Graph:
    """A stack in a network of the user's, whose firewall has this address."""
    return graph_of("aks", NETWORK.replace("load-balancer", f"routes, egressCidrs: [{address}/32]"))


def test_our_nat_gateway_is_let_in():
    """The cluster waits for its address, and a preview shows it; AKS lets in a load balancer's by itself."""
    graph = graph_of("aks")
    cluster, address = (
        graph.one(token, name)
        for token, name in (("azure-native:containerservice:ManagedCluster", "aks"), (ADDRESS, "aks-nat"))
    )

    assert let_in(graph) == ["203.0.113.7/32", f"[ipAddress of {ADDRESS} aks-nat]/32"]
    assert address.urn in cluster.dependencies
    assert let_in(graph_of("aks", "network={outbound: load-balancer}")) == ["203.0.113.7/32"]


def test_another_way_out_replaces_nothing():
    """Nodes and cluster of an existing network stay, and so does what was proved of them."""
    before, after = behind("198.51.100.4"), behind("198.51.100.5")

    assert let_in(after) == ["203.0.113.7/32", "198.51.100.5/32"]
    assert replacements(before, after) == {}
