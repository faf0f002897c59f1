"""A test of the prover is what `up` runs for a pool of as many nodes."""

import json
from typing import Any

import pytest
from rdma_agent import names
from rdma_cluster.incluster.addons.readiness.plan import template_of
from rdma_cluster.incluster.plan.pool import InClusterPool
from tests.acceptance.plans import args, only, pool
from tests.readiness.in_pod import load

fill = load("fill")

POOLS = {
    "job": pool(),
    "mpi": pool("p5", machine="p5.48xlarge", fabric="efa"),
    "long": pool("Pool_with-a-name-that-is-no-label-and-too-long"),
}


def without_nodes(made: dict[str, Any], name: str) -> dict[str, Any]:
    """The object without what pins it to nodes, and with its name in the place of each of the plan's."""
    copy = json.loads(json.dumps(made))
    replicas = copy["spec"].get("mpiReplicaSpecs", {"": copy["spec"]})
    for each in replicas.values():
        affinity = each["template"]["spec"].get("affinity", {})
        affinity.pop("nodeAffinity", None)
        if not affinity:
            each["template"]["spec"].pop("affinity", None)
    return json.loads(json.dumps(copy).replace(name, "NAME"))


@pytest.mark.parametrize("kind", POOLS)
@pytest.mark.parametrize("nodes", [2, 3, 16])
def test_a_filled_in_test_is_what_up_runs_for_as_many_nodes(kind: str, nodes: int):
    """It differs in names and in the nodes that it is pinned to."""
    of_two: InClusterPool = POOLS[kind]
    more = {"also_run": ["alltoall"]}
    two = only(args(of_two, fingerprints={}, **more))
    whole = only(args({**of_two, "nodes": nodes}, fingerprints={}, **more))
    expected = json.loads(json.dumps(whole.test))
    for old in (expected["metadata"]["name"], f"nccl-{whole.short}", f"nccl-test-{whole.short}"):
        expected = json.loads(json.dumps(expected).replace(f'"{old}"', '"prove-x"'))
    text = json.dumps(expected).replace(f'"rdma-cluster/pool": "{whole.short}"', '"rdma-cluster/pool": "prove-x"')

    test, *others = fill.filled(template_of(two), "prove-x", [f"n{i}" for i in range(nodes)])

    assert without_nodes(test, "prove-x") == without_nodes(json.loads(text), "prove-x")
    config = next(each for each in others if each["kind"] == "ConfigMap")
    assert config["apiVersion"] == "v1"
    assert config["metadata"] == {"name": "prove-x", "namespace": test["metadata"]["namespace"]}
    assert json.loads(config["data"]["expectation.json"]) == json.loads(whole.config["expectation.json"])
    assert [each["kind"] for each in others] == (["Service"] if two.service else []) + ["ConfigMap"]


@pytest.mark.parametrize("kind", ["job", "mpi"])
def test_a_test_stays_on_its_nodes(kind: str):
    """Each pod, the launcher too, runs on one of them and gives way to any work; one container reports."""
    two = only(args(POOLS[kind], fingerprints={}))
    test = fill.filled(template_of(two), "prove-x", ["b", "a"])[0]

    labels = test["metadata"]["labels"]
    asked = fill.asked_for(test, "p", {names.NODES: ("b", "a"), names.SUBJECTS: ("b",), names.BOOTS: ("1", "2")})

    assert asked["metadata"]["labels"] == {**labels, "rdma-cluster/proves": "p"}
    assert asked["metadata"]["annotations"] == {
        "rdma-cluster/nodes": '["b", "a"]',
        "rdma-cluster/subjects": '["b"]',
        "rdma-cluster/boots": '["1", "2"]',
    }
    reports = 0
    for each in asked["spec"].get("mpiReplicaSpecs", {"": asked["spec"]}).values():
        spec = each["template"]["spec"]
        rule = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert rule["nodeSelectorTerms"] == [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]} for node in ("b", "a")
        ]
        assert spec["priorityClassName"] == names.PROVER_PRIORITY
        assert "serviceAccountName" not in spec
        reports += sum({"name": "MARK_NODES", "value": "proofs"} in box.get("env", []) for box in spec["containers"])
    assert reports == 1


@pytest.mark.parametrize("kind", ["job", "mpi"])
def test_images_of_a_login_are_pulled_by_its_secret(kind: str):
    test = fill.filled(template_of(only(args(POOLS[kind], fingerprints={}))), "prove-x", ["a", "b"])[0]
    for secret, pulled in (("", None), ("mine", [{"name": "mine"}])):
        spec = fill.asked_for(test, "p", {}, secret)["spec"]
        assert all(
            each["template"]["spec"].get("imagePullSecrets") == pulled
            for each in spec.get("mpiReplicaSpecs", {"": spec}).values()
        )
