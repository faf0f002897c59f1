"""Intent in, ResourceClaimTemplates out, or the reason why no node of the machine can satisfy it."""

from collections.abc import Sequence
from dataclasses import replace

from ..catalog import Machine
from ..fabrics import GpuAllocation
from . import layout
from .intent import Gpus, Groups, Intent, Nics, Numa, Pairs, Whole
from .layout import Slot
from .refusal import Unsatisfiable, check_target
from .target import NUMA_NODE, PCIE_ROOT, Target, all_of, any_of, naming, pin, rail_bound
from .template import Constraint, Request, Template

MAX_PER_CLAIM = 32
"""Devices, requests and constraints that one claim may have each (k8s.io/api/resource/v1)."""

_Unit = tuple[tuple[Request, ...], Constraint | None]


def templates(machine: Machine, intent: Intent, target: Target) -> tuple[Template, ...]:
    """The claims of one pod. More than one when 32 devices a claim do not suffice: the pod then takes them all."""
    check_target(machine, intent, target)
    match intent:
        case Pairs() | Groups():
            return _aligned(machine, intent, target)
        case Numa():
            return _numa(machine, intent, target)
        case Gpus():
            if intent.k > machine.gpus:
                reason = f"a node holds {machine.gpus} GPUs, asked for {intent.k}"
                raise Unsatisfiable(machine, intent, reason, machine.gpus, f"ask for {machine.gpus} or fewer")
            return (Template(_name(machine, intent.slug), (Request("gpu", target.gpu_class, intent.k),)),)
        case Whole() | Nics():
            return _all(machine, intent, target)


def offers(machine: Machine, intent: Intent, target: Target) -> tuple[Intent, ...]:
    """The intents that together fill a node: one a window of rails where rails are pinned, else the intent itself."""
    if isinstance(intent, Numa):
        return tuple(Numa(node) for node in layout.numa_nodes(machine)) or (intent,)
    if not isinstance(intent, Pairs | Groups) or naming(machine, target) is None:
        return (intent,)
    gpus, nics, count, _ = _shape(intent)
    places = len(layout.slots(machine, gpus, nics))
    if isinstance(intent, Pairs) and _by_address(machine, target):
        places = len(layout.neighbours(machine))
    runs = layout.runs(places, count)
    if isinstance(intent, Pairs):
        return tuple(replace(intent, first_rail=run[0]) for run in runs)
    return tuple(replace(intent, first_group=run[0]) for run in runs)


def _name(machine: Machine, *parts: str) -> str:
    """A DNS subdomain of the machine's name and the intent."""
    return "-".join((machine.name.lower().replace("_", "-"), *parts))


def _shape(intent: Pairs | Groups) -> tuple[int, int, int, int]:
    """GPUs and NICs of one unit, how many units, and the first of them."""
    if isinstance(intent, Pairs):
        return 1, 1, intent.k, intent.first_rail
    return intent.gpus, intent.nics, intent.groups, intent.first_group


def _aligned(machine: Machine, intent: Pairs | Groups, target: Target) -> tuple[Template, ...]:
    gpus, nics, count, first = _shape(intent)
    if isinstance(intent, Pairs) and _by_address(machine, target):
        return _named_pairs(machine, intent, target)
    places = layout.slots(machine, gpus, nics)
    _check_roots(machine, intent, target, len(places))
    taken = places[first : first + count]
    pinned = pin(machine, target, taken[0].nics) is not None
    if not pinned and count < len(places) and rail_bound(machine):
        reason = (
            f"{target.nics.driver} publishes nothing that names a rail, so pods could hold different rails on "
            "different nodes"
        )
        remedy = f"ask for all {len(places)}, claim the whole node, or use dranet"
        raise Unsatisfiable(machine, intent, reason, len(places), remedy)
    # Unnamed units may be on any roots, unless they are all there are.
    wide = _of_roots(taken) if pinned or count == len(places) else [(slot, 1) for slot in taken]
    units = [_unit(machine, target, index, slot, gpus * groups) for index, (slot, groups) in enumerate(wide)]
    return _split(machine, intent.slug, _window(intent, len(places)) if pinned else "", units)


def _of_roots(taken: Sequence[Slot]) -> list[tuple[Slot, int]]:
    """The slots of each root as one, with their number; where rails are named, they say the root already.

    It is the same devices in half the requests or fewer, and the scheduler looks at each device for each request.
    """
    by_root: dict[int, list[Slot]] = {}
    for slot in taken:
        by_root.setdefault(slot.root, []).append(slot)
    return [(Slot(root, tuple(nic for one in of for nic in one.nics)), len(of)) for root, of in by_root.items()]


