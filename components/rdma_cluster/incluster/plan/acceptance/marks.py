"""Marks on suspected nodes: who may set them, and the credentials of the one container that does."""

from typing import Any

MARKER = "nccl-marker"
"""Service account, ClusterRole and its binding."""
MARKER_FILE = "mark_nodes.py"
MARKER_RULES: list[dict[str, Any]] = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]}]
"""Which nodes are suspected is known when the test has run, so that the rule can name none."""
TOLERATION = {"key": "rdma-cluster/fabric", "operator": "Exists", "effect": "NoSchedule"}
"""Of the test's own pods: a marked node is tested again, and cleared when it passes."""
CREDENTIALS = "/var/run/secrets/kubernetes.io/serviceaccount"


def credentials_volume() -> dict[str, Any]:
    """A token, mounted into the container that judges alone: what runs the test has none."""
    sources = [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    ]
    return {"name": "credentials", "projected": {"sources": sources}}
