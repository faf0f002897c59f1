"""Where the nodes of an EKS pool come from, and where EC2 may put them in relation to each other."""

import re
from enum import Enum
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import known
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...catalog.machine import Capacity
from ...common.pools import Pool, plan_unavailable
from .zones import check_arn, region_of

_RESERVATION = re.compile(r"cr-[0-9a-f]{8,17}")
_GROUP = re.compile(r"arn:aws[-a-z]*:resource-groups:[-a-z0-9]+:\d{12}:group/[-\w./]+", re.ASCII)
# docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupUpdateConfig.html (2026-11-27)
_MOST_AT_ONCE = 100
_EXAMPLE_GROUP = "arn:aws:resource-groups:us-east-2:111122223333:group/gpus"


@args_schema
class EksReservation(TypedDict):
    """An on-demand capacity reservation (ODCR), or a group of them, that the pool's nodes consume."""

    id: NotRequired[Link]
    """Id of the reservation. Example: ``cr-0123456789abcdef0``."""
    group: NotRequired[Link]
    """ARN of a resource group of reservations, in place of ``id``."""
    zone: NotRequired[str]
    """Zone it is in; checked against the pool's."""


@args_schema
class EksCapacityBlock(TypedDict):
    """A capacity block for ML that was bought, whose time has begun."""

    id: Link
    """Id of its reservation. Example: ``cr-0123456789abcdef0``."""
    zone: NotRequired[str]
    """Zone it is in; checked against the pool's."""


@args_schema
class EksCapacity(TypedDict):
    """Where the nodes come from: exactly one of these."""

    reservation: NotRequired[EksReservation]
    """Nodes of a targeted reservation. Open ones are used by ``on_demand`` nodes, too."""
    capacity_block: NotRequired[EksCapacityBlock]
    """Nodes of a capacity block, which EC2 takes back at its end."""
    spot: NotRequired[bool]
    """Spot nodes: cheap, and taken away at any time."""
    on_demand: NotRequired[bool]
    """Ordinary nodes."""


class EksPlacement(str, Enum):
    """How near the nodes of a pool are to each other."""

    CLUSTER = "cluster"
    """In one cluster placement group, side by side."""
    NONE = "none"
    """Wherever there is room."""


SOURCES = {
    "reservation": Capacity.RESERVATION,
    "capacity_block": Capacity.CAPACITY_BLOCK,
    "spot": Capacity.SPOT,
    "on_demand": Capacity.ON_DEMAND,
}


def check_reservation(capacity: EksCapacity, *, zone: str, errors: ErrorList) -> None:
    """Check that a reservation or capacity block is named by its id or its group, and is in the pool's zone."""
    for key, noun in (("reservation", "reservation"), ("capacity_block", "capacity block")):
        source = capacity.get(key, {})
        if (other := source.get("zone", zone)) != zone:
            at = errors.at(key, "zone")
            at.add(f"the {noun} is in {other} and the pool in {zone}; use one of {zone} or move the stack")
        name = source.get("id")
        if isinstance(name, str) and known(name) and not _RESERVATION.fullmatch(name):
            errors.at(key, "id").add(f"got {name!r}; write its id, e.g. cr-0123456789abcdef0")
    if "reservation" in capacity:
        reservation, at = capacity["reservation"], errors.at("reservation")
        if ("id" in reservation) == ("group" in reservation):
            at.add("name exactly one of id and group")
        if "group" in reservation:
            check_arn(reservation["group"], _GROUP, _EXAMPLE_GROUP, region_of(zone), at.at("group"))


def plan_at_once(pool: Pool, capacity: Capacity | None, errors: ErrorList) -> int:
    """How many nodes of a pool EKS makes anew at once."""
    if capacity is Capacity.CAPACITY_BLOCK and "upgrade" in pool:
        errors.at("upgrade").add(
            "not allowed with a capacity block, whose pool EKS wants emptied before it takes another image; remove it"
        )
    return plan_unavailable(pool, errors, _MOST_AT_ONCE)


def place(placement: EksPlacement | None, group: Any, capacity: Capacity | None, errors: ErrorList) -> bool:
    """Whether a cluster placement group is made for the pool.

    A group that reservation and nodes do not share keeps the nodes out of the reservation: 11 of 16 started
    (eksctl#7949), or none (terraform-aws-eks#3730). Nodes of a capacity block are side by side already.
    """
    at = errors.at("placement_group" if group is not None else "placement")
    if capacity is Capacity.CAPACITY_BLOCK and (group is not None or placement == EksPlacement.CLUSTER):
        at.add(
            "not allowed with a capacity block: its nodes are placed side by side already, and a group of its own "
            "keeps them out; remove it"
        )
    elif isinstance(group, str) and not group.strip():
        at.add("empty; name the group, or leave it out")
    elif group is not None and placement == EksPlacement.NONE:
        at.add("not allowed with placement: none; remove one of the two")
    elif capacity is Capacity.RESERVATION and placement == EksPlacement.CLUSTER and group is None:
        at.add(
            "got cluster; a reservation is used by nodes of the group it was made in, never of a new one; name that "
            "group in placementGroup, or leave this out"
        )
    if group is not None:
        return False
    return (capacity is Capacity.ON_DEMAND and placement != EksPlacement.NONE) or placement == EksPlacement.CLUSTER
