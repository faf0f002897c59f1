"""What everything inside the cluster is told of GKE's nodes, as far as the pools could be read."""

from ...catalog.gke import GkeMachine
from ...clouds.pools import made_of
from ...incluster.plan.site import SitePool
from ...unread import UNREAD, holds, if_read, items, or_else, readable, rule
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
    names = readable([pool["machine"] for pool in items(pools)])
    return [BUILDABLE[name] for name in names if name in BUILDABLE]


def other_taints(pools: list[GkePool]) -> dict[str, str]:
    """Those that GKE puts on some of the nodes by itself, as far as can be read: nothing else hangs on a capacity."""
    queued = any(holds(lambda pool=pool: pool["capacity"].get("queued")) for pool in items(pools))
    arm = any(each.architecture == "arm64" for each in known_machines(pools))
    return {**(QUEUED_TAINT if queued else {}), **(ARM_TAINT if arm else {})}


def on_site(
    pools: list[GkePool],
    plans: list[NodePoolPlan | None],
    mode: GkeNetworkMode | None,
    place: tuple[object, ...],
) -> list[SitePool]:
    """The pools of machines that are built, whatever else is wrong with them."""
    found = [_site_pool(pool, f"pools-{i}", plans[i], mode, place) for i, pool in enumerate(items(pools))]
    return [pool for pool in found if pool is not None]


@rule
def _site_pool(
    pool: GkePool, stand_in: str, plan: NodePoolPlan | None, mode: GkeNetworkMode | None, place: tuple[object, ...]
) -> SitePool | None:
    machine = BUILDABLE.get(pool["machine"])
    if machine is None or (fabric := fabric_for(machine, mode)) is None:
        return None
    if (allocation := allocation_of(pool, fabric)) is UNREAD:
        return None
    return SitePool(
        or_else(pool["name"], stand_in),
        machine,
        pool["nodes"],
        fabric,
        allocation,
        not_proven=if_read(lambda: why_no_nodes(pool["capacity"])),
        made_of=if_read(lambda: made_of(plan, *place) if plan else ""),
        comes_when_asked=holds(lambda: comes_when_asked(pool["capacity"])),
        levels=_LEVELS if holds(lambda: pool["capacity"].get("reservation")) else (),
        disk_gb=machine.local_ssds and machine.local_ssds * _LOCAL_SSD_GB,
    )
