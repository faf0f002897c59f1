"""How the pods of each shape fill a node, with the names of their claim templates."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...claims import Nics
from ...common.use import PoolUse
from .escaped import escaped

if TYPE_CHECKING:
    from ...incluster.plan.claim_templates import Offer


def claims(use: PoolUse) -> str:
    """Every shape of a machine, the smallest first."""
    return f'<div class="shapes">{"".join(map(_shape, use.offers))}</div>'


def _shape(offer: "Offer") -> str:
    pods, windows = offer.pods_per_node, offer.windows
    pinned = len(windows) == pods and pods > 1
    labels = [" + ".join(each.window for each in window) if pinned else "" for window in windows]
    style = "tile nic" if isinstance(offer.intent, Nics) else "tile"
    tiles = "".join(f'<span class="{style}">{escaped(label)}</span>' for label in (labels if pinned else [""] * pods))
    names = ", ".join(_names([each.name for each in window]) for window in windows)
    return (
        f'<div class="shape"><b>{escaped(str(offer.intent))}</b> <span class="dim">{pods} a node</span>'
        f'<div class="tiles">{tiles}</div><p class="names">{names}</p></div>'
    )


def _names(names: Sequence[str]) -> str:
    """The templates that a pod takes together."""
    return " + ".join(f"<code>{escaped(name)}</code>" for name in names)
