"""How the resources of a GKE stack become requests of Google's APIs (pulumi-gcp 10.2)."""

from tools.api.google import message, schema
from tools.api.request import Table

_URL = "part of the request's address"
_PROJECT = {"project": _URL}
_NAMED = {"name": "made-by-pulumi"}  # from the logical name, where a component sets none


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
)


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
)


MODEL = ("discovery document", "2026-10-27")
"""What the tables are of, and its date."""


TABLES = [
    CLUSTER,
    NODE_POOL,
    Table(
        "gcp:compute/network:Network",
        schema("compute.v1", "Network", "compute.networks.insert"),
        renamed={"routingMode": "routingConfig.routingMode"},
        own=_PROJECT,
        added=_NAMED,
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
    ),
    Table(
        "gcp:compute/firewall:Firewall",
        schema("compute.v1", "Firewall", "compute.firewalls.insert"),
        renamed={"allows": "allowed", "allows.protocol": "IPProtocol"},
        own=_PROJECT,
        added=_NAMED,
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
    ),
    Table(
        "gcp:storage/bucket:Bucket",
        schema("storage.v1", "Bucket", "storage.buckets.insert"),
        renamed={
            "publicAccessPrevention": "iamConfiguration.publicAccessPrevention",
            "uniformBucketLevelAccess": "iamConfiguration.uniformBucketLevelAccess.enabled",
        },
        own={"forceDestroy": "empties the bucket before it is deleted", "project": "a parameter of the request"},
        added=_NAMED,
    ),
    Table(
        "gcp:lustre/instance:Instance",
        message("lustre_v1/types/instance.py", "Instance"),
        own={"instanceId": _URL, "location": _URL, **_PROJECT},
    ),
    Table(
        "gcp:compute/globalAddress:GlobalAddress",
        schema("compute.v1", "Address", "compute.globalAddresses.insert"),
        own=_PROJECT,
        added=_NAMED,
    ),
    Table(
        "gcp:servicenetworking/connection:Connection",
        schema("servicenetworking.v1", "Connection"),
        own={
            "deletionPolicy": "leaves the connection to whoever deletes the VPC",
            "service": _URL,
            "updateOnCreationFail": "a second request, where a connection is there",
        },
    ),
    Table(
        "gcp:storage/bucketIAMMember:BucketIAMMember",
        schema("cloudresourcemanager.v1", "Binding"),
        renamed={"member": "members[]"},
        own={"bucket": _URL},
    ),
    Table(
        "gcp:projects/iAMMember:IAMMember",
        schema("cloudresourcemanager.v1", "Binding"),
        renamed={"member": "members[]"},
        own=_PROJECT,
    ),
]
