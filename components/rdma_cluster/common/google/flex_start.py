"""The run time of nodes of flex-start, with Kubernetes and without."""

from pulumi_offline.errors import ErrorList
from ...catalog.flex_start import MOST_RUN_HOURS
from ...catalog.machine import Capacity


def check_run_hours(hours: int, source: Capacity | None, errors: ErrorList) -> None:
    """Refuse a run time but of flex-start, whose nodes alone have one."""
    if source is not None and source is not Capacity.FLEX_START:
        errors.add(f"not allowed with {source.value}, which has no run time; remove it, or choose flexStart")
    elif not 1 <= hours <= MOST_RUN_HOURS:
        errors.add(f"got {hours}; flex-start runs a node for 1 to {MOST_RUN_HOURS} hours")
