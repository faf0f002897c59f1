"""A Job of one pod that runs a script of ours once, under an account of its own."""

from collections.abc import Mapping
from typing import Any

from pulumi_offline.frozen import frozen
from ...plan.acceptance.runner_job import AGAIN


@frozen
class ScriptJob:
    """What the script needs, and its Job in the Kubernetes API's own form."""

    account: str
    """Name of its account, of the account's Role, and of the ConfigMap of its files."""
    rules: tuple[dict[str, Any], ...]
    """Rules of the Role."""
    files: dict[str, str]
    job: dict[str, Any]
    seconds: int
    """How long `up` waits for it."""


def one_pod_job(
    metadata: Mapping[str, Any], app: str, account: str, container: dict[str, Any], seconds: int, *emptied: str
) -> dict[str, Any]:
    """The Job, which fails after ``seconds``; its pod has its files, and an empty volume for each of ``emptied``."""
    files: dict[str, Any] = {"name": "files", "configMap": {"name": account}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {**metadata, "annotations": AGAIN},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds,
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": app}},
                "spec": {
                    "restartPolicy": "Never",
                    "serviceAccountName": account,
                    "enableServiceLinks": False,
                    "containers": [container],
                    "volumes": [files, *({"name": name, "emptyDir": {}} for name in emptied)],
                },
            },
        },
    }
