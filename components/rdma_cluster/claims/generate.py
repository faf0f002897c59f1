"""Intent in, ResourceClaimTemplates out, or the reason why no node of the machine can satisfy it."""

from collections.abc import Callable

from ..catalog import Cloud, Machine, NicKind, Transport
from . import layout
from .intent import Groups, Intent, Nics, Numa, Pairs, Whole, shifted
from .layout import Slot
from .rails import any_rail, pin
from .target import NUMA_NODE, PCIE_ROOT, GpuMode, NicDriver, Target
from .template import Constraint, Request, Template

MAX_PER_CLAIM = 32
"""Devices, requests and constraints that one claim may have each (k8s.io/api/resource/v1)."""

_DRIVER_OF = {
    NicDriver.AWS_DRANET: Cloud.EKS,
    NicDriver.GKE_MANAGED: Cloud.GKE,
    NicDriver.AKS_MANAGED: Cloud.AKS,
}


class Unsatisfiable(ValueError):
    """No node of the machine can satisfy the intent under this target."""

    def __init__(self, machine: Machine, intent: Intent, reason: str, maximum: int | None, remedy: str) -> None:
        super().__init__(f"{machine.name}: {intent}: {reason}; {remedy}")
        self.machine = machine
        self.intent = intent
        self.reason = reason
        self.maximum = maximum
        """The most of what was asked that a node can hold, where there is such a number."""
        self.remedy = remedy


def templates(machine: Machine, intent: Intent, target: Target) -> tuple[Template, ...]:
    """The claims of one pod. More than one when 32 devices a claim do not suffice: the pod then takes them all."""

    def refuse(reason: str, remedy: str, maximum: int | None = None) -> Unsatisfiable:
        return Unsatisfiable(machine, intent, reason, maximum, remedy)

    _check_target(machine, intent, target, refuse)
    match intent:
        case Pairs() | Groups():
            return _aligned(machine, intent, target, refuse)
        case Numa():
            return _numa(machine, intent, target, refuse)
        case Whole() | Nics():
            return _all(machine, intent, target, refuse)


def offers(machine: Machine, intent: Intent, target: Target) -> tuple[Intent, ...]:
    """The intents that together fill a node: one a window of rails where rails are pinned, else the intent itself."""
    if isinstance(intent, Numa):
        return tuple(Numa(node) for node in layout.numa_nodes(machine)) or (intent,)
    if not isinstance(intent, Pairs | Groups) or pin(machine, target, (0,)) is None:
        return (intent,)
    gpus, nics, count, _ = _shape(intent)
    starts = layout.runs(len(layout.slots(machine, gpus, nics)), count)
    return tuple(shifted(intent, run[0]) for run in starts) or (intent,)


def name(machine: Machine, *parts: str) -> str:
    """A DNS subdomain made of the machine's name and what is asked."""
    return "-".join((machine.name.lower().replace("_", "-"), *parts))


_Refuse = Callable[..., Unsatisfiable]


def _check_target(machine: Machine, intent: Intent, target: Target, refuse: _Refuse) -> None:
    if target.kubernetes < (1, 34):
        got = ".".join(map(str, target.kubernetes))
        raise refuse(f"resource.k8s.io/v1 is served from Kubernetes 1.34 on, got {got}", "raise the version")
    cloud = _DRIVER_OF.get(target.nic_driver, machine.cloud)
    if machine.cloud is not cloud:
        raise refuse(
            f"the NIC driver {target.nic_driver.value} exists on {cloud.value} only, got a machine of "
            f"{machine.cloud.value}",
            "use dranet",
        )
    if target.nic_driver is NicDriver.AWS_DRANET and machine.transport is not Transport.EFA:
        raise refuse("aws-dranet publishes EFA devices only", "use dranet")
    if machine.nic_kind is NicKind.NETDEV:
        raise refuse(
            f"its NICs are gVNICs that {machine.transport.value} drives through Network annotations, not RDMA devices",
            "take whole nodes with the device plugin and the annotations",
        )
    if isinstance(intent, Nics):
        return
    if machine.gpu is None:
        raise refuse("the machine has no GPU", "claim its NICs alone (nics)")
    if target.gpu_mode is GpuMode.DEVICE_PLUGIN and not isinstance(intent, Whole):
        raise refuse(
            "the device plugin hands out the GPUs, and no constraint reaches from a NIC claim to them",
            "use GPU mode dra, or claim the NICs of a whole node (nics)",
        )
    if target.gpu_mode is GpuMode.DRA and "NVIDIA" not in machine.gpu.model:
        raise refuse(
            f"the driver gpu.nvidia.com does not serve {machine.gpu.model}",
            "use GPU mode device-plugin and claim the NICs of a whole node (nics)",
        )


