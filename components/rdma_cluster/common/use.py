"""How a pool is used and joined: what a program on it adds, and which of its nodes share NVLink. The page draws it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pulumi_offline.frozen import frozen
from ..catalog.machine import Machine
from ..fabrics import Claims, ExtendedResource, Fabric, GpuAllocation, HostNetwork

if TYPE_CHECKING:
    from ..incluster.plan.claim_templates import Offer
    from ..incluster.plan.workload import Workload


@frozen
class PoolUse:
    """A pool as its users see it."""

    pool: str
    machine: Machine
    nodes: int
    fabric: Fabric
    racks: tuple[int, ...]
    """Nodes of the pool in each NVLink rack; empty without racks, or where the plan does not know."""
    workload: Mapping[str, Any]
    """What the stack's output ``workloads`` has for the pool."""
    how: str
    """Where the parts of ``workload`` go."""
    form: str = "pod patch"
    """What ``workload`` is called."""
    gpu_by: str = ""
    """What a pod names to get a GPU; empty without Kubernetes. Example: ``DeviceClass gpu.nvidia.com``."""
    nic_by: str = ""
    """What a pod names to get a NIC."""
    offers: "tuple[Offer, ...]" = ()
    """The shapes in which its devices are claimed."""


_INTO_A_POD = (
    "nodeSelector, tolerations, volumes, initContainers and hostNetwork go into the pod's spec; annotations into its "
    "metadata; resources, volumeMounts, env and securityContext into the container that uses the GPUs; claimTemplates "
    "are the names to choose from, source and imageHint are for the reader"
)


# More than six parameters: a pool as every cloud has it, also one that is adopted, then what is planned for it.
def use_of(
    pool: str, machine: Machine, nodes: int, racks: tuple[int, ...], *, workload: "Workload", offers: "Sequence[Offer]"
) -> PoolUse:
    """The use of a pool of a Kubernetes cluster."""
    fabric = workload.fabric
    return PoolUse(
        pool,
        machine,
        nodes,
        fabric,
        racks,
        workload=workload.pod_patch(),
        how=_INTO_A_POD,
        gpu_by=_gpu_by(fabric, workload.allocation, offers),
        nic_by=_nic_by(fabric),
        offers=tuple(offer for offer in offers if _names(offer) <= {*workload.claim_templates}),
    )


def _names(offer: "Offer") -> set[str]:
    return {template.name for window in offer.windows for template in window}


def _nic_by(fabric: Fabric) -> str:
    match fabric.nic_attachment:
        case Claims(device_class=name):
            return f"DeviceClass {name}"
        case ExtendedResource(resource=name):
            return f"resource {name}"
        case HostNetwork():
            return "hostNetwork of the pod"
    return "annotations of the pod"


def _gpu_by(fabric: Fabric, allocation: GpuAllocation, offers: "Sequence[Offer]") -> str:
    """The classes of the templates but the NICs' own; a device plugin's resource has one name everywhere."""
    if allocation is GpuAllocation.DEVICE_PLUGIN:
        return "resource nvidia.com/gpu"
    nics = fabric.nic_attachment.device_class if isinstance(fabric.nic_attachment, Claims) else ""
    requests = [request for offer in offers for window in offer.windows for each in window for request in each.requests]
    classes = dict.fromkeys(each.device_class for each in requests if each.device_class != nics)
    return ", ".join(f"DeviceClass {each}" for each in classes)
