"""What an account has before a stack is made: the reservations that the stack names, and what Google sells."""

from collections.abc import Iterator, Mapping
from typing import Any

from ....catalog.gke import MACHINES
from ....config import NAMESPACE, value
from ....offline.project import Settings
from .call import CREATED
from .compute import WWW
from .world import Body

NODES = 64
"""In each reservation: more than any change of a rehearsal takes."""
_BETA = f"{WWW}compute/beta/"


def seeds(settings: Settings) -> dict[str, Body]:
    """By their paths."""
    config = {key: value(text) for key, text in settings.config.items()}
    project, zone = str(config.get("gcp:project", "")), str(config.get(f"{NAMESPACE}:zone", ""))
    pools: list[Mapping[str, Any]] = config.get(f"{NAMESPACE}:pools") or []
    found = dict(_machine_types(project, zone))
    for pool in pools:
        capacity = pool.get("capacity") or {}
        if named := capacity.get("reservation") or capacity.get("calendar"):
            found.update(_reservation(project, zone, pool["machine"], named))
    return found


def _reservation(project: str, zone: str, machine: str, named: Mapping[str, Any]) -> Iterator[tuple[str, Body]]:
    owner = named.get("project", project)
    path = f"projects/{owner}/zones/{zone}/reservations/{named['name']}"
    share = {"shareType": "LOCAL"}
    if owner != project:
        share = {"shareType": "SPECIFIC_PROJECTS", "projectMap": {project: {"projectId": project}}}
    specific = {"count": str(NODES), "inUseCount": "0", "assuredCount": str(NODES)}
    yield (
        path,
        {
            **_common("reservation", path, f"projects/{owner}/zones/{zone}"),
            "status": "READY",
            "specificReservationRequired": True,
            "shareSettings": share,
            "specificReservation": {**specific, "instanceProperties": {"machineType": machine}},
        },
    )
    if block := named.get("block"):
        below = f"{path}/reservationBlocks/{block}"
        yield below, {**_common("reservationBlock", below), "status": "ACTIVE", "count": NODES, "inUseCount": 0}
        if part := named.get("subBlock"):
            below = f"{below}/reservationSubBlocks/{part}"
            yield below, {**_common("reservationSubBlock", below), "status": "ACTIVE", "count": NODES, "inUseCount": 0}


def _machine_types(project: str, zone: str) -> Iterator[tuple[str, Body]]:
    for row in MACHINES:
        path = f"projects/{project}/zones/{zone}/machineTypes/{row.name}"
        gpus = [{"guestAcceleratorType": row.accelerator, "guestAcceleratorCount": row.gpus}]
        yield path, {**_common("machineType", path), "zone": zone, "accelerators": gpus}


def _common(kind: str, path: str, zone: str = "") -> Body:
    body = {"kind": f"compute#{kind}", "id": "1", "name": path.rpartition("/")[2], "creationTimestamp": CREATED}
    return {**body, "selfLink": f"{_BETA}{path}", **({"zone": f"{_BETA}{zone}"} if zone else {})}
