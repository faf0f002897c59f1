"""Components for plain machines on Google Cloud, and their args. A component imports its SDK, the rest imports none.

``GceHpcNetwork`` and ``GceGpuVms`` are two of the four components; machines bring drivers and NCCL's plugin themselves.
``GceRdmaCluster`` is the whole.
"""

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from ..component.outputs import DockerWorkload as DockerWorkload, NamedMachine as NamedMachine
    from .network import GceHpcNetwork as GceHpcNetwork
    from .plan.capacity import GceCapacity as GceCapacity
    from .plan.network import GceHpcNetworkArgs as GceHpcNetworkArgs, GceNic as GceNic
    from .plan.rdma_cluster import GceRdmaClusterArgs as GceRdmaClusterArgs
    from .plan.vms import GceGpuVmsArgs as GceGpuVmsArgs, GcePool as GcePool
    from .rdma_cluster import GceRdmaCluster as GceRdmaCluster
    from .vms import GceGpuVms as GceGpuVms

_MODULES = {
    "..component.outputs": "DockerWorkload NamedMachine",
    ".network": "GceHpcNetwork",
    ".plan.capacity": "GceCapacity",
    ".plan.network": "GceHpcNetworkArgs GceNic",
    ".plan.rdma_cluster": "GceRdmaClusterArgs",
    ".plan.vms": "GceGpuVmsArgs GcePool",
    ".rdma_cluster": "GceRdmaCluster",
    ".vms": "GceGpuVms",
}
__getattr__, __dir__ = lazy(__name__, _MODULES)
