"""Queues of a cluster's pools: the options, what is counted, Kueue's objects and its configuration.

Args are imported at once; the plan is imported when somebody wants queues.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import QueueChoice, QueueRules, QueuesArgs

if TYPE_CHECKING:
    from .charts import device_class_mappings
    from .objects import CHANNEL, GPU, HOSTNAME, NIC, PREFERRED, QUEUE_LABEL, quotas_of, whole_node_cpu
    from .plan import QueuesPlan, check_not_kept, of_one_queue, plan_queues

__all__ = [
    "CHANNEL",
    "GPU",
    "HOSTNAME",
    "NIC",
    "PREFERRED",
    "QUEUE_LABEL",
    "QueueChoice",
    "QueueRules",
    "QueuesArgs",
    "QueuesPlan",
    "check_not_kept",
    "device_class_mappings",
    "of_one_queue",
    "plan_queues",
    "quotas_of",
    "whole_node_cpu",
]

__getattr__ = lazy(
    __name__,
    {
        ".charts": ["device_class_mappings"],
        ".objects": ["CHANNEL", "GPU", "HOSTNAME", "NIC", "PREFERRED", "QUEUE_LABEL", "quotas_of", "whole_node_cpu"],
        ".plan": ["QueuesPlan", "check_not_kept", "of_one_queue", "plan_queues"],
    },
)
