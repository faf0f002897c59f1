"""The controller of LeaderWorkerSets: its chart, and what waits until it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....catalog import images
from ....catalog.artifact import mirrored
from ....catalog.charts import LEADER_WORKER_SET
from ....catalog.images import JUDGE_PYTHON
from ...in_pod import API_FILE, FOLDER, script
from ...plan.charts import Settings, pinned_image
from ...plan.security import unprivileged

NAMESPACE = "lws-system"
API_VERSION = "leaderworkerset.x-k8s.io/v1"
WAITER = "await-lws"
"""Job, account, Role and file of what waits."""
_FILE = "await_webhook.py"
_SECONDS = 600
WAITER_RULES: list[dict[str, Any]] = [
    # It asks for an object to be made, and for nothing to be kept.
    {"apiGroups": ["leaderworkerset.x-k8s.io"], "resources": ["leaderworkersets"], "verbs": ["create"]}
]


@dataclass(frozen=True)
class Controller:
    """What brings the kind, and says when it can be used."""

    settings: Settings
    files: dict[str, str]
    waiter: dict[str, Any]
    """Spec of the Job."""
    wait_seconds: int


def controller(registries: Mapping[str, str]) -> Controller:
    """The pinned chart. Its pod says that it is ready before its webhook has a certificate, and until then nobody can
    make a LeaderWorkerSet (lws@060ab4d cmd/main.go, readyz is a ping)."""
    values = {
        "image": {"manager": pinned_image(images.LEADER_WORKER_SET, registries)},
        # A CPU and a GiB by default, which a small node of the system pool has not.
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
    }
    settings = Settings(LEADER_WORKER_SET, NAMESPACE, values, _SECONDS).mirrored(registries)
    container = {
        "name": "await",
        "image": mirrored(JUDGE_PYTHON.image, registries),
        "command": ["python3", f"{FOLDER}/{_FILE}", str(_SECONDS)],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": FOLDER}],
    }
    waiter = {
        "backoffLimit": 0,
        "activeDeadlineSeconds": _SECONDS + 600,
        "template": {
            "metadata": {"labels": {"app.kubernetes.io/name": WAITER}},
            "spec": {
                "restartPolicy": "Never",
                "serviceAccountName": WAITER,
                "enableServiceLinks": False,
                "containers": [container],
                "volumes": [{"name": "files", "configMap": {"name": WAITER}}],
            },
        },
    }
    return Controller(settings, {name: script(name) for name in (_FILE, API_FILE)}, waiter, _SECONDS + 900)
