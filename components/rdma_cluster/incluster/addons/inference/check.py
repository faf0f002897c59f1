"""The Job that waits until a model is served, asks it once, and judges its pods' logs."""

import json
from dataclasses import asdict
from typing import Any

from ....nccl.bundle import PACKAGE
from ...in_pod import FOLDER
from ...plan.acceptance.indexed_job import AGAIN
from ...plan.security import unprivileged
from .pod import from_secret
from .serving import REVISION, Serving

FILE = "serving_check.py"


def check_job(serving: Serving, name: str, account: str, revision: str, seconds: int) -> dict[str, Any]:
    """It gives up after some seconds; ``account`` is the name of its account and of its files."""
    container = {
        "name": "check",
        "image": serving.judge_image,
        "command": ["python3", f"{FOLDER}/{PACKAGE}/{FILE}"],
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
        "env": [
            {"name": "PYTHONPATH", "value": FOLDER},
            *([from_secret("API_KEY", serving.api_key_secret, "key")] if serving.api_key_secret else []),
        ],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [
            {"name": "files", "mountPath": f"{FOLDER}/{PACKAGE}"},
            {"name": "logs", "mountPath": "/tmp"},
        ],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": serving.namespace, "annotations": AGAIN},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds + 120,
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": "serving-check"}},
                "spec": {
                    "restartPolicy": "Never",
                    "serviceAccountName": account,
                    "enableServiceLinks": False,
                    "containers": [container],
                    "volumes": [
                        {"name": "files", "configMap": {"name": account}},
                        {"name": "logs", "emptyDir": {}},
                    ],
                },
            },
        },
    }
