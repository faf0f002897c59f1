"""How a claim names a rail: by an attribute that the NIC driver publishes and the catalogue knows."""

import json

from ..catalog import Machine, NicKind
from ..fabrics import fabric_of
from .target import Target


def any_of(domain: str, attribute: str, values: tuple[str, ...]) -> str:
    """A CEL selector for devices whose attribute has one of the values; a device without it is no match, no error."""
    read = f'device.attributes["{domain}"].?{attribute}.orValue("")'
    if len(values) == 1:
        return f"{read} == {json.dumps(values[0])}"
    return f"{read} in {json.dumps(list(values))}"


def all_of(*expressions: str) -> tuple[str, ...]:
    """One selector of several: a scheduler builds the device anew for each that it asks. None makes none."""
    return (" && ".join(expressions),) if expressions else ()


def rail_bound(machine: Machine) -> bool:
    """Whether pods of one job must hold the same rails; so it is taken where no fabric says."""
    fabric = fabric_of(machine)
    return fabric is None or fabric.rail_bound


def naming(machine: Machine, target: Target) -> tuple[str, str, tuple[str, ...]] | None:
    """What names the rails: the catalogue's field, the attribute of ``dra.net``, and its values in rail order.

    Rails matter where a NIC reaches only its like on other nodes (RoCE subnets, rail-wired InfiniBand). Where any two
    NICs reach each other, a claim that leaves them open serves every copy on a node.
    """
    if not rail_bound(machine) or not target.nics.names_nics:
        return None
    for field, attribute, values in (
        ("nic_names", "ifName", machine.nic_names if machine.nic_kind is NicKind.NETDEV_RDMA else None),
        ("nic_pci", "pciAddress", machine.nic_pci),
        ("rdma_names", "rdmaDevice", machine.rdma_names),
    ):
        if values:
            return field, attribute, values
    return None


def pin(machine: Machine, target: Target, nics: tuple[int, ...]) -> str | None:
    """The selector of these rails, or ``None`` when nothing names them or they need no name."""
    if (named_by := naming(machine, target)) is None:
        return None
    _, attribute, values = named_by
    return any_of("dra.net", attribute, tuple(values[nic] for nic in nics))
