"""Virtual functions of Oracle's RDMA NICs, handed out by NVIDIA's Network Operator."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from rdma_agent import FOLDER
from rdma_agent.payload import payload
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, replaceable, waiting_for
from ..incluster.account import cluster_binding
from .plan.virtual_functions import DEFINITIONS, OkeVirtualFunctionsArgs, VirtualFunctionsPlan, plan_virtual_functions

_NAMESPACE = "rdma-definitions"
_WAITER = "await-definitions"
_SECONDS = 1800  # the operator's images are pulled, and its pods start, after OKE calls the add-on active


@with_keys
class OkeVirtualFunctions(PlannedComponent[VirtualFunctionsPlan, None]):
    """Policies, addresses and the network of virtual functions, made once the operator knows what they are."""

    def __init__(self, name: str, args: OkeVirtualFunctionsArgs, opts: Opts = None):
        self._plan_alone(name, OkeVirtualFunctionsArgs, plan_virtual_functions, args, opts)

    def _make(self, name: str, plan: VirtualFunctionsPlan, links: None, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:OkeVirtualFunctions", name, shown, opts)
        child = replaceable(pulumi.ResourceOptions(parent=self))
        known = self._definitions(name, plan.waiter, opts.depends_on if opts else None, child)
        self.objects: list[pulumi.Resource] = [
            k8s.apiextensions.CustomResource(
                f"{name}-{key}",
                api_version=manifest["apiVersion"],
                kind=manifest["kind"],
                metadata=manifest["metadata"],
                spec=manifest["spec"],
                opts=waiting_for(child, [known]),
            )
            for key, manifest in plan.objects.items()
        ]
        """The custom resources, for others to depend on."""
        self.register_outputs({})

    def _definitions(self, name: str, image: str, after: Any, child: pulumi.ResourceOptions) -> k8s.batch.v1.Job:
        """A Job that ends when the operator's definitions are served; nothing here sleeps for a guessed time."""
        names = f"{name}-definitions"
        space = k8s.core.v1.Namespace(names, metadata={"name": _NAMESPACE}, opts=child)
        inside = waiting_for(child, [space])
        metadata: Any = {"name": _WAITER, "namespace": _NAMESPACE}
        of_cluster = f"rdma-{_WAITER}"
        account = k8s.core.v1.ServiceAccount(names, metadata=metadata, opts=inside)
        role = k8s.rbac.v1.ClusterRole(
            names,
            metadata={"name": of_cluster},
            rules=[
                {
                    "api_groups": ["apiextensions.k8s.io"],
                    "resources": ["customresourcedefinitions"],
                    "resource_names": list(DEFINITIONS),
                    "verbs": ["get"],
                }
            ],
            opts=child,
        )
        binding = cluster_binding(names, of_cluster, _WAITER, _NAMESPACE, waiting_for(child, [role, account]))
        config_map = k8s.core.v1.ConfigMap(names, metadata=metadata, data=payload("rdma_agent"), opts=inside)
        return k8s.batch.v1.Job(
            names,
            metadata=metadata,
            spec=_waiting_job(image),
            opts=pulumi.ResourceOptions.merge(
                # The operator stays until what it made for the custom resources is gone.
                pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=after)),
                pulumi.ResourceOptions(
                    depends_on=[binding, config_map],
                    delete_before_replace=True,
                    custom_timeouts=pulumi.CustomTimeouts(create=f"{_SECONDS + 600}s"),
                ),
            ),
        )


def _waiting_job(image: str) -> Any:
    return {
        "backoff_limit": 3,
        "active_deadline_seconds": _SECONDS + 600,
        "template": {
            "spec": {
                "restart_policy": "Never",
                "service_account_name": _WAITER,
                "enable_service_links": False,
                "containers": [
                    {
                        "name": "await",
                        "image": image,
                        "command": ["python3", f"{FOLDER}/run.py", "await-definitions", str(_SECONDS), *DEFINITIONS],
                        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
                        "security_context": {
                            "run_as_non_root": True,
                            "run_as_user": 65534,
                            "allow_privilege_escalation": False,
                            "read_only_root_filesystem": True,
                            "capabilities": {"drop": ["ALL"]},
                            "seccomp_profile": {"type": "RuntimeDefault"},
                        },
                        "volume_mounts": [{"name": "scripts", "mount_path": FOLDER}],
                    }
                ],
                "volumes": [{"name": "scripts", "config_map": {"name": _WAITER}}],
            }
        },
    }
