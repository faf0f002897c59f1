"""What a program on a pool adds, ready to be copied."""

from ...common.use import PoolUse
from ..output import as_yaml
from .escaped import escaped


def patch(use: PoolUse) -> str:
    """What the stack's output ``workloads`` will have for the pool, as YAML; folded, as it is long."""
    lines = as_yaml([dict(use.workload)]).splitlines()
    # Each line by itself: what is invisible or acts on a terminal is shown, and lines stay lines.
    text = "\n".join(escaped(line) for line in lines)
    return (
        f'<details class="patch"><summary>{escaped(f"{use.form} of pool {use.pool}")}</summary>'
        f'<p class="dim">{escaped(use.how)}</p>'
        f"<pre>{text}</pre></details>"
    )
