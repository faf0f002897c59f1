"""Google's flex-start: for how long it runs machines, and how much of it pulumi-gcp can ask for."""

from .machine import Source

MOST_RUN_HOURS = 7 * 24
"""Hours after which Google takes a machine of flex-start back, whatever is asked for."""
RUN = Source(
    "docs.cloud.google.com/ai-hypercomputer/docs/create/create-vm (FLEX_START: maxRunDuration of 10 minutes to seven "
    "days, STOP or DELETE at its end, NO_RESERVATION, onHostMaintenance TERMINATE)",
    "2026-04-06",
)
"""GKE has the same seven days: docs.cloud.google.com/kubernetes-engine/docs/concepts/dws; the provider's own test of a
pool has 604800s (terraform-provider-google@e03b762 resource_container_node_pool_test.go)."""
OFFER = Source(
    "docs.cloud.google.com/ai-hypercomputer/docs/consumption-models (every GPU machine but A4X and A4X Max; by best "
    "effort; preemptible quota; machines on their own are placed as there is room, a compact policy is optional; those "
    "of a group's resize request are close)",
    "2026-04-10",
)
WAIT = Source(
    "compute.v1 InstanceParams.requestValidForDuration, which terraform-provider-google-beta@93c65b2 (7.45, of which "
    "pulumi-gcp 10.2.0 is made) has nowhere: its google_compute_instance has FLEX_START and max_run_duration alone",
    "2026-11-06",
)
"""Google lets a request wait for 90 seconds to two hours (``RUN``). How long it waits unless told is published nowhere
that was read."""
