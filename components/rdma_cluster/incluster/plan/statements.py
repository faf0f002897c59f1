"""What a component's args say of the cluster it stands on, so that no other says otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList, Path
from pulumi_offline.frozen import frozen
from ...catalog import find
from ...catalog.clouds import HOSTS
from ...claims import driver_of
from ...fabrics import FABRICS, Claims, ExtendedResource, GpuAllocation
from .dra_drivers import ManagedBy
from .pool import GpuPool, NodeSet
from .resolve import resolve


@frozen
class Statement:
    """One thing that a component takes for granted."""

    path: Path
    """The key that says it."""
    subject: str
    """Of what. Example: ``the machine of nodes pool=a``."""
    value: str


def check_agreement(own: Sequence[Statement], others: Mapping[str, Sequence[Statement]], errors: ErrorList) -> None:
    """Adds an error for each of a component's ``own`` statements that one of the ``others``, by component, denies."""
    for each in own:
        for component, said in others.items():
            if other := next((one for one in said if one.subject == each.subject and one.value != each.value), None):
                errors.at(*each.path).add(
                    f"{each.subject} is {each.value} here, and {other.value} for {component} on the same cluster; "
                    "let both say the same, or give each its own nodes or the Kubernetes provider of its own cluster"
                )
                break


def statements(args: Mapping[str, Any]) -> list[Statement]:
    """What the args of a component in a cluster say, which have been checked; each key means the same in all of them.

    Nobody says what is left to others: of drivers that exist already nothing is known here.
    """
    pools = [resolve(pool, ErrorList(), None) for pool in args.get("pools", [])]
    of_pools = pool_statements(pools, args.get("pool_label", ""))
    return [*_of_host(args), *_of_nodes(args), *_of_machines(args), *of_pools]


def _of_host(args: Mapping[str, Any]) -> Iterator[Statement]:
    if "host" in args:
        yield Statement(("host",), _CLOUD, HOSTS[args["host"]].cloud)


def _of_nodes(args: Mapping[str, Any]) -> Iterator[Statement]:
    """Of drivers, plugins and installers, by the label and the values of their nodes."""
    installs_nics = args.get("nic", ManagedBy.INSTALLED) == ManagedBy.INSTALLED
    if "gpu_nodes" in args:
        by = GpuAllocation.DEVICE_PLUGIN if args.get("channels_alone") else GpuAllocation.DRA
        yield from _each(args, "gpu_nodes", _GPUS, by.value)
    if "nic_nodes" in args and installs_nics:
        yield from _each(args, "nic_nodes", _NICS, args["nic_driver"])
    if "nic_plugin" in args and "nodes" in args:
        yield from _each(args, "nodes", _GPUS, GpuAllocation.DEVICE_PLUGIN.value)
        if installs_nics:
            yield from _each(args, "nodes", _NICS, args["nic_plugin"])
    if "fabric" in args and "nodes" in args:
        yield from _each(args, "nodes", _PLUGIN, FABRICS[args["fabric"]].plugin.name)


def _each(args: Mapping[str, Any], key: str, what: str, value: str) -> Iterator[Statement]:
    nodes: NodeSet = args[key]
    for i, pool in enumerate(nodes["values"]):
        yield Statement((key, "values", i), f"{what} nodes {nodes['label']}={pool}", value)


def _of_machines(args: Mapping[str, Any]) -> Iterator[Statement]:
    """Of claims."""
    for key in ("machines", "nic_only_machines"):
        for i, name in enumerate(args.get(key, [])):
            if (machine := find(name)) is not None:
                yield Statement((key, i), _CLOUD, machine.cloud)
                driver = args.get("nic_driver", driver_of(machine).driver)
                yield Statement((key, i), f"{_CLAIMED} {name}", driver)


def pool_statements(pools: Sequence[GpuPool | None], label: str) -> Iterator[Statement]:
    """What a component says of its pools, whose nodes have their names under ``label``."""
    for i, pool in enumerate(pools):
        if pool is None:
            continue
        machine, fabric, nics, at = pool.machine, pool.fabric, pool.fabric.nic_attachment, ("pools", i)
        nodes = f"nodes {label}={pool.name}"
        yield Statement((*at, "machine"), _CLOUD, machine.cloud)
        yield Statement((*at, "machine"), f"{_MACHINE} {nodes}", machine.name)
        yield Statement((*at, "fabric"), f"{_FABRIC} {nodes}", fabric.name)
        yield Statement((*at, "fabric"), f"{_PLUGIN} {nodes}", fabric.plugin.name)
        yield Statement((*at, "gpu_allocation"), f"{_GPUS} {nodes}", pool.allocation.value)
        if isinstance(nics, Claims | ExtendedResource):
            yield Statement((*at, "fabric"), f"{_NICS} {nodes}", nics.driver)
        if isinstance(nics, Claims):
            yield Statement((*at, "fabric"), f"{_CLAIMED} {machine.name}", nics.driver)


_CLOUD = "the cloud"
_GPUS = "what hands out the GPUs of"
_NICS = "what hands out the NICs of"
_CLAIMED = "the DRA driver of the NICs of"
_MACHINE = "the machine of"
_FABRIC = "the fabric of"
_PLUGIN = "the NCCL plugin of"
