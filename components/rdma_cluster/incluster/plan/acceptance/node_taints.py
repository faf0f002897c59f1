"""Marks on suspected nodes: who may set them, and the credentials of the one container that does."""

from typing import Any

from ....fabrics.rollout import STARTUP_KEY

MARKER = "nccl-marker"
"""Service account, ClusterRole and its binding."""
MARKER_FILE = "mark_nodes.py"
KEY = "rdma-cluster/fabric"
"""Of the label and the taint, as in ``in_pod/mark_nodes.py``."""
MARKER_RULES: list[dict[str, Any]] = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]}]
"""They name no node: which ones are suspected is known only when the test has run. ``marker_policy`` narrows them."""
TOLERATION = {"key": KEY, "operator": "Exists", "effect": "NoSchedule"}
"""Of the test's own pods: a marked node is tested again, and cleared when it passes."""
STARTUP_TOLERATION = {"key": STARTUP_KEY, "operator": "Exists", "effect": "NoSchedule"}
"""Of whatever makes a node ready, and of what tests it."""
CREDENTIALS = "/var/run/secrets/kubernetes.io/serviceaccount"
_SOURCES = [
    {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
]
CREDENTIALS_VOLUME: dict[str, Any] = {"name": "credentials", "projected": {"sources": _SOURCES}}
"""A token, mounted into the container that judges alone: what runs the test has none."""