def _window(intent: Pairs | Groups, places: int) -> str:
    """The window of an intent in the names of its templates; none for all there is."""
    _, _, count, first = _shape(intent)
    if count == places:
        return ""
    word = "rail" if isinstance(intent, Pairs) else "group"
    return f"{word}-{first}" if count == 1 else f"{word}s-{first}-{first + count - 1}"


def _by_address(machine: Machine, target: Target) -> bool:
    """Whether pairs are named device by device: no root is shared, but the provider says which are near."""
    return bool(layout.neighbours(machine)) and target.gpu_has_bus_id and target.nics.names_nics


def _named_pairs(machine: Machine, intent: Pairs, target: Target) -> tuple[Template, ...]:
    """Pairs whose GPU and NIC are each named by their PCI address."""
    known = layout.neighbours(machine)
    if intent.first_rail + intent.k > len(known):
        from_ = f" from number {intent.first_rail} on" if intent.first_rail else ""
        reason = f"a node holds {len(known)} pairs that its provider calls near, asked for {intent.k}{from_}"
        remedy = f"ask for {len(known)} or fewer, or claim the whole node"
        raise Unsatisfiable(machine, intent, reason, len(known), remedy)
    units: list[_Unit] = []
    for index, (gpu, nic) in enumerate(known[intent.first_rail : intent.first_rail + intent.k]):
        of_gpu = any_of("resource.kubernetes.io", "pciBusID", ((machine.gpu_pci or ())[gpu],))
        of_nic = any_of("dra.net", "pciAddress", ((machine.nic_pci or ())[nic],))
        gpu_request = Request(f"gpu-{index}", target.gpu_class, 1, (of_gpu,))
        nic_request = Request(f"nic-{index}", target.nic_class, 1, all_of(of_nic, *_rdma_only(target)))
        units.append(((gpu_request, nic_request), None))
    return _split(machine, intent.slug, _window(intent, len(known)), units)


def _check_roots(machine: Machine, intent: Pairs | Groups, target: Target, most: int) -> None:
    """Refuse what the PCIe roots of the machine, or what is known and published of them, do not hold."""
    gpus, nics, count, first = _shape(intent)
    if not machine.pcie_root_comparable:
        both = [str(node) for node in layout.numa_nodes(machine)]
        numa = f", or the GPUs and NICs of one NUMA node (numa {' or '.join(both)})" if both else ""
        reason = "GPUs and NICs never show the same pcieRoot on this machine"
        raise Unsatisfiable(machine, intent, reason, 0, f"claim the whole node{numa}")
    if machine.roots is None:
        reason = "its PCIe roots are not published, so that nothing can be proved of them"
        raise Unsatisfiable(machine, intent, reason, remedy="claim the whole node")
    if not target.has_pcie_root:
        reason = f"NVIDIA's driver {target.nvidia} and DraNet {target.dranet} publish no common pcieRoot"
        remedy = "use NVIDIA's driver 25.8.0 or later with DraNet 0.5.1 or later"
        raise Unsatisfiable(machine, intent, reason, 0, remedy)
    if first + count > most:
        unit = layout.devices(gpus, nics)
        from_ = f" from number {first} on" if first else ""
        reason = f"a node holds {most} of {unit} on one root, asked for {count}{from_} ({layout.summary(machine)})"
        fewer = [f"ask for {most} or fewer"] if most else []
        shapes = [shape for shape in layout.shapes(machine) if all(shape) and shape != (gpus, nics)]
        groups = [f"take groups of {layout.devices(*shapes[0])}"] if shapes else []
        remedy = ", or ".join([*fewer, *groups, "claim the whole node"])
        raise Unsatisfiable(machine, intent, reason, most, remedy)


def _unit(machine: Machine, target: Target, index: int, slot: Slot, gpus: int) -> _Unit:
    """One group: its NICs, its GPUs, and the root they share. Neighbours, so that a dead end shows at once.

    NICs come first: of rails that are named there is one choice, and it fixes the root in which a GPU is looked for.
    """
    nic = Request(f"nic-{index}", target.nic_class, len(slot.nics), _nic_selectors(machine, target, slot.nics))
    gpu = Request(f"gpu-{index}", target.gpu_class, gpus)
    return (nic, gpu), Constraint(PCIE_ROOT, (gpu.name, nic.name))


