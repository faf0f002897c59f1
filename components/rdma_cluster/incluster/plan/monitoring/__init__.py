"""Eyes on GPUs and NICs: exporters, alerts, a dashboard."""

from .args import ExporterPods as ExporterPods
from .args import MonitoredPool as MonitoredPool
from .args import MonitoringArgs as MonitoringArgs
from .args import MonitoringChoice as MonitoringChoice
from .args import MonitoringParts as MonitoringParts
from .exporters import GPU_CLAIM as GPU_CLAIM
from .plan import GROUP as GROUP
from .plan import MonitoringPlan as MonitoringPlan
from .plan import decide_monitoring as decide_monitoring
from .plan import plan_monitoring as plan_monitoring
from .watched import Watched as Watched
