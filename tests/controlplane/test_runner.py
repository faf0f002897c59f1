"""The runner of a test on a real API server, with its own account: real Jobs, real rights, and work in between."""

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from pulumi_offline import preview
from rdma_agent import kube_api
from rdma_agent.acceptance import runner
from rdma_agent.names import TESTS_NAMESPACE as TESTS
from rdma_cluster.incluster.plan.acceptance import runner_job
from tests.acceptance.plans import args, only, pool
from .api import Api
from .cluster import Cluster
from .proving import GPU, signed_in, whole_node
from .stack_objects import manifest, of_kubernetes

PODS = f"/api/v1/namespaces/{TESTS}/pods"
ELSEWHERE = {"template": {"spec": {"nodeSelector": {"a": "b"}}}}
INDEX = "batch.kubernetes.io/job-completion-index"
MOST_SECONDS = 60
TWO = pool("a", machine="a3-megagpu-8g", fabric="tcpxo")
"""Pods that name networks, so that no driver has to publish devices."""


@pytest.fixture
def client(cluster: Cluster, api: Api, kubeconfig: Path, tmp_path: Path) -> kube_api.Api:
    """The API server as the runner's account sees it, with the objects around tests as the component makes them."""

    def program() -> None:
        from rdma_cluster.incluster import NcclAcceptance

        NcclAcceptance("t", args(TWO))  # ty: ignore[invalid-argument-type]

    for each in of_kubernetes(preview(program)):
        if not each.type.startswith("kubernetes:batch"):
            cluster.apply(manifest(each))
    return kube_api.Api(signed_in(api, kubeconfig, runner_job.RUNNER, TESTS, tmp_path), tmp_path)


def up(cluster: Cluster, client: kube_api.Api, play: Callable[[], bool], **more: Any) -> runner.Ended:
    """An `up`: runner and suspended test are made, in the provider's order, and the runner works until it has ended.

    ``play`` plays the nodes; what it returns is whether it is done.
    """
    test = only(args(TWO, **more))
    held = {"name": "the-runner", **test.runner["metadata"]}
    made = cluster.apply({**test.runner, "metadata": held, "spec": {**test.runner["spec"], "suspend": True}}).result
    spec = runner_job.suspended(test.test, made["metadata"]["uid"])
    cluster.apply({**test.test, "spec": spec})
    ended: list[runner.Ended] = []
    config = {**json.loads(test.config["run.json"]), "waitSeconds": MOST_SECONDS, "testSeconds": MOST_SECONDS}
    works = runner.Runner(client, config, made["metadata"]["name"], 0.2)
    thread = threading.Thread(target=lambda: ended.append(works.run()))
    thread.start()
    done = False
    while thread.is_alive():
        done = done or play()
        _let_go(cluster.api)
        time.sleep(0.2)
    thread.join()
    # The provider deletes a test before it makes it again, and the old runner at the end.
    for each in (test.test, made):
        cluster.api.delete(each)
        while cluster.api.get(each) is not None:
            _let_go(cluster.api)
            time.sleep(0.2)
    return ended[0]


def _let_go(api: Api) -> None:
    """What a kubelet does with pods that are deleted: a Job ends when none of its pods is left."""
    for pod in api.request("GET", PODS).json()["items"]:
        if "deletionTimestamp" in pod["metadata"]:
            api.delete({"apiVersion": "v1", "kind": "Pod", "metadata": pod["metadata"]})


def judge(api: Api, verdict: str) -> Callable[[], bool]:
    """Plays the nodes: the judge speaks once both pods of the test have one."""

    def play() -> bool:
        pods = [each for each in api.request("GET", PODS).json()["items"] if each["spec"].get("nodeName")]
        leads = [
            each for each in pods if each["metadata"]["labels"].get("batch.kubernetes.io/job-completion-index") == "0"
        ]
        if len(pods) < 2 or not leads:
            return False
        passed = verdict.startswith("passed")
        ended = {"exitCode": int(not passed), "message": verdict, "finishedAt": kube_api.stamp()}
        boxes = [
            {"name": box["name"], "image": "i", "imageID": "i", "ready": False, "restartCount": 0}
            | {"state": {"terminated": {**ended, "startedAt": kube_api.stamp()}}}
            for box in leads[0]["spec"]["containers"]
        ]
        status = {"phase": "Succeeded" if passed else "Failed", "containerStatuses": boxes}
        api.merge({"apiVersion": "v1", "kind": "Pod", "metadata": leads[0]["metadata"]}, {"status": status}, "/status")
        return True

    return play


def test_up_after_up(cluster: Cluster, api: Api, client: kube_api.Api):
    """A new pool is tested, and then nothing; a higher threshold leaves work alone until that has ended."""
    for name in ("n0", "n1"):
        cluster.add_node(name, {"pool": "a"}, [GPU], {"nvidia.com/gpu": "8"})

    first = up(cluster, client, judge(api, "passed; all_gather"))
    assert (first.status, first.message) == ("proven", "passed; all_gather")
    assert first.proof is not None and first.proof.at

    assert up(cluster, client, lambda: True).message.startswith("proven on ")

    work = cluster.create(whole_node("training"))
    assert api.wait(work, lambda state: state and state["spec"].get("nodeName"), 60)
    higher = {"thresholds": {"a3-megagpu-8g": ["all_gather:8G=199"]}}
    kept = up(cluster, client, lambda: True, **higher)
    assert kept.status == "due" and f"/{'training'}" in kept.message
    assert api.request("GET", PODS).json()["items"] == []

    api.delete(work)
    api.wait(work, lambda state: True if state is None else None, 60)
    assert up(cluster, client, judge(api, "passed"), **higher).status == "proven"
    failed = up(cluster, client, judge(api, "socket: fell back"), rerun="again")
    assert (failed.status, failed.message) == ("failed", "socket: fell back")


@pytest.mark.parametrize(
    ("path", "method", "body"),
    [
        (f"/apis/batch/v1/namespaces/{TESTS}/jobs/JOB", "DELETE", None),
        (
            f"/apis/batch/v1/namespaces/{TESTS}/jobs/JOB",
            "PATCH",
            {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}},
        ),
        (f"/api/v1/namespaces/{TESTS}/secrets", "GET", None),
        ("/api/v1/nodes/n0", "PATCH", {"metadata": {"labels": {"a": "b"}}}),
        ("/api/v1/namespaces/default/configmaps", "GET", None),
    ],
)
def test_its_account_may_do_nothing_else(cluster: Cluster, client: kube_api.Api, path: str, method: str, body: Any):
    """The pods of a suspended test may be changed by the API's own rules; an admission policy says no."""
    test = only(args(TWO))
    cluster.apply({**test.test, "spec": runner_job.suspended(test.test, "u")})

    # The server takes a new policy up within seconds, and tells nobody when.
    until = time.monotonic() + MOST_SECONDS
    while (
        code := answer(client, f"{path.replace('JOB', test.test['metadata']['name'])}?dryRun=All", method, body)
    ) < 300:
        assert time.monotonic() < until
        time.sleep(0.1)

    assert code in (403, 422)


def answer(client: kube_api.Api, path: str, method: str, body: Any) -> int:
    """The status of the server's answer."""
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    try:
        client.open(path, method, body, kind).close()
    except HTTPError as refused:
        return refused.code
    return 200
