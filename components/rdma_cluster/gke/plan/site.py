"""What everything inside the cluster is told of GKE's nodes, as far as the pools could be read."""

from ...catalog.gke import GkeMachine
from ...clouds.pools import made_of
from ...incluster.plan.pool import SitePool
from .capacity import QUEUED_TAINT, comes_when_asked, why_no_nodes
from .fabric import GkeNetworkMode, fabric_for
from .machines import BUILDABLE
from .node_pool import GkePool, NodePoolPlan, allocation_of
from .racks import ARM_TAINT

_LOCAL_SSD_GB = 375  # cloud.google.com/compute/docs/disks/local-ssd; all of them are given to pods
# Nodes of a reservation have them; of others it is not known, and where one is missing no job would find a place.
_LEVELS = ("cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock")


def known_machines(pools: list[GkePool]) -> list[GkeMachine]:
    """The machines of pools that could be read."""
    names = [pool["machine"] for pool in pools]
    return [BUILDABLE[name] for name in names if name in BUILDABLE]


def other_taints(pools: list[GkePool]) -> dict[str, str]:
    """Those that GKE puts on some of the nodes by itself, as far as can be read: nothing else hangs on a capacity."""
    queued = any(pool["capacity"].get("queued") for pool in pools)
    arm = any(each.architecture == "arm64" for each in known_machines(pools))
    return {**(QUEUED_TAINT if queued else {}), **(ARM_TAINT if arm else {})}


def on_site(
    pools: list[GkePool],
    plans: list[NodePoolPlan | None],
    mode: GkeNetworkMode | None,
    place: tuple[object, ...],
) -> list[SitePool]:
    """The pools of machines that are built, whatever else is wrong with them."""
    found = [_site_pool(pool, plans[i], mode, place) for i, pool in enumerate(pools)]
    return [pool for pool in found if pool is not None]


def _site_pool(
    pool: GkePool, plan: NodePoolPlan | None, mode: GkeNetworkMode | None, place: tuple[object, ...]
) -> SitePool | None:
    machine = BUILDABLE.get(pool["machine"])
    if machine is None or (fabric := fabric_for(machine, mode)) is None:
        return None
    return SitePool(
        pool["name"],
        machine,
        pool["nodes"],
        fabric,
        allocation_of(pool, fabric),
        not_proven=why_no_nodes(pool["capacity"]),
        made_of=made_of(plan, *place) if plan else "",
        comes_when_asked=comes_when_asked(pool["capacity"]),
        levels=_LEVELS if pool["capacity"].get("reservation") else (),
        disk_gb=machine.local_ssds and machine.local_ssds * _LOCAL_SSD_GB,
    )
