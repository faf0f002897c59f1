"""How many GPUs of a machine a container may ask for, and the devices that it then gets with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from pulumi_offline.frozen import frozen
from ..catalog.machine import Machine
from ..claims import Target, Template
from ..fabrics import Claims, ExtendedResource, Fabric, GpuAllocation, PodNetworks, fabrics_of

GPU = "nvidia.com/gpu"
"""The resource that a pod asks for, by a device plugin and by claims alike."""


@frozen
class DeviceRequest:
    """What a container's request for some GPUs becomes."""

    gpus: int
    window: str = ""
    """The rails that it holds, as claim templates name them; empty where none are named, and for the first ones."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Without GPUs where claims hand these out."""
    claims: tuple[str, ...] = ()
    """Names of the ResourceClaimTemplates."""


def device_requests(
    machine: Machine, fabric: Fabric, allocation: GpuAllocation, windows: Iterable[Sequence[Sequence[Template]]]
) -> tuple[DeviceRequest, ...]:
    """All shapes by number of GPUs. ``windows`` are those of each offer of claims that fits the pool.

    A container's NICs are those of its GPUs' share, rounded up: an EFA device of a p4d serves two GPUs, and a container
    with one of them needs it. Where NICs reach only their like and no claim names them, only whole nodes surely fit
    each other.
    """
    if not machine.gpus:  # a pod gets a fabric for its GPUs
        return ()
    match fabric.nic_attachment:
        case Claims():
            return _claimed(machine, allocation, windows)
        case ExtendedResource() as nic_attachment if allocation == GpuAllocation.DEVICE_PLUGIN:
            shared = nic_attachment.full_node
            numbers = range(1, machine.gpus + 1) if shared or not fabric.rail_bound else [machine.gpus]
            return tuple(_plugged(machine, nic_attachment, gpus) for gpus in numbers)
        case _ if allocation == GpuAllocation.DEVICE_PLUGIN:
            return (DeviceRequest(machine.gpus, limits={GPU: str(machine.gpus)}),)
    return ()


def _plugged(machine: Machine, nic_attachment: ExtendedResource, gpus: int) -> DeviceRequest:
    units = 1 if nic_attachment.full_node else -(-gpus * machine.nics // machine.gpus)
    beside = nic_attachment.beside if gpus == machine.gpus else {}
    return DeviceRequest(gpus, limits={GPU: str(gpus), nic_attachment.resource: str(units), **beside})


def _claimed(
    machine: Machine, allocation: GpuAllocation, windows: Iterable[Sequence[Sequence[Template]]]
) -> tuple[DeviceRequest, ...]:
    """For each number of GPUs the first offer that has it, but for all of them the whole node."""
    gpu_class = Target().gpu_class
    offers: dict[int, Sequence[Sequence[Template]]] = {}
    for offer in windows:
        requests = [each for template in offer[0] for each in template.requests if each.device_class == gpu_class]
        gpus = sum(request.count or 0 for request in requests)
        if not gpus and allocation == GpuAllocation.DEVICE_PLUGIN:
            # All NICs without a GPU: they go with all GPUs of the device plugin.
            names = tuple(template.name for template in offer[0])
            return (DeviceRequest(machine.gpus, limits={GPU: str(machine.gpus)}, claims=names),)
        if gpus and (gpus not in offers or gpus == machine.gpus):
            offers[gpus] = offer
    claimed = []
    for gpus, offer in sorted(offers.items()):
        for number, templates in enumerate(offer):
            names = tuple(template.name for template in templates)
            if number == 0:
                claimed.append(DeviceRequest(gpus, claims=names))
            if len(offer) > 1:
                # ``rails-2-3``, or ``numa-1`` of a template that names no rails.
                window = templates[0].window or "-".join(templates[0].name.rsplit("-", 2)[1:])
                claimed.append(DeviceRequest(gpus, window, claims=names))
    return tuple(claimed)


def parts_by(machine: Machine, fabric: Fabric) -> str:
    """Name of another fabric of the machine that serves a part of a node's GPUs; empty where none does."""
    for other in fabrics_of(machine):
        nic_attachment = other.nic_attachment
        by_claims = isinstance(nic_attachment, Claims) and other.default_allocation == GpuAllocation.DRA
        if other is not fabric and (
            by_claims or (isinstance(nic_attachment, ExtendedResource) and nic_attachment.full_node)
        ):
            return other.name
    return ""


def capacity(machine: Machine, fabric: Fabric) -> dict[str, str]:
    """What all containers of a pod may ask for together; NICs that pods share do not count."""
    nic_attachment = fabric.nic_attachment
    counted = isinstance(nic_attachment, ExtendedResource) and not nic_attachment.full_node
    return {GPU: str(machine.gpus), **({nic_attachment.resource: str(machine.nics)} if counted else {})}


def no_host_network(fabric: Fabric) -> str:
    """Why a pod in the host's network cannot be served; empty where it can."""
    nic_attachment = fabric.nic_attachment
    if isinstance(nic_attachment, Claims):
        # It holds its claims and is tried again for ever: kubernetes-sigs/dranet pkg/driver/nri_hooks.go RunPodSandbox.
        return "the pod is in the host's network, where DraNet starts no pod that claims NICs; remove hostNetwork"
    if isinstance(nic_attachment, PodNetworks) or (
        isinstance(nic_attachment, ExtendedResource) and nic_attachment.network
    ):
        return "the pod is in the host's network, where no further network is attached to it; remove hostNetwork"
    return ""
