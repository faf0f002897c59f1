"""The acceptance test as an MPIJob: its launcher runs nccl-tests over the workers and judges the log.

For images that hold no ssh keys: the MPI operator makes a pair for each job. A second pod, the watcher, waits for the
MPIJob in Pulumi's place and ends as it ended.
"""

import json
from hashlib import sha256
from typing import Any

from rdma_agent import FOLDER
from rdma_agent.names import TESTS_NAMESPACE
from ..rights import rule
from ..security import as_root, unprivileged
from .indexed_job import AGAIN
from .pod import (
    FILES_VOLUME,
    Carried,
    Measure,
    job_name,
    labels,
    lead_env,
    lead_spec,
    node_container,
    node_spec,
    pod_metadata,
    ssh_port,
)

READY_SECONDS = 300
"""The workers run when the launcher starts."""
WATCHER = "nccl-watcher"
"""Service account, Role and RoleBinding of the pods that watch."""
WATCHER_RULES = [rule("kubeflow.org", "mpijobs", "get"), rule("", "pods", "list")]
"""What they may do, in the namespace of the test alone."""
_OF_WORKERS = ("affinity", "resourceClaims", "initContainers", "hostNetwork", "dnsPolicy", "volumes")
"""What a launcher does without: it runs no test itself, and knows its job by its host name, which the host's is not."""
_WATCHED = "rdma-cluster/mpi-job"
"""Annotation of the watcher's pod: a digest of the MPIJob that it waits for."""
_LAUNCH_SECONDS = 600
"""From the last worker's start to the launcher's: its node has the test's image already, and pulls the judge's."""


def test_of(measure: Measure, start_seconds: int) -> dict[str, Any]:
    """The MPIJob, whose workers may take ``start_seconds`` to run."""
    launcher_seconds = _LAUNCH_SECONDS + measure.seconds + 120
    node = node_spec(measure)
    worker = {
        **node,
        # The operator's own deadline is the launcher's: workers without a launcher would hold their GPUs for ever.
        "activeDeadlineSeconds": start_seconds + launcher_seconds,
        "containers": [node_container("worker", "worker.sh", measure, [ssh_port(measure)])],
        "volumes": [*node["volumes"], FILES_VOLUME],
    }
    test = node_container("test", "launcher.sh", measure, lead_env(measure))
    # The operator puts the keys into the first container. It takes no device, and a library of the host is of no use.
    test["resources"] = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    test["securityContext"] = as_root()
    test["volumeMounts"] = [{"name": "files", "mountPath": FOLDER}, {"name": "results", "mountPath": "/results"}]
    # On a node of the pool: there the image is.
    launcher = lead_spec(measure, test, {key: value for key, value in node.items() if key not in _OF_WORKERS})
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": job_name(measure.pool), "namespace": TESTS_NAMESPACE, "labels": labels(measure.pool)},
        "spec": {
            "mpiImplementation": "OpenMPI",
            "sshAuthMountPath": "/root/.ssh",
            "slotsPerWorker": measure.gpus,
            "launcherCreationPolicy": "WaitForWorkersReady",
            "runPolicy": {
                # The launcher, and with it the log, stays; the nodes are free.
                "cleanPodPolicy": "Running",
                "backoffLimit": 0,
                "activeDeadlineSeconds": launcher_seconds,
            },
            "mpiReplicaSpecs": {
                # A launcher with the workers' labels would find no node: each has a worker, and they keep apart.
                "Launcher": _replicas(1, {"labels": {"app.kubernetes.io/name": "nccl-acceptance-launcher"}}, launcher),
                "Worker": _replicas(measure.nodes, pod_metadata(measure), worker),
            },
        },
    }


def carry(measure: Measure, test: dict[str, Any]) -> Carried:
    """The MPIJob has a watcher, which is awaited in its place; the operator makes its Service.

    The watcher has the MPIJob's name and an annotation that changes with it, so that both are replaced together.
    """
    name = test["metadata"]["name"]
    digest = sha256(json.dumps(test["spec"], sort_keys=True).encode()).hexdigest()[:8]
    seconds = test["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["activeDeadlineSeconds"] + 60
    container = {
        "name": "watcher",
        "image": measure.judge_image,
        "command": ["python3", f"{FOLDER}/run.py", "watch-mpi-job"],
        "args": ["--namespace", TESTS_NAMESPACE, "--job", name, "--seconds", str(seconds)],
        # Measured: 32 MiB.
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": FOLDER}],
    }
    watcher = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": TESTS_NAMESPACE, "annotations": AGAIN},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds + 600,
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": WATCHER}, "annotations": {_WATCHED: digest}},
                "spec": {
                    "restartPolicy": "Never",
                    "serviceAccountName": WATCHER,
                    "enableServiceLinks": False,
                    "containers": [container],
                    "volumes": [FILES_VOLUME],
                },
            },
        },
    }
    log = f"kubectl --namespace {TESTS_NAMESPACE} logs job/{name}-launcher --container verdict"
    return Carried(job=watcher, mpi_job=test, log=log)


def _replicas(count: int, metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {"replicas": count, "restartPolicy": "Never", "template": {"metadata": metadata, "spec": spec}}
