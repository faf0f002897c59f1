"""Components for OKE. Importing one imports its SDK; the plans in ``plan`` import none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .adopt import OkeAdoptedNodes
    from .cluster import OkeCluster
    from .identity import OkeIdentityPolicies
    from .network import OkeHpcNetwork
    from .node_image import OkeImportedImage
    from .node_pool import OkeGpuNodePool

__all__ = [
    "OkeAdoptedNodes",
    "OkeCluster",
    "OkeGpuNodePool",
    "OkeHpcNetwork",
    "OkeIdentityPolicies",
    "OkeImportedImage",
]

__getattr__ = lazy(
    __name__,
    {
        "OkeAdoptedNodes": "adopt",
        "OkeCluster": "cluster",
        "OkeGpuNodePool": "node_pool",
        "OkeHpcNetwork": "network",
        "OkeIdentityPolicies": "identity",
        "OkeImportedImage": "node_image",
    },
)