def _shape(intent: Pairs | Groups) -> tuple[int, int, int, int]:
    """GPUs and NICs of one unit, how many units, and the first of them."""
    if isinstance(intent, Pairs):
        return 1, 1, intent.k, intent.first_rail
    return intent.gpus, intent.nics, intent.groups, intent.first_group


def _aligned(machine: Machine, intent: Pairs | Groups, target: Target, refuse: _Refuse) -> tuple[Template, ...]:
    gpus, nics, count, first = _shape(intent)
    if not machine.pcie_root_comparable:
        raise refuse("GPUs and NICs never show the same pcieRoot on this machine", _not_by_root(machine), maximum=0)
    if not target.has_pcie_root:
        raise refuse(
            f"NVIDIA's driver {target.nvidia} with DraNet {target.dranet} publishes no common pcieRoot",
            "use NVIDIA's driver 25.8.0 or later with DraNet 1.0.1 or later",
            maximum=0,
        )
    if machine.roots is None:
        raise refuse("its PCIe roots are not published, so that nothing can be proved", "claim the whole node")
    places = layout.slots(machine, gpus, nics)
    if len(places) < count or len(places) < first + count:
        reason = layout.table(machine).replace("\n", "; ")
        raise refuse(
            f"a node holds {len(places)} of {gpus} GPU{'s' * (gpus > 1)} + {nics} NIC{'s' * (nics > 1)} on one root, "
            f"asked for {count}{f' from number {first} on' if first else ''} ({reason})",
            _fewer(len(places)),
            maximum=len(places),
        )
    taken = places[first : first + count]
    pinned = pin(machine, target, tuple(nic for slot in taken for nic in slot.nics)) is not None
    if not pinned and count < len(places) and machine.transport is not Transport.EFA:
        raise refuse(
            f"{target.nic_driver.value} publishes nothing that names a rail, so pods could hold different rails on "
            "different nodes",
            f"claim all {len(places)} of them, the whole node, or use dranet",
            maximum=len(places),
        )
    parts = [intent.slug]
    if pinned and count < len(places):
        word = "rail" if isinstance(intent, Pairs) else "group"
        parts.append(f"{word}-{first}" if count == 1 else f"{word}s-{first}-{first + count - 1}")
    units = [_unit(machine, target, index, slot, gpus) for index, slot in enumerate(taken)]
    return _split(machine, parts, units)


def _unit(
    machine: Machine, target: Target, index: int, slot: Slot, gpus: int
) -> tuple[tuple[Request, ...], Constraint]:
    """One group: its GPUs, its NICs, and the root they share. Neighbours, so that a dead end shows at once."""
    gpu = Request(f"gpu-{index}", target.gpu_class, gpus)
    nic = Request(f"nic-{index}", target.nic_class, len(slot.nics), _nic_selectors(machine, target, slot.nics))
    return (gpu, nic), Constraint(PCIE_ROOT, (gpu.name, nic.name))


