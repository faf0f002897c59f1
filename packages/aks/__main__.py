"""The components for AKS, and those for any cluster, as a Pulumi package."""

from rdma_cluster.hosting import host

host("aks")
