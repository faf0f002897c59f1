"""The acceptance test as an Indexed Job: pod 0 runs nccl-tests over ssh and judges the log, the others lend their node.

No operator: the diagnostic image holds the ssh keys, the pods know each other by the names that an
Indexed Job gives them, and the Job has succeeded when pod 0 has (``successPolicy``, GA in Kubernetes 1.33).
"""

from typing import Any

from rdma_agent.names import TESTS_NAMESPACE
from .pod import Carried, Measure, job_name, labels, lead_env, lead_spec, node_container, node_spec, pod_metadata

READY_SECONDS = 900
"""The other pods pull the image while the first one waits."""


def test_of(measure: Measure, start_seconds: int) -> dict[str, Any]:
    """The Job. Its pods may take ``start_seconds`` to run; then it ends by itself, a stuck test with a verdict."""
    env = [
        *lead_env(measure),
        {"name": "SUBDOMAIN", "value": job_name(measure.pool)},
        {"name": "DAEMON", "value": measure.image.daemon},
    ]
    test = node_container("test", "pod.sh", measure, env)
    test["volumeMounts"].append({"name": "results", "mountPath": "/results"})
    name, of_pool = job_name(measure.pool), labels(measure.pool)
    spec = lead_spec(measure, test, node_spec(measure))
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": TESTS_NAMESPACE, "labels": of_pool},
        "spec": {
            "completions": measure.nodes,
            "parallelism": measure.nodes,
            "completionMode": "Indexed",
            "successPolicy": {"rules": [{"succeededIndexes": "0"}]},
            "backoffLimit": 0,
            # The verdict's own deadline comes first, so that a stuck test fails with a gate and not with a time-out.
            "activeDeadlineSeconds": start_seconds + measure.seconds + 120,
            "template": {
                "metadata": pod_metadata(measure),
                "spec": {**spec, "restartPolicy": "Never", "subdomain": name},
            },
        },
    }


def carry(measure: Measure, test: dict[str, Any]) -> Carried:
    """A headless Service gives each pod a name before it is ready."""
    # Its pods come with the Job, and the Job comes after it: nothing to wait for.
    skip = {"annotations": {"pulumi.com/skipAwait": "true"}}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": job_name(measure.pool), "namespace": TESTS_NAMESPACE, **skip},
        "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": labels(measure.pool)},
    }
    # A Job has many pods, and ``logs job/...`` would take any of them.
    first = f"batch.kubernetes.io/job-name={test['metadata']['name']},batch.kubernetes.io/job-completion-index=0"
    log = f"kubectl --namespace {TESTS_NAMESPACE} logs --selector {first} --container verdict --tail=-1"
    return Carried(test=test, seconds=test["spec"]["activeDeadlineSeconds"] + 60, service=service, log=log)
