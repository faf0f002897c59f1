"""Changes of the keys of ``queues``, which are the same on every cloud."""

_TARGET = '{"kubeconfig": "{users: [], clusters: []}", "gpus": {"train": 8}}'
SENT = f"manager: lab, clusters: [{{name: other, dispatch: '{_TARGET}'}}], queues: {{train: [other]}}"
"""Jobs of one queue go to one cluster."""
SENT_TO_STACK = "manager: lab, clusters: [{name: other, stack: acme/training/gke}], queues: {train: [other]}"


def queue_changes(pool: str) -> dict[str, tuple[str, ...]]:
    """One graph for all: ``Queues`` is the same on every cloud, and GKE looks at each key by itself."""
    settings = "priorities: {urgent: 7}, preemption: true, readyMinutes: 90"
    worker = f"worker: {{queues: {{shared: {pool}}}, kinds: [job]}}"
    keys = (
        *("enabled", "topology", "priorities", "preemption", "ready_minutes", "worker.queues", "worker.kinds"),
        *(
            "dispatch.manager",
            "dispatch.clusters",
            "dispatch.clusters.name",
            "dispatch.clusters.dispatch",
            "dispatch.queues",
        ),
        *("dispatch.kinds", "dispatch.lost_minutes"),
    )
    topology = f"topology: {{{pool}: [example.com/rack]}}"
    dispatch = f"dispatch: {{{SENT}, kinds: [job], lostMinutes: 30}}"
    changed = (f"queues={{enabled: true, {topology}, {settings}, {worker}, {dispatch}}}",)
    to_stack = (f"queues={{enabled: true, dispatch: {{{SENT_TO_STACK}}}}}",)
    return {**{f"queues.{key}": changed for key in keys}, "queues.dispatch.clusters.stack": to_stack}
