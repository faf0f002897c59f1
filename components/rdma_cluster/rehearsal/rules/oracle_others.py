"""OCI's Kubernetes Engine, its policies, and File Storage with Lustre."""

from ...catalog.machine import Source
from .forms import at, at_most, block, distinct, form, get, holds, unique
from .record import Inputs, Rule
from .there import Made

_CLUSTER = "oci:ContainerEngine/cluster:Cluster"
_POOL = "oci:ContainerEngine/nodePool:NodePool"
_ADDON = "oci:ContainerEngine/addon:Addon"
_POLICY = "oci:Identity/policy:Policy"
_FILES = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
_GROUP = "oci:Identity/dynamicGroup:DynamicGroup"


def _engine(place: str) -> Source:
    return Source(f"oci container_engine {place}", "2026-10-27")


def _identity(place: str) -> Source:
    return Source(f"oci identity {place}", "2026-10-27")


def _labels_once(pool: Inputs) -> bool:
    return distinct(key for _, key in at(pool, "initialNodeLabels.key"))


def _is_sold(files: Inputs) -> bool:
    size = int(get(files, "capacityInGbs", 0))
    return size >= 31_200 and size % (10_400 if size <= 124_800 else 41_600) == 0


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
    _FILES: (
        Rule(
            "The file system name is limited to 8 characters",
            Source("oci lustre_file_storage CreateLustreFileSystemDetails.fileSystemName", "2026-10-27"),
            form("fileSystemName", "[A-Za-z0-9_]{1,8}"),
            {"fileSystemName": "data"},
            {"fileSystemName": "oke-storage"},
        ),
        Rule(
            "at least 31.2 TiB and less than or equal to 124.8 TiB, it must be increased in 10.4 TiB steps",
            Source("docs.oracle.com/iaas/Content/lustre/file-system-capacity.htm", "2026-11"),
            holds("capacityInGbs", _is_sold),
            {"capacityInGbs": 41_600},
            {"capacityInGbs": 135_200},
        ),
        Rule(
            "A maximum of 5 is allowed",
            Source("oci lustre_file_storage CreateLustreFileSystemDetails.nsgIds", "2026-10-27"),
            at_most("nsgIds", 5),
            {"nsgIds": ["a"]},
            {"nsgIds": ["a", "b", "c", "d", "e", "f"]},
        ),
    ),
}