def _split(
    machine: Machine, parts: list[str], units: list[tuple[tuple[Request, ...], Constraint]]
) -> tuple[Template, ...]:
    """As few claims as hold all units, of even size: a constraint never reaches beyond its own claim."""
    devices = sum(request.count or 0 for request in units[0][0])
    fit = MAX_PER_CLAIM // max(devices, len(units[0][0]))
    claims = -(-len(units) // fit)
    size = -(-len(units) // claims)
    batches = [units[start : start + size] for start in range(0, len(units), size)]
    return tuple(
        Template(
            name(machine, *parts, *([f"part-{number}"] if len(batches) > 1 else [])),
            tuple(request for requests, _ in batch for request in requests),
            tuple(constraint for _, constraint in batch),
        )
        for number, batch in enumerate(batches)
    )


def _all(machine: Machine, intent: Whole | Nics, target: Target, refuse: _Refuse) -> tuple[Template, ...]:
    rails = tuple(range(machine.nics))
    if layout.has_rdma_front_end(machine) and pin(machine, target, rails) is None:
        raise refuse(
            "neither name nor address of its rails is known, and its front-end NICs are RDMA devices too",
            "add the addresses of the rails to the catalogue",
        )
    nic = Request("nic", target.nic_class, machine.nics, _all_rails(machine, target))
    if isinstance(intent, Nics) or target.gpu_mode is GpuMode.DEVICE_PLUGIN:
        return (Template(name(machine, intent.slug), (nic,)),)
    gpu = Request("gpu", target.gpu_class, machine.gpus)
    if machine.gpus + machine.nics <= MAX_PER_CLAIM:
        return (Template(name(machine, intent.slug), (gpu, nic)),)
    return (
        Template(name(machine, intent.slug, "gpus"), (gpu,)),
        Template(name(machine, intent.slug, "nics"), (nic,)),
    )


def _numa(machine: Machine, intent: Numa, target: Target, refuse: _Refuse) -> tuple[Template, ...]:
    nodes = layout.numa_nodes(machine)
    gpus, nics = nodes.get(intent.node, ((), ()))
    if not gpus or not nics:
        known = ", ".join(str(node) for node, (g, n) in nodes.items() if g and n)
        raise refuse(
            f"NUMA nodes known to hold both GPUs and NICs: {known or 'none'}",
            f"ask for {known} or the whole node" if known else "claim the whole node",
        )
    if target.nic_driver is NicDriver.GKE_MANAGED:
        raise refuse("gke-managed is not known to publish a NUMA node", "claim the whole node, or use dranet")
    on_node = f'device.attributes["dra.net"].?numaNode.orValue(-1) == {intent.node}'
    rails = _all_rails(machine, target)
    nic = Request("nic", target.nic_class, len(nics), (*rails, on_node))
    if target.has_numa_node:
        gpu = Request("gpu", target.gpu_class, len(gpus))
        constraints = (Constraint(NUMA_NODE, (gpu.name, nic.name)),)
    elif machine.gpu_pci and target.gpu_has_bus_id:
        addresses = tuple(machine.gpu_pci[index] for index in gpus)
        gpu = Request("gpu", target.gpu_class, len(gpus), (any_rail("resource.kubernetes.io", "pciBusID", addresses),))
        constraints = ()
    else:
        raise refuse(
            "no attribute shows the NUMA node of its GPUs: the standard numaNode needs Kubernetes 1.37, NVIDIA's "
            "driver 0.5.0 and a DraNet later than 1.4.0, and the GPUs' PCI addresses are "
            + ("published from NVIDIA's driver 0.4.0 on" if machine.gpu_pci else "not known"),
            "raise the versions, or claim the whole node",
        )
    return (Template(name(machine, intent.slug), (gpu, nic), constraints),)


def _nic_selectors(machine: Machine, target: Target, nics: tuple[int, ...]) -> tuple[str, ...]:
    pinned = pin(machine, target, nics)
    return (*_rdma_only(target), *([pinned] if pinned else []))


def _all_rails(machine: Machine, target: Target) -> tuple[str, ...]:
    """Rails by name only where other RDMA devices must be kept out; elsewhere ``rdma`` says enough."""
    if layout.has_rdma_front_end(machine):
        return _nic_selectors(machine, target, tuple(range(machine.nics)))
    return _rdma_only(target)


def _rdma_only(target: Target) -> tuple[str, ...]:
    # The provider's own classes hold RDMA devices only; dra.net publishes every interface of the node.
    if target.nic_driver in (NicDriver.DRANET, NicDriver.AKS_MANAGED):
        return ('device.attributes["dra.net"].?rdma.orValue(false)',)
    return ()


def _fewer(most: int) -> str:
    return f"ask for {most} or fewer, or the whole node" if most else "claim the whole node"


def _not_by_root(machine: Machine) -> str:
    both = [str(node) for node, (gpus, nics) in layout.numa_nodes(machine).items() if gpus and nics]
    whole = "claim the whole node"
    return f"{whole}, or the GPUs and NICs of one NUMA node (numa, {' or '.join(both)})" if both else whole
