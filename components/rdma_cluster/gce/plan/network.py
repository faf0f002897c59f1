"""The networks of plain machines with GPUDirect-TCPX: one VPC for each NIC, eth0 first, with their addresses."""

from collections.abc import Mapping
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...catalog import find, gke
from ...catalog.clouds import why_without_rdma
from ...catalog.gke import GkeMachine
from ...catalog.machine import Transport
from ...common import addresses
from ...common.google.names import Place, place_of
from ...common.google.subnets import most_nodes, rail_prefix
from ...common.pools import DEFAULT_MAX_NODES

DEFAULT_CIDR = "10.0.0.0/13"


@args_schema
class GceAddresses(TypedDict):
    """The addresses that the machines may use, and who may log in."""

    cidr: NotRequired[str]
    """Private block that all subnets are cut from. Default: ``10.0.0.0/13``."""
    max_nodes: NotRequired[int]
    """Machines the subnets must hold, over all pools. Default: 250. Subnets cannot grow later."""
    iap_ssh: NotRequired[bool]
    """Let Identity-Aware Proxy reach port 22 of eth0, where IAM decides who logs in. No other address from outside can.
    Default: true."""


@args_schema
class GceHpcNetworkArgs(GceAddresses):
    """What a fabric must serve, and the addresses it may use."""

    project: str
    """Project id that owns the networks."""
    zone: str
    """Zone of the machines. Example: ``us-central1-a``."""
    machines: list[str]
    """Machine types that will attach. Example: ``["a3-highgpu-8g"]``."""


@args_schema
class GceNic(TypedDict):
    """The network of one NIC."""

    network: Link
    """Name of the VPC."""
    subnetwork: Link
    """Name of its subnet."""


@frozen
class GceNetworkPlan:
    """A VPC for each NIC; all blocks are disjoint."""

    region: str
    mtu_bytes: int | None
    """MTU of all VPCs. SkyPilot and the toolkit, too, have packets of one size on all NICs."""
    subnets: Mapping[str, str]
    """The block of each NIC's VPC, which has one subnet: ``primary`` for eth0, then ``rail-0``, ``rail-1``, ..."""
    iap_ssh: bool
    project: str


BUILDABLE = {row.name: row for row in gke.MACHINES if row.transport is Transport.TCPX}
"""Machines that this library builds without Kubernetes; Google documents the others' fabrics for images of its own."""


def machine_for(name: str, errors: ErrorList) -> GkeMachine | None:
    """The catalogue row of a machine type that can be plain, or an error."""
    if name in BUILDABLE:
        return BUILDABLE[name]
    can = ", ".join(BUILDABLE)
    other = find(name)
    if other is None:
        why = why_without_rdma(name)
        errors.add(
            f"{name} has {why}; choose one of {can}" if why else f"unknown machine {name!r}; choose one of {can}"
        )
    elif other.cloud == "gke":
        errors.add(f"{name} is built on GKE alone; choose one of {can}, or rdma-cluster:cloud: gke")
    else:
        errors.add(f"{name} is a machine of {other.cloud.upper()}; choose one of {can}")
    return None


def plan_network(args: GceHpcNetworkArgs, errors: ErrorList) -> GceNetworkPlan | None:
    """All arithmetic of ``GceHpcNetwork``. Returns ``None`` when an error was added."""
    place = place_of(args, errors)
    names = args["machines"]
    if not names:
        errors.at("machines").add("empty; name at least one machine type, e.g. a3-highgpu-8g")
    machines = [machine_for(name, errors.at("machines", i)) for i, name in enumerate(names)]
    return plan_subnets(args, [machine for machine in machines if machine is not None], place, errors)


def plan_subnets(
    args: GceAddresses, machines: list[GkeMachine], place: Place, errors: ErrorList
) -> GceNetworkPlan | None:
    """Cut the subnets of a network for ``machines``; the caller reports errors of the machines and the place."""
    block = addresses.parse(args.get("cidr", DEFAULT_CIDR), errors.at("cidr"))
    max_nodes = most_nodes(args.get("max_nodes", DEFAULT_MAX_NODES), errors.at("max_nodes"))
    if block is None or max_nodes is None or not machines:
        return None
    names = ["primary", *(f"rail-{i}" for i in range(machines[0].nics))]  # all have as many
    cuts = addresses.cut(block, dict.fromkeys(names, rail_prefix(max_nodes)), errors.at("cidr"))
    return GceNetworkPlan(
        region=place.region,
        mtu_bytes=machines[0].rail_mtu_bytes,
        subnets={name: str(block) for name, block in cuts.items()},
        iap_ssh=args.get("iap_ssh", True),
        project=place.project,
    )
