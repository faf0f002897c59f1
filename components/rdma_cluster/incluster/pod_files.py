"""Files that pods read."""

import pulumi
import pulumi_kubernetes as k8s

from ..component import inputs, plan_args
from ..key_docs import with_keys
from .plan.pod_files import PodFilesArgs, decide_pod_files


@with_keys
class PodFiles(pulumi.ComponentResource):
    """ConfigMaps with files that workloads mount, in the namespaces that need them."""

    def __init__(
        self,
        name: str,
        args: PodFilesArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: PodFilesArgs | None = None,
    ):
        if plan is None:
            args, plan = plan_args(PodFilesArgs, decide_pod_files, args)
        super().__init__("rdma-cluster:index:PodFiles", name, inputs(PodFilesArgs, args), opts)
        for namespace in plan["namespaces"]:
            for config_map, files in plan["config_maps"].items():
                k8s.core.v1.ConfigMap(
                    f"{name}-{namespace}-{config_map}",
                    metadata={"name": config_map, "namespace": namespace},
                    data=files,
                    opts=pulumi.ResourceOptions(parent=self),
                )
        self.register_outputs({})
