"""What a living cluster must show if the plan of its stack is true: pools, daemons, claims, marks of nodes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pulumi_offline.frozen import frozen
from ..base.args import Link
from ..catalog import Machine
from ..claims import Target, Template
from ..claims.cel import Aborted
from ..claims.device import Device
from ..claims.slices import resource_slices
from ..claims.solution import fill
from ..common.stack import BaseRdmaClusterPlan, StackPlan
from ..fabrics import Claims, Fabric, GpuAllocation, HostPlugin
from ..incluster.plan.in_cluster import InClusterPlan
from ..incluster.plan.pool import GpuPool

KERNEL_INSTALLER = "nvidia-driver-installer"
"""The DaemonSet that brings the kernel driver, in kube-system."""


@frozen
class Claim:
    """The claims of one pod, which our own allocator fits to the devices that drivers publish."""

    templates: tuple[Template, ...]

    @property
    def name(self) -> str:
        """The names of its templates."""
        return " + ".join(template.name for template in self.templates)

    def copies(self, devices: Sequence[Device], target: Target) -> int:
        """How many such pods a node with these devices holds when nothing else is on it."""
        try:
            return len(fill(self.templates, devices, target))
        except Aborted:  # as the scheduler would
            return 0


@frozen
class ExpectedPool:
    """Nodes of one kind, as the plan has them."""

    name: str
    machine: Machine
    nodes: int
    fabric: Fabric
    allocation: GpuAllocation
    labels: Mapping[str, Link]
    """Beside the one that holds the pool's name."""
    target: Target | None
    """Who answers claims for its NICs; ``None`` where nobody does."""
    claims: tuple[tuple[Claim, int], ...]
    """What pods may claim, with how many such pods a node holds; none where nothing is claimed."""
    topology_file: bool
    """Whether pods get a file that names its GPUs and NICs by address."""


@frozen
class ExpectedDaemon:
    """A DaemonSet that must run on the nodes of some pools."""

    name: str
    """The chart's, or of one of ours its own."""
    version: str
    """Empty where the plan names none."""
    drives: str
    """What nodes lack without it."""
    pools: tuple[int, ...]
    """On whose nodes it runs, by their places in the stack."""


@frozen
class Expected:
    """A cluster as its plan promises it."""

    kubernetes: str
    pool_label: str
    taints: Mapping[str, str]
    """Values by key that every pod of ours tolerates; the first is on every GPU node."""
    pools: tuple[ExpectedPool, ...]
    daemons: tuple[ExpectedDaemon, ...]
    templates: tuple[str, ...]
    classes: tuple[str, ...]


def expected(plan: BaseRdmaClusterPlan) -> Expected:
    """What the plan of a stack with Kubernetes promises of its cluster."""
    in_cluster = plan.in_cluster
    context = in_cluster.context
    pools = tuple(_pool(plan, pool) for pool in in_cluster.pools)
    templates = [template.name for pool in pools for claim, _ in pool.claims for template in claim.templates]
    targets = [pool.target for pool in pools if pool.target is not None]
    classes = [name for target in targets for name in target.classes if _claimed(name, target)]
    return Expected(
        kubernetes=context.version,
        pool_label=context.pool_label,
        taints=context.taints,
        pools=pools,
        daemons=tuple(_daemons(in_cluster, pools)),
        templates=tuple(dict.fromkeys(templates)),
        classes=tuple(dict.fromkeys(classes)),
    )


def machines_of(plan: StackPlan) -> list[Machine]:
    """The machine types of any stack's plan, each once."""
    return list({pool.machine.name: pool.machine for pool in (*plan.pools, *plan.adopted)}.values())


def target_of(plan: InClusterPlan, machine: Machine) -> Target | None:
    """Who answers a stack's claims on a machine; ``None`` where nothing of it is claimed."""
    return None if plan.claims is None else plan.claims.plan.targets.get(machine.name)


def _pool(plan: BaseRdmaClusterPlan, pool: GpuPool) -> ExpectedPool:
    machine, in_cluster = pool.machine, plan.in_cluster
    claimed = isinstance(pool.fabric.nic_attachment, Claims)
    target = target_of(in_cluster, machine) if claimed else None
    return ExpectedPool(
        name=pool.name,
        machine=machine,
        nodes=pool.nodes,
        fabric=pool.fabric,
        allocation=pool.allocation,
        labels=next((each.labels for each in (*plan.pools, *plan.adopted) if each.name == pool.name), {}),
        target=target,
        claims=() if target is None else tuple(_claims(in_cluster, machine, target)),
        topology_file=bool(in_cluster.workloads[pool.name].adds.files),
    )


def _claims(plan: InClusterPlan, machine: Machine, target: Target) -> Iterator[tuple[Claim, int]]:
    """Every window of every shape, and its copies on a node as the catalogue has it."""
    devices = [device for each in resource_slices(machine, target) for device in each.devices]
    assert plan.claims is not None  # there is a target
    for offer in plan.claims.plan.by_machine[machine.name]:
        for window in offer.windows:
            claim = Claim(window)
            yield claim, claim.copies(devices, target)


def _claimed(name: str, target: Target) -> bool:
    return target.gpus is GpuAllocation.DRA or name != target.gpu_class


def _daemons(plan: InClusterPlan, pools: tuple[ExpectedPool, ...]) -> Iterator[ExpectedDaemon]:
    def on(values: Iterable[str]) -> tuple[int, ...]:
        return tuple(i for i, pool in enumerate(pools) if pool.name in values)

    charts = []
    if plan.drivers is not None:
        drivers = plan.drivers.plan
        charts += [(drivers.gpu, drivers.gpu_nodes), (drivers.nic, drivers.nic_nodes)]
    if plan.device_plugins is not None:
        plugins = plan.device_plugins.plan
        charts += [(plugins.gpu, plugins.nodes), (plugins.nic, plugins.nodes)]
    for settings, nodes in charts:
        if settings is not None:
            chart = settings.chart
            yield ExpectedDaemon(chart.name, chart.version, chart.title, on(nodes["values"]))
    if plan.drivers and plan.drivers.plan.kernel:
        served = on(plan.drivers.plan.gpu_nodes["values"])
        yield ExpectedDaemon(KERNEL_INSTALLER, "", "NVIDIA's kernel driver", served)
    for installer in plan.installers.values():
        plugin, served = installer.plan.plugin, on(installer.plan.nodes["values"])
        if isinstance(plugin, HostPlugin):
            name, version = f"nccl-installer-{plugin.name}", plugin.release.version
            yield ExpectedDaemon(name, version, f"the NCCL plugin {plugin.name}", served)
        for each in installer.plan.daemons:
            yield ExpectedDaemon(each.name, "", f"the daemon {each.name}", served)
