"""Components for plain machines on Google Cloud, and their args. A component imports its SDK, the rest imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..shown import DockerWorkload as DockerWorkload
    from ..shown import NamedMachine as NamedMachine
    from .network import GceHpcNetwork as GceHpcNetwork
    from .plan.network import GceHpcNetworkArgs as GceHpcNetworkArgs
    from .plan.network import GceNic as GceNic
    from .plan.rdma_cluster import GceRdmaClusterArgs as GceRdmaClusterArgs
    from .plan.vms import GceCapacity as GceCapacity
    from .plan.vms import GceGpuVmsArgs as GceGpuVmsArgs
    from .plan.vms import GcePool as GcePool
    from .rdma_cluster import GceRdmaCluster as GceRdmaCluster
    from .vms import GceGpuVms as GceGpuVms

__getattr__, __dir__ = lazy(__name__)
