"""Kubernetes Engine: clusters and node pools."""

import re
from collections.abc import Iterator

from ...catalog.machine import Source
from ...offline.later import known
from .forms import at, at_most, between, block, count, form, get, has, holds, not_both, one_of, unique
from .record import Inputs, Rule
from .there import Made, There, meant

_CLUSTER = "gcp:container/cluster:Cluster"
_POOL = "gcp:container/nodePool:NodePool"
_NETWORK = "gcp:compute/network:Network"
_SUBNET = "gcp:compute/subnetwork:Subnetwork"
_SPECIFIC = "SPECIFIC_RESERVATION"
_KEY = "compute.googleapis.com/reservation-name"
_ANSWER = Source("googleapi: Error 400, in the issues and acceptance tests of terraform-provider-google", "2026-08-21")
_409 = Source("googleapi: Error 409, in the issues of terraform-provider-google", "2026-08-21")


def _model(place: str) -> Source:
    return Source(f"container.v1 {place}", "2026-10-27")


def _named_reservation(pool: Inputs) -> bool:
    kind = get(pool, "nodeConfig.reservationAffinity.consumeReservationType")
    key, values = (f"nodeConfig.reservationAffinity.{each}" for each in ("key", "values"))
    if kind != _SPECIFIC:
        return not has(pool, key) and not has(pool, values)
    return get(pool, key) == _KEY and count(pool, values) == 1


def _labels_fit(pool: Inputs) -> bool:
    labels = get(pool, "nodeConfig.labels", {})
    return sum(len(key) + len(str(value)) for key, value in labels.items()) <= 1024


def _counts_one_way(pool: Inputs) -> bool:
    keys = get(pool, "autoscaling", {}).keys()
    return not ({"totalMinNodeCount", "totalMaxNodeCount"} & keys and {"minNodeCount", "maxNodeCount"} & keys)


def _least_to_most(pool: Inputs) -> bool:
    least = get(pool, "autoscaling.totalMinNodeCount", 0)
    return 0 <= least <= get(pool, "autoscaling.totalMaxNodeCount", least)


def _moves(pool: Inputs) -> bool:
    upgrade = get(pool, "upgradeSettings", {"maxSurge": 1})
    return get(upgrade, "maxSurge", 0) + get(upgrade, "maxUnavailable", 0) > 0


def _subnet_of_its_network(pool: Inputs, there: There) -> Iterator[str]:
    """Each further interface has a subnet of the network that it names."""
    for where, config in at(pool, "networkConfig.additionalNodeNetworkConfigs"):
        subnet = there.find(_SUBNET, config.get("subnetwork", ""))
        if subnet is not None and not _is_network(config.get("network"), subnet.inputs.get("network")):
            yield f"{where}.subnetwork"


def _in_the_zone_of_its_network(pool: Inputs, there: There) -> Iterator[str]:
    """A RoCE network is one zone's, and so are the nodes on it."""
    for where, config in at(pool, "networkConfig.additionalNodeNetworkConfigs"):
        network = there.find(_NETWORK, config.get("network", ""))
        name = str(network.inputs.get("networkProfile")) if network else ""
        profile = re.search(r"([a-z]+-[a-z]+\d+-[a-z])-vpc-", name)
        if profile and any(zone != profile[1] for _, zone in at(pool, "nodeLocations") if known(zone)):
            yield f"{where}.network"


def _is_network(one: object, other: object) -> bool:
    """Whether two inputs mean one network: by its name, its link or its output in a preview."""
    return meant(one) == meant(other) or meant(one).rpartition("/")[2] == meant(other).rpartition("/")[2]


def _ranges_exist(cluster: Inputs, there: There) -> Iterator[str]:
    subnet = there.find(_SUBNET, cluster.get("subnetwork", ""))
    if subnet is None:
        return
    names = [name for _, name in at(subnet.inputs, "secondaryIpRanges.rangeName")]
    for key in ("clusterSecondaryRangeName", "servicesSecondaryRangeName"):
        path = f"ipAllocationPolicy.{key}"
        if (wanted := get(cluster, path)) is not None and wanted not in names:
            yield path


