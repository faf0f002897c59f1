"""An imaginary cloud, which no room of ours has heard of. `tests/fifth` lays it beside the others."""

from typing import TYPE_CHECKING

from rdma_cluster.base.lazy import lazy

if TYPE_CHECKING:
    from .rdma_cluster import MoonRdmaCluster as MoonRdmaCluster

_MODULES = {".rdma_cluster": "MoonRdmaCluster"}
__getattr__, __dir__ = lazy(__name__, _MODULES)
