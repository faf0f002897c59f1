"""The components for all clouds as one Pulumi package."""

from rdma_cluster.common import CLOUDS
from rdma_cluster.hosting import host

host(*CLOUDS)
