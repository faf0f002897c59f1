"""How plain machines become requests of Google's Compute API (pulumi-gcp 10.2); the rest is in GKE's tables."""

from tools.api.google import schema
from tools.api.request import Table

_URL = "part of the request's address"
_PROJECT = {"project": _URL}

MODEL = ("discovery document", "2026-10-27")
"""What the tables are of, and its date."""

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
    ),
    Table(
        "gcp:compute/resourcePolicy:ResourcePolicy",
        schema("compute.v1", "ResourcePolicy", "compute.resourcePolicies.insert"),
        own={"region": _URL, **_PROJECT},
        added={"name": "made-by-pulumi"},
    ),
]
