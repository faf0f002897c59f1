"""What `pulumi preview` asks Google before the first resource; without credentials it warns that nothing was asked.

No function of the provider tells which zones have a network profile, nor whether flex-start has room.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pulumi_offline.frozen import frozen
from ...catalog.gke import GkeMachine
from ...catalog.machine import Capacity
from ...common.google.names import Place
from .node_pool import GkeNodePoolPlan, GkePool
from .preflight import Finding, Reserved, judge_machine, judge_part, judge_quota, judge_reservation, list_machines

_PER_FAMILY = "GPUS-PER-GPU-FAMILY-per-project-region"
_PREEMPTIBLE = "PREEMPTIBLE-{}-GPUS-per-project-region"
"""Spot's, and flex-start's as well (``catalog.flex_start.OFFER``). Both are names that people list from the Cloud
Quotas API; no page of Google's that was read has them, so a quota is never more than a warning."""


@frozen
class LookUp:
    """One question to Google before the first resource."""

    about: str
    """Subject of the question, for messages."""
    tells: str
    """What the answer tells."""
    function: str
    """The provider's function."""
    args: Mapping[str, str]
    permissions: tuple[str, ...]
    """Permissions that whoever asks needs in the project that is asked. Some do not follow from the function's name:
    with a reservation the provider lists its blocks, and with a block its sub-blocks, by addresses of its own
    (terraform-provider-google-beta@93c65b2 google-beta/services/compute/resource_compute_reservation.go and
    data_source_google_compute_reservation_block.go, 2026-08-21). Compute's are named as its methods are
    (cloud.google.com/compute/docs/reference/rest/beta/reservationBlocks/list)."""
    by_hand: str
    """The command that tells the same."""
    judge: Callable[..., Iterable[Finding]]
    """Finds what is wrong with the plan, from the answer and ``wanted``."""
    wanted: Mapping[str, Any]
    """What the plan needs, by the names of the judge's parameters: plain data, so that plans can be compared."""


def look_ups(place: Place, pools: Sequence[tuple[GkePool, GkeNodePoolPlan]]) -> tuple[LookUp, ...]:
    """The questions about a stack's pools, each once."""
    machines = {plan.machine.name: plan.machine for _, plan in pools}
    return (
        *(_machine(place, machine) for machine in machines.values()),
        *_reservations(place, pools),
        *_quotas(place, [plan for _, plan in pools]),
    )


def _machine(place: Place, machine: GkeMachine) -> LookUp:
    return LookUp(
        f"{machine.name} in {place.zone}",
        "whether the zone has the machine",
        "gcp:compute/getMachineTypes:getMachineTypes",
        {"project": place.project, "zone": place.zone, "filter": f'name = "{machine.name}"'},
        ("compute.machineTypes.list",),
        f"{list_machines(machine)} --zones {place.zone}",
        judge_machine,
        {"machine": machine, "zone": place.zone},
    )


def _reservations(place: Place, pools: Sequence[tuple[GkePool, GkeNodePoolPlan]]) -> Iterator[LookUp]:
    reserved = [_reserved(place, pool, plan) for pool, plan in pools if plan.reservation]
    for same in _grouped(reserved, lambda one: (one.project, one.name, one.machine.name)):
        blocks = tuple(dict.fromkeys(one.block for one in same if one.block))
        whole = replace(same[0], nodes=sum(one.nodes for one in same), block="", sub_block="", blocks=blocks)
        yield LookUp(
            whole.about,
            "its state, machine, size and sharing",
            "gcp:compute/getReservation:getReservation",
            {"name": whole.name, "project": whole.project, "zone": place.zone},
            ("compute.reservations.get", "compute.reservationBlocks.list"),
            f"gcloud compute reservations describe {whole.name} --project {whole.project} --zone {place.zone}",
            judge_reservation,
            {"wanted": whole},
        )
    in_blocks = [one for one in reserved if one.block]
    for same in _grouped(in_blocks, lambda one: (one.project, one.name, one.block, one.sub_block)):
        yield _part(replace(same[0], nodes=sum(one.nodes for one in same)))


def _reserved(place: Place, pool: GkePool, plan: GkeNodePoolPlan) -> Reserved:
    named = pool["capacity"].get("reservation") or pool["capacity"]["calendar"]
    return Reserved(
        name=named["name"],
        project=named.get("project", place.project),
        zone=place.zone,
        consumer=place.project,
        machine=plan.machine,
        nodes=plan.nodes,
        begun=plan.begun,
        block=named.get("block", ""),
        sub_block=named.get("sub_block", ""),
    )


def _grouped(reserved: Sequence[Reserved], key: Callable[[Reserved], tuple[str, ...]]) -> list[list[Reserved]]:
    """Groups with one key each, in the order of the first of each."""
    by_key: dict[tuple[str, ...], list[Reserved]] = {}
    for one in reserved:
        by_key.setdefault(key(one), []).append(one)
    return list(by_key.values())


def _part(part: Reserved) -> LookUp:
    where = {"project": part.project, "zone": part.zone, "reservation": part.name}
    blocks = f"gcloud beta compute reservations blocks describe {part.name} --block-name {part.block}"
    if part.sub_block:
        function = "gcp:compute/getReservationSubBlock:getReservationSubBlock"
        args = {**where, "reservationBlock": part.block, "name": part.sub_block}
        permissions: tuple[str, ...] = ("compute.reservationSubBlocks.get",)
        by_hand = blocks.replace("blocks describe", "sub-blocks describe") + f" --sub-block-name {part.sub_block}"
    else:
        function = "gcp:compute/getReservationBlock:getReservationBlock"
        args, by_hand = {**where, "name": part.block}, blocks
        permissions = ("compute.reservationBlocks.get", "compute.reservationSubBlocks.list")
    by_hand += f" --project {part.project} --zone {part.zone}"
    return LookUp(part.about, "its size and health", function, args, permissions, by_hand, judge_part, {"wanted": part})


def _quotas(place: Place, plans: Sequence[GkeNodePoolPlan]) -> Iterator[LookUp]:
    """Ask for the quotas of GPUs without a reservation; reserved ones were counted when they were reserved."""
    gpus: dict[tuple[str, str], int] = {}
    counted = [(plan.machine.quota_family, plan) for plan in plans if plan.reservation is None]
    for family, plan in [(family, plan) for family, plan in counted if family is not None]:
        on_demand = plan.capacity is Capacity.ON_DEMAND
        quota = _PER_FAMILY if on_demand else _PREEMPTIBLE.format(family.replace("_", "-"))
        gpus[quota, family] = gpus.get((quota, family), 0) + plan.nodes * plan.machine.gpus
    for (quota, family), count in gpus.items():
        yield LookUp(
            f"quota {quota} of {place.project}",
            f"whether it lets the stack have {count} GPUs of {family} in {place.region}",
            "gcp:cloudquota/getSQuotaInfo:getSQuotaInfo",
            {"parent": f"projects/{place.project}", "service": "compute.googleapis.com", "quotaId": quota},
            ("cloudquotas.quotas.get",),
            f"gcloud beta quotas info describe {quota} --service compute.googleapis.com --project {place.project}",
            judge_quota,
            {"family": family, "region": place.region, "gpus": count},
        )
