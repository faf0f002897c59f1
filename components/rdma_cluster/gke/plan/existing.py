"""The networks of a stack: its own choice of addresses, or networks that are there already and what they must be."""

from typing import NotRequired

from ...args import shape
from ...catalog.gke import GkeMachine
from ...clouds.existing import check_addresses, check_ceiling, check_most
from ...clouds.google.names import Place, check_linked
from ...clouds.google.subnets import MOST_NODES
from ...clouds.names import check_once
from ...faults import Faults, spell
from .fabric import GkeNetworkMode
from .machines import BUILDABLE
from .network import (
    GkeAddresses,
    GkeExistingNetwork,
    GkeNodeNetwork,
    NetworkPlan,
    check_one_network,
    decide_subnets,
)
from .node_pool import GkePool


@shape
class GkeNetworkChoice(GkeAddresses):
    """The addresses a stack may use, or the networks it uses in place of new ones."""

    existing: NotRequired[GkeExistingNetwork]
    """Use these networks and make none."""
    mode: NotRequired[GkeNetworkMode]
    """How pods get NICs. Default: the machines' usual mode, ``dranet`` or, on A3 High and Mega, ``pod-networks``."""


def decide_networks(
    choice: GkeNetworkChoice,
    pools: list[GkePool],
    mode: GkeNetworkMode | None,
    place: Place,
    faults: Faults,
) -> NetworkPlan | None:
    """The subnets to make, or ``None`` where the networks exist (or a fault was added)."""
    named = [(pool["machine"], faults.at("pools", i, "machine")) for i, pool in enumerate(pools)]
    check_one_network(named, mode=mode)
    names = [name for name, _ in named]
    machines = [BUILDABLE[name] for name in names if name in BUILDABLE]
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("mode",), faults.at("network"))
        _check_names(existing, faults.at("network", "existing"))
        check_most(pools, faults.at("pools"), MOST_NODES)
        if mode is GkeNetworkMode.MANAGED_AUTO:
            # GKE's own networks are nobody else's.
            for key in ("gvnic", "rails"):
                if existing.get(key):
                    faults.at("network", "existing", key).add(
                        "not allowed with network.mode: managed-auto, in which GKE makes these; list none"
                    )
        elif len(machines) == len(pools):
            _check_rails(existing["rails"], machines, faults.at("network", "existing", "rails"))
            for machine in machines[:1]:
                _check_apart(existing, machine, faults.at("network", "existing"))
                _check_gvnic("gvnic" in existing, machine, faults.at("network", "existing", "gvnic"))
        return None
    check_ceiling(pools, choice, faults.at("pools"), MOST_NODES)
    return decide_subnets(choice, machines, mode, place, faults.at("network"))


def _check_names(existing: GkeExistingNetwork, faults: Faults) -> None:
    """Networks, subnets and their ranges, each by its name."""
    for key in ("network", "subnetwork", "pod_range", "service_range"):
        check_linked(existing[key], faults.at(key))
    gvnic = [(faults.at("gvnic"), existing["gvnic"])] if "gvnic" in existing else []
    rails = [(faults.at("rails", i), rail) for i, rail in enumerate(existing["rails"])]
    for at, named in (*gvnic, *rails):
        for key in ("network", "subnetwork"):
            check_linked(named[key], at.at(key))


def _check_rails(rails: list[GkeNodeNetwork], machines: list[GkeMachine], faults: Faults) -> None:
    """One subnet a rail."""
    shared = [machine for machine in machines if machine.metal]
    wanted = 1 if shared else max((machine.nics for machine in machines), default=0)
    check_once([rail["subnetwork"] for rail in rails], "the subnet of rail", "subnetwork", faults)
    if len(rails) != wanted and shared:
        faults.add(f"got {len(rails)}; all rails of {shared[0].name} are in the one subnet of their VPC, list it once")
    elif len(rails) != wanted:
        faults.add(f"got {len(rails)}; the machines have {wanted} rails, list them in rail order")


def _check_apart(existing: GkeExistingNetwork, machine: GkeMachine, faults: Faults) -> None:
    """One plain VPC a NIC; a VPC of a RoCE profile alone takes several NICs of a node.

    https://docs.cloud.google.com/vpc/docs/create-use-multiple-interfaces
    """
    plain: dict[tuple[str | int, ...], object] = {("network",): existing["network"]}
    if "gvnic" in existing:
        plain["gvnic", "network"] = existing["gvnic"]["network"]
    if machine.gvnic_rails:
        plain |= {("rails", i, "network"): rail["network"] for i, rail in enumerate(existing["rails"])}
    taken: dict[str, tuple[str | int, ...]] = {}
    for path, vpc in plain.items():
        if isinstance(vpc, str) and (first := taken.setdefault(vpc, path)) != path:
            faults.at(*path).add(f"{vpc} is that of {spell(first)} already; each NIC needs a VPC of its own")


def _check_gvnic(named: bool, machine: GkeMachine, faults: Faults) -> None:
    """The second Titanium NIC of machines with a RoCE VPC; on others the rails are all there may be."""
    if machine.gvnic_rails and named:
        faults.add(
            f"not allowed with {machine.name}: a gVNIC besides the rails takes the place of a rail's NIC on the "
            "bus, and one GPU is left without (NVIDIA/aicr#1662); remove it"
        )
    elif not machine.gvnic_rails and not named:
        second = "a second IDPF NIC" if machine.metal else "a second gVNIC"
        faults.add(f"missing; {machine.name} has {second} besides its rails, name its network")
