"""The components for any Kubernetes cluster, as a Pulumi package."""

from rdma_cluster.hosting import host

host()
