"""How the machines of a stack become requests of Google's Compute API (pulumi-gcp 10.2); networks are GKE's tables."""

from tests.api.google import schema
from tests.api.request import Request, Rule, Table

_URL = "part of the request's address"
_PROJECT = {"project": _URL}


def _named_reservation(machine: Request) -> bool:
    affinity = machine.get("reservationAffinity", {})
    return not affinity or (
        affinity.get("key") == "compute.googleapis.com/reservation-name" and len(affinity.get("values", [])) == 1
    )


TABLES = [
    Table(
        "gcp:compute/instance:Instance",
        schema("compute.v1", "Instance", "compute.instances.insert"),
        renamed={
            "bootDisk": "disks[]",
            "bootDisk.initializeParams.image": "sourceImage",
            "bootDisk.initializeParams.size": "diskSizeGb",
            "bootDisk.initializeParams.type": "diskType",
            "reservationAffinity.type": "consumeReservationType",
            "reservationAffinity.specificReservation": "/reservationAffinity",
            "resourcePolicies": "resourcePolicies[]",
            "serviceAccount": "serviceAccounts[]",
        },
        own={
            "desiredStatus": "the provider starts and stops the machine by calls of their own",
            "metadata": "a list of keys and values in the request; its sizes are held by a policy",
            "zone": _URL,
            **_PROJECT,
        },
        rules=(
            Rule("specifygoogleapis.com/reservation-name as the key", "ReservationAffinity.key", _named_reservation),
        ),
    ),
    Table(
        "gcp:compute/resourcePolicy:ResourcePolicy",
        schema("compute.v1", "ResourcePolicy", "compute.resourcePolicies.insert"),
        own={"region": _URL, **_PROJECT},
        added={"name": "made-by-pulumi"},
    ),
]
