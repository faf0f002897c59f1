"""Plans of what goes into a cluster, and of its queues, for tests that look into them."""

import json
from typing import Any

from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons import Addons
from rdma_cluster.incluster.addons.queues.args import QueuesArgs
from rdma_cluster.incluster.addons.queues.plan import QueuesPlan, plan_queues
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import Mounted, Store
from rdma_cluster.incluster.plan.context import ClusterContext
from rdma_cluster.incluster.plan.in_cluster import InClusterPlan, plan_in_cluster
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import CONTEXT, choose

ON: Any = {"enabled": True}
OFF: Any = {"enabled": False}
OURS = Store(StorageKind.OBJECT_STORE, "data", Mounted("gcsfuse"))
"""A store that the stack makes."""
THEIRS = Store(StorageKind.EXISTING, "data")
"""A claim that is there already."""
A4 = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2}


def planned(*pools: GpuPool, context: ClusterContext = CONTEXT, **choice: Any) -> InClusterPlan:
    """Plan a cluster with these pools, whose fabric nobody proves unless that is chosen."""
    chosen = choose(**{"acceptance": OFF, **choice})
    made = plan_in_cluster(context, pools, chosen, errors := ErrorList())
    assert made is not None, errors.found()
    return made


def addons(*pools: GpuPool, context: ClusterContext = CONTEXT, **choice: Any) -> Addons:
    """Plan the add-ons of such a cluster."""
    return planned(*pools, context=context, **choice).addons


def refused(*pools: GpuPool, context: ClusterContext = CONTEXT, **choice: Any) -> list[str]:
    """Return the reasons why there is no plan of such a cluster."""
    errors = ErrorList()
    assert plan_in_cluster(context, pools, choose(**{"acceptance": OFF, **choice}), errors) is None
    return [str(error) for error in errors.found()]


def paths(reasons: list[str]) -> list[str]:
    """Return the key path of each reason."""
    return [each.partition(": ")[0] for each in reasons]


def planned_with(**more: Any) -> QueuesPlan:
    """Plan the queues of one pool unless other pools are named."""
    return plan_from(QueuesArgs, plan_queues, {"pools": [A4], "pool_label": "pool", **more})


def config_of(plan: QueuesPlan) -> dict[str, Any]:
    """Return the configuration that Kueue starts with."""
    _, kueue = plan.charts
    return json.loads(kueue.values["managerConfig"]["controllerManagerConfigYaml"])


def of_kind(plan: QueuesPlan, kind: str) -> list[Any]:
    """Return the objects of a kind of Kueue's."""
    return [each for stage in plan.stages for each in stage if each["kind"] == kind]
