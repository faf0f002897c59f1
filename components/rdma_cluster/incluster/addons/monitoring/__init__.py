"""Eyes on GPUs and NICs: exporters, alerts, a dashboard.

Args have their shape here at once; what plans is imported when somebody wants to see.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import ExporterPods as ExporterPods
from .args import MonitoringArgs as MonitoringArgs
from .args import MonitoringChoice as MonitoringChoice
from .args import MonitoringParts as MonitoringParts

if TYPE_CHECKING:
    from .exporters import GPU_ACCOUNT as GPU_ACCOUNT
    from .exporters import GPU_CLAIM as GPU_CLAIM
    from .plan import GROUP as GROUP
    from .plan import MonitoringPlan as MonitoringPlan
    from .plan import plan_monitoring as plan_monitoring

__getattr__ = lazy(__name__)
