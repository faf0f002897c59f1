"""Device plugins, where GPUs and NICs are asked for as extended resources and not by claims."""

import pulumi

from ..component import Opts, inputs, plan_args
from ..key_docs import with_keys
from .charts import install, make_namespace
from .on_cluster import on_cluster
from .plan.device_plugins import DevicePluginsArgs, DevicePluginsPlan, plan_device_plugins


@with_keys
class DevicePlugins(pulumi.ComponentResource):
    """NVIDIA's device plugin and one for the NICs, each pinned; never on a node that a DRA driver serves."""

    def __init__(self, name: str, args: DevicePluginsArgs, opts: Opts = None, *, plan: DevicePluginsPlan | None = None):
        args, plan = plan_args(DevicePluginsArgs, plan_device_plugins, args, plan)
        super().__init__("rdma-cluster:index:DevicePlugins", name, inputs(DevicePluginsArgs, args), opts)
        child = on_cluster(self, args)
        if plan.gpu is not None:
            namespace = make_namespace(f"{name}-gpu-plugin", plan.gpu.namespace, child)
            install(f"{name}-gpu-plugin", plan.gpu, [namespace], child)
        if plan.nic is not None:
            # Its namespace is Kubernetes' own.
            install(f"{name}-nic-plugin", plan.nic, [], child)
        self.register_outputs({})
