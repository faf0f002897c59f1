"""The acceptance test as an MPIJob: its launcher runs nccl-tests over the workers and judges the log.

For images that hold no ssh keys: the MPI operator makes a pair for each job.
"""

from typing import Any

from rdma_agent import FOLDER
from rdma_agent.names import TESTS_NAMESPACE
from ..security import as_root
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
_OF_WORKERS = ("affinity", "resourceClaims", "initContainers", "hostNetwork", "dnsPolicy", "volumes")
"""What a launcher does without: it runs no test itself, and knows its job by its host name, which the host's is not."""
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
    """The operator makes its Service and its keys."""
    seconds = test["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["activeDeadlineSeconds"] + 60
    log = f"kubectl --namespace {TESTS_NAMESPACE} logs job/{test['metadata']['name']}-launcher --container verdict"
    return Carried(test=test, seconds=seconds, log=log)


def _replicas(count: int, metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {"replicas": count, "restartPolicy": "Never", "template": {"metadata": metadata, "spec": spec}}
