"""The prover: its Deployment, its account, and what that may do."""

import json
from collections.abc import Mapping
from typing import Any

from pulumi_offline.frozen import frozen
from rdma_agent import FOLDER
from rdma_agent.names import CONDITION, PROVER, PROVER_NAMESPACE
from rdma_agent.payload import payload
from ...plan.acceptance import marker_policy
from ...plan.pod_files import anew_with
from ...plan.rights import rule
from ...plan.security import unprivileged
from .policies import own_tests

PORT = 9188
PRIORITY_VALUE = -100
"""Below the autoscaler's --expendable-pods-priority-cutoff of -10: its pods never make a pool grow, and never keep a
node (kubernetes/autoscaler cluster-autoscaler/FAQ.md, 2026-11-23)."""
_CONFIG = "config.json"
_DEVICES = ("resourceslices", "devicetaintrules")
"""What says which devices a node has, and which of them no pod gets."""


@frozen
class Prover:
    """In the Kubernetes API's own form."""

    files: dict[str, str]
    """Of its ConfigMap."""
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
    files = payload("rdma_agent.prover", "rdma_agent.acceptance") | {_CONFIG: json.dumps(config, sort_keys=True)}
    return Prover(
        files=files,
        deployment=_deployment(image, anew_with(files)),
        cluster_rules=(
            rule("", "nodes", "list", "patch"),
            rule("", "nodes/status", "patch"),
            rule("", "pods", "list"),
            *([rule("resource.k8s.io", each, "list") for each in _DEVICES] if slices else []),
        ),
        test_rules=(
            rule("batch", "jobs", "list", "create", "delete"),
            *([rule("kubeflow.org", "mpijobs", "list", "create", "delete")] if mpi else []),
            rule("", "configmaps", "create"),
            rule("", "services", "create"),
        ),
        own_rules=(rule("coordination.k8s.io", "leases", "get", "create", "update"),),
        event_rules=(rule("", "events", "create"),),
        policies={
            PROVER: marker_policy.spec(PROVER_NAMESPACE, PROVER, holds=True),
            f"{PROVER}-conditions": marker_policy.spec_of_status(PROVER_NAMESPACE, PROVER, CONDITION),
            f"{PROVER}-tests": own_tests(PROVER_NAMESPACE, PROVER),
        },
    )


def _deployment(image: str, annotations: Mapping[str, str]) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": PROVER, "app.kubernetes.io/managed-by": "rdma-cluster"}
    container = {
        "name": "prover",
        "image": image,
        "command": ["python3", "-B", f"{FOLDER}/run.py", "prove"],
        "args": ["--config", f"{FOLDER}/{_CONFIG}", "--namespace", PROVER_NAMESPACE, "--port", str(PORT)],
        "ports": [{"name": "metrics", "containerPort": PORT}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": PORT}, "periodSeconds": 30, "failureThreshold": 3},
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": FOLDER}],
    }
    return {
        "replicas": 1,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels, "annotations": dict(annotations)},
            "spec": {
                "serviceAccountName": PROVER,
                "enableServiceLinks": False,
                "priorityClassName": "system-cluster-critical",
                "containers": [container],
                "volumes": [{"name": "files", "configMap": {"name": PROVER}}],
            },
        },
    }
