"""DaemonSets for the hosts: installers, which work once in an init container and then pause, and daemons."""

from collections.abc import Mapping, Sequence

import pulumi
import pulumi_kubernetes as k8s
from ..component.frame import in_time
from ..fabrics.rollout import ROLL_AT_ONCE, WAVES_SECONDS
from .plan.pool import NodeSet

HUGE_PAGES = "huge-pages"


# More than 6 parameters: they are what one DaemonSet has and another has not.
def installer_daemonset(  # noqa: PLR0913
    name: str,
    *,
    app: str,
    pause: str,
    nodes: NodeSet,
    host_paths: Mapping[str, str],
    init_containers: "Sequence[k8s.core.v1.ContainerArgsDict]",
    opts: pulumi.ResourceOptions,
) -> k8s.apps.v1.DaemonSet:
    """A DaemonSet that is ready once its init containers have succeeded; ``pause`` is the image that stays."""
    stays: k8s.core.v1.ContainerArgsDict = {
        "name": "pause",
        "image": pause,
        "resources": {"requests": {"cpu": "1m", "memory": "8Mi"}},
        "security_context": {
            "run_as_non_root": True,
            "run_as_user": 65535,
            "allow_privilege_escalation": False,
            "read_only_root_filesystem": True,
            "capabilities": {"drop": ["ALL"]},
            "seccomp_profile": {"type": "RuntimeDefault"},
        },
    }
    return host_daemonset(
        name,
        app=app,
        nodes=nodes,
        host_paths=host_paths,
        init_containers=init_containers,
        containers=[stays],
        opts=opts,
    )


# More than 6 parameters, as above.
def host_daemonset(  # noqa: PLR0913
    name: str,
    *,
    app: str,
    nodes: NodeSet,
    host_paths: Mapping[str, str],
    init_containers: "Sequence[k8s.core.v1.ContainerArgsDict]",
    containers: "Sequence[k8s.core.v1.ContainerArgsDict]",
    huge_pages: bool = False,
    opts: pulumi.ResourceOptions,
) -> k8s.apps.v1.DaemonSet:
    """A DaemonSet in kube-system on exactly ``nodes``; ``host_paths`` are folders of the host by volume name.

    With ``huge_pages`` those of 2 MiB are the volume ``HUGE_PAGES``.
    """
    labels = {"app.kubernetes.io/name": app, "app.kubernetes.io/managed-by": "rdma-cluster"}
    volumes: list[k8s.core.v1.VolumeArgsDict] = [
        {"name": volume, "host_path": {"path": path, "type": "DirectoryOrCreate"}}
        for volume, path in host_paths.items()
    ]
    if huge_pages:
        volumes.append({"name": HUGE_PAGES, "empty_dir": {"medium": "HugePages-2Mi"}})
    label, values = nodes["label"], nodes["values"]
    expression: k8s.core.v1.NodeSelectorRequirementArgsDict = {"key": label, "operator": "In", "values": values}
    selector: k8s.core.v1.NodeSelectorArgsDict = {"node_selector_terms": [{"match_expressions": [expression]}]}
    return k8s.apps.v1.DaemonSet(
        name,
        metadata={"name": app, "namespace": "kube-system", "labels": labels},
        spec={
            "selector": {"match_labels": labels},
            "update_strategy": {"type": "RollingUpdate", "rolling_update": {"max_unavailable": ROLL_AT_ONCE}},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "priority_class_name": "system-node-critical",
                    # As upstream tests its installers (container-engine-accelerators@992db81): the driver's asks the
                    # metadata server and downloads, and on the pod network that would wait for DNS.
                    "host_network": True,
                    "host_pid": True,
                    "automount_service_account_token": False,
                    "affinity": {"node_affinity": {"required_during_scheduling_ignored_during_execution": selector}},
                    # Before the drivers are there a GPU node carries taints of many kinds; these pods remove the cause.
                    "tolerations": [{"operator": "Exists"}],
                    "volumes": volumes,
                    **({"init_containers": list(init_containers)} if init_containers else {}),
                    "containers": list(containers),
                },
            },
        },
        opts=in_time(opts, WAVES_SECONDS),
    )
