"""Nodes of an existing cluster that get our labels."""

import pulumi
import pulumi_kubernetes as k8s
import pulumi_oci as oci
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, computed, mocked, outputs, replaceable
from .lookups import cleanly
from .plan.adopt import AdoptionPlan, OkeAdoptedNodesArgs, adopted_labels, check_count, plan_adoption


@with_keys
class OkeAdoptedNodes(PlannedComponent[AdoptionPlan, None]):
    """Labels on nodes that this library has not made. The labels go with this component, the nodes stay."""

    names: list[str]
    """Names of the nodes."""

    def __init__(self, name: str, args: OkeAdoptedNodesArgs, opts: Opts = None):
        self._plan_alone(name, OkeAdoptedNodesArgs, plan_adoption, args, opts)

    def _make(self, name: str, plan: AdoptionPlan, links: None, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:OkeAdoptedNodes", name, shown, opts)
        child = replaceable(pulumi.ResourceOptions(parent=self))
        # Two patches of a node have one manager: removing the old one last would remove the new one's labels.
        one = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(delete_before_replace=True))
        self.names = self._names(plan)
        self.nodes: list[pulumi.Resource] = []
        """What labels the nodes, for others to depend on."""
        for node in self.names:
            # Reading the node first gives an error with its name where there is none.
            existing = k8s.core.v1.Node.get(f"{name}-{node}", node, child)
            own = cleanly(lambda metadata, node=node: adopted_labels(plan, node, metadata.labels or {}))
            labels = computed(existing.metadata, own, dict(plan.labels))
            self.nodes.append(
                # Server-side apply under a manager of its own: it owns these labels and nothing else of the node.
                k8s.core.v1.NodePatch(f"{name}-{node}", metadata={"name": node, "labels": labels}, opts=one)
            )
        self.register_outputs(outputs(self))

    def _names(self, plan: AdoptionPlan) -> list[str]:
        """Names of the nodes. They are looked up at once, since each is a resource."""
        ask = pulumi.InvokeOptions(parent=self)
        check = cleanly(lambda nodes: check_count(plan, nodes))
        if plan.node_pool is not None:
            pool = oci.containerengine.get_node_pool(node_pool_id=plan.node_pool, opts=ask)
            if pool.nodes is None and mocked():
                return []
            return check([str(each.private_ip) for each in pool.nodes])
        if plan.cluster_network is not None:
            assert isinstance(plan.compartment, str)  # the plan refuses an output
            network = oci.core.get_cluster_network_instances(
                cluster_network_id=plan.cluster_network, compartment_id=plan.compartment, opts=ask
            )
            if network.instances is None and mocked():
                return []
            instances = [oci.core.get_instance(instance_id=each.id, opts=ask) for each in network.instances]
            return check([str(each.private_ip) for each in instances])
        return list(plan.names)
