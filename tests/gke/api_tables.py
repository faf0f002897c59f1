"""How the resources of a GKE stack become requests of Google's APIs (pulumi-gcp 10.2)."""

from typing import Any

from tests.api.google import schema
from tests.api.request import Request, Rule, Table

_URL = "part of the request's address"
_PROJECT = {"project": _URL}
_NAMED = {"name": "made-by-pulumi"}  # from the logical name, where a component sets none


def _list(request: Request, *path: str) -> Any:
    found: Any = request
    for step in path:
        found = found.get(step, {})
    return found


def _pool_counts(pool: Request) -> bool:
    autoscaling = pool.get("autoscaling", {})
    by_total = {"totalMinNodeCount", "totalMaxNodeCount"} & autoscaling.keys()
    return not (by_total and {"minNodeCount", "maxNodeCount"} & autoscaling.keys())


def _total_order(pool: Request) -> bool:
    autoscaling = pool.get("autoscaling", {})
    return autoscaling.get("totalMinNodeCount", 0) <= autoscaling.get("totalMaxNodeCount", 0)


def _named_reservation(pool: Request) -> bool:
    affinity = _list(pool, "config", "reservationAffinity")
    if affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION":
        return not affinity.get("key") and not affinity.get("values")
    return affinity.get("key") == "compute.googleapis.com/reservation-name" and len(affinity.get("values", [])) == 1


def _labels_fit(pool: Request) -> bool:
    return sum(len(key) + len(value) for key, value in _list(pool, "config", "labels").items()) <= 1024


def _disk_fits(pool: Request) -> bool:
    return _list(pool, "config").get("diskSizeGb", 100) >= 15


def _moves(pool: Request) -> bool:
    upgrade = pool.get("upgradeSettings", {"maxSurge": 1})
    return upgrade.get("maxSurge", 0) + upgrade.get("maxUnavailable", 0) > 0


def _one_capacity(pool: Request) -> bool:
    config = pool.get("config", {})
    return not (config.get("spot") and config.get("flexStart"))


NODE_POOL = Table(
    "gcp:container/nodePool:NodePool",
    schema("container.v1", "NodePool"),
    renamed={
        "nodeConfig": "config",
        "nodeConfig.guestAccelerators": "accelerators",
        "nodeConfig.linuxNodeConfig.hugepagesConfig": "hugepages",
        "nodeConfig.guestAccelerators.count": "acceleratorCount",
        "nodeConfig.guestAccelerators.type": "acceleratorType",
        "nodeCount": "initialNodeCount",
        "nodeLocations": "locations",
    },
    own={"cluster": _URL, "location": _URL, **_PROJECT},
    rules=(
        Rule("total_*_node_count fields are mutually exclusive", "NodePoolAutoscaling.totalMinNodeCount", _pool_counts),
        Rule("less than or equal to total_max_node_count", "NodePoolAutoscaling.totalMinNodeCount", _total_order),
        Rule(
            'specify "compute.googleapis.com/reservation-name" as the key',
            "ReservationAffinity.key",
            _named_reservation,
        ),
        Rule("up to 1,024 total characters", "NodeConfig.labels", _labels_fit),
        Rule("The smallest allowed disk size is 15 GB", "NodeConfig.diskSizeGb", _disk_fits),
        Rule("maximum number of nodes that can be created beyond", "UpgradeSettings.maxSurge", _moves),
        Rule("Flex Start flag", "NodeConfig.flexStart", _one_capacity),
    ),
)


def _private_means_authorized(cluster: Request) -> bool:
    private = _list(cluster, "privateClusterConfig").get("enablePrivateEndpoint", False)
    by_address = _list(cluster, "controlPlaneEndpointsConfig", "ipEndpointsConfig").get("enabled", True)
    return not (private and by_address) or "masterAuthorizedNetworksConfig" in cluster


def _no_way_in_by_a_public_address(cluster: Request) -> bool:
    """With direct IP access on, which is the default, the public address is only off with the private endpoint."""
    private = _list(cluster, "privateClusterConfig").get("enablePrivateEndpoint", False)
    return private or not _list(cluster, "controlPlaneEndpointsConfig", "ipEndpointsConfig").get("enabled", True)


def _one_way_to_say_nodes(cluster: Request) -> bool:
    return not cluster.get("nodePools")


