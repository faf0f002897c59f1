"""The drivers that hand out GPUs and NICs by claims."""

import pulumi
import pulumi_kubernetes as k8s

from ..catalog.hosts import KernelInstaller
from ..component import Opts, inputs, outputs, plan_args, waiting_for
from ..key_docs import with_keys
from .charts import install, make_namespace
from .daemonset import installer_daemonset
from .on_cluster import on_cluster
from .plan.dra_drivers import DraDriversArgs, DraDriversPlan, plan_dra_drivers
from .plan.nodes import NodeSet


@with_keys
class DraDrivers(pulumi.ComponentResource):
    """NVIDIA's GPU DRA driver, one for the NICs, and the kernel driver below them, each pinned and at most once."""

    device_class: pulumi.Output[str]
    """Name of the DeviceClass for NICs that this component made; empty when the NIC driver brings its own."""

    def __init__(self, name: str, args: DraDriversArgs, opts: Opts = None, *, plan: DraDriversPlan | None = None):
        args, plan = plan_args(DraDriversArgs, plan_dra_drivers, args, plan)
        super().__init__("rdma-cluster:index:DraDrivers", name, inputs(DraDriversArgs, args), opts)
        child = on_cluster(self, {**args, "nic_driver": plan.nic_driver})

        if plan.kernel is not None:
            _kernel_driver(f"{name}-kernel", plan.kernel, plan.pause, args["gpu_nodes"], child)
        if plan.gpu is not None:
            namespace = make_namespace(f"{name}-gpu", plan.gpu.namespace, child)
            waits_for: list[pulumi.Resource] = [namespace]
            if plan.quota_pods:
                waits_for.append(_critical_pods(f"{name}-gpu", plan.gpu.namespace, plan.quota_pods, namespace, child))
            install(f"{name}-gpu", plan.gpu, waits_for, child)
        device_class = ""
        if plan.nic is not None:
            install(f"{name}-nic", plan.nic, [make_namespace(f"{name}-nic", plan.nic.namespace, child)], child)
        if plan.own_class is not None:
            device_class = plan.own_class.device_class
            k8s.resource.v1.DeviceClass(
                f"{name}-nic",
                metadata={"name": device_class},
                spec={"selectors": [{"cel": {"expression": plan.own_class.selector}}]},
                opts=child,
            )
        self.device_class = pulumi.Output.from_input(device_class)
        self.register_outputs(outputs(self))


def _critical_pods(
    name: str, namespace: str, pods: int, after: pulumi.Resource, child: pulumi.ResourceOptions
) -> k8s.core.v1.ResourceQuota:
    """GKE admits pods of the critical priorities outside kube-system only where a quota names them."""
    scope: k8s.core.v1.ScopedResourceSelectorRequirementArgsDict = {
        "scope_name": "PriorityClass",
        "operator": "In",
        "values": ["system-node-critical", "system-cluster-critical"],
    }
    return k8s.core.v1.ResourceQuota(
        name,
        metadata={"name": "critical-pods", "namespace": namespace},
        spec={"hard": {"pods": str(pods)}, "scope_selector": {"match_expressions": [scope]}},
        opts=waiting_for(child, [after]),
    )


def _kernel_driver(
    name: str, driver: KernelInstaller, pause: str, nodes: NodeSet, child: pulumi.ResourceOptions
) -> k8s.apps.v1.DaemonSet:
    """The NVIDIA kernel driver, on nodes whose platform does not install it."""
    installer: k8s.core.v1.ContainerArgsDict = {
        "name": "nvidia-driver-installer",
        "image": driver.image.image,
        "image_pull_policy": driver.pull_policy,
        "command": ["bash", "-c", driver.script],
        "env": [{"name": key, "value": value} for key, value in driver.env.items()],
        "resources": {"requests": {"cpu": "150m"}},
        "security_context": {"privileged": True},
        "volume_mounts": [{"name": volume, "mount_path": path} for volume, (_, path) in driver.mounts.items()],
    }
    return installer_daemonset(
        name,
        app="nvidia-driver-installer",
        pause=pause,
        nodes=nodes,
        host_paths={volume: path for volume, (path, _) in driver.mounts.items()},
        init_containers=[installer],
        opts=child,
    )
