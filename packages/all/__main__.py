"""The components for all clouds as one Pulumi package."""

from rdma_cluster.clouds import CLOUDS
from rdma_cluster.hosting import host

host(*CLOUDS)
