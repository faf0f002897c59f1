"""The components for plain machines on Google Cloud, and those for any cluster, as a Pulumi package."""

from rdma_cluster.hosting import host

host("gce")
