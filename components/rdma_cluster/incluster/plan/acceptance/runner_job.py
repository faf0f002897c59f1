"""The two Jobs around a test: the runner decides whether it is due and runs it, and `up` waits for the watcher."""

from typing import Any

from rdma_agent import FOLDER
from rdma_agent.acceptance.runner import WAIT
from rdma_agent.names import POOL, TESTS_NAMESPACE
from ..rights import holding, requests, rule
from ..security import unprivileged
from .marker_policy import MARKER
from .pod import FILES_VOLUME, expectation_name

RUNNER = "nccl-runner"
"""Service account of both, its roles, and the policy that confines it."""
CLUSTER_RULES = [rule("", "nodes", "list"), rule("", "pods", "list")]
"""What the account may do everywhere: see which nodes are in use."""
CONFIG = "run.json"
"""Key of the ConfigMap with a pool's test, and its expectation beside it."""
AGAIN = {"pulumi.com/replaceUnready": "true"}
"""The next `up` makes a failed Job again; without it the provider would look at the failed one for ever."""
_WATCH_SECONDS = 60
_JOBS = {"batch": "jobs", "kubeflow.org": "mpijobs"}
_WAITS = 12 * 3600
"""How long ``acceptance.onBusy: wait`` waits for idle nodes."""


def rules(*, mpi: bool) -> list[dict[str, Any]]:
    """What the account may do in the namespace of the tests."""
    return [
        rule("batch", "jobs", "get", "list", "create", "delete", "patch"),
        *([rule("kubeflow.org", "mpijobs", "get", "list", "create", "delete")] if mpi else []),
        rule("", "pods", "list"),
        rule("", "configmaps", "get", "create", "patch", "delete"),
    ]


def policy() -> dict[str, Any]:
    """Spec of the policy that holds the account to tests of pools, whose pods have no account but the marker's."""
    accounts = f"in ['', '{MARKER}']"
    bare = "{of}.template.spec.?serviceAccountName.orValue('') " + accounts
    replicas = f"object.spec.mpiReplicaSpecs.all(each, {bare.format(of='object.spec.mpiReplicaSpecs[each]')})"
    of_pods = f"object.kind == 'Job' ? {bare.format(of='object.spec')} : {replicas}"
    labelled = f"'{POOL}' in (request.operation == 'DELETE' ? oldObject : object).metadata.?labels.orValue({{}})"
    held = {"tests of pools": labelled, "without an account": f"request.operation == 'DELETE' || ({of_pods})"}
    of_jobs = [requests(group, kind, "CREATE", "DELETE", version="*") for group, kind in _JOBS.items()]
    return holding((RUNNER, TESTS_NAMESPACE), of_jobs, f"{RUNNER} makes and deletes tests", held)


def wait_seconds(on_busy: str, start_seconds: int) -> int:
    """How long the runner waits for idle nodes."""
    return _WAITS if on_busy == WAIT else start_seconds


def jobs(name: str, pool: str, image: str, seconds: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The runner and the watcher of a test called ``name``. The runner ends within ``seconds``."""
    runner, watcher = f"{name}-runner", f"{name}-watcher"
    run = ["--config", f"/expect/{CONFIG}", "--job", runner]
    watch = ["--runner", runner, "--job", watcher, "--seconds", str(seconds + _WATCH_SECONDS)]
    expect = {"name": "expect", "configMap": {"name": expectation_name(pool)}}
    running = _job(runner, image, ["run-test", *run], seconds, expect)
    # `up` waits for the watcher alone.
    running["metadata"]["annotations"]["pulumi.com/skipAwait"] = "true"
    return running, _job(watcher, image, ["watch-test", *watch], seconds + 10 * _WATCH_SECONDS, expect)


def _job(name: str, image: str, words: list[str], seconds: int, expect: dict[str, Any]) -> dict[str, Any]:
    container = {
        "name": words[0],
        "image": image,
        "command": ["python3", f"{FOLDER}/run.py", words[0]],
        "args": words[1:],
        # The watcher of MPIJobs in 0.1.0, which asked for as much, was measured at 32 MiB.
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": FOLDER}, {"name": "expect", "mountPath": "/expect"}],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": TESTS_NAMESPACE, "annotations": dict(AGAIN)},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds,
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": RUNNER}},
                "spec": {
                    "restartPolicy": "Never",
                    "serviceAccountName": RUNNER,
                    "enableServiceLinks": False,
                    "containers": [container],
                    "volumes": [FILES_VOLUME, expect],
                },
            },
        },
    }
