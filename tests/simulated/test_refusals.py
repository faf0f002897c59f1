"""Simulated clouds refuse what the real ones do, by what is there and what is not."""

import pytest
from pulumi_offline.constraints import broken
from tests.simulated.engine import Clouds, Failed, Provider
from tests.simulated.sound import (
    AKS,
    CLUSTER,
    CONFIG_MAP,
    NETWORK,
    POOL,
    SUBNET,
    aks,
    cluster,
    config_map,
    network,
    pool,
    subnet,
)

AKS_POOL = "azure-native:containerservice:AgentPool"
TOO_LARGE = {**network(), "mtu": 9000}


def network_and_subnet(provider: Provider) -> tuple[str, str]:
    """The ids of a network and of a subnet in it."""
    id_, _ = provider.create(NETWORK, "n", network())
    return id_, provider.create(SUBNET, "s", subnet(id_))[0]


def test_constraints_are_told_in_the_words_of_the_api(clouds: Clouds):
    """They are told at a creation and at a change, and not in a preview."""
    provider = clouds.provider("gcp")
    (constraint,) = broken(NETWORK, TOO_LARGE)
    provider.create(NETWORK, "n", TOO_LARGE, preview=True)

    with pytest.raises(Failed) as failed:
        provider.create(NETWORK, "n", TOO_LARGE)
    assert failed.value.words == f"mtu: {constraint.words}"
    sound = {**TOO_LARGE, "mtu": 1460}
    id_, _ = provider.create(NETWORK, "n", sound)
    with pytest.raises(Failed, match="mtu"):
        provider.update(id_, NETWORK, "n", sound, TOO_LARGE)


def test_a_network_goes_after_its_subnets(clouds: Clouds):
    provider = clouds.provider("gcp")
    net, sub = network_and_subnet(provider)

    with pytest.raises(Failed, match="resourceInUse"):
        provider.delete(net, NETWORK, "n")
    provider.delete(sub, SUBNET, "s")
    provider.delete(net, NETWORK, "n")
    assert len(clouds.inventory) == 0


def test_nothing_can_be_made_in_a_network_that_is_gone(clouds: Clouds):
    provider = clouds.provider("gcp")
    gone, outputs = provider.create(NETWORK, "n", network())
    provider.delete(gone, NETWORK, "n")

    with pytest.raises(Failed, match="Error 404"):
        provider.create(SUBNET, "s", subnet(outputs["selfLink"]))
    with pytest.raises(Failed, match="Error 404"):
        provider.update(gone, NETWORK, "n", {}, {})


def test_a_pool_needs_its_cluster_and_goes_with_it(clouds: Clouds):
    """One that is made before its cluster shows when the cluster comes."""
    provider = clouds.provider("gcp")
    id_, _ = provider.create(POOL, "a4", pool())
    with pytest.raises(Failed, match=r"c did not exist when a4-\w+ was made in it"):
        provider.create(CLUSTER, "c", cluster())
    provider.delete(id_, POOL, "a4")

    id_, _ = provider.create(CLUSTER, "c", cluster())
    provider.create(POOL, "a4", pool())
    provider.delete(id_, CLUSTER, "c")
    assert len(clouds.inventory) == 0
    with pytest.raises(Failed, match="Error 404"):
        provider.create(POOL, "a4", pool())


def test_objects_live_and_die_with_their_cluster(clouds: Clouds):
    gcp = clouds.provider("gcp")
    made, _ = gcp.create(CLUSTER, "c", cluster())
    kubernetes = clouds.provider("kubernetes", clusterIdentifier="projects/p/locations/us-west8/clusters/c")
    kubernetes.create(CONFIG_MAP, "m", config_map("m"))
    kubernetes.create(CONFIG_MAP, "n", config_map("n", "a-namespace-of-an-add-on"))

    gcp.delete(made, CLUSTER, "c")
    assert len(clouds.inventory) == 0
    with pytest.raises(Failed, match="cluster is unreachable"):
        kubernetes.create(CONFIG_MAP, "m", config_map("m"))


def test_azure_refuses_nodes_that_cannot_reach_their_api(clouds: Clouds):
    """They stand behind a NAT gateway whose address the public endpoint does not let in."""
    provider = clouds.provider("azure-native")
    group = {"resourceGroupName": "group"}

    def subnet_behind_nat(name: str) -> tuple[str, str]:
        address, made = provider.create("azure-native:network:PublicIPAddress", name, group)
        gateway = {**group, "publicIpAddresses": [{"id": address}]}
        nat, _ = provider.create("azure-native:network:NatGateway", name, gateway)
        inputs = {**group, "virtualNetworkName": "v", "natGateway": {"id": nat}}
        return provider.create("azure-native:network:Subnet", name, inputs)[0], f"{made['ipAddress']}/32"

    (ours, address), (other, _), people = subnet_behind_nat("nodes"), subnet_behind_nat("other"), "203.0.113.7/32"

    def open_to(*ranges: str) -> dict[str, object]:
        pools = [{**each, "vnetSubnetID": ours} for each in aks()["agentPoolProfiles"]]
        return {**aks(), "apiServerAccessProfile": {"authorizedIPRanges": list(ranges)}, "agentPoolProfiles": pools}

    def pool_in(subnet: str) -> dict[str, object]:
        return {**group, "resourceName": "c", "agentPoolName": "h100", "vnetSubnetID": subnet}

    with pytest.raises(Failed, match="authorizedIPRanges: CSE failed with 'VMExtensionError_K8SAPIServerConnFail"):
        provider.create(AKS, "c", open_to(people))
    id_, _ = provider.create(AKS, "c", open_to(people, address))
    with pytest.raises(Failed, match="authorizedIPRanges"):
        provider.update(id_, AKS, "c", open_to(people, address), open_to(people))
    with pytest.raises(Failed, match="vnetSubnetID: CSE failed with 'VMExtensionError_K8SAPIServerConnFail"):
        provider.create(AKS_POOL, "h100", pool_in(other))
    assert provider.create(AKS_POOL, "h100", pool_in(ours))[0]
