"""Queues of a cluster's pools: the choice, what is counted, Kueue's objects and its configuration.

Args have their shape here at once; what plans is imported when somebody wants queues.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import QueueChoice as QueueChoice
from .args import QueuePool as QueuePool
from .args import QueueRules as QueueRules
from .args import QueuesArgs as QueuesArgs

if TYPE_CHECKING:
    from .charts import device_class_mappings as device_class_mappings
    from .objects import HOSTNAME as HOSTNAME
    from .objects import PREFERRED as PREFERRED
    from .objects import QUEUE_LABEL as QUEUE_LABEL
    from .plan import QueuesPlan as QueuesPlan
    from .plan import check_not_kept as check_not_kept
    from .plan import decide_queues as decide_queues
    from .plan import of_one_queue as of_one_queue
    from .plan import plan_queues as plan_queues
    from .pool import CHANNEL as CHANNEL
    from .pool import GPU as GPU
    from .pool import NIC as NIC
    from .pool import QueuedPool as QueuedPool
    from .pool import quotas_of as quotas_of
    from .pool import whole_node_cpu as whole_node_cpu

__getattr__ = lazy(__name__)
