"""The controller of LeaderWorkerSets: its chart, and what waits until it answers."""

from collections.abc import Mapping
from typing import Any

from ....catalog import images
from ....catalog.artifact import mirrored
from ....catalog.charts import LEADER_WORKER_SET
from ....catalog.images import JUDGE_PYTHON
from ....frozen import frozen
from ...in_pod import API_FILE, FOLDER, script
from ...plan.charts import Settings, pinned_image
from ...plan.security import unprivileged
from .script_job import ScriptJob, one_pod_job

NAMESPACE = "lws-system"
API_VERSION = "leaderworkerset.x-k8s.io/v1"
_WAITER = "await-lws"
_FILE = "await_webhook.py"
_SECONDS = 600
_WAITER_RULES: tuple[dict[str, Any], ...] = (
    # It asks for an object to be made, and for nothing to be kept.
    {"apiGroups": ["leaderworkerset.x-k8s.io"], "resources": ["leaderworkersets"], "verbs": ["create"]},
)


@frozen
class Controller:
    """What brings the kind, and says when it can be used."""

    settings: Settings
    waiter: ScriptJob
    """It ends when the webhook answers."""


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
    job = one_pod_job({"name": _WAITER, "namespace": NAMESPACE}, _WAITER, _WAITER, container, _SECONDS + 600)
    files = {name: script(name) for name in (_FILE, API_FILE)}
    return Controller(settings, ScriptJob(_WAITER, _WAITER_RULES, files, job, _SECONDS + 900))
