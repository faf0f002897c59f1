"""What hands out GPUs and NICs: DRA drivers by claims, device plugins as extended resources."""

import pulumi
import pulumi_kubernetes as k8s
from ..base.key_docs import with_keys
from ..catalog.hosts import KernelInstaller
from ..component.frame import Opts, PlannedComponent, Shown, behind, inputs, outputs, plan_args, waiting_for
from .daemonset import installer_daemonset
from .objects import critical_pods, install, make_namespace
from .on_cluster import Links, on_cluster
from .plan.dra_drivers import (
    DevicePluginsArgs,
    DevicePluginsPlan,
    DraDriversArgs,
    DraDriversPlan,
    plan_device_plugins,
    plan_dra_drivers,
)
from .plan.pool import NodeSet
from .plan.statements import statements

_CRITICAL = ("system-node-critical", "system-cluster-critical")


@with_keys
class DraDrivers(PlannedComponent[DraDriversPlan, Links]):
    """NVIDIA's GPU DRA driver, one for the NICs, and the kernel driver below them, each pinned and at most once."""

    device_class: pulumi.Output[str]
    """Name of the DeviceClass for NICs that this component made; empty when the NIC driver brings its own."""

    def __init__(self, name: str, args: DraDriversArgs, opts: Opts = None):
        args, plan = plan_args(DraDriversArgs, plan_dra_drivers, args)
        self._make(
            name, plan, Links(statements({**args, "nic_driver": plan.nic_driver})), inputs(DraDriversArgs, args), opts
        )

    def _make(self, name: str, plan: DraDriversPlan, links: Links, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:DraDrivers", name, shown, opts)
        child = on_cluster(self, links.statements)
        self.ready: list[pulumi.Resource] = []
        if plan.kernel is not None:
            self.ready.append(_kernel_driver(f"{name}-kernel", plan.kernel, plan.pause, plan.gpu_nodes, child))
        if plan.gpu is not None:
            namespace = make_namespace(f"{name}-gpu", plan.gpu.namespace, child)
            waits_for: list[pulumi.Resource] = [namespace]
            if plan.quota_pods:
                after = waiting_for(child, [namespace])
                quota = critical_pods(f"{name}-gpu", plan.gpu.namespace, plan.quota_pods, _CRITICAL, after)
                waits_for.append(quota)
            self.ready.append(install(f"{name}-gpu", plan.gpu, waits_for, child))
        device_class = ""
        if plan.nic is not None:
            namespace = make_namespace(f"{name}-nic", plan.nic.namespace, child)
            self.ready.append(install(f"{name}-nic", plan.nic, [namespace], child))
        if plan.own_class is not None:
            device_class = plan.own_class.device_class
            own_class = k8s.resource.v1.DeviceClass(
                f"{name}-nic",
                metadata={"name": device_class},
                spec={"selectors": [{"cel": {"expression": plan.own_class.selector}}]},
                opts=child,
            )
            self.ready.append(own_class)
        self.device_class = behind(device_class, self.ready)
        self.register_outputs(outputs(self))


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


@with_keys
class DevicePlugins(PlannedComponent[DevicePluginsPlan, Links]):
    """NVIDIA's device plugin and one for the NICs, each pinned; never on a node that a DRA driver serves."""

    def __init__(self, name: str, args: DevicePluginsArgs, opts: Opts = None):
        args, plan = plan_args(DevicePluginsArgs, plan_device_plugins, args)
        self._make(name, plan, Links(statements(args)), inputs(DevicePluginsArgs, args), opts)

    def _make(self, name: str, plan: DevicePluginsPlan, links: Links, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:DevicePlugins", name, shown, opts)
        child = on_cluster(self, links.statements)
        self.ready: list[pulumi.Resource] = []
        if plan.gpu is not None:
            namespace = make_namespace(f"{name}-gpu-plugin", plan.gpu.namespace, child)
            self.ready.append(install(f"{name}-gpu-plugin", plan.gpu, [namespace], child))
        if plan.nic is not None:
            # Its namespace is Kubernetes' own.
            self.ready.append(install(f"{name}-nic-plugin", plan.nic, [], child))
        self.register_outputs({})
