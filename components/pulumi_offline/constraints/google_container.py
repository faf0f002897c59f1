"""Kubernetes Engine: clusters and node pools."""

import re
from collections.abc import Iterator
from typing import Any

from ..source import Source
from ..unknowns import known, origin
from .predicates import at, at_most, between, block, form, get, has, holds, not_both, one_of, unique, values
from .record import Constraint, Existing, ExistingResources, Inputs, Limit, stated_by

_CLUSTER = "gcp:container/cluster:Cluster"
_POOL = "gcp:container/nodePool:NodePool"
_NETWORK = "gcp:compute/network:Network"
_SUBNET = "gcp:compute/subnetwork:Subnetwork"
_SPECIFIC = "SPECIFIC_RESERVATION"
_KEY = "compute.googleapis.com/reservation-name"
_ANSWER = Source("googleapi: Error 400, in the issues and acceptance tests of terraform-provider-google", "2026-08-21")
_409 = Source("googleapi: Error 409, in the issues of terraform-provider-google", "2026-08-21")
_model = stated_by("container.v1", "2026-10-27")


def _named_reservation(pool: Inputs) -> bool:
    kind = get(pool, "nodeConfig.reservationAffinity.consumeReservationType")
    key, names = (f"nodeConfig.reservationAffinity.{each}" for each in ("key", "values"))
    if kind != _SPECIFIC:
        return not has(pool, key) and not has(pool, names)
    return get(pool, key) == _KEY and len(values(pool, names)) == 1


def _labels_fit(pool: Inputs) -> bool:
    return sum(len(key) + len(str(of)) for key, of in get(pool, "nodeConfig.labels", {}).items()) <= 1024


def _counts_one_way(pool: Inputs) -> bool:
    # The provider sends `minNodeCount: 0` with every total, which is to the API as if it were not there.
    keys = {key for key, count in get(pool, "autoscaling", {}).items() if count != 0}
    return not ({"totalMinNodeCount", "totalMaxNodeCount"} & keys and {"minNodeCount", "maxNodeCount"} & keys)


def _least_to_most(pool: Inputs) -> bool:
    least = get(pool, "autoscaling.totalMinNodeCount", 0)
    return 0 <= least <= get(pool, "autoscaling.totalMaxNodeCount", least)


def _moves(pool: Inputs) -> bool:
    upgrade = get(pool, "upgradeSettings", {"maxSurge": 1})
    return get(upgrade, "maxSurge", 0) + get(upgrade, "maxUnavailable", 0) > 0


def _subnet_of_its_network(pool: Inputs, existing: ExistingResources) -> Iterator[str]:
    """Each further interface has a subnet of the network that it names."""
    for where, config in at(pool, "networkConfig.additionalNodeNetworkConfigs"):
        subnet = existing.find(_SUBNET, config.get("subnetwork", ""))
        if subnet is not None and not _is_network(config.get("network"), subnet.inputs.get("network")):
            yield f"{where}.subnetwork"


def _in_the_zone_of_its_network(pool: Inputs, existing: ExistingResources) -> Iterator[str]:
    """A RoCE network is one zone's, and so are the nodes on it."""
    for where, config in at(pool, "networkConfig.additionalNodeNetworkConfigs"):
        network = existing.find(_NETWORK, config.get("network", ""))
        name = str(network.inputs.get("networkProfile")) if network else ""
        profile = re.search(r"([a-z]+-[a-z]+\d+-(?:ai\d+)?[a-z])-vpc-", name)
        if profile and any(zone != profile[1] for _, zone in at(pool, "nodeLocations") if known(zone)):
            yield f"{where}.network"


def _is_network(one: object, other: object) -> bool:
    """Whether two inputs mean one network: by its name, its link or its output in a preview."""
    return origin(one).rpartition("/")[2] == origin(other).rpartition("/")[2]


def _ranges_exist(cluster: Inputs, existing: ExistingResources) -> Iterator[str]:
    subnet = existing.find(_SUBNET, cluster.get("subnetwork", ""))
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


def _has_networks(cluster: Inputs) -> bool:
    """Whether it says which networks reach the endpoint; no network is an answer, too."""
    return cluster.get("masterAuthorizedNetworksConfig") is not None


def _affinity(**chosen: Any) -> Inputs:
    return {"nodeConfig": {"reservationAffinity": {"consumeReservationType": _SPECIFIC, **chosen}}}


_ON_RDMA = {"networkConfig": {"additionalNodeNetworkConfigs": [{"network": "rdma"}]}}

# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _CLUSTER: (
        Constraint("Master authorized networks must be enabled if private endpoint is enabled", _ANSWER,
            holds("masterAuthorizedNetworksConfig",
                lambda cluster: not (_private(cluster) and _by_address(cluster)) or _has_networks(cluster),
                {"privateClusterConfig": {"enablePrivateEndpoint": True}, "masterAuthorizedNetworksConfig": {}},
                {"privateClusterConfig": {"enablePrivateEndpoint": True}})),
        # With direct access on, the public address is off only with the private endpoint.
        _model("IPEndpointsConfig.enabled", "Controls whether to allow direct IP access",
            holds("controlPlaneEndpointsConfig.ipEndpointsConfig.enabled",
                lambda cluster: _private(cluster) or not _by_address(cluster) or _has_networks(cluster), False, True)),
        _model("MasterAuthorizedNetworksConfig.cidrBlocks",
            "cidr_blocks define up to 50 external networks that could access Kubernetes master through HTTPS",
            at_most("masterAuthorizedNetworksConfig.cidrBlocks", 50)),
        _model("CidrBlock.cidrBlock", "cidr_block must be specified in CIDR notation",
            block("masterAuthorizedNetworksConfig.cidrBlocks.cidrBlock", 0, 128,
                {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "192.0.2.0/24"}]}},
                {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "192.0.2.1/24"}]}})),
        _model("Cluster.name",
            "can be up to 40 characters with the following restrictions: * Lowercase letters, numbers, and hyphens",
            form("name", "[a-z]([-a-z0-9]{0,38}[a-z0-9])?", "gpu-cluster-1", "gpu_cluster")),
        _model("IPAllocationPolicy.clusterSecondaryRangeName",
            "This must be an existing secondary range associated with the cluster subnetwork",
            Limit(_ranges_exist, {"subnetwork": "s", "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods"}},
                {"subnetwork": "s", "ipAllocationPolicy": {"clusterSecondaryRangeName": "pod"}},
                (Existing(_SUBNET, {"secondaryIpRanges": [{"rangeName": "pods"}]}, frozenset({"s"})),))),
        _model("Cluster.initialNodeCount", 'this field should only be used in lieu of a "node_pool" object',
            not_both("nodePools", [{"name": "default"}], "initialNodeCount", 1)),
        Constraint("Already exists: projects/P/locations/L/clusters/NAME", _409,
            unique(_CLUSTER, "name", "project", "location")),
    ),
    _POOL: (
        _model("NodePoolAutoscaling.totalMinNodeCount",
            "The total_*_node_count fields are mutually exclusive with the *_node_count fields",
            holds("autoscaling", _counts_one_way, {"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4}},
                {"autoscaling": {"totalMaxNodeCount": 4, "minNodeCount": 1}})),
        _model("NodePoolAutoscaling.totalMinNodeCount",
            "Must be greater than or equal to 0 and less than or equal to total_max_node_count",
            holds("autoscaling.totalMinNodeCount", _least_to_most,
                {"autoscaling": {"totalMinNodeCount": 4, "totalMaxNodeCount": 4}},
                {"autoscaling": {"totalMinNodeCount": 5, "totalMaxNodeCount": 4}})),
        _model("ReservationAffinity.key", f'specify "{_KEY}" as the key',
            holds("nodeConfig.reservationAffinity", _named_reservation,
                _affinity(key=_KEY, values=["r"]), _affinity(values=["r"]))),
        _model("NodeConfig.labels", "up to 1,024 total characters",
            holds("nodeConfig.labels", _labels_fit, {"nodeConfig": {"labels": {"a": "b" * 63}}},
                {"nodeConfig": {"labels": {f"label-{i}": "b" * 63 for i in range(16)}}})),
        _model("NodeConfig.diskSizeGb", "The smallest allowed disk size is 15 GB",
            between("nodeConfig.diskSizeGb", 15, 65536, 100, 10)),
        # Without a node more and without a node less nothing can be upgraded.
        _model("UpgradeSettings.maxSurge",
            "maximum number of nodes that can be created beyond the current size of the node pool",
            holds("upgradeSettings.maxSurge", _moves, {"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 1}},
                {"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 0}})),
        _model("NodeConfig.flexStart", "Flex Start flag",
            not_both("nodeConfig.flexStart", True, "nodeConfig.spot", True)),
        _model("NodeNetworkConfig.acceleratorNetworkProfile", 'For now the only valid value is "auto"',
            one_of("networkConfig.acceleratorNetworkProfile", ("auto",), "auto", "rdma")),
        Constraint("Location to which the network is restricted",
            Source("compute.v1 NetworkProfile.location", "2026-11-06"),
            Limit(_in_the_zone_of_its_network, {"nodeLocations": ["us-west8-c"], **_ON_RDMA},
                {"nodeLocations": ["us-west8-b"], **_ON_RDMA},
                (Existing(_NETWORK, {"networkProfile": "global/networkProfiles/us-west8-c-vpc-roce"},
                    frozenset({"rdma"})),))),
        _model("AdditionalNodeNetworkConfig.subnetwork",
            "Name of the subnetwork where the additional interface belongs",
            Limit(_subnet_of_its_network,
                {"networkConfig": {"additionalNodeNetworkConfigs": [{"network": "rdma", "subnetwork": "rail-0"}]}},
                {"networkConfig": {"additionalNodeNetworkConfigs": [{"network": "plain", "subnetwork": "rail-0"}]}},
                (Existing(_SUBNET, {"network": "projects/p/global/networks/rdma"}, frozenset({"rail-0"})),))),
        Constraint("Already exists: projects/P/locations/L/clusters/C/nodePools/NAME", _409,
            unique(_POOL, "name", "project", "location", "cluster")),
    ),
}