def _split(machine: Machine, slug: str, window: str, units: list[_Unit]) -> tuple[Template, ...]:
    """As few claims as hold all units, of even size: a constraint never reaches beyond its own claim."""
    devices = max(sum(request.count or 0 for request in requests) for requests, _ in units)
    claims = -(-len(units) // (MAX_PER_CLAIM // devices))
    size = -(-len(units) // claims)
    batches = [units[start : start + size] for start in range(0, len(units), size)]
    return tuple(
        Template(
            _name(machine, slug, *([window] if window else []), *([f"part-{number}"] if len(batches) > 1 else [])),
            tuple(request for requests, _ in batch for request in requests),
            tuple(constraint for _, constraint in batch if constraint is not None),
            window,
        )
        for number, batch in enumerate(batches)
    )


def _all(machine: Machine, intent: Whole | Nics, target: Target) -> tuple[Template, ...]:
    nic = Request("nic", target.nic_class, machine.nics, _all_rails(machine, target))
    if isinstance(intent, Nics) or target.gpus is GpuAllocation.DEVICE_PLUGIN:
        return (Template(_name(machine, intent.slug), (nic,)),)
    gpu = Request("gpu", target.gpu_class, machine.gpus)
    if machine.gpus + machine.nics <= MAX_PER_CLAIM:
        return (Template(_name(machine, intent.slug), (gpu, nic)),)
    names = _name(machine, intent.slug, "gpus"), _name(machine, intent.slug, "nics")
    return Template(names[0], (gpu,)), Template(names[1], (nic,))


def _numa(machine: Machine, intent: Numa, target: Target) -> tuple[Template, ...]:
    nodes = layout.numa_nodes(machine)
    node = next(iter(nodes), None) if intent.node is None else intent.node
    if node not in nodes:
        known = " or ".join(map(str, nodes))
        remedy = f"ask for {known}, or claim the whole node" if known else "claim the whole node"
        reason = f"NUMA nodes known to hold both GPUs and NICs: {known or 'none'}"
        raise Unsatisfiable(machine, intent, reason, remedy=remedy)
    if not target.nics.names_nics:
        reason = f"{target.nics.driver} is not known to publish a NUMA node"
        raise Unsatisfiable(machine, intent, reason, remedy="claim the whole node, or use dranet")
    gpus, nics = nodes[node]
    on_node = f'device.attributes["dra.net"].?numaNode.orValue(-1) == {node}'
    nic = Request("nic", target.nic_class, len(nics), all_of(*_all_rails(machine, target), on_node))
    gpu = Request("gpu", target.gpu_class, len(gpus))
    constraints: tuple[Constraint, ...] = ()
    if target.has_numa_node:
        constraints = (Constraint(NUMA_NODE, (gpu.name, nic.name)),)
    elif machine.gpu_pci and target.gpu_has_bus_id:
        addresses = tuple(machine.gpu_pci[index] for index in gpus)
        gpu = replace(gpu, selectors=(any_of("resource.kubernetes.io", "pciBusID", addresses),))
    else:
        addresses = "published from NVIDIA's driver 0.4.0 on" if machine.gpu_pci else "not known"
        reason = (
            "no attribute shows the NUMA node of its GPUs: the standard numaNode needs Kubernetes 1.37, NVIDIA's "
            f"driver 0.5.0 and a DraNet later than 1.4.0, and the GPUs' PCI addresses are {addresses}"
        )
        raise Unsatisfiable(machine, intent, reason, remedy="raise the versions, or claim the whole node")
    window = f"numa-{node}"
    return (Template(_name(machine, window), (gpu, nic), constraints, window),)


def _nic_selectors(machine: Machine, target: Target, nics: tuple[int, ...]) -> tuple[str, ...]:
    pinned = pin(machine, target, nics)
    return all_of(*([pinned] if pinned else []), *_rdma_only(target))


def _all_rails(machine: Machine, target: Target) -> tuple[str, ...]:
    """Rails by name only where other RDMA devices must be kept out; elsewhere ``rdma`` says enough."""
    if machine.rdma_front_end:
        return _nic_selectors(machine, target, tuple(range(machine.nics)))
    return _rdma_only(target)


def _rdma_only(target: Target) -> tuple[str, ...]:
    if target.nics.every_interface:
        return ('device.attributes["dra.net"].?rdma.orValue(false)',)
    return ()
