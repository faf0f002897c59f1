"""The nodes that several pools take together from one request in calendar mode, or from one rack."""

from collections.abc import Sequence

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from .capacity import MOST_CALENDAR_NODES
from .machines import BUILDABLE
from .node_pool import GkePool


@frozen
class _SharedCapacity:
    """Something that pools take nodes from, with the most nodes that it has."""

    names: tuple[str, ...]
    most: int
    words: str


def check_calendar_requests(pools: Sequence[GkePool], errors: ErrorList) -> None:
    """Refuse pools that together take more nodes of a request or a rack than it has."""
    taken: dict[_SharedCapacity, int] = {}
    for i, pool in enumerate(pools):
        for shared in (_request(pool), _rack(pool)):
            if shared is not None:
                nodes = pool["nodes"]
                before = taken.get(shared, 0)
                taken[shared] = before + nodes
                if before and nodes <= shared.most < taken[shared]:
                    errors.at(i, "nodes").add(
                        f"got {nodes} beside {before} of the same {shared.words}; name another in this pool's capacity"
                    )


def _request(pool: GkePool) -> _SharedCapacity | None:
    if not (calendar := pool["capacity"].get("calendar")):
        return None
    words = f"calendar {calendar['name']}; one request in calendar mode is for {MOST_CALENDAR_NODES} nodes at the most"
    return _SharedCapacity((calendar.get("project", ""), calendar["name"]), MOST_CALENDAR_NODES, words)


def _rack(pool: GkePool) -> _SharedCapacity | None:
    machine, reservation = BUILDABLE.get(pool["machine"]), pool["capacity"].get("reservation")
    if machine is None or machine.max_nodes is None or not reservation or "sub_block" not in reservation:
        return None
    names = (reservation.get("project", ""), reservation["name"], reservation.get("block", ""))
    words = f"sub-block {reservation['sub_block']}, which is one rack of {machine.max_nodes} nodes"
    return _SharedCapacity((*names, reservation["sub_block"]), machine.max_nodes, words)
