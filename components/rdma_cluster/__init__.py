"""RDMA-connected GPU clusters on Kubernetes, as Pulumi components."""

__version__ = "0.2.0"
