"""Queues of a cluster's pools: the options, what is counted, Kueue's objects and its configuration.

Args are imported at once; the plan is imported when somebody wants queues.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import QueueChoice as QueueChoice
from .args import QueueRules as QueueRules
from .args import QueuesArgs as QueuesArgs

if TYPE_CHECKING:
    from .charts import device_class_mappings as device_class_mappings
    from .objects import CHANNEL as CHANNEL
    from .objects import GPU as GPU
    from .objects import HOSTNAME as HOSTNAME
    from .objects import NIC as NIC
    from .objects import PREFERRED as PREFERRED
    from .objects import QUEUE_LABEL as QUEUE_LABEL
    from .objects import quotas_of as quotas_of
    from .objects import whole_node_cpu as whole_node_cpu
    from .plan import QueuesPlan as QueuesPlan
    from .plan import check_not_kept as check_not_kept
    from .plan import of_one_queue as of_one_queue
    from .plan import plan_queues as plan_queues

__getattr__ = lazy(__name__)
