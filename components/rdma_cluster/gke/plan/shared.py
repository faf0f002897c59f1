"""The nodes that several pools take together from one request in calendar mode, or from one rack."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...faults import Faults
from .capacity import MOST_CALENDAR_NODES
from .machines import BUILDABLE
from .node_pool import GkePool


@dataclass(frozen=True)
class _Part:
    """Something that pools take nodes from, with the most nodes that it has."""

    names: tuple[str, ...]
    most: int
    words: str


def check_shared(pools: Sequence[GkePool], faults: Faults) -> None:
    """Pools of one part take together no more nodes than it has."""
    taken: dict[_Part, int] = {}
    for i, pool in enumerate(pools):
        for part in (_request(pool), _rack(pool)):
            if part is not None:
                nodes = pool["nodes"]
                before = taken.get(part, 0)
                taken[part] = before + nodes
                if before and nodes <= part.most < taken[part]:
                    faults.at(i, "nodes").add(
                        f"got {nodes} beside {before} of the same {part.words}; name another in this pool's capacity"
                    )


def _request(pool: GkePool) -> _Part | None:
    if not (calendar := pool["capacity"].get("calendar")):
        return None
    words = f"calendar {calendar['name']}; one request in calendar mode is for {MOST_CALENDAR_NODES} nodes at the most"
    return _Part((calendar.get("project", ""), calendar["name"]), MOST_CALENDAR_NODES, words)


def _rack(pool: GkePool) -> _Part | None:
    machine, reservation = BUILDABLE.get(pool["machine"]), pool["capacity"].get("reservation")
    if machine is None or machine.max_nodes is None or not reservation or "sub_block" not in reservation:
        return None
    names = (reservation.get("project", ""), reservation["name"], reservation.get("block", ""))
    words = f"sub-block {reservation['sub_block']}, which is one rack of {machine.max_nodes} nodes"
    return _Part((*names, reservation["sub_block"]), machine.max_nodes, words)
