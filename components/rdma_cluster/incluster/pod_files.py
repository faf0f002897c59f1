"""Files that pods read."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, inputs, plan_args, with_more
from .objects import make_namespace
from .on_cluster import on_cluster
from .plan.pod_files import PodFilesArgs, PodFilesPlan, plan_pod_files


@with_keys
class PodFiles(PlannedComponent[PodFilesPlan, Sequence[pulumi.Resource]]):
    """ConfigMaps with files that workloads mount, in the namespaces that need them."""

    def __init__(self, name: str, args: PodFilesArgs, opts: Opts = None):
        args, plan = plan_args(PodFilesArgs, plan_pod_files, args)
        after = opts.depends_on if opts else None
        self._make(name, plan, after, inputs(PodFilesArgs, args), opts)

    def _make(self, name: str, plan: PodFilesPlan, links: Any, shown: Shown, opts: Opts) -> None:
        """``links`` come before all of this, and may be the namespaces."""
        super().__init__("rdma-cluster:index:PodFiles", name, shown, opts)
        child = on_cluster(self, [])
        new = {each: make_namespace(f"{name}-{each}", each, child) for each in plan.new_namespaces}
        self.ready: list[pulumi.Resource] = []
        for namespace in plan.namespaces:
            inside = with_more(child, depends_on=new.get(namespace, links))
            for config_map, files in plan.config_maps.items():
                metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": config_map, "namespace": namespace}
                logical = f"{name}-{namespace}-{config_map}"
                self.ready.append(k8s.core.v1.ConfigMap(logical, metadata=metadata, data=files, opts=inside))
        self.register_outputs({})
