"""What Google's answers mean for a plan: a refusal or a warning.

The answers are those of pulumi-gcp 10.2, which is built from terraform-provider-google@e03b762 (2026-08-21).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_offline.frozen import frozen
from ...catalog.gke import GkeMachine

Answer = Mapping[str, Any]


@frozen
class Finding:
    """A reason in an answer why the plan fails or may fail."""

    text: str
    refuses: bool = True
    """Whether the stack cannot work; otherwise it is a warning."""


@frozen
class Reserved:
    """What pools of a stack take from one reservation, or from one part of it."""

    name: str
    project: str
    """Project of its owner."""
    zone: str
    consumer: str
    """Project of the stack."""
    machine: GkeMachine
    nodes: int
    begun: bool
    block: str = ""
    sub_block: str = ""
    blocks: tuple[str, ...] = ()
    """The blocks that pools name, where this is a full reservation."""

    @property
    def about(self) -> str:
        """The reservation and its part, for messages."""
        part = "".join(
            f", {word} {name}" for word, name in (("block", self.block), ("sub-block", self.sub_block)) if name
        )
        return f"reservation {self.name}{part} of {self.project} in {self.zone}"


def judge_reservation(answer: Answer, wanted: Reserved) -> Iterator[Finding]:
    """Its state, machine, size and sharing.

    Of a reservation that is not there the provider gives an answer without contents
    (data_source_google_compute_reservation.go).
    """
    if not answer.get("status"):
        if wanted.begun:
            yield Finding(
                f"{wanted.about} is not there; check its name, project and zone, or set active: false until it begins"
            )
        return
    if answer["status"] != "READY" and wanted.begun:
        yield Finding(f"{wanted.about} is {answer['status']}; nodes start when it is READY", refuses=False)
    if not answer.get("specificReservationRequired"):
        yield Finding(
            f"{wanted.about} is for any instance, and a pool names a specific one; make it anew with "
            "--require-specific-reservation"
        )
    for specific in answer.get("specificReservations") or ():
        yield from _judge_specific(specific, wanted)
    yield from _judge_sharing(answer, wanted)
    blocks = answer.get("blockNames") or ()
    for block in wanted.blocks:
        if blocks and block not in blocks:
            yield Finding(f"{wanted.about} has no block {block}; it has {', '.join(sorted(blocks))}")


def _judge_specific(specific: Answer, wanted: Reserved) -> Iterator[Finding]:
    for properties in specific.get("instanceProperties") or ():
        got = str(properties.get("machineType", "")).rpartition("/")[2]
        if got and got != wanted.machine.name:
            yield Finding(
                f"{wanted.about} is of {got}, and its pool of {wanted.machine.name}; name one of that machine"
            )
    count, used = int(specific.get("count", 0)), int(specific.get("inUseCount", 0))
    if not wanted.begun:
        return
    if wanted.nodes > count:
        yield Finding(
            f"{wanted.about} holds {count} nodes and the stack takes {wanted.nodes}; ask for fewer, or set "
            "active: false until it holds them"
        )
    elif used < wanted.nodes and count - used < wanted.nodes:  # with all its own nodes up the stack uses as many
        yield Finding(
            f"{wanted.about} has {used} of {count} nodes in use and the stack takes {wanted.nodes}; unless these "
            "are its own, it waits for others to go",
            refuses=False,
        )


def _judge_sharing(answer: Answer, wanted: Reserved) -> Iterator[Finding]:
    if wanted.project == wanted.consumer:
        return
    for settings in answer.get("shareSettings") or ({},):
        maps = settings.get("projectMaps") or ()
        listed = {*(settings.get("projects") or ()), *(each.get(key) for each in maps for key in ("id", "projectId"))}
        if settings.get("shareType") != "SPECIFIC_PROJECTS":
            yield Finding(f"{wanted.about} is not shared; have its owner share it with {wanted.consumer}")
        elif wanted.consumer not in listed:
            # Google may list numbers, which nobody here can compare with an id.
            by_number = any(str(each).isdigit() for each in listed)
            yield Finding(
                f"{wanted.about} is shared with {', '.join(sorted(map(str, listed - {None}))) or 'nobody'}; have its "
                f"owner share it with {wanted.consumer}, if it is none of these",
                refuses=not by_number,
            )


def judge_part(answer: Answer, wanted: Reserved) -> Iterator[Finding]:
    """The size and health of a block or sub-block."""
    count = answer.get("subBlockCount" if wanted.sub_block else "blockCount")
    if wanted.begun and count is not None and wanted.nodes > int(count):
        yield Finding(f"{wanted.about} holds {int(count)} nodes and the stack takes {wanted.nodes}; ask for fewer")
    for health in answer.get("healthInfos") or ():
        if health.get("healthStatus") == "DEGRADED":
            yield Finding(f"{wanted.about} is DEGRADED: nodes on its bad hosts may not start", refuses=False)


def judge_machine(answer: Answer, machine: GkeMachine, zone: str) -> Iterator[Finding]:
    """Whether the zone has the machine, with the GPUs that the catalogue lists."""
    rows = [each for each in answer.get("machineTypes") or () if each.get("name") == machine.name]
    if not rows:
        yield Finding(f"{zone} has no {machine.name} for this project; take a zone that has: {list_machines(machine)}")
    for row in rows:
        for gpus in row.get("accelerators") or ():
            got = (gpus.get("guestAcceleratorType"), int(gpus.get("guestAcceleratorCount", 0)))
            if got != (machine.accelerator, machine.gpus):
                yield Finding(
                    f"{machine.name} has {got[1]} {got[0]} by Google and {machine.gpus} {machine.accelerator} by our "
                    "catalogue, which must be mended",
                    refuses=False,
                )


def list_machines(machine: GkeMachine) -> str:
    """How to list a machine's zones."""
    return f"gcloud compute machine-types list --filter name={machine.name}"


def judge_quota(answer: Answer, *, family: str, region: str, gpus: int) -> Iterator[Finding]:
    """Whether the limit of a region lets the stack have its GPUs. It is a limit of all the project's together.

    Values are listed from the most specific place to the least; -1 is no limit. Sources disagree whether a missing
    value means 0, so it is ignored here.
    """
    ours = {"region": region, "gpu_family": family}
    for info in answer.get("dimensionsInfos") or ():
        dimensions = info.get("dimensions") or {}
        places = info.get("applicableLocations") or [region]
        values = [each["value"] for each in info.get("details") or () if each.get("value")]
        if region in places and dimensions.items() <= ours.items() and values:
            if 0 <= int(values[0]) < gpus:
                yield Finding(
                    f"quota {answer.get('quotaId')} of {family} is {values[0]} GPUs in {region}, and the stack takes "
                    f"{gpus}; ask for more, or the pool stays short of nodes",
                    refuses=False,
                )
            return
