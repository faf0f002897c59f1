"""The drivers that hand out GPUs and NICs by claims."""

import pulumi
import pulumi_kubernetes as k8s

from ..catalog.hosts import HostOs
from ..catalog.releases import NVIDIA_DRA_DRIVER
from ..claims.target import OWN_CLASS, OWN_CLASS_SELECTOR
from ..component import inputs, plan_args
from ..key_docs import with_keys
from .charts import install, make_namespace
from .daemonset import installer_daemonset
from .plan.dra_drivers import GPU_NAMESPACE, NIC_NAMESPACE, DraDriversArgs, decide_dra_drivers
from .plan.nodes import NodeSet


@with_keys
class DraDrivers(pulumi.ComponentResource):
    """NVIDIA's GPU DRA driver, one for the NICs, and the kernel driver below them, each pinned and at most once."""

    device_class: pulumi.Output[str]
    """Name of the DeviceClass for NICs that this component made; empty when the NIC driver brings its own."""

    def __init__(self, name: str, args: DraDriversArgs, opts: pulumi.ResourceOptions | None = None):
        args, plan = plan_args(DraDriversArgs, decide_dra_drivers, args)
        super().__init__("rdma-cluster:index:DraDrivers", name, inputs(DraDriversArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)

        if plan.kernel:
            _kernel_driver(f"{name}-kernel", plan.host, args["gpu_nodes"], child)
        if plan.gpu:
            namespace = make_namespace(f"{name}-gpu", GPU_NAMESPACE, child)
            waits_for: list[pulumi.Resource] = [namespace]
            if plan.host.critical_pods_need_quota:
                waits_for.append(_critical_pods(f"{name}-gpu", GPU_NAMESPACE, plan.quota_pods, namespace, child))
            install(
                f"{name}-gpu",
                NVIDIA_DRA_DRIVER,
                GPU_NAMESPACE,
                plan.gpu_values,
                plan.gpu_timeout_seconds,
                waits_for,
                child,
            )
        device_class = ""
        if plan.nic:
            namespace = make_namespace(f"{name}-nic", NIC_NAMESPACE, child)
            settings = plan.nic_settings
            install(f"{name}-nic", settings.chart, NIC_NAMESPACE, *settings[1:], [namespace], child)
        if plan.own_class:
            device_class = OWN_CLASS
            k8s.resource.v1.DeviceClass(
                f"{name}-nic",
                metadata={"name": OWN_CLASS},
                spec={"selectors": [{"cel": {"expression": OWN_CLASS_SELECTOR}}]},
                opts=child,
            )
        self.device_class = pulumi.Output.from_input(device_class)
        self.register_outputs({"deviceClass": self.device_class})


def _critical_pods(
    name: str, namespace: str, pods: int, after: pulumi.Resource, child: pulumi.ResourceOptions
) -> k8s.core.v1.ResourceQuota:
    """GKE admits pods of the critical priorities outside kube-system only where a quota speaks of them."""
    scope: k8s.core.v1.ScopedResourceSelectorRequirementArgsDict = {
        "scope_name": "PriorityClass",
        "operator": "In",
        "values": ["system-node-critical", "system-cluster-critical"],
    }
    return k8s.core.v1.ResourceQuota(
        name,
        metadata={"name": "critical-pods", "namespace": namespace},
        spec={"hard": {"pods": str(pods)}, "scope_selector": {"match_expressions": [scope]}},
        opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[after])),
    )


# What the installer image reads, and where it sees the host's folders.
# container-engine-accelerators@992db81 nvidia-driver-installer/cos/daemonset-preloaded.yaml
_COS_HOST = {
    "dev": ("/dev", "/dev"),
    "nvidia": ("/home/kubernetes/bin/nvidia", "/usr/local/nvidia"),
    "vulkan": ("/home/kubernetes/bin/nvidia/vulkan/icd.d", "/etc/vulkan/icd.d"),
    "root": ("/", "/root"),
    "cos-tools": ("/var/lib/cos-tools", "/build/cos-tools"),
}
_COS_ENV = {
    "NVIDIA_INSTALL_DIR_HOST": _COS_HOST["nvidia"][0],
    "NVIDIA_INSTALL_DIR_CONTAINER": _COS_HOST["nvidia"][1],
    "VULKAN_ICD_DIR_HOST": _COS_HOST["vulkan"][0],
    "VULKAN_ICD_DIR_CONTAINER": _COS_HOST["vulkan"][1],
    "ROOT_MOUNT_DIR": _COS_HOST["root"][1],
    "COS_TOOLS_DIR_HOST": _COS_HOST["cos-tools"][0],
    "COS_TOOLS_DIR_CONTAINER": _COS_HOST["cos-tools"][1],
}
# A loaded module cannot be replaced under running pods: a node that has one keeps it until it is recreated.
_COS_SCRIPT = "if grep -q '^nvidia ' /proc/modules; then exit 0; fi; exec /cos-gpu-installer install"


def _kernel_driver(name: str, host: HostOs, nodes: NodeSet, child: pulumi.ResourceOptions) -> k8s.apps.v1.DaemonSet:
    """The NVIDIA kernel driver, on nodes whose platform was told to leave it out."""
    assert host.driver_installer is not None
    installer: k8s.core.v1.ContainerArgsDict = {
        "name": "nvidia-driver-installer",
        "image": host.driver_installer.image,
        "image_pull_policy": "Never",
        "command": ["bash", "-c", _COS_SCRIPT],
        "env": [{"name": key, "value": value} for key, value in _COS_ENV.items()],
        "resources": {"requests": {"cpu": "150m"}},
        "security_context": {"privileged": True},
        "volume_mounts": [{"name": volume, "mount_path": path} for volume, (_, path) in _COS_HOST.items()],
    }
    return installer_daemonset(
        name,
        app="nvidia-driver-installer",
        nodes=nodes,
        host_paths={volume: path for volume, (path, _) in _COS_HOST.items()},
        init_containers=[installer],
        opts=child,
    )
