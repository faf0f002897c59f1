"""Jobs of one queue on many clusters: what a worker gives away, what a manager makes of it, and what nobody sees."""

import json
from typing import Any

import pytest
from pulumi_offline import Graph, preview
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons.queues.args import DispatchKind, QueuesArgs, framework_of
from rdma_cluster.incluster.addons.queues.charts import _FRAMEWORKS
from rdma_cluster.incluster.addons.queues.dispatch import gpus_of
from rdma_cluster.incluster.addons.queues.plan import QueuesPlan, plan_queues
from rdma_cluster.incluster.addons.queues.worker import rights, token_kubeconfig
from rdma_cluster.incluster.plan.job import Training, any_node, objects
from tests.queue_keys import SENT
from tests.stacks import ROOT, graph_of

P5 = {"name": "p5", "machine": "p5.48xlarge", "nodes": 3, "gpu_allocation": "device-plugin"}
TARGETS = {
    "google": json.dumps({"kubeconfig": "{}", "gpus": {"train": 32, "x": 8}}),
    "amazon": json.dumps({"kubeconfig": "{}", "gpus": {"train": 16}}),
}
OWN = json.dumps({"clusters": [], "users": []})
CLUSTERS = [{"name": "google", "stack": "a/b/google"}, {"name": "amazon", "stack": "a/b/amazon"}]
DISPATCH = {"manager": "lab", "clusters": CLUSTERS, "queues": {"train": ["google", "amazon"]}}


def planned(**args: Any) -> QueuesPlan:
    return plan_from(QueuesArgs, plan_queues, args)


def config(plan: QueuesPlan) -> dict[str, Any]:
    _, kueue = plan.charts
    return json.loads(kueue.values["managerConfig"]["controllerManagerConfigYaml"])


def worker(**more: Any) -> QueuesPlan:
    return planned(pools=[P5], pool_label="pool", kubeconfig=OWN, worker={"queues": {"train": "p5"}, **more})


def test_a_shared_queue_leads_to_its_pool():
    """Under the name that the manager has too, in every namespace, with all GPUs of the pool."""
    plan = worker().worker
    assert plan is not None

    (queue,) = plan.local_queues
    assert (queue["metadata"], queue["spec"]) == ({"name": "train", "namespace": "default"}, {"clusterQueue": "p5"})
    assert plan.gpus == {"train": 24}
    own = planned(pools=[P5], pool_label="pool", kubeconfig=OWN, worker={"queues": {"p5": "p5"}}).worker
    assert own is not None and own.local_queues == () and own.gpus == {"p5": 24}


@pytest.mark.parametrize("kind", DispatchKind)
def test_rights_are_of_the_kinds_that_are_named(kind: DispatchKind):
    """As `rdma-cluster job` writes them, and of Kueue's own workloads: of nothing else, and no job is changed."""
    everywhere, within = rights([kind])
    training = Training("t", "default", 2, any_node(8), (), "i", ("p",))
    job = objects(kind.value, training)[-1]

    assert framework_of(kind) in _FRAMEWORKS
    assert {(*each["apiGroups"], *each["resources"]) for each in (*everywhere, *within)} == {
        ("kueue.x-k8s.io", "workloads"),
        ("kueue.x-k8s.io", "workloads/status"),
        (job["apiVersion"].partition("/")[0], f"{job['kind'].lower()}s"),
    }
    assert {verb for each in everywhere for verb in each["verbs"]} == {"list", "watch"}
    changed = {resource for each in within for resource in each["resources"] if {"update", "patch"} & {*each["verbs"]}}
    assert changed == {"workloads", "workloads/status"}


def test_a_manager_gets_a_token_and_no_plugin():
    """Of the cluster at the same address."""
    cluster = {"name": "c", "cluster": {"server": "https://k.example", "certificate-authority-data": "Q0E="}}
    own = {
        "clusters": [cluster],
        "users": [{"name": "c", "user": {"exec": {"command": "aws"}}}],
        "current-context": "c",
    }
    given = json.loads(token_kubeconfig(json.dumps(own), "t"))

    assert given == {**own, "users": [{"name": "c", "user": {"token": "t"}}]}


