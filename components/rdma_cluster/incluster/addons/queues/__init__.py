"""Queues of a cluster's pools: the choice, what is counted, Kueue's objects and its configuration.

Args have their shape here at once; what plans is imported when somebody wants queues.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import QueueChoice, QueuePool, QueueRules, QueuesArgs

if TYPE_CHECKING:
    from .charts import device_class_mappings
    from .objects import HOSTNAME, PREFERRED, QUEUE_LABEL
    from .plan import QueuesPlan, check_not_kept, decide_queues, of_one_queue, plan_queues
    from .pool import CHANNEL, GPU, NIC, QueuedPool, quotas_of, whole_node_cpu

__all__ = [
    "CHANNEL",
    "GPU",
    "HOSTNAME",
    "NIC",
    "PREFERRED",
    "QUEUE_LABEL",
    "QueueChoice",
    "QueuePool",
    "QueueRules",
    "QueuedPool",
    "QueuesArgs",
    "QueuesPlan",
    "check_not_kept",
    "decide_queues",
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
        ".objects": ["HOSTNAME", "PREFERRED", "QUEUE_LABEL"],
        ".plan": ["QueuesPlan", "check_not_kept", "decide_queues", "of_one_queue", "plan_queues"],
        ".pool": ["CHANNEL", "GPU", "NIC", "QueuedPool", "quotas_of", "whole_node_cpu"],
    },
)
