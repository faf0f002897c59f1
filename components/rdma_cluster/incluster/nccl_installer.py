"""NCCL's network plugin on the hosts of the pools that need it."""

from typing import cast

import pulumi
import pulumi_kubernetes as k8s
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, behind, inputs, outputs, plan_args
from ..component.outputs import PoolWorkload
from ..fabrics import HostDaemon
from .daemonset import HUGE_PAGES, host_daemonset, installer_daemonset
from .on_cluster import Links, on_cluster
from .plan.nccl_installer import NcclInstallerArgs, NcclInstallerPlan, plan_nccl_installer, stage_path
from .plan.statements import statements


@with_keys
class NcclInstaller(PlannedComponent[NcclInstallerPlan, Links]):
    """The NCCL plugin of a fabric, from one tested set of images; nothing where workload images hold the plugin."""

    workload: pulumi.Output[PoolWorkload]
    """What a pod adds to use the plugin: mounts, environment, the script to source."""

    def __init__(self, name: str, args: NcclInstallerArgs, opts: Opts = None):
        args, plan = plan_args(NcclInstallerArgs, plan_nccl_installer, args)
        self._make(name, plan, Links(statements(args)), inputs(NcclInstallerArgs, args), opts)

    def _make(self, name: str, plan: NcclInstallerPlan, links: Links, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:NcclInstaller", name, shown, opts)
        child = on_cluster(self, links.statements)
        self.ready: list[pulumi.Resource] = []
        if plan.plugin is not None:
            installer: k8s.core.v1.ContainerArgsDict = {
                "name": "install",
                "image": plan.plugin.release.installer,
                "command": ["/bin/sh", "-c", plan.plugin.script],
                "resources": {"requests": {"cpu": "150m"}},
                "security_context": {"privileged": True},
                "volume_mounts": [
                    {"name": volume, "mount_path": stage_path(path)} for volume, path in plan.plugin.host_paths.items()
                ],
            }
            installed = installer_daemonset(
                name,
                app=f"nccl-installer-{plan.plugin.name}",
                pause=plan.pause,
                nodes=plan.nodes,
                host_paths=plan.plugin.host_paths,
                init_containers=[installer],
                opts=child,
            )
            self.ready.append(installed)
        for daemon in plan.daemons:
            stays = host_daemonset(
                f"{name}-{daemon.name}",
                app=daemon.name,
                nodes=plan.nodes,
                host_paths=daemon.host_paths,
                init_containers=[],
                containers=[_staying(daemon)],
                huge_pages=bool(daemon.huge_pages),
                opts=child,
            )
            self.ready.append(stays)
        self.workload = behind(cast("PoolWorkload", plan.workload.pod_patch()), self.ready)
        self.register_outputs(outputs(self))


def _staying(daemon: HostDaemon) -> k8s.core.v1.ContainerArgsDict:
    healthy = {"http_get": {"path": "/healthz", "port": daemon.health_port}}
    probes = {"readiness_probe": healthy, "liveness_probe": {**healthy, "initial_delay_seconds": 60}}
    folders = {**daemon.host_paths, **({HUGE_PAGES: daemon.huge_pages} if daemon.huge_pages else {})}
    container = {
        "name": daemon.name,
        "image": daemon.image,
        **({"command": ["/bin/bash", "-c", daemon.script]} if daemon.script else {}),
        **({"env": [{"name": key, "value": value} for key, value in daemon.env.items()]} if daemon.env else {}),
        "resources": {"requests": {"cpu": "150m"}, **({"limits": dict(daemon.limits)} if daemon.limits else {})},
        "security_context": {"privileged": True},
        **(probes if daemon.health_port else {}),
        "volume_mounts": [{"name": volume, "mount_path": path} for volume, path in folders.items()],
    }
    return cast("k8s.core.v1.ContainerArgsDict", container)
