"""Inputs that the clouds' constraints take, no more than that."""

from typing import Any

NETWORK, SUBNET = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"
CLUSTER, POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
EKS, GROUP = "aws:eks/cluster:Cluster", "aws:eks/nodeGroup:NodeGroup"
AKS = "azure-native:containerservice:ManagedCluster"
CONFIG_MAP, NAMESPACE = "kubernetes:core/v1:ConfigMap", "kubernetes:core/v1:Namespace"


def network(name: str = "n", project: str = "p") -> dict[str, Any]:
    """A VPC of Google's."""
    return {"name": name, "project": project, "autoCreateSubnetworks": False}


def subnet(network: str) -> dict[str, Any]:
    """A subnet in a network."""
    return {"name": "s", "project": "p", "region": "us-west8", "network": network, "ipCidrRange": "10.0.0.0/24"}


def cluster(name: str = "c") -> dict[str, Any]:
    """A GKE cluster."""
    return {"name": name, "project": "p", "location": "us-west8", "masterAuthorizedNetworksConfig": {}}


def pool(cluster: str = "c") -> dict[str, Any]:
    """A node pool of a GKE cluster."""
    return {"project": "p", "location": "us-west8", "cluster": cluster, "name": "a4"}


def eks() -> dict[str, Any]:
    """An EKS cluster."""
    return {"name": "c", "roleArn": "arn:aws:iam::1:role/r", "vpcConfig": {"subnetIds": ["subnet-1", "subnet-2"]}}


def group() -> dict[str, Any]:
    """A node group of it."""
    role = "arn:aws:iam::1:role/nodes"
    return {"clusterName": "c", "nodeGroupName": "g", "nodeRoleArn": role, "subnetIds": ["subnet-1"]}


def aks() -> dict[str, Any]:
    """An AKS cluster."""
    return {
        "resourceGroupName": "group",
        "resourceName": "c",
        "location": "southcentralus",
        "agentPoolProfiles": [{"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}],
        "identity": {"type": "UserAssigned", "userAssignedIdentities": ["id"]},
    }


def config_map(name: str = "m", namespace: str = "default") -> dict[str, Any]:
    """An object of Kubernetes."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}}
