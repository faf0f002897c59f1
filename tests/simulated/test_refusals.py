"""What the simulated clouds refuse, because of what is there and what is not."""

import pytest
from rdma_cluster.rehearsal.rules import broken

from tests.simulated.engine import Clouds, Failed, Provider

NETWORK, SUBNET = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"
CLUSTER, POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
CONFIG_MAP, NAMESPACE = "kubernetes:core/v1:ConfigMap", "kubernetes:core/v1:Namespace"
RULED = {"name": "n", "project": "p", "mtu": 9000}


def network_and_subnet(provider: Provider) -> tuple[str, str]:
    """Ids of a network and of a subnet in it."""
    network, outputs = provider.create(NETWORK, "n", {"name": "n", "project": "p"})
    inputs = {"name": "s", "project": "p", "region": "r", "network": outputs["selfLink"]}
    return network, provider.create(SUBNET, "s", inputs)[0]


def config_map(name: str, namespace: str = "default") -> dict[str, object]:
    """The inputs of an object."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}}


def test_rules_are_told_in_the_words_of_the_api(clouds: Clouds):
    """At the creation and at a change, as the API does; a preview does not know them."""
    provider = clouds.provider("gcp")
    (rule,) = broken(NETWORK, RULED)
    provider.create(NETWORK, "n", RULED, preview=True)

    with pytest.raises(Failed) as failed:
        provider.create(NETWORK, "n", RULED)
    assert failed.value.words == f"mtu: {rule.words}"
    sound = {**RULED, "mtu": 1460}
    id_, _ = provider.create(NETWORK, "n", sound)
    with pytest.raises(Failed, match="mtu"):
        provider.update(id_, NETWORK, "n", sound, RULED)


def test_a_name_is_given_once(clouds: Clouds):
    """Where it is unique: the same in another project is another."""
    provider = clouds.provider("gcp")
    provider.create(NETWORK, "n", {"name": "n", "project": "p"})

    with pytest.raises(Failed, match="Error 409"):
        provider.create(NETWORK, "other", {"name": "n", "project": "p"})
    assert provider.create(NETWORK, "other", {"name": "n", "project": "q"})[0]


def test_what_is_in_use_stays(clouds: Clouds):
    """A network goes after its subnets."""
    provider = clouds.provider("gcp")
    network, subnet = network_and_subnet(provider)

    with pytest.raises(Failed, match="resourceInUse"):
        provider.delete(network, NETWORK, "n")
    provider.delete(subnet, SUBNET, "s")
    provider.delete(network, NETWORK, "n")
    assert len(clouds.world) == 0


def test_what_is_gone_is_not_found(clouds: Clouds):
    """Nothing can be made in a network that was deleted, nor changed to be in it."""
    provider = clouds.provider("gcp")
    gone, outputs = provider.create(NETWORK, "n", {"name": "n", "project": "p"})
    provider.delete(gone, NETWORK, "n")

    with pytest.raises(Failed, match="Error 404"):
        provider.create(SUBNET, "s", {"name": "s", "project": "p", "region": "r", "network": outputs["selfLink"]})
    with pytest.raises(Failed, match="Error 404"):
        provider.update(gone, NETWORK, "n", {}, {})


def test_a_pool_needs_its_cluster_and_goes_with_it(clouds: Clouds):
    """By name: one that is made before its cluster shows when the cluster comes."""
    provider = clouds.provider("gcp")
    pool = {"project": "p", "location": "l", "cluster": "c", "name": "a4"}
    cluster = {"project": "p", "location": "l", "name": "c"}
    id_, _ = provider.create(POOL, "a4", pool)
    with pytest.raises(Failed, match=r"c did not exist when a4-\w+ was made in it"):
        provider.create(CLUSTER, "c", cluster)
    provider.delete(id_, POOL, "a4")

    id_, _ = provider.create(CLUSTER, "c", cluster)
    provider.create(POOL, "a4", pool)
    provider.delete(id_, CLUSTER, "c")
    assert len(clouds.world) == 0
    with pytest.raises(Failed, match="Error 404"):
        provider.create(POOL, "a4", pool)


def test_a_node_group_holds_its_cluster(clouds: Clouds):
    """EKS deletes no cluster with nodes in it, and an add-on it does."""
    provider = clouds.provider("aws", region="us-east-2")
    cluster, _ = provider.create("aws:eks/cluster:Cluster", "c", {"name": "c"})
    provider.create("aws:eks/addon:Addon", "a", {"clusterName": "c", "addonName": "coredns"})
    group, _ = provider.create("aws:eks/nodeGroup:NodeGroup", "g", {"clusterName": "c", "nodeGroupName": "g"})

    with pytest.raises(Failed, match="DependencyViolation"):
        provider.delete(cluster, "aws:eks/cluster:Cluster", "c")
    provider.delete(group, "aws:eks/nodeGroup:NodeGroup", "g")
    provider.delete(cluster, "aws:eks/cluster:Cluster", "c")
    assert len(clouds.world) == 0


def test_objects_live_and_die_with_their_cluster(clouds: Clouds):
    """Nobody reaches a cluster that is gone, and nothing of it is left."""
    gcp = clouds.provider("gcp")
    cluster, _ = gcp.create(CLUSTER, "c", {"project": "p", "location": "l", "name": "c"})
    kubernetes = clouds.provider("kubernetes", clusterIdentifier="projects/p/locations/l/clusters/c")
    kubernetes.create(CONFIG_MAP, "m", config_map("m"))
    kubernetes.create(CONFIG_MAP, "n", config_map("n", "a-namespace-of-an-add-on"))

    gcp.delete(cluster, CLUSTER, "c")
    assert len(clouds.world) == 0
    with pytest.raises(Failed, match="cluster is unreachable"):
        kubernetes.create(CONFIG_MAP, "m", config_map("m"))


def test_namespaces_come_first_and_take_what_is_in_them(clouds: Clouds):
    """An object of a namespace that was deleted is not found; the ones that clusters bring are always there."""
    provider = clouds.provider("kubernetes", clusterIdentifier="here/c")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    id_, _ = provider.create(NAMESPACE, "team", namespace)
    provider.create(CONFIG_MAP, "m", config_map("m", "team"))
    provider.create(CONFIG_MAP, "s", config_map("m", "kube-system"))

    with pytest.raises(Failed, match="already exists"):
        provider.create(CONFIG_MAP, "again", config_map("m", "team"))
    provider.delete(id_, NAMESPACE, "team")
    assert [each.name for each in clouds.world] == ["s"]
    with pytest.raises(Failed, match="not found"):
        provider.create(CONFIG_MAP, "m", config_map("m", "team"))
