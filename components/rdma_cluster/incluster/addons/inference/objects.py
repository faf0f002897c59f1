"""The objects that serve a model: the group of pods, the way to it, and the check that `up` waits for."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ....nccl.bundle import SERVING, files
from ...in_pod import API_FILE, script
from .check import FILE, check_job
from .lws import API_VERSION
from .pod import template
from .serving import PORT, Serving

_PULL_SECONDS = 900  # a node's first pull of an image of 8 to 20 GB
_CHECK_SECONDS = 300  # the request, and the logs


@dataclass(frozen=True)
class Objects:
    """What is made, in the Kubernetes API's own form."""

    leader_worker_set: dict[str, Any]
    service: dict[str, Any]
    network_policy: dict[str, Any]
    check: str
    """Name of the account that checks, of its Role and its files; that of its Job has a revision behind it."""
    check_rules: tuple[dict[str, Any], ...]
    check_files: dict[str, str]
    check_job: dict[str, Any]
    check_seconds: int


def objects(serving: Serving) -> Objects:
    """All of them. The set has a label that is another when anything of it is."""
    group = _set(serving, "")
    revision = sha256(json.dumps(group, sort_keys=True).encode()).hexdigest()[:8]
    group = _set(serving, revision)
    labels = serving.labels
    check = f"{serving.name}-check"
    seconds = _PULL_SECONDS + serving.start_seconds + _CHECK_SECONDS
    return Objects(
        leader_worker_set=group,
        service={
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": serving.service,
                "namespace": serving.namespace,
                # It has an endpoint when the model is loaded, for which the check waits, and says more where it is not.
                "annotations": {"pulumi.com/skipAwait": "true"},
            },
            "spec": {
                "type": "ClusterIP",
                "selector": {**labels, "rdma-cluster/role": "leader"},
                "ports": [{"name": "http", "port": PORT, "targetPort": PORT}],
            },
        },
        network_policy={
            "podSelector": {"matchLabels": labels},
            "policyTypes": ["Ingress"],
            # Between its nodes vLLM takes orders from whoever reaches it; others get the API alone.
            "ingress": [
                {"from": [{"podSelector": {"matchLabels": labels}}]},
                {"ports": [{"protocol": "TCP", "port": PORT}]},
            ],
        },
        check=check,
        check_rules=tuple(
            {"apiGroups": [""], "resources": [kind], "resourceNames": list(serving.pods), "verbs": ["get"]}
            for kind in ("pods", "pods/log")
        ),
        check_files={**files(SERVING), **{name: script(name) for name in (FILE, API_FILE)}},
        check_job=check_job(serving, f"{check}-{revision}", check, revision, seconds),
        check_seconds=seconds + 300,
    )


def _set(serving: Serving, revision: str) -> dict[str, Any]:
    return {
        "apiVersion": API_VERSION,
        "kind": "LeaderWorkerSet",
        "metadata": {
            "name": serving.name,
            "namespace": serving.namespace,
            # Its pods hold claims, which the drivers must take back before they go.
            "annotations": {"pulumi.com/deletionPropagationPolicy": "foreground"},
        },
        "spec": {
            "replicas": 1,
            "leaderWorkerTemplate": {
                "size": serving.nodes,
                # NCCL lets nobody back in: one pod that ends is the end of the group.
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": template(serving, revision, "leader"),
                "workerTemplate": template(serving, revision, "worker"),
            },
        },
    }
