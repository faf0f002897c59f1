"""The two Jobs around a test: the runner decides whether it is due and runs it, and `up` waits for the watcher."""

from collections.abc import Mapping
from typing import Any

from rdma_agent import FOLDER
from rdma_agent.acceptance.runner import WAIT
from rdma_agent.names import RUNNER_UID, TESTS_NAMESPACE
from ..rights import holding, requests, rule
from ..security import unprivileged
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
        rule("batch", "jobs", "get", "list", "patch"),
        *([rule("kubeflow.org", "mpijobs", "get", "list", "patch")] if mpi else []),
        rule("", "pods", "list"),
        rule("", "configmaps", "get", "create", "patch", "delete"),
    ]


def policy() -> dict[str, Any]:
    """Spec of the policy that lets the account suspend a test and let it run, and change nothing of its pods."""
    looks_at = [requests(group, kind, "UPDATE", version="*") for group, kind in _JOBS.items()]
    pods = "object.kind == 'Job' ? object.spec.template == oldObject.spec.template : "
    same = f"{pods}object.spec.mpiReplicaSpecs == oldObject.spec.mpiReplicaSpecs"
    return holding((RUNNER, TESTS_NAMESPACE), looks_at, f"{RUNNER} lets tests run", {"no other pods": same})


def suspended(test: Mapping[str, Any], runner: object) -> dict[str, Any]:
    """The spec of a test that waits for its runner, whose uid its leading pods carry: another runner, another test."""
    spec = test["spec"]
    if test["kind"] == "Job":
        return {**spec, "suspend": True, "template": annotated(spec["template"], runner)}
    launcher = spec["mpiReplicaSpecs"]["Launcher"]
    replicas = {"Launcher": {**launcher, "template": annotated(launcher["template"], runner)}}
    waits = {"runPolicy": {**spec["runPolicy"], "suspend": True}}
    return {**spec, **waits, "mpiReplicaSpecs": {**spec["mpiReplicaSpecs"], **replicas}}


def annotated(template: Mapping[str, Any], runner: object) -> dict[str, Any]:
    """A template of pods that carry the uid of their runner."""
    metadata = template["metadata"]
    annotations = {**metadata.get("annotations", {}), RUNNER_UID: runner}
    return {**template, "metadata": {**metadata, "annotations": annotations}}


def wait_seconds(on_busy: str, start_seconds: int) -> int:
    """How long the runner waits for idle nodes."""
    return _WAITS if on_busy == WAIT else start_seconds


def jobs(proves: str, pool: str, image: str, seconds: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The runner and the watcher of a test that ``proves`` these values. The runner ends within ``seconds``.

    Neither has a name: the provider gives each another one when it replaces it. So the new one is made before the old
    one goes, and nothing that a user made from outputs behind the test is deleted with it.
    """
    expect = {"name": "expect", "configMap": {"name": expectation_name(pool)}}
    running = _job("run-test", ["--config", f"/expect/{CONFIG}"], image, seconds, expect)
    # `up` waits for the watcher alone.
    running["metadata"]["annotations"]["pulumi.com/skipAwait"] = "true"
    # Other values are a reason to look again.
    running["spec"]["template"]["metadata"]["annotations"] = {"rdma-cluster/proves": proves}
    watch = ["--seconds", str(seconds + _WATCH_SECONDS)]
    return running, _job("watch-test", watch, image, seconds + 10 * _WATCH_SECONDS, expect)


def watching(spec: Mapping[str, Any], runner: object, uid: object) -> dict[str, Any]:
    """The spec of a watcher that waits for a runner, by name and uid."""
    template = annotated(spec["template"], uid)
    (container,) = template["spec"]["containers"]
    words = [*container["args"], "--runner", runner]
    return {
        **spec,
        "template": {**template, "spec": {**template["spec"], "containers": [{**container, "args": words}]}},
    }


def _job(program: str, words: list[str], image: str, seconds: int, expect: dict[str, Any]) -> dict[str, Any]:
    own = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-name']"}}
    container = {
        "name": program,
        "image": image,
        "command": ["python3", f"{FOLDER}/run.py", program],
        "args": words,
        "env": [{"name": "JOB", "valueFrom": own}],
        # The watcher of MPIJobs in 0.1.0, which asked for as much, was measured at 32 MiB.
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": FOLDER}, {"name": "expect", "mountPath": "/expect"}],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"namespace": TESTS_NAMESPACE, "annotations": dict(AGAIN)},
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
