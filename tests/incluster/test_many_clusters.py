"""Jobs of one queue run on many clusters: a worker gives little away, and a manager shows nothing of it."""

import json
from typing import Any

import pytest
from pulumi_offline import preview
from rdma_cluster.incluster.addons.queues.args import DispatchKind, framework_of
from rdma_cluster.incluster.addons.queues.dispatch import gpus_of, target_of
from rdma_cluster.incluster.addons.queues.plan import QueuesPlan
from rdma_cluster.incluster.addons.queues.worker import rights, token_kubeconfig
from rdma_cluster.incluster.plan.job import Training, any_node, objects
from tests.incluster.plans import config_of, planned_with
from tests.queue_keys import SENT
from tests.stacks import ROOT, graph_of

P5 = {"name": "p5", "machine": "p5.48xlarge", "nodes": 3, "gpu_allocation": "device-plugin"}
OWN = json.dumps({"clusters": [], "users": []})
CLUSTERS = [{"name": "google", "stack": "a/b/google"}, {"name": "amazon", "stack": "a/b/amazon"}]
DISPATCH = {"manager": "lab", "clusters": CLUSTERS, "queues": {"train": ["google", "amazon"], "infer": ["amazon"]}}


def worker(queue: str = "train", **more: Any) -> QueuesPlan:
    """Plan a cluster that takes the jobs of a manager's queue."""
    return planned_with(pools=[P5], kubeconfig=OWN, worker={"queues": {queue: "p5"}}, **more)


def test_a_shared_queue_leads_to_its_pool_under_the_managers_name():
    """A queue that has the pool's own name is there already."""
    shared, own = worker().worker, worker("p5").worker
    assert shared is not None and own is not None

    (queue,) = shared.local_queues
    assert (queue["metadata"], queue["spec"]) == ({"name": "train", "namespace": "default"}, {"clusterQueue": "p5"})
    assert shared.gpus == {"train": 24}
    assert own.local_queues == () and own.gpus == {"p5": 24}


@pytest.mark.parametrize("kind", DispatchKind)
def test_a_manager_may_make_and_delete_jobs_and_change_none(kind: DispatchKind):
    """Its rights are of the kinds that are named, as ``rdma-cluster job`` writes them, and of Kueue's own workloads."""
    everywhere, within = rights([kind])
    job = objects(kind.value, Training("t", "default", 2, any_node(8), (), "i", ("p",)))[-1]
    group, plural = job["apiVersion"].partition("/")[0], f"{job['kind'].lower()}s"
    granted = {each["resources"][0]: (each["apiGroups"], each["verbs"]) for each in within}

    assert framework_of(kind) in config_of(worker())["integrations"]["frameworks"]
    assert [each["resources"] for each in everywhere] == [["workloads"], [plural]]
    assert {verb for each in everywhere for verb in each["verbs"]} == {"list", "watch"}
    assert granted == {
        "workloads": (["kueue.x-k8s.io"], ["create", "delete", "get", "update"]),
        "workloads/status": (["kueue.x-k8s.io"], ["patch"]),
        plural: ([group], ["create", "delete", "get"]),
    }


def test_a_manager_gets_a_token_and_no_plugin():
    cluster = {"name": "c", "cluster": {"server": "https://k.example", "certificate-authority-data": "Q0E="}}
    own = {
        "clusters": [cluster],
        "users": [{"name": "c", "user": {"exec": {"command": "aws"}}}],
        "current-context": "c",
    }
    given = json.loads(token_kubeconfig(json.dumps(own), "t"))

    assert given == {**own, "users": [{"name": "c", "user": {"token": "t"}}]}


def test_a_queue_has_the_gpus_of_all_clusters_that_take_its_jobs():
    """A cluster that takes none of a queue's jobs is named."""
    targets = {
        "google": json.dumps({"kubeconfig": "{}", "gpus": {"train": "32", "x": 8}}),
        "amazon": json.dumps({"kubeconfig": "{}", "gpus": {"train": 16}}),
    }

    assert gpus_of("train", targets) == "48"
    assert target_of(targets["google"]) == ("{}", {"train": 32, "x": 8})
    with pytest.raises(ValueError, match="amazon takes jobs of train alone; add x to"):
        gpus_of("x", targets)


def test_a_manager_watches_the_kinds_that_it_sends():
    """Kueue calls a cluster lost that lacks a kind of its frameworks; a manager without pools waits for no pods."""
    alone = config_of(planned_with(pools=[], dispatch=DISPATCH))
    beside = config_of(planned_with(pools=[P5], dispatch={**DISPATCH, "kinds": ["mpijob"], "lost_minutes": 60}))

    assert alone["integrations"]["frameworks"] == ["batch/job", "jobset.x-k8s.io/jobset"]
    assert "waitForPodsReady" not in alone and "deviceClassMappings" not in alone["resources"]
    assert alone["multiKueue"]["origin"] == "lab"
    assert beside["integrations"]["frameworks"] == ["kubeflow.org/mpijob"]
    assert beside["multiKueue"]["workerLostTimeout"] == "60m" and "waitForPodsReady" in beside
    assert "multiKueue" not in config_of(worker())


def test_one_program_joins_two_clouds():
    """Kueue's objects come after what they name; a queue has all GPUs, and no credential is in the graph."""
    graph = preview(ROOT / "examples" / "many-clusters")
    ours = [each for each in graph.resources if "kind" in each.inputs and "manager" in each.name]
    of_kind = {each.inputs["kind"]: each for each in ours}
    (resources,) = of_kind["ClusterQueue"].inputs["spec"]["resourceGroups"]

    assert resources["flavors"][0]["resources"] == [{"name": "nvidia.com/gpu", "nominalQuota": "64"}]
    for kind, of in (
        ("MultiKueueCluster", "Secret"),
        ("MultiKueueConfig", "MultiKueueCluster"),
        ("AdmissionCheck", "MultiKueueConfig"),
        ("ClusterQueue", "AdmissionCheck"),
        ("LocalQueue", "ClusterQueue"),
    ):
        assert of_kind[of].urn in of_kind[kind].dependencies, kind
    secrets = [each for each in graph.resources if each.name.startswith("manager-dispatch-")]
    assert [each.inputs["stringData"] for each in secrets] == ["[secret]", "[secret]"]


def test_a_kubeconfig_that_a_manager_is_given_is_seen_nowhere():
    graph = graph_of("gke", f"queues={{enabled: true, dispatch: {{{SENT}}}}}")

    assert "users: []" not in json.dumps(graph.to_dict())
    (whole,) = [each for each in graph.resources if each.type.endswith("GkeRdmaCluster")]
    assert whole.inputs["queues"]["dispatch"]["clusters"] == [{"name": "other"}]
