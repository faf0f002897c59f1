"""NVIDIA's operators on AKS: the drivers of GPUs and NICs, and the device plugins where those hand them out."""

import pulumi
import pulumi_kubernetes as k8s
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, replaceable, waiting_for
from ..incluster.daemonset import installer_daemonset
from ..incluster.objects import install
from ..incluster.plan.charts import Settings
from .plan.operator_values import POLICY, POLICY_KIND, RULE_KIND, node_rule
from .plan.operators import DRIVER_SECONDS, PRIVILEGED, AksOperatorsArgs, MemoryLock, OperatorsPlan, plan_operators

_READY = {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"}
_HOST = "/host"
# A limit is the runtime's own, handed down to what it starts: so it is set there, and the runtime started anew, once.
# In a chroot systemctl does nothing, unless SYSTEMD_IGNORE_CHROOT is set.
_LIFT = f"""set -eu
folder={_HOST}/etc/systemd/system/containerd.service.d
wanted='[Service]
LimitMEMLOCK=infinity'
mkdir -p "$folder"
if [ "$(cat "$folder/memory-lock.conf" 2>/dev/null)" != "$wanted" ]; then
  printf '%s\\n' "$wanted" > "$folder/memory-lock.conf"
  SYSTEMD_IGNORE_CHROOT=1 chroot {_HOST} systemctl daemon-reload
  SYSTEMD_IGNORE_CHROOT=1 chroot {_HOST} systemctl restart containerd
fi
"""


@with_keys
class AksOperators(PlannedComponent[OperatorsPlan, None]):
    """The GPU Operator and the Network Operator, which fit each other; each only where it has work."""

    def __init__(self, name: str, args: AksOperatorsArgs, opts: Opts = None):
        self._plan_alone(name, AksOperatorsArgs, plan_operators, args, opts)

    def _make(self, name: str, plan: OperatorsPlan, links: None, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:AksOperators", name, shown, opts)
        child = replaceable(pulumi.ResourceOptions(parent=self))
        self.driver_seconds = plan.driver_seconds
        """What ``NcclAcceptance`` has to wait for a driver that is compiled on each new node."""
        self.ready: list[pulumi.Resource] = []
        if plan.network is not None:
            operator = _operator(f"{name}-network-operator", plan.network, child)
            rule = k8s.apiextensions.CustomResource(
                f"{name}-infiniband",
                api_version=RULE_KIND[0],
                kind=RULE_KIND[1],
                metadata={"name": "infiniband"},
                spec=node_rule(),
                # The kinds come with the chart.
                opts=waiting_for(child, [operator]),
            )
            policy = k8s.apiextensions.CustomResource(
                f"{name}-infiniband",
                api_version=POLICY_KIND[0],
                kind=POLICY_KIND[1],
                metadata={"name": POLICY, "annotations": _READY},
                spec=plan.policy,
                opts=pulumi.ResourceOptions.merge(
                    waiting_for(child, [operator, rule]),
                    pulumi.ResourceOptions(
                        custom_timeouts=pulumi.CustomTimeouts(create=f"{DRIVER_SECONDS}s", update=f"{DRIVER_SECONDS}s")
                    ),
                ),
            )
            self.ready.append(policy)
        if plan.gpu is not None:
            self.ready.append(_operator(f"{name}-gpu-operator", plan.gpu, child))
        if plan.memory_lock is not None:
            self.ready.append(_memory_lock(f"{name}-memory-lock", plan.memory_lock, child))
        self.register_outputs({})


def _operator(name: str, chart: Settings, child: pulumi.ResourceOptions) -> pulumi.Resource:
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": chart.namespace, "labels": PRIVILEGED}
    return install(name, chart, [k8s.core.v1.Namespace(name, metadata=metadata, opts=child)], child)


def _memory_lock(name: str, plan: MemoryLock, child: pulumi.ResourceOptions) -> k8s.apps.v1.DaemonSet:
    """A DaemonSet that lifts the limit of locked memory for every container of some nodes, whoever it runs as."""
    installer: k8s.core.v1.ContainerArgsDict = {
        "name": "memory-lock",
        "image": plan.installer,
        "command": ["sh", "-c", _LIFT],
        "resources": {"requests": {"cpu": "10m"}},
        "security_context": {"privileged": True},
        "volume_mounts": [{"name": "host", "mount_path": _HOST}],
    }
    return installer_daemonset(
        name,
        app="memory-lock",
        pause=plan.pause,
        nodes=plan.nodes,
        host_paths={"host": "/"},
        init_containers=[installer],
        opts=child,
    )
