"""The pod that looks at a node: it may read /sys and do nothing else, and ends by itself."""

from typing import Any

from rdma_agent.payload import script
from ..incluster.plan.security import unprivileged

NAMESPACE = "kube-system"
"""Where a mount of the host is allowed wherever Pod Security is enforced."""
LABELS = {"app.kubernetes.io/name": "rdma-conform", "app.kubernetes.io/managed-by": "rdma-cluster"}
SECONDS = 300
"""After which the kubelet ends it, image pull included, whatever became of who started it."""
CLUSTER_RIGHTS = (
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]},
    {"apiGroups": ["apps"], "resources": ["daemonsets"], "verbs": ["list"]},
    {
        "apiGroups": ["resource.k8s.io"],
        "resources": ["resourceslices", "deviceclasses", "resourceclaimtemplates"],
        "verbs": ["list"],
    },
)
"""All that the command asks of a cluster."""
POD_RIGHTS = (
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["create", "get", "list", "delete"]},
    {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
)
"""And in ``NAMESPACE``, for its pod; none of these with ``--no-pod``."""
_LOOK = "rdma_agent.conform.look.py"


def pod(name: str, node: str, image: str) -> dict[str, Any]:
    """The pod for one node. It has no token, no capability, no way to write, and tolerates what the node is held by."""
    container = {
        "name": "look",
        "image": image,
        "command": ["python3", "-c", script(_LOOK)],
        "securityContext": unprivileged(),
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "volumeMounts": [{"name": "sys", "mountPath": "/host/sys", "readOnly": True}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": LABELS},
        "spec": {
            # Its own /sys would show the interfaces of the pod's network alone.
            "volumes": [{"name": "sys", "hostPath": {"path": "/sys", "type": "Directory"}}],
            "nodeName": node,
            "tolerations": [{"operator": "Exists"}],
            "restartPolicy": "Never",
            "activeDeadlineSeconds": SECONDS,
            "terminationGracePeriodSeconds": 0,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "containers": [container],
        },
    }
