"""A cluster on which SkyPilot's ``network_tier: best`` works as it is: what it looks for, and what would mislead it.

Read in SkyPilot 0.14.1 (sky/clouds/kubernetes.py, sky/templates/kubernetes-ray.yml.j2). It takes the network of the
first node that it knows, asks for GPUs as ``nvidia.com/gpu``, and names the networks of Google's guides; where it finds
none, it runs on TCP without a word.
"""

from collections.abc import Sequence
from typing import Any

from pulumi_offline.errors import ErrorList
from ...catalog import gke
from ...catalog.gke_releases import TCPX, TCPXO
from ...catalog.machine import Capacity, Transport
from ...common.skypilot import check_one_machine
from ...incluster.addons.queues.objects import queue_name
from .capacity import WHEN_ASKED
from .fabric import GkeNetworkMode
from .node_pool import GkeNodePoolPlan, GkePool

_DAEMONS = {Transport.TCPX: ("v2.0.11", TCPX), Transport.TCPXO: ("v1.0.17", TCPXO)}
"""The daemon that SkyPilot 0.14.1 puts beside its pods, and our set."""


def mode_with(skypilot: bool, mode: GkeNetworkMode | None) -> GkeNetworkMode | None:
    """The network mode, which is by name where nobody chose."""
    return GkeNetworkMode.POD_NETWORKS if mode is None and skypilot else mode


def check_skypilot(skypilot: bool, mode: GkeNetworkMode | None, pools: Sequence[GkePool], errors: ErrorList) -> None:
    """Refuses everything that would leave SkyPilot's pods on TCP."""
    if not skypilot:
        return
    if mode is not GkeNetworkMode.POD_NETWORKS:
        got = mode.value if mode else "none"
        errors.at("network", "mode").add(
            f"got {got}; SkyPilot's pods name networks, and would run on TCP here; set pod-networks or remove skypilot"
        )
    check_one_machine([(pool, errors.at("pools", i, "machine")) for i, pool in enumerate(pools)])
    racks = {machine.name for machine in gke.MACHINES if machine.is_rack}
    for i, pool in enumerate(pools):
        if (name := pool["machine"]) in racks:
            errors.at("pools", i, "machine").add(
                f"got {name}; SkyPilot 0.14.1 does not know its network, and its pods would run on TCP; remove skypilot"
            )


def sky_configuration(pools: Sequence[GkeNodePoolPlan]) -> dict[str, Any]:
    """What SkyPilot must be told of pools whose nodes come when a job asks; of others nothing.

    ``context`` stands below ``kubernetes.context_configs.CONTEXT`` of its configuration, ``tasks`` has by pool the
    ``config`` of a task: in the configuration it would keep all tasks from the other pools (SkyPilot 0.14.1:
    sky/utils/schemas.py, get_dws_config of sky/clouds/utils/gcp_utils.py). With a queue a task waits in it for all its
    nodes, without one it selects nodes of flex-start.
    """
    tasks: dict[str, Any] = {}
    for pool in pools:
        if pool.capacity in WHEN_ASKED:
            queue = {"local_queue_name": queue_name(pool.name)} if pool.capacity is Capacity.QUEUED else None
            tasks[pool.name] = {"kubernetes": {"dws": {"enabled": True}, **({"kueue": queue} if queue else {})}}
    return {"context": {"autoscaler": "gke"}, "tasks": tasks} if tasks else {}


def skypilot_warnings(skypilot: bool, pools: Sequence[GkeNodePoolPlan], queues: bool) -> list[str]:
    """What works only with the user's help, or may fail; ``queues`` is whether each pool has a queue of ours."""
    if not skypilot:
        return []
    warnings = []
    for pool in pools:
        if pool.capacity in WHEN_ASKED:
            warnings.append(
                f"pool {pool.name}: SkyPilot sees no network while there is no node, and must be told where nodes come "
                "from: write the stack's output skypilot, context below kubernetes.context_configs.CONTEXT of its "
                f"configuration, tasks.{pool.name} as the config of a task"
            )
        if pool.capacity is Capacity.QUEUED and not queues:
            warnings.append(
                f"pool {pool.name}: nobody makes the queue {queue_name(pool.name)} that its tasks wait in; set "
                "queues.enabled: true, or make it, with a check of queued-provisioning.gke.io"
            )
        if pool.machine.transport in _DAEMONS:
            version, release = _DAEMONS[pool.machine.transport]
            warnings.append(
                f"pool {pool.name}: SkyPilot 0.14.1 brings daemon {version} beside plugin {release.plugin.version}, "
                f"which Google publishes with {release.daemon.rpartition(':')[2]}"
            )
    return warnings
