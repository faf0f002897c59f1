"""What a living cluster must show if the plan of its stack is true: pools, daemons, claims, marks of nodes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..catalog import Machine, find
from ..claims import Target, judged_minor
from ..claims.slices import resource_slices
from ..common.summary import Row
from ..fabrics import FABRICS, NIC_DRIVERS, Claims, Fabric, GpuAllocation, HostPlugin
from ..frozen import frozen
from ..incluster.plan.in_cluster import InClusterPlan
from ..incluster.plan.rdma_cluster import BaseRdmaClusterPlan
from .fits import Claim

KERNEL_INSTALLER = "nvidia-driver-installer"
"""The DaemonSet that brings the kernel driver, in kube-system."""


@frozen
class ExpectedPool:
    """Nodes of one kind, as the plan has them."""

    name: str
    machine: Machine
    nodes: int
    fabric: Fabric
    allocation: GpuAllocation
    labels: Mapping[str, str]
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
    tests = in_cluster.acceptance.args
    pools = tuple(_pool(plan, pool) for pool in tests["pools"])
    templates = [template.name for pool in pools for claim, _ in pool.claims for template in claim.templates]
    targets = [pool.target for pool in pools if pool.target is not None]
    classes = [name for target in targets for name in target.classes if _claimed(name, target)]
    taint = tests["taint"]
    return Expected(
        kubernetes=tests.get("version", ""),
        pool_label=tests["pool_label"],
        taints={taint["key"]: taint["value"], **tests.get("other_taints", {})},
        pools=pools,
        daemons=tuple(_daemons(in_cluster, pools)),
        templates=tuple(dict.fromkeys(templates)),
        classes=tuple(dict.fromkeys(classes)),
    )


def machines_of(plan: Any) -> list[Machine]:
    """The machine types of any stack's plan, each once."""
    pools = (*plan.pools, *getattr(plan, "adopted", ()))  # OKE alone adopts nodes
    return list({pool.machine.name: pool.machine for pool in pools}.values())


def target_of(plan: InClusterPlan, machine: Machine) -> Target | None:
    """Who answers a stack's claims on a machine; ``None`` where nothing of it is claimed."""
    if plan.claims is None or machine.name not in plan.claims.plan.by_machine:
        return None
    args = plan.claims.args
    nics = NIC_DRIVERS[args["nic_driver"]] if "nic_driver" in args else Target().nics
    plugged = machine.name in args.get("nic_only_machines", [])
    allocation = GpuAllocation.DEVICE_PLUGIN if plugged else GpuAllocation.DRA
    return Target(nics, allocation, judged_minor(args.get("version", "")))


def _pool(plan: BaseRdmaClusterPlan, pool: Mapping[str, Any]) -> ExpectedPool:
    machine = find(pool["machine"])
    assert machine is not None  # the plan has it from there
    planned: tuple[Any, ...] = (*getattr(plan, "pools", ()), *getattr(plan, "adopted", ()))
    in_cluster, allocation = plan.in_cluster, GpuAllocation(pool["gpu_allocation"])
    claimed = isinstance(FABRICS[pool["fabric"]].nic_attachment, Claims)
    target = target_of(in_cluster, machine) if claimed else None
    return ExpectedPool(
        name=pool["name"],
        machine=machine,
        nodes=pool["nodes"],
        fabric=FABRICS[pool["fabric"]],
        allocation=allocation,
        labels=next((each.labels for each in planned if each.name == pool["name"]), {}),
        target=target,
        claims=() if target is None else tuple(_claims(in_cluster, machine, target)),
        topology_file=bool(in_cluster.workloads[pool["name"]].adds.files),
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

    for part in (plan.drivers, plan.device_plugins):
        if part is None:
            continue
        args: Row = dict(part.args)
        for key, settings in (("gpu_nodes", part.plan.gpu), ("nic_nodes", part.plan.nic)):
            served = on((args[key] if key in args else args["nodes"])["values"])
            if settings is not None:
                yield ExpectedDaemon(settings.chart.name, settings.chart.version, settings.chart.title, served)
    if plan.drivers and plan.drivers.plan.kernel:
        served = on(plan.drivers.args["gpu_nodes"]["values"])
        yield ExpectedDaemon(KERNEL_INSTALLER, "", "NVIDIA's kernel driver", served)
    for installer in plan.installers.values():
        plugin, served = installer.plan.plugin, on(installer.args["nodes"]["values"])
        if isinstance(plugin, HostPlugin):
            name, version = f"nccl-installer-{plugin.name}", plugin.release.version
            yield ExpectedDaemon(name, version, f"the NCCL plugin {plugin.name}", served)
        for each in installer.plan.daemons:
            yield ExpectedDaemon(each.name, "", f"the daemon {each.name}", served)
