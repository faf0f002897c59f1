"""The networks of plain machines with GPUDirect-TCPX: one VPC for each NIC, eth0 first, with their addresses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import Link, shape
from ...catalog import find, gke
from ...catalog.gke import GkeMachine
from ...catalog.machine import Cloud, Transport
from ...clouds import addresses
from ...clouds.google.names import place_of
from ...clouds.google.subnets import most_nodes, rail_prefix
from ...clouds.pools import DEFAULT_MAX_NODES
from ...faults import Faults

DEFAULT_CIDR = "10.0.0.0/13"


@shape
class GceAddresses(TypedDict):
    """The addresses that the machines may use, and who may log in."""

    cidr: NotRequired[str]
    """Private block that all subnets are cut from. Default: ``10.0.0.0/13``."""
    max_nodes: NotRequired[int]
    """Machines the subnets must hold, over all pools. Default: 250. Subnets cannot grow later."""
    iap_ssh: NotRequired[bool]
    """Let Identity-Aware Proxy reach port 22 of eth0, where IAM decides who logs in. No other address from outside can.
    Default: true."""


@shape
class GceHpcNetworkArgs(GceAddresses):
    """What a fabric must serve, and the addresses it may use."""

    project: str
    """Project id that owns the networks."""
    zone: str
    """Zone of the machines. Example: ``us-central1-a``."""
    machines: list[str]
    """Machine types that will attach. Example: ``["a3-highgpu-8g"]``."""


@shape
class GceNic(TypedDict):
    """The network of one NIC."""

    network: Link
    """Name of the VPC."""
    subnetwork: Link
    """Name of its subnet."""


@dataclass(frozen=True)
class NetworkPlan:
    """A VPC for each NIC; all blocks are disjoint."""

    region: str
    mtu_bytes: int | None
    """Of all VPCs: packets of one size on all NICs, as SkyPilot and the toolkit have it."""
    subnets: Mapping[str, str]
    """The block of each NIC's VPC, which has one subnet: ``primary`` for eth0, then ``rail-0``, ``rail-1``, ..."""
    iap_ssh: bool


BUILDABLE = {row.name: row for row in gke.MACHINES if row.transport is Transport.TCPX}
"""Machines that this library builds without Kubernetes; Google documents the others' fabrics for images of its own."""


def machine_for(name: str, faults: Faults) -> GkeMachine | None:
    """The catalogue row of a machine type that can be plain, or a fault."""
    if name in BUILDABLE:
        return BUILDABLE[name]
    can = ", ".join(BUILDABLE)
    other = find(name)
    if other is None:
        faults.add(f"unknown machine {name!r}; choose one of {can}")
    elif other.cloud is Cloud.GKE:
        faults.add(f"{name} is built on GKE alone; choose one of {can}, or rdma-cluster:cloud: gke")
    else:
        faults.add(f"{name} is a machine of {other.cloud.value.upper()}; choose one of {can}")
    return None


def decide_network(args: GceHpcNetworkArgs, faults: Faults) -> NetworkPlan | None:
    """All arithmetic of ``GceHpcNetwork``. Returns ``None`` when a fault was added."""
    place = place_of(args, faults)
    names = args["machines"]
    if not names:
        faults.at("machines").add("empty; name at least one machine type, e.g. a3-highgpu-8g")
    machines = [machine_for(name, faults.at("machines", i)) for i, name in enumerate(names)]
    return decide_subnets(args, [machine for machine in machines if machine is not None], place.region, faults)


def decide_subnets(args: GceAddresses, machines: list[GkeMachine], region: str, faults: Faults) -> NetworkPlan | None:
    """The same from addresses and machines; the caller reports errors of the machines and the region."""
    block = addresses.parse(args.get("cidr", DEFAULT_CIDR), faults.at("cidr"))
    max_nodes = most_nodes(args.get("max_nodes", DEFAULT_MAX_NODES), faults.at("max_nodes"))
    if block is None or max_nodes is None or not machines:
        return None
    names = ["primary", *(f"rail-{i}" for i in range(max(machine.nics for machine in machines)))]
    cuts = addresses.cut(block, dict.fromkeys(names, rail_prefix(max_nodes)), faults.at("cidr"))
    if not region or not cuts:
        return None
    return NetworkPlan(
        region=region,
        mtu_bytes=machines[0].rail_mtu_bytes,
        subnets={name: str(block) for name, block in cuts.items()},
        iap_ssh=args.get("iap_ssh", True),
    )
