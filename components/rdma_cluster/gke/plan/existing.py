"""The networks of a stack: addresses for new networks, or existing networks and what these must be."""

from typing import NotRequired

from pulumi_offline.errors import ErrorList, spell
from ...base.args import Choice, args_schema
from ...catalog.gke import GkeMachine
from ...common.existing import check_addresses, check_ceiling, check_most
from ...common.google.names import Place, check_linked
from ...common.google.subnets import MOST_NODES
from ...common.names import check_once
from .fabric import GkeNetworkMode
from .machines import BUILDABLE
from .network import GkeAddresses, GkeExistingNetwork, GkeNetworkPlan, GkeNodeNetwork, check_one_network, plan_subnets
from .node_pool import GkePool


@args_schema
class GkeNetworkOptions(GkeAddresses):
    """The addresses a stack may use, or the networks it uses in place of new ones."""

    existing: NotRequired[GkeExistingNetwork]
    """Use these networks and make none."""
    mode: NotRequired[Choice[GkeNetworkMode]]
    """How pods get NICs. Default: the machines' usual mode, ``dranet`` or, on A3 High and Mega, ``pod-networks``."""


def plan_networks(
    choice: GkeNetworkOptions, pools: list[GkePool], mode: GkeNetworkMode | None, place: Place, errors: ErrorList
) -> GkeNetworkPlan | None:
    """The subnets to make, or ``None`` where the networks exist (or an error was added)."""
    check_one_network([(pool["machine"], errors.at("pools", i, "machine")) for i, pool in enumerate(pools)], mode=mode)
    machines = [BUILDABLE[pool["machine"]] for pool in pools if pool["machine"] in BUILDABLE]
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("mode",), errors.at("network"))
        at = errors.at("network", "existing")
        check_linked(existing, at, ("network", "subnetwork", "pod_range", "service_range"))
        if "gvnic" in existing:
            check_linked(existing["gvnic"], at.at("gvnic"))
        for i, rail in enumerate(existing["rails"]):
            check_linked(rail, at.at("rails", i))
        check_most(pools, errors.at("pools"), MOST_NODES)
        if mode is GkeNetworkMode.MANAGED_AUTO:
            # GKE's own networks are nobody else's.
            for key in ("gvnic", "rails"):
                if existing.get(key):
                    at.at(key).add("not allowed with network.mode: managed-auto, in which GKE makes these; list none")
        elif len(machines) == len(pools):
            for machine in machines[:1]:
                _check_rails(existing["rails"], machines, at.at("rails"))
                _check_apart(existing, machine, at)
                _check_gvnic("gvnic" in existing, machine, at.at("gvnic"))
        return None
    check_ceiling(pools, choice, errors.at("pools"), MOST_NODES)
    return plan_subnets(choice, machines, mode, place, errors.at("network"))


def _check_rails(rails: list[GkeNodeNetwork], machines: list[GkeMachine], errors: ErrorList) -> None:
    """Refuse a list that has not one subnet for each rail."""
    shared = [machine for machine in machines if machine.metal]
    wanted = 1 if shared else max(machine.nics for machine in machines)
    check_once([rail["subnetwork"] for rail in rails], "the subnet of rail", "subnetwork", errors)
    if len(rails) != wanted and shared:
        errors.add(f"got {len(rails)}; all rails of {shared[0].name} are in the one subnet of their VPC, list it once")
    elif len(rails) != wanted:
        errors.add(f"got {len(rails)}; the machines have {wanted} rails, list them in rail order")


def _check_apart(existing: GkeExistingNetwork, machine: GkeMachine, errors: ErrorList) -> None:
    """Refuse a plain VPC that two NICs share; only a VPC of a RoCE profile takes several NICs of a node.

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
            errors.at(*path).add(f"{vpc} is that of {spell(first)} already; each NIC needs a VPC of its own")


def _check_gvnic(named: bool, machine: GkeMachine, errors: ErrorList) -> None:
    """Refuse a second gVNIC on machines that have gVNIC rails alone, and its absence on the others."""
    if machine.gvnic_rails and named:
        errors.add(
            f"not allowed with {machine.name}: a gVNIC besides the rails takes the place of a rail's NIC on the "
            "bus, and one GPU is left without (NVIDIA/aicr#1662); remove it"
        )
    elif not machine.gvnic_rails and not named:
        second = "a second IDPF NIC" if machine.metal else "a second gVNIC"
        errors.add(f"missing; {machine.name} has {second} besides its rails, name its network")
