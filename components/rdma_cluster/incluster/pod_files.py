"""Files that pods read."""

import pulumi
import pulumi_kubernetes as k8s

from ..component import Opts, inputs, plan_args
from ..key_docs import with_keys
from .on_cluster import on_cluster
from .plan.claim_templates import new_namespaces
from .plan.pod_files import PodFilesArgs, plan_pod_files


@with_keys
class PodFiles(pulumi.ComponentResource):
    """ConfigMaps with files that workloads mount, in the namespaces that need them."""

    def __init__(self, name: str, args: PodFilesArgs, opts: Opts = None, *, plan: PodFilesArgs | None = None):
        args, plan = plan_args(PodFilesArgs, plan_pod_files, args, plan)
        super().__init__("rdma-cluster:index:PodFiles", name, inputs(PodFilesArgs, args), opts)
        child = on_cluster(self, args)
        names = new_namespaces(plan["namespaces"]) if plan.get("create_namespaces") else []
        new = {each: k8s.core.v1.Namespace(f"{name}-{each}", metadata={"name": each}, opts=child) for each in names}
        for namespace in plan["namespaces"]:
            # Its namespace is made here, or comes before all of this.
            after = new.get(namespace, opts.depends_on if opts else None)
            inside = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=after))
            for config_map, files in plan["config_maps"].items():
                metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": config_map, "namespace": namespace}
                k8s.core.v1.ConfigMap(f"{name}-{namespace}-{config_map}", metadata=metadata, data=files, opts=inside)
        self.register_outputs({})
