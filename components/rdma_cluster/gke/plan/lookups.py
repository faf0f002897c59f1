"""What `pulumi preview` asks Google before the first resource; without credentials it is told that nobody asked.

No function of the provider tells which zones have a network profile, nor whether flex-start has room.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...catalog.gke import GkeMachine
from ...catalog.machine import Capacity
from .answers import Answer, Finding, Reserved, judge_machine, judge_part, judge_quota, judge_reservation, list_machines
from .node_pool import GkePool, NodePoolPlan

_PER_FAMILY = "GPUS-PER-GPU-FAMILY-per-project-region"
_PREEMPTIBLE = "PREEMPTIBLE-{}-GPUS-per-project-region"
"""Spot's, and flex-start's as well. Both are names that people list from the Cloud Quotas API; no page of Google's that
was read has them, so a quota is never more than a warning."""


@dataclass(frozen=True)
class LookUp:
    """One question."""

    about: str
    """What it is about, in words."""
    tells: str
    """What the answer tells."""
    function: str
    """The provider's function."""
    args: Mapping[str, str]
    by_hand: str
    """The command that tells the same."""

    def judge(self, answer: Answer) -> Iterator[Finding]:
        """What the answer has against the plan."""
        raise NotImplementedError


@dataclass(frozen=True)
class MachineLookUp(LookUp):
    """About a machine type in a zone."""

    machine: GkeMachine
    zone: str

    def judge(self, answer: Answer) -> Iterator[Finding]:
        return judge_machine(answer, self.machine, self.zone)


@dataclass(frozen=True)
class ReservationLookUp(LookUp):
    """About a whole reservation."""

    wanted: Reserved

    def judge(self, answer: Answer) -> Iterator[Finding]:
        return judge_reservation(answer, self.wanted)


@dataclass(frozen=True)
class PartLookUp(LookUp):
    """About a block or sub-block of one."""

    wanted: Reserved

    def judge(self, answer: Answer) -> Iterator[Finding]:
        return judge_part(answer, self.wanted)


@dataclass(frozen=True)
class QuotaLookUp(LookUp):
    """About GPUs that are had without a reservation."""

    family: str
    region: str
    gpus: int

    def judge(self, answer: Answer) -> Iterator[Finding]:
        return judge_quota(answer, family=self.family, region=self.region, gpus=self.gpus)


def look_ups(project: str, zone: str, pools: Sequence[tuple[GkePool, NodePoolPlan]]) -> tuple[LookUp, ...]:
    """The questions about a stack's pools, each once."""
    machines = {plan.machine.name: plan.machine for _, plan in pools}
    return (
        *(_machine(project, zone, machine) for machine in machines.values()),
        *_reservations(project, zone, pools),
        *_quotas(project, zone, [plan for _, plan in pools]),
    )


def _machine(project: str, zone: str, machine: GkeMachine) -> LookUp:
    return MachineLookUp(
        f"{machine.name} in {zone}",
        "whether the zone has the machine",
        "gcp:compute/getMachineTypes:getMachineTypes",
        {"project": project, "zone": zone, "filter": f'name = "{machine.name}"'},
        f"{list_machines(machine)} --zones {zone}",
        machine,
        zone,
    )


def _reservations(project: str, zone: str, pools: Sequence[tuple[GkePool, NodePoolPlan]]) -> Iterator[LookUp]:
    found = [_reserved(project, zone, pool, plan) for pool, plan in pools if plan.reservation]
    for same in _together(found, lambda one: (one.project, one.name, one.machine.name)):
        blocks = tuple(dict.fromkeys(one.block for one in same if one.block))
        whole = replace(same[0], nodes=sum(one.nodes for one in same), block="", sub_block="", blocks=blocks)
        yield ReservationLookUp(
            whole.about,
            "its state, machine, size and sharing",
            "gcp:compute/getReservation:getReservation",
            {"name": whole.name, "project": whole.project, "zone": zone},
            f"gcloud compute reservations describe {whole.name} --project {whole.project} --zone {zone}",
            whole,
        )
    for same in _together(
        [one for one in found if one.block], lambda one: (one.project, one.name, one.block, one.sub_block)
    ):
        yield _part(replace(same[0], nodes=sum(one.nodes for one in same)))


def _reserved(project: str, zone: str, pool: GkePool, plan: NodePoolPlan) -> Reserved:
    named = pool["capacity"].get("reservation") or pool["capacity"]["calendar"]
    return Reserved(
        name=named["name"],
        project=named.get("project", project),
        zone=zone,
        consumer=project,
        machine=plan.machine,
        nodes=plan.nodes,
        begun=plan.begun,
        block=named.get("block", ""),
        sub_block=named.get("sub_block", ""),
    )


def _together(found: Sequence[Reserved], key: Callable[[Reserved], tuple[str, ...]]) -> list[list[Reserved]]:
    """Those of one key together, in the order of the first of each."""
    by_key: dict[tuple[str, ...], list[Reserved]] = {}
    for one in found:
        by_key.setdefault(key(one), []).append(one)
    return list(by_key.values())


def _part(part: Reserved) -> LookUp:
    where = {"project": part.project, "zone": part.zone, "reservation": part.name}
    blocks = f"gcloud beta compute reservations blocks describe {part.name} --block-name {part.block}"
    if part.sub_block:
        function = "gcp:compute/getReservationSubBlock:getReservationSubBlock"
        args = {**where, "reservationBlock": part.block, "name": part.sub_block}
        by_hand = blocks.replace("blocks describe", "sub-blocks describe") + f" --sub-block-name {part.sub_block}"
    else:
        function = "gcp:compute/getReservationBlock:getReservationBlock"
        args, by_hand = {**where, "name": part.block}, blocks
    by_hand += f" --project {part.project} --zone {part.zone}"
    return PartLookUp(part.about, "its size and health", function, args, by_hand, part)


def _quotas(project: str, zone: str, plans: Sequence[NodePoolPlan]) -> Iterator[LookUp]:
    """What is reserved was counted when it was reserved."""
    region = zone.rpartition("-")[0]
    gpus: dict[tuple[str, str], int] = {}
    for plan in plans:
        family = plan.machine.quota_family
        if family is None or plan.reservation is not None:
            continue
        on_demand = plan.capacity is Capacity.ON_DEMAND
        quota = _PER_FAMILY if on_demand else _PREEMPTIBLE.format(family.replace("_", "-"))
        gpus[quota, family] = gpus.get((quota, family), 0) + plan.nodes * plan.machine.gpus
    for (quota, family), count in gpus.items():
        yield QuotaLookUp(
            f"quota {quota} of {project}",
            f"whether it lets the stack have {count} GPUs of {family} in {region}",
            "gcp:cloudquota/getSQuotaInfo:getSQuotaInfo",
            {"parent": f"projects/{project}", "service": "compute.googleapis.com", "quotaId": quota},
            f"gcloud beta quotas info describe {quota} --service compute.googleapis.com --project {project}",
            family,
            region,
            count,
        )
