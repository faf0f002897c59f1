"""Who brings the kernel drivers to AKS nodes. Half of each choice is a property of the pool, half an operator's."""

from enum import Enum


class AksGpuDriver(str, Enum):
    """Who installs NVIDIA's kernel driver. The pool and the GPU Operator must agree, or no GPU is allocatable."""

    OPERATOR = "operator"
    """The GPU Operator, on nodes that come without a driver. AKS's own checks of GPUs do not run there."""
    AKS = "aks"
    """AKS, with the node image; its node problem detector then checks GPUs, NVLink and InfiniBand links."""

    @property
    def in_pool(self) -> str:
        """``gpuProfile.driver`` of the pool."""
        return "Install" if self is AksGpuDriver.AKS else "None"
