"""The controller of LeaderWorkerSets: its chart, and what waits until it answers."""

from collections.abc import Mapping

from pulumi_offline.frozen import frozen
from rdma_agent import FOLDER
from rdma_agent.payload import payload
from ....catalog import images
from ....catalog.artifact import mirrored
from ....catalog.charts import LEADER_WORKER_SET
from ....catalog.images import JUDGE_PYTHON
from ...plan.charts import Settings, pinned_image
from ...plan.rights import rule
from ...plan.security import unprivileged
from .script_job import ScriptJob, one_pod_job

NAMESPACE = "lws-system"
API_VERSION = "leaderworkerset.x-k8s.io/v1"
_WAITER = "await-lws"
_SECONDS = 600
# It asks for an object to be made, and for nothing to be kept.
_WAITER_RULES = (rule("leaderworkerset.x-k8s.io", "leaderworkersets", "create"),)


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
        "command": ["python3", f"{FOLDER}/run.py", "await-webhook", str(_SECONDS)],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": FOLDER}],
    }
    job = one_pod_job({"name": _WAITER, "namespace": NAMESPACE}, _WAITER, _WAITER, container, _SECONDS + 600)
    return Controller(settings, ScriptJob(_WAITER, _WAITER_RULES, payload("rdma_agent"), job, _SECONDS + 900))
