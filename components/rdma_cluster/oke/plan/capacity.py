"""Where the nodes of an OKE pool come from, and where in the RDMA fabric Oracle may put them."""

from enum import Enum
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from typing_extensions import TypedDict
from ...base.args import Choice, Link, args_schema
from ...catalog.machine import Capacity
from .zones import check_ocid, number_of

_MOST_BLOCKS = 15  # oci.core.models.ComputeClusterPlacementConstraintDetails


@args_schema
class OkeReservation(TypedDict):
    """A capacity reservation that the pool's nodes consume."""

    id: Link
    """Its OCID."""
    zone: NotRequired[str]
    """Availability domain it is in, by full name or number; checked against the pool's."""


@args_schema
class OkeCapacity(TypedDict):
    """Where the nodes come from: exactly one of these."""

    reservation: NotRequired[OkeReservation]
    """Hosts of a capacity reservation."""
    dedicated: NotRequired[bool]
    """Hosts that Oracle has set apart for the tenancy. Only there topology labels and NVLink racks exist."""
    on_demand: NotRequired[bool]
    """Whatever is free."""


class OkeSpread(str, Enum):
    """How near to each other the nodes of a compute cluster are."""

    SINGLE_TIER = "single-tier"
    """All below one tier of switches, which one is Oracle's choice."""
    SINGLE_BLOCK = "single-block"
    """All in one network block."""
    PACKED = "packed"
    """In few network blocks, each as full as can be."""


@args_schema
class OkePlacement(TypedDict):
    """Where in the RDMA fabric, or on which hosts, nodes may be."""

    hpc_island: NotRequired[Link]
    """OCID of an HPC island."""
    network_blocks: NotRequired[list[Link]]
    """OCIDs of network blocks of the island, 15 at the most."""
    spread: NotRequired[Choice[OkeSpread]]
    """Default: left to Oracle. For compute clusters."""
    host_group: NotRequired[Link]
    """OCID of a compute host group."""


SOURCES = {
    "reservation": Capacity.RESERVATION,
    "dedicated": Capacity.CAPACITY_TOPOLOGY,
    "on_demand": Capacity.ON_DEMAND,
}

SPREADS = {
    OkeSpread.SINGLE_TIER: "SINGLE_TIER",
    OkeSpread.SINGLE_BLOCK: "SINGLE_BLOCK",
    OkeSpread.PACKED: "PACKED_DISTRIBUTION_MULTI_BLOCK",
}


def check_reservation(args: OkeCapacity, *, zone: str, errors: ErrorList) -> None:
    """A reservation has an OCID and is in the pool's availability domain."""
    if (reservation := args.get("reservation")) is None:
        return
    at = errors.at("reservation")
    check_ocid(reservation["id"], ("capacityreservation",), at.at("id"))
    of = reservation.get("zone", zone)
    # Within a tenancy's region a number and a full name are the same place.
    if number_of(of) != number_of(zone):
        at.at("zone").add(f"the reservation is in {of} and the pool in {zone}; use one of {zone} or move the stack")


def check_placement(placement: OkePlacement, errors: ErrorList) -> None:
    """The form of islands, blocks and groups."""
    blocks, at = placement.get("network_blocks", []), errors.at("network_blocks")
    if blocks and "hpc_island" not in placement:
        at.add("needs hpcIsland; a block is named within its island")
    if len(blocks) > _MOST_BLOCKS:
        at.add(f"got {len(blocks)}; Oracle takes {_MOST_BLOCKS} at the most")
    for i, block in enumerate(blocks):
        check_ocid(block, ("computenetworkblock",), at.at(i))
        if isinstance(block, str) and block in blocks[:i]:
            at.at(i).add(f"{block} is listed twice; list each once")
    if "hpc_island" in placement:
        check_ocid(placement["hpc_island"], ("hpcisland",), errors.at("hpc_island"))
    if "host_group" in placement:
        check_ocid(placement["host_group"], (), errors.at("host_group"))
