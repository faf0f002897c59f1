"""Eyes on GPUs and NICs: exporters, alerts, a dashboard.

Args have their shape here at once; what plans is imported when somebody wants to see.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import ExporterPods, MonitoringArgs, MonitoringChoice, MonitoringParts

if TYPE_CHECKING:
    from .exporters import GPU_ACCOUNT, GPU_CLAIM
    from .plan import GROUP, MonitoringPlan, plan_monitoring

__all__ = [
    "GPU_ACCOUNT",
    "GPU_CLAIM",
    "GROUP",
    "ExporterPods",
    "MonitoringArgs",
    "MonitoringChoice",
    "MonitoringParts",
    "MonitoringPlan",
    "plan_monitoring",
]

__getattr__ = lazy(
    __name__,
    {
        ".exporters": ["GPU_ACCOUNT", "GPU_CLAIM"],
        ".plan": ["GROUP", "MonitoringPlan", "plan_monitoring"],
    },
)