CLUSTER = Table(
    "gcp:container/cluster:Cluster",
    schema("container.v1", "Cluster"),
    renamed={
        "datapathProvider": "networkConfig.datapathProvider",
        "enableMultiNetworking": "networkConfig.enableMultiNetworking",
        "enableShieldedNodes": "shieldedNodes.enabled",
        "ipAllocationPolicy.clusterSecondaryRangeName": "clusterSecondaryRangeName",
        "loggingConfig.enableComponents": "componentConfig.enableComponents",
        "maintenancePolicy.dailyMaintenanceWindow": "window.dailyMaintenanceWindow",
        "minMasterVersion": "initialClusterVersion",
        "monitoringConfig.enableComponents": "componentConfig.enableComponents",
        "monitoringConfig.managedPrometheus": "managedPrometheusConfig",
        "networkingMode": "ipAllocationPolicy.useIpAliases",
        "nodeLocations": "locations",
    },
    own={
        "deletionProtection": "kept by the provider itself",
        "location": _URL,
        "maintenancePolicy.maintenanceExclusions": "a map by name in the request; checked by its own table",
        "networkingMode": "becomes ipAllocationPolicy.useIpAliases",
        "removeDefaultNodePool": "the provider deletes the pool after the creation",
        **_PROJECT,
    },
    added={"ipAllocationPolicy.useIpAliases": True},
    excused={
        "Cluster.initialNodeCount": "a cluster must begin with a pool, and the provider takes that one away by count",
        "Cluster.nodeConfig": "of the same pool, which must not start under an account that may not exist",
        "PrivateClusterConfig.enablePrivateNodes": "pulumi-gcp 10.2 has no networkConfig.defaultEnablePrivateNodes",
        "PrivateClusterConfig.enablePrivateEndpoint": "pulumi-gcp 10.2 has no ipEndpointsConfig.enablePublicEndpoint",
        "Cluster.masterAuthorizedNetworksConfig": "pulumi-gcp 10.2 has no ipEndpointsConfig.authorizedNetworksConfig",
    },
    rules=(
        Rule(
            "Master authorized networks must be enabled if private endpoint is enabled",
            "the API's answer, in the provider's issues and acceptance tests",
            _private_means_authorized,
        ),
        Rule("Controls whether to allow direct IP access", "IPEndpointsConfig.enabled", _no_way_in_by_a_public_address),
        Rule("should not be set if", "Cluster.nodePools", _one_way_to_say_nodes),
    ),
)


def _mtu(network: Request) -> bool:
    return 1300 <= network.get("mtu", 1460) <= 8896


def _whole_path(network: Request) -> bool:
    profile = network.get("networkProfile", "projects/p/global/networkProfiles/p")
    return profile.startswith("projects/") and "/global/networkProfiles/" in profile


def _says_subnets(network: Request) -> bool:
    return "autoCreateSubnetworks" in network


def _topology_of_throughput(policy: Request) -> bool:
    workload = _list(policy, "workloadPolicy")
    return "acceleratorTopology" not in workload or workload.get("type") == "HIGH_THROUGHPUT"


TABLES = [
    CLUSTER,
    NODE_POOL,
    Table(
        "gcp:compute/network:Network",
        schema("compute.v1", "Network", "compute.networks.insert"),
        renamed={"routingMode": "routingConfig.routingMode"},
        own=_PROJECT,
        added=_NAMED,
        rules=(
            Rule("minimum value for this field is 1300 and the maximum value is 8896", "Network.mtu", _mtu),
            Rule("A full or partial URL of the network profile", "Network.networkProfile", _whole_path),
            Rule("Must be set to create a VPC network", "Network.autoCreateSubnetworks", _says_subnets),
        ),
    ),
    Table(
        "gcp:compute/subnetwork:Subnetwork",
        schema("compute.v1", "Subnetwork", "compute.subnetworks.insert"),
        own=_PROJECT,
        added=_NAMED,
    ),
    Table(
        "gcp:compute/resourcePolicy:ResourcePolicy",
        schema("compute.v1", "ResourcePolicy", "compute.resourcePolicies.insert"),
        own={"region": _URL, **_PROJECT},
        added=_NAMED,
        rules=(
            Rule(
                "Specifies the topology required to create a partition for VMs that have interconnected GPUs",
                "ResourcePolicyWorkloadPolicy.acceleratorTopology",
                _topology_of_throughput,
            ),
        ),
    ),
    Table(
        "gcp:compute/firewall:Firewall",
        schema("compute.v1", "Firewall", "compute.firewalls.insert"),
        renamed={"allows": "allowed", "allows.protocol": "IPProtocol"},
        own=_PROJECT,
        added=_NAMED,
        rules=(
            Rule(
                "the firewall rule applies only to traffic that has a source IP address in these ranges",
                "Firewall.sourceRanges",
                lambda rule: bool(rule.get("sourceRanges")),
            ),
        ),
    ),
    Table(
        "gcp:compute/router:Router",
        schema("compute.v1", "Router", "compute.routers.insert"),
        own={"region": _URL, **_PROJECT},
        added=_NAMED,
    ),
    Table(
        "gcp:compute/routerNat:RouterNat",
        schema("compute.v1", "RouterNat"),
        own={"region": _URL, "router": _URL, **_PROJECT},
        added=_NAMED,
    ),
    Table(
        "gcp:serviceaccount/account:Account",
        schema("iam.v1", "CreateServiceAccountRequest"),
        renamed={"displayName": "/serviceAccount.displayName"},
        own=_PROJECT,
        rules=(
            Rule(
                "must be 6-30 characters long",
                "CreateServiceAccountRequest.accountId",
                lambda request: 6 <= len(request["accountId"]) <= 30,
            ),
        ),
    ),
    Table(
        "gcp:projects/iAMMember:IAMMember",
        schema("cloudresourcemanager.v1", "Binding"),
        renamed={"member": "members[]"},
        own=_PROJECT,
    ),
]
