"""Google's flex-start: for how long it runs machines, and how much of it pulumi-gcp can ask for."""

from .machine import Source

MOST_RUN_HOURS = 7 * 24
"""Hours after which Google takes a machine of flex-start back, whatever is asked for (``RUN``)."""
RUN = Source(
    "docs.cloud.google.com/ai-hypercomputer/docs/create/create-vm (FLEX_START: maxRunDuration of 10 minutes to seven "
    "days, STOP or DELETE at its end, NO_RESERVATION, onHostMaintenance TERMINATE; requestValidForDuration is 0, or 90 "
    "seconds to two hours); of GKE: docs.cloud.google.com/kubernetes-engine/docs/concepts/dws",
    "2026-04-06",
)
OFFER = Source(
    "docs.cloud.google.com/ai-hypercomputer/docs/consumption-models (every GPU machine but A4X and A4X Max, by best "
    "effort, of preemptible quota; single machines are far apart unless a compact policy asks for more)",
    "2026-04-10",
)
WAIT = Source(
    "compute.v1 InstanceParams.requestValidForDuration, which terraform-provider-google-beta@93c65b2 has nowhere, nor "
    "pulumi-gcp 10.2.0, made of its releases; how long Google waits unless told is published nowhere that was read",
    "2026-11-06",
)
GROUP = Source(
    "terraform-provider-google-beta@93c65b2: google_compute_resize_request has resize_by and not the API's "
    "`instances`, which are names; of a group in bulk mode google_compute_bulk_per_instance_config takes names alone, "
    "no metadata of each machine, and is there once the group has taken them, before any machine is; Google adds "
    "machines to such a group only while it has none (.../compute/docs/instance-groups/about-bulk-mode)",
    "2026-08-21",
)
