"""What keeps the nodes of a cluster ready."""

import pulumi

from ....component import Opts, inputs, plan_args
from ....key_docs import with_keys
from ...fault_watcher import fault_watcher
from ...on_cluster import on_cluster
from .args import NodeReadinessArgs
from .plan import ReadinessPlan, plan_readiness


@with_keys
class NodeReadiness(pulumi.ComponentResource):
    """Nodes take work only while their fabric is proven and no fault of theirs is known."""

    def __init__(self, name: str, args: NodeReadinessArgs, opts: Opts = None, *, plan: ReadinessPlan | None = None):
        args, plan = plan_args(NodeReadinessArgs, plan_readiness, args, plan, warn=self)
        super().__init__("rdma-cluster:index:NodeReadiness", name, inputs(NodeReadinessArgs, args), opts)
        child = on_cluster(self, args)
        fault_watcher(name, plan.watcher, child)
        self.register_outputs({})
