"""OCI's Kubernetes Engine, its policies, and File Storage with Lustre."""

from ..source import Source
from .predicates import at_most, block, form, get, holds, once, unique
from .record import Constraint, Inputs, stated_by

_CLUSTER = "oci:ContainerEngine/cluster:Cluster"
_POOL = "oci:ContainerEngine/nodePool:NodePool"
_ADDON = "oci:ContainerEngine/addon:Addon"
_POLICY = "oci:Identity/policy:Policy"
_FILES = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
_GROUP = "oci:Identity/dynamicGroup:DynamicGroup"
_engine = stated_by("oci container_engine", "2026-10-27")
_identity = stated_by("oci identity", "2026-10-27")
_lustre = stated_by("oci lustre_file_storage", "2026-10-27")


def _is_sold(files: Inputs) -> bool:
    size = int(get(files, "capacityInGbs", 31_200))
    return size >= 31_200 and size % (10_400 if size <= 124_800 else 41_600) == 0


def _named(token: str, place: str) -> Constraint:
    return _identity(place, "The name must be unique across", unique(token, "name", "compartmentId"))


# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _CLUSTER: (
        _engine("CreateClusterDetails.kubernetesVersion",
            "The version of Kubernetes to install into the cluster masters",
            form("kubernetesVersion", r"v\d+\.\d+\.\d+", "v1.35.2", "1.35")),
        _engine("KubernetesNetworkConfig.servicesCidr", "The CIDR block for Kubernetes services",
            block("options.kubernetesNetworkConfig.servicesCidr", 8, 27, "10.96.0.0/16", "10.96.0.1/16")),
    ),
    _POOL: (
        _engine("CreateNodePoolDetails.initialNodeLabels",
            "A list of key/value pairs to add to nodes after they join the Kubernetes cluster",
            once("initialNodeLabels", "key", [{"key": "a"}, {"key": "b"}])),
        _engine("CreateNodePoolNodeConfigDetails.size", "The number of nodes that should be in the node pool",
            holds("nodeConfigDetails.size", lambda pool: int(get(pool, "nodeConfigDetails.size", 0)) >= 0, 0, -1)),
    ),
    _ADDON: (
        _engine("InstallAddonDetails.addonName", "The name of the addon", unique(_ADDON, "addonName", "clusterId")),
    ),
    _POLICY: (_named(_POLICY, "CreatePolicyDetails.name"),),
    _GROUP: (_named(_GROUP, "CreateDynamicGroupDetails.name"),),
    _FILES: (
        _lustre("CreateLustreFileSystemDetails.fileSystemName", "The file system name is limited to 8 characters",
            form("fileSystemName", "[A-Za-z0-9_]{1,8}", "data", "oke-storage")),
        Constraint("at least 31.2 TiB and less than or equal to 124.8 TiB, it must be increased in 10.4 TiB steps",
            Source("docs.oracle.com/iaas/Content/lustre/file-system-capacity.htm", "2026-11"),
            holds("capacityInGbs", _is_sold, 41_600, 135_200)),
        _lustre("CreateLustreFileSystemDetails.nsgIds", "A maximum of 5 is allowed", at_most("nsgIds", 5)),
    ),
}
