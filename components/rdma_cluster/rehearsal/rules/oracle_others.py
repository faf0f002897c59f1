"""OCI's Kubernetes Engine, and its policies."""

from ...catalog.machine import Source
from .forms import at, block, distinct, form, get, holds, unique
from .record import Inputs, Rule
from .there import Made

_CLUSTER = "oci:ContainerEngine/cluster:Cluster"
_POOL = "oci:ContainerEngine/nodePool:NodePool"
_ADDON = "oci:ContainerEngine/addon:Addon"
_POLICY = "oci:Identity/policy:Policy"
_GROUP = "oci:Identity/dynamicGroup:DynamicGroup"


def _engine(place: str) -> Source:
    return Source(f"oci container_engine {place}", "2026-10-27")


def _identity(place: str) -> Source:
    return Source(f"oci identity {place}", "2026-10-27")


def _labels_once(pool: Inputs) -> bool:
    return distinct(key for _, key in at(pool, "initialNodeLabels.key"))


def _named(token: str, place: str) -> Rule:
    return Rule(
        "The name must be unique across",
        _identity(place),
        unique(token, "name", "compartmentId"),
        {"name": "b", "compartmentId": "c"},
        {"name": "a", "compartmentId": "c"},
        (Made(token, {"name": "a", "compartmentId": "c"}),),
    )


RULES: dict[str, tuple[Rule, ...]] = {
    _CLUSTER: (
        Rule(
            "The version of Kubernetes to install into the cluster masters",
            _engine("CreateClusterDetails.kubernetesVersion"),
            form("kubernetesVersion", r"v\d+\.\d+\.\d+"),
            {"kubernetesVersion": "v1.35.2"},
            {"kubernetesVersion": "1.35"},
        ),
        Rule(
            "The CIDR block for Kubernetes services",
            _engine("KubernetesNetworkConfig.servicesCidr"),
            block("options.kubernetesNetworkConfig.servicesCidr", 8, 27),
            {"options": {"kubernetesNetworkConfig": {"servicesCidr": "10.96.0.0/16"}}},
            {"options": {"kubernetesNetworkConfig": {"servicesCidr": "10.96.0.1/16"}}},
        ),
    ),
    _POOL: (
        Rule(
            "A list of key/value pairs to add to nodes after they join the Kubernetes cluster",
            _engine("CreateNodePoolDetails.initialNodeLabels"),
            holds("initialNodeLabels", _labels_once),
            {"initialNodeLabels": [{"key": "a"}, {"key": "b"}]},
            {"initialNodeLabels": [{"key": "a"}, {"key": "a"}]},
        ),
        Rule(
            "The number of nodes that should be in the node pool",
            _engine("CreateNodePoolNodeConfigDetails.size"),
            holds("nodeConfigDetails.size", lambda pool: int(get(pool, "nodeConfigDetails.size", 0)) >= 0),
            {"nodeConfigDetails": {"size": 0}},
            {"nodeConfigDetails": {"size": -1}},
        ),
    ),
    _ADDON: (
        Rule(
            "The name of the addon",
            _engine("InstallAddonDetails.addonName"),
            unique(_ADDON, "addonName", "clusterId"),
            {"addonName": "CoreDNS", "clusterId": "c"},
            {"addonName": "NvidiaGpuPlugin", "clusterId": "c"},
            (Made(_ADDON, {"addonName": "NvidiaGpuPlugin", "clusterId": "c"}),),
        ),
    ),
    _POLICY: (_named(_POLICY, "CreatePolicyDetails.name"),),
    _GROUP: (_named(_GROUP, "CreateDynamicGroupDetails.name"),),
}
