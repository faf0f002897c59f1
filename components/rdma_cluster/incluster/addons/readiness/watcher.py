"""The watcher of faults on the GPU nodes: what it looks for on each pool, its pods, and what they may do."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pulumi_offline.frozen import frozen
from rdma_agent import FOLDER
from rdma_agent.names import FABRIC_LABEL, STARTUP_TAINT, UNPROVEN
from rdma_agent.payload import payload
from ....catalog.faults import LIMITS, NVLINK5_XIDS, ON_HOST, PCI_IDS, WATCHED, XIDS, Taints
from ....claims.layout import has_nvidia_gpus
from ....fabrics.rollout import IN_WAVES
from ...plan.acceptance.marker_policy import CREDENTIALS, CREDENTIALS_VOLUME
from ...plan.pod_files import anew_with
from ...plan.pool import GpuPool
from ...plan.rights import rule
from ...plan.security import as_root
from .args import OnFault

NAME, NAMESPACE = "rdma-fault-watcher", "kube-system"
"""Of everything that is its own. Cloud providers admit pods of the critical priorities there without a quota."""
START_TAINT = {"key": STARTUP_TAINT, "value": UNPROVEN, "effect": "NoSchedule"}
"""What holds a node until it is proven. A node whose fault is over has it again, and the label of its proof no more, so
that the prover tests it."""
_TAINTS = {Taints.DEVICE: "device", Taints.NODE: "node", Taints.NOTHING: "nothing"}
_XIDS = {
    **{str(number): condition for number, condition in XIDS.items()},
    **{f"{number}!": "NvlinkDown" for number in NVLINK5_XIDS},
}
CONDITIONS = tuple(fault.condition for fault in WATCHED)
"""Types of conditions that the watcher sets."""


@frozen
class WatcherPlan:
    """What the watcher of faults is made of."""

    files: Mapping[str, str]
    """Of its ConfigMap."""
    spec: Mapping[str, Any]
    """Of its DaemonSet."""
    rules: tuple[dict[str, Any], ...]
    """Of its ClusterRole."""
    acts: bool
    """Whether it may taint."""


def plan_watcher(
    pools: Sequence[GpuPool], label: str, on_fault: OnFault, evict: bool, image: str, proved: Collection[str]
) -> WatcherPlan:
    """The watcher on the nodes of ``pools``, which ``label`` names.

    ``proved`` are the pools whose nodes the prover tests: on others nobody would take its taint away.
    """
    config = {
        "label": label,
        "pools": {pool.name: {**watched(pool), "proved": pool.name in proved} for pool in pools},
        "conditions": list(CONDITIONS),
        "taints": {fault.condition: _TAINTS[fault.taints] for fault in WATCHED},
        "on_fault": on_fault.value,
        "evict": evict,
        "start_taint": START_TAINT,
        "proof_label": FABRIC_LABEL,
    }
    files = payload("rdma_agent.faults") | {"faults.json": json.dumps(config, indent=1, sort_keys=True) + "\n"}
    acts = on_fault is not OnFault.OBSERVE
    spec = _daemon_set(label, [pool.name for pool in pools], image, anew_with(files))
    return WatcherPlan(files=files, spec=spec, rules=(*_RULES, *(_ACTS if acts else ())), acts=acts)


def watched(pool: GpuPool) -> dict[str, Any]:
    """What a sound node of a pool shows, as the watcher reads it."""
    machine, transport = pool.machine, pool.machine.transport
    pci = PCI_IDS[transport]
    return {
        "nics": [[pci.vendor, pci.device]],
        "expected": {
            "gpus": machine.gpus if has_nvidia_gpus(machine) else 0,
            "nics": machine.nics,
            "rails": list(machine.rdma_names or ()),
            "on_host": transport in ON_HOST,
            "limits": [[each.counter, each.most, each.seconds, each.condition] for each in LIMITS[transport]],
            "xids": _XIDS if has_nvidia_gpus(machine) else {},
        },
    }


_RULES: tuple[dict[str, Any], ...] = (
    # Which node is its own is known only where it runs: ``policies`` holds it to that.
    rule("", "nodes", "get"),
    rule("", "nodes/status", "patch"),
)
_ACTS: tuple[dict[str, Any], ...] = (
    rule("", "nodes", "patch"),
    rule("resource.k8s.io", "resourceslices", "list"),
    rule("resource.k8s.io", "devicetaintrules", "list", "create", "delete"),
)
EVENT_RULES = (rule("", "events", "create"),)
"""What it may do in the namespace ``default``, where events of nodes are."""


def _daemon_set(label: str, pools: Sequence[str], image: str, annotations: Mapping[str, str]) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/managed-by": "rdma-cluster"}
    term = {"matchExpressions": [{"key": label, "operator": "In", "values": list(pools)}]}
    container = {
        "name": "watcher",
        "image": image,
        "command": ["python3", "-B", f"{FOLDER}/run.py", "watch-faults", "--config", f"{FOLDER}/faults.json"],
        "env": [{"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
        "resources": {"requests": {"cpu": "20m", "memory": "48Mi"}, "limits": {"memory": "256Mi"}},
        # The kernel's log by syslog(2), which the runtime's profile lets through with this capability alone
        # (containerd@v1.7.33 contrib/seccomp/seccomp_default.go): no device and no folder of the host.
        "securityContext": {"runAsUser": 0, "readOnlyRootFilesystem": True, **as_root("SYSLOG")},
        "volumeMounts": [
            {"name": "files", "mountPath": FOLDER, "readOnly": True},
            {"name": CREDENTIALS_VOLUME["name"], "mountPath": CREDENTIALS, "readOnly": True},
        ],
    }
    return {
        "selector": {"matchLabels": labels},
        "updateStrategy": IN_WAVES,
        "template": {
            "metadata": {"labels": labels, "annotations": dict(annotations)},
            "spec": {
                "priorityClassName": "system-node-critical",
                "serviceAccountName": NAME,
                "automountServiceAccountToken": False,
                # In its host's network, so that /sys is the host's; names of services are asked of the cluster still.
                "hostNetwork": True,
                "dnsPolicy": "ClusterFirstWithHostNet",
                "affinity": {
                    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
                },
                # A node that is marked as broken is watched, or nobody would see that it is well again.
                "tolerations": [{"operator": "Exists"}],
                "containers": [container],
                "volumes": [{"name": "files", "configMap": {"name": NAME}}, CREDENTIALS_VOLUME],
            },
        },
    }
