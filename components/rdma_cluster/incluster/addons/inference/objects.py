"""The objects that serve a model: the group of pods, the way to it, and the check that `up` waits for."""

import json
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from pulumi_offline.frozen import frozen
from rdma_agent import FOLDER
from rdma_agent.payload import payload
from ...plan.security import unprivileged
from .lws import API_VERSION
from .pod import from_secret, template
from .script_job import ScriptJob, one_pod_job
from .serving import PORT, REVISION, Serving

_PULL_SECONDS = 900  # a node's first pull of an image of 8 to 20 GB
_CHECK_SECONDS = 300  # the request, and the logs


@frozen
class Objects:
    """What is made, in the Kubernetes API's own form."""

    leader_worker_set: dict[str, Any]
    service: dict[str, Any]
    network_policy: dict[str, Any]
    check: ScriptJob
    """Its Job's name is its account's with a revision behind it."""


def objects(serving: Serving) -> Objects:
    """All of them. A label of the set changes when anything in it changes."""
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
            # Between its nodes vLLM takes orders from any client that reaches it; others get the API alone.
            "ingress": [
                {"from": [{"podSelector": {"matchLabels": labels}}]},
                {"ports": [{"protocol": "TCP", "port": PORT}]},
            ],
        },
        check=ScriptJob(
            account=check,
            rules=tuple(
                {"apiGroups": [""], "resources": [kind], "resourceNames": list(serving.pods), "verbs": ["get"]}
                for kind in ("pods", "pods/log")
            ),
            files=payload("nccl_verdict", "rdma_agent"),
            job=_check_job(serving, f"{check}-{revision}", check, revision, seconds),
            seconds=seconds + 300,
        ),
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
                # NCCL lets no rank join again: one pod that ends is the end of the group.
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": template(serving, revision, "leader"),
                "workerTemplate": template(serving, revision, "worker"),
            },
        },
    }


def _check_job(serving: Serving, name: str, account: str, revision: str, seconds: int) -> dict[str, Any]:
    """The Job that waits until the model is served, asks it once, and judges its pods' logs.

    It gives up after ``seconds``; ``account`` is the name of its account and of its files.
    """
    container = {
        "name": "check",
        "image": serving.judge_image,
        "command": ["python3", f"{FOLDER}/run.py", "check-serving"],
        "args": [
            *("--namespace", serving.namespace),
            *("--pods", *serving.pods),
            *("--label", f"{REVISION}={revision}"),
            *("--url", serving.endpoint),
            *("--model", serving.model),
            *("--network", json.dumps(asdict(serving.network), sort_keys=True)),
            *("--seconds", str(seconds)),
            *(word for gate in serving.waive for word in ("--waive", gate)),
        ],
        **({"env": [from_secret("API_KEY", serving.api_key_secret, "key")]} if serving.api_key_secret else {}),
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": FOLDER}, {"name": "logs", "mountPath": "/tmp"}],
    }
    metadata = {"name": name, "namespace": serving.namespace}
    return one_pod_job(metadata, "serving-check", account, container, seconds + 120, "logs")
