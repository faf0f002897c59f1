"""What an account has before a stack is made: the reservations that the stack names, and what Google sells."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_offline.project import Settings
from rdma_cluster.base.config import NAMESPACE, value
from rdma_cluster.catalog.gke import MACHINES
from tools.google_server.call import CREATED
from tools.google_server.compute import WWW
from tools.google_server.fake_google import Body

NODES = 64
"""In each reservation: more than any change of a rehearsal takes."""
_BETA = f"{WWW}compute/beta/"


def seeds(settings: Settings) -> dict[str, Body]:
    """The resources by their paths."""
    config = {key: value(text) for key, text in settings.config.items()}
    project, zone = str(config.get("gcp:project", "")), str(config.get(f"{NAMESPACE}:zone", ""))
    pools: list[Mapping[str, Any]] = config.get(f"{NAMESPACE}:pools") or []
    found: dict[str, Body] = {}
    for row in MACHINES:
        path = f"projects/{project}/zones/{zone}/machineTypes/{row.name}"
        gpus = [{"guestAcceleratorType": row.accelerator, "guestAcceleratorCount": row.gpus}]
        found[path] = {**_common("machineType", path), "zone": zone, "accelerators": gpus}
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
    whole = {
        **_common("reservation", path, f"projects/{owner}/zones/{zone}"),
        "status": "READY",
        "specificReservationRequired": True,
        "shareSettings": share,
        "specificReservation": {**specific, "instanceProperties": {"machineType": machine}},
    }
    yield path, whole
    for key, kind in (("block", "reservationBlock"), ("subBlock", "reservationSubBlock")):
        if not named.get(key):
            return
        path = f"{path}/{kind}s/{named[key]}"
        yield path, {**_common(kind, path), "status": "ACTIVE", "count": NODES, "inUseCount": 0}


def _common(kind: str, path: str, zone: str = "") -> Body:
    body = {"kind": f"compute#{kind}", "id": "1", "name": path.rpartition("/")[2], "creationTimestamp": CREATED}
    return {**body, "selfLink": f"{_BETA}{path}", **({"zone": f"{_BETA}{zone}"} if zone else {})}