def test_a_queue_has_the_gpus_of_all_its_clusters():
    """As far as each takes its jobs; one that does not is named."""
    assert gpus_of("train", TARGETS) == "48"
    with pytest.raises(ValueError, match="amazon takes jobs of train alone; add x to"):
        gpus_of("x", TARGETS)


def test_a_manager_watches_the_kinds_that_it_sends():
    """Kueue calls a cluster lost that lacks a kind of its frameworks; it starts no pods here, and waits for none."""
    alone = planned(pools=[], dispatch=DISPATCH)
    beside = planned(pools=[P5], pool_label="pool", dispatch={**DISPATCH, "kinds": ["mpijob"], "lost_minutes": 60})

    assert config(alone)["integrations"]["frameworks"] == ["batch/job", "jobset.x-k8s.io/jobset"]
    assert "waitForPodsReady" not in config(alone) and "deviceClassMappings" not in config(alone)["resources"]
    assert config(alone)["multiKueue"] == {"origin": "lab", "workerLostTimeout": "15m"}
    assert config(beside)["integrations"]["frameworks"] == ["kubeflow.org/mpijob"]
    assert config(beside)["multiKueue"]["workerLostTimeout"] == "60m"
    assert "waitForPodsReady" in config(beside)
    assert "multiKueue" not in config(worker())


def test_claimed_gpus_are_warned_of():
    """Their nodes have no nvidia.com/gpu, by which Kueue places a job that names no cloud."""
    claimed = planned(
        pools=[{**P5, "gpu_allocation": "dra", "fabric": "efa"}],
        pool_label="pool",
        kubeconfig=OWN,
        worker={"queues": {"train": "p5"}},
    )

    assert any("p5 takes no jobs that name no cloud" in each for each in claimed.warnings)
    assert worker().warnings == ()


def test_a_worker_without_injection_is_warned_of():
    """Pods would get GPUs and no NIC."""
    sets = ("kubernetes.version='1.36'", "queues={enabled: true, worker: {queues: {shared: p5}}}")

    assert "without injection their pods get GPUs and no NIC" in told(graph_of("eks", *sets))
    assert "without injection" not in told(graph_of("eks", *sets, "injection={enabled: true}"))


def told(graph: Graph) -> str:
    return json.dumps(graph.to_dict().get("warnings", [])) + json.dumps(graph.outputs)


def test_one_program_joins_two_clouds():
    """Kueue's objects come after what they name; a queue has all GPUs, and no credential is in the graph."""
    graph = preview(ROOT / "examples" / "many-clusters")
    of_kind = {
        each.inputs["kind"]: each for each in graph.resources if "kind" in each.inputs and "manager" in each.name
    }
    (resources,) = of_kind["ClusterQueue"].inputs["spec"]["resourceGroups"]

    assert resources["flavors"][0]["resources"] == [{"name": "nvidia.com/gpu", "nominalQuota": "64"}]
    assert of_kind["MultiKueueConfig"].inputs["spec"]["clusters"] == ["google", "amazon"]
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


def test_what_a_manager_is_given_is_seen_nowhere():
    """Neither the component's inputs nor its children's hold the kubeconfig that a program passes."""
    graph = graph_of("gke", f"queues={{enabled: true, dispatch: {{{SENT}}}}}")

    assert "users: []" not in json.dumps(graph.to_dict())
    (whole,) = [each for each in graph.resources if each.type.endswith("GkeRdmaCluster")]
    assert whole.inputs["queues"]["dispatch"]["clusters"] == [{"name": "other"}]


def test_gkes_endpoint_takes_the_token():
    """By its DNS name it takes Google's alone unless it is told; an address needs no such switch."""
    taking = "queues={enabled: true, worker: {queues: {shared: a4}}}"

    assert tokens(graph_of("gke", taking)) is True
    assert tokens(graph_of("gke")) is None
    assert tokens(graph_of("gke", taking, "kubernetes.endpoint=private")) is None


def tokens(graph: Graph) -> bool | None:
    cluster = graph.one("gcp:container/cluster:Cluster")
    return cluster.inputs["controlPlaneEndpointsConfig"]["dnsEndpointConfig"].get("enableK8sTokensViaDns")