def _by_address(cluster: Inputs) -> bool:
    """Whether the endpoint can be reached by an address, which is the default."""
    return get(cluster, "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled", True)


def _private(cluster: Inputs) -> bool:
    return get(cluster, "privateClusterConfig.enablePrivateEndpoint", False)


_ON_RDMA = {"networkConfig": {"additionalNodeNetworkConfigs": [{"network": "rdma"}]}}

RULES: dict[str, tuple[Rule, ...]] = {
    _CLUSTER: (
        Rule(
            "Master authorized networks must be enabled if private endpoint is enabled",
            _ANSWER,
            holds(
                "masterAuthorizedNetworksConfig",
                lambda cluster: (
                    not (_private(cluster) and _by_address(cluster))
                    or cluster.get("masterAuthorizedNetworksConfig") is not None
                ),
            ),
            {"privateClusterConfig": {"enablePrivateEndpoint": True}, "masterAuthorizedNetworksConfig": {}},
            {"privateClusterConfig": {"enablePrivateEndpoint": True}},
        ),
        Rule(
            "Controls whether to allow direct IP access",
            _model("IPEndpointsConfig.enabled"),
            # With direct access on, the public address is off only with the private endpoint.
            holds(
                "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled",
                lambda cluster: (
                    _private(cluster)
                    or not _by_address(cluster)
                    or cluster.get("masterAuthorizedNetworksConfig") is not None
                ),
            ),
            {"controlPlaneEndpointsConfig": {"ipEndpointsConfig": {"enabled": False}}},
            {"controlPlaneEndpointsConfig": {"ipEndpointsConfig": {"enabled": True}}},
        ),
        Rule(
            "cidr_blocks define up to 50 external networks that could access Kubernetes master through HTTPS",
            _model("MasterAuthorizedNetworksConfig.cidrBlocks"),
            at_most("masterAuthorizedNetworksConfig.cidrBlocks", 50),
            {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{}] * 50}},
            {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{}] * 51}},
        ),
        Rule(
            "cidr_block must be specified in CIDR notation",
            _model("CidrBlock.cidrBlock"),
            block("masterAuthorizedNetworksConfig.cidrBlocks.cidrBlock", 0, 128),
            {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "192.0.2.0/24"}]}},
            {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "192.0.2.1/24"}]}},
        ),
        Rule(
            "can be up to 40 characters with the following restrictions: * Lowercase letters, numbers, and hyphens",
            _model("Cluster.name"),
            form("name", "[a-z]([-a-z0-9]{0,38}[a-z0-9])?"),
            {"name": "gpu-cluster-1"},
            {"name": "gpu_cluster"},
        ),
        Rule(
            "This must be an existing secondary range associated with the cluster subnetwork",
            _model("IPAllocationPolicy.clusterSecondaryRangeName"),
            _ranges_exist,
            {"subnetwork": "s", "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods"}},
            {"subnetwork": "s", "ipAllocationPolicy": {"clusterSecondaryRangeName": "pod"}},
            (Made(_SUBNET, {"secondaryIpRanges": [{"rangeName": "pods"}]}, frozenset({"s"})),),
        ),
        Rule(
            'this field should only be used in lieu of a "node_pool" object',
            _model("Cluster.initialNodeCount"),
            not_both("nodePools", "initialNodeCount"),
            {"initialNodeCount": 1},
            {"initialNodeCount": 1, "nodePools": [{"name": "default"}]},
        ),
        Rule(
            "Already exists: projects/P/locations/L/clusters/NAME",
            _409,
            unique(_CLUSTER, "name", "project", "location"),
            {"name": "b", "location": "us-west8"},
            {"name": "a", "location": "us-west8"},
            (Made(_CLUSTER, {"name": "a", "location": "us-west8"}),),
        ),
    ),
    _POOL: (
        Rule(
            "The total_*_node_count fields are mutually exclusive with the *_node_count fields",
            _model("NodePoolAutoscaling.totalMinNodeCount"),
            holds("autoscaling", _counts_one_way),
            {"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4}},
            {"autoscaling": {"totalMaxNodeCount": 4, "minNodeCount": 0}},
        ),
        Rule(
            "Must be greater than or equal to 0 and less than or equal to total_max_node_count",
            _model("NodePoolAutoscaling.totalMinNodeCount"),
            holds("autoscaling.totalMinNodeCount", _least_to_most),
            {"autoscaling": {"totalMinNodeCount": 4, "totalMaxNodeCount": 4}},
            {"autoscaling": {"totalMinNodeCount": 5, "totalMaxNodeCount": 4}},
        ),
        Rule(
            f'specify "{_KEY}" as the key',
            _model("ReservationAffinity.key"),
            holds("nodeConfig.reservationAffinity", _named_reservation),
            {
                "nodeConfig": {
                    "reservationAffinity": {"consumeReservationType": _SPECIFIC, "key": _KEY, "values": ["r"]}
                }
            },
            {"nodeConfig": {"reservationAffinity": {"consumeReservationType": _SPECIFIC, "values": ["r"]}}},
        ),
        Rule(
            "up to 1,024 total characters",
            _model("NodeConfig.labels"),
            holds("nodeConfig.labels", _labels_fit),
            {"nodeConfig": {"labels": {"a": "b" * 63}}},
            {"nodeConfig": {"labels": {f"label-{i}": "b" * 63 for i in range(16)}}},
        ),
        Rule(
            "The smallest allowed disk size is 15 GB",
            _model("NodeConfig.diskSizeGb"),
            between("nodeConfig.diskSizeGb", 15, 65536),
            {"nodeConfig": {"diskSizeGb": 100}},
            {"nodeConfig": {"diskSizeGb": 10}},
        ),
        Rule(
            "maximum number of nodes that can be created beyond the current size of the node pool",
            _model("UpgradeSettings.maxSurge"),
            # Without a node more and without a node less nothing can be upgraded.
            holds("upgradeSettings.maxSurge", _moves),
            {"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 1}},
            {"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 0}},
        ),
        Rule(
            "Flex Start flag",
            _model("NodeConfig.flexStart"),
            not_both("nodeConfig.flexStart", "nodeConfig.spot"),
            {"nodeConfig": {"flexStart": True, "spot": False}},
            {"nodeConfig": {"flexStart": True, "spot": True}},
        ),
        Rule(
            'For now the only valid value is "auto"',
            _model("NodeNetworkConfig.acceleratorNetworkProfile"),
            one_of("networkConfig.acceleratorNetworkProfile", "auto"),
            {"networkConfig": {"acceleratorNetworkProfile": "auto"}},
            {"networkConfig": {"acceleratorNetworkProfile": "rdma"}},
        ),
        Rule(
            "Location to which the network is restricted",
            Source("compute.v1 NetworkProfile.location", "2026-11-06"),
            _in_the_zone_of_its_network,
            {"nodeLocations": ["us-west8-c"], **_ON_RDMA},
            {"nodeLocations": ["us-west8-b"], **_ON_RDMA},
            (Made(_NETWORK, {"networkProfile": "global/networkProfiles/us-west8-c-vpc-roce"}, frozenset({"rdma"})),),
        ),
        Rule(
            "Name of the subnetwork where the additional interface belongs",
            _model("AdditionalNodeNetworkConfig.subnetwork"),
            _subnet_of_its_network,
            {"networkConfig": {"additionalNodeNetworkConfigs": [{"network": "rdma", "subnetwork": "rail-0"}]}},
            {"networkConfig": {"additionalNodeNetworkConfigs": [{"network": "plain", "subnetwork": "rail-0"}]}},
            (Made(_SUBNET, {"network": "projects/p/global/networks/rdma"}, frozenset({"rail-0"})),),
        ),
        Rule(
            "Already exists: projects/P/locations/L/clusters/C/nodePools/NAME",
            _409,
            unique(_POOL, "name", "project", "location", "cluster"),
            {"name": "b", "cluster": "c"},
            {"name": "a", "cluster": "c"},
            (Made(_POOL, {"name": "a", "cluster": "c"}),),
        ),
    ),
}
