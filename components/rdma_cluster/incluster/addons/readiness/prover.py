"""The prover: its Deployment, its account, and what that may do."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ....frozen import frozen
from ...in_pod import API_FILE, script
from ...plan.acceptance import marker_policy
from ...plan.security import unprivileged
from .own_tests import own_tests

PROVER = "rdma-prover"
"""Account, Deployment, Lease, roles and policy."""
NAMESPACE = "rdma-readiness"
PORT = 9188
PRIORITY = "rdma-cluster-prover"
PRIORITY_VALUE = -100
"""Below the autoscaler's --expendable-pods-priority-cutoff of -10: its pods never make a pool grow, and never keep a
node (kubernetes/autoscaler cluster-autoscaler/FAQ.md, 2026-11-23)."""
SCRIPTS = (
    "prover.py",
    "cluster_state.py",
    "decide.py",
    "outcomes.py",
    "rings.py",
    "pairs.py",
    "fleet.py",
    "fill.py",
    "lease.py",
    "metrics.py",
    "device_taints.py",
    "mark_proofs.py",
    "proof.py",
    API_FILE,
)
_FOLDER, _CONFIG = "/prover", "config.json"
_DEVICES = ("resourceslices", "devicetaintrules")
"""What says which devices a node has, and which of them no pod gets."""
CONDITION = "RdmaFabricProven"


@frozen
class Prover:
    """In the Kubernetes API's own form."""

    files: dict[str, str]
    """Of its ConfigMap."""
    digest: str
    """Of the files: with others there is another pod."""
    deployment: dict[str, Any]
    cluster_rules: tuple[dict[str, Any], ...]
    test_rules: tuple[dict[str, Any], ...]
    """In the namespace of the tests."""
    own_rules: tuple[dict[str, Any], ...]
    """In its own namespace."""
    event_rules: tuple[dict[str, Any], ...]
    """In ``default``, where events of nodes are."""
    policies: Mapping[str, dict[str, Any]]
    """ValidatingAdmissionPolicies by name: a role knows no fields."""


def prover(config: Mapping[str, Any], image: str, *, slices: bool, mpi: bool) -> Prover:
    """All of it. ``slices``: devices are seen in ResourceSlices; ``mpi``: some tests are MPIJobs."""
    files = {name: script(name) for name in SCRIPTS} | {_CONFIG: json.dumps(config, sort_keys=True)}
    return Prover(
        files=files,
        digest=digest_of(files),
        deployment=_deployment(image),
        cluster_rules=(
            _rule("", "nodes", "list", "patch"),
            _rule("", "nodes/status", "patch"),
            _rule("", "pods", "list"),
            *([_rule("resource.k8s.io", each, "list") for each in _DEVICES] if slices else []),
        ),
        test_rules=(
            _rule("batch", "jobs", "list", "create", "delete"),
            *([_rule("kubeflow.org", "mpijobs", "list", "create", "delete")] if mpi else []),
            _rule("", "configmaps", "create"),
            _rule("", "services", "create"),
        ),
        own_rules=(_rule("coordination.k8s.io", "leases", "get", "create", "update"),),
        event_rules=(_rule("", "events", "create"),),
        policies={
            PROVER: marker_policy.spec(NAMESPACE, PROVER, holds=True),
            f"{PROVER}-conditions": marker_policy.spec_of_status(NAMESPACE, PROVER, CONDITION),
            f"{PROVER}-tests": own_tests(NAMESPACE, PROVER),
        },
    )


def digest_of(files: Mapping[str, str]) -> str:
    """By which other files are told, in whatever order they stand."""
    return sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:12]


def _rule(group: str, resource: str, *verbs: str) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}


def _deployment(image: str) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": PROVER, "app.kubernetes.io/managed-by": "rdma-cluster"}
    container = {
        "name": "prover",
        "image": image,
        "command": ["python3", "-B", f"{_FOLDER}/prover.py"],
        "args": ["--config", f"{_FOLDER}/{_CONFIG}", "--namespace", NAMESPACE, "--port", str(PORT)],
        "ports": [{"name": "metrics", "containerPort": PORT}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": PORT}, "periodSeconds": 30, "failureThreshold": 3},
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": _FOLDER}],
    }
    return {
        "replicas": 1,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "serviceAccountName": PROVER,
                "enableServiceLinks": False,
                "priorityClassName": "system-cluster-critical",
                "containers": [container],
                "volumes": [{"name": "files", "configMap": {"name": PROVER}}],
            },
        },
    }
