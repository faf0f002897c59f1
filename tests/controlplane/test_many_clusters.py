"""Kueue on a manager sends jobs that name no cloud to two clusters; each gives them its own fabric."""

import base64
import json
import os
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest
import rdma_cluster.incluster as rdma
import yaml
from pulumi_offline import Graph, preview
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.incluster.addons.queues.worker import ACCOUNT, NAMESPACE, token_kubeconfig
from tests.cli.commands import command
from tests.stacks import ROOT, graph_of
from . import build
from .api import Api, Object, Refused
from .cluster import Cluster
from .kubeconfig import connect
from .many_clusters import Ran, Site, add_nodes, apply_all, configuration, site
from .queueing import until
from .scenarios import device_classes
from .stack_objects import pools

pytestmark = pytest.mark.skipif("KUBECONFIG_E2E" in os.environ, reason="the test needs three control planes of ours")

HERE = "train"
"""The namespace of the jobs."""
LOST_SECONDS = 30
LONG = 300.0
"""Seconds for all of a test's jobs, on a busy machine."""
NODES = 6
WORKLOADS = "kueue.x-k8s.io/v1beta2"
SETS = (
    'kubernetes.version="1.36"',
    f"claims.namespaces=[{HERE}]",
    f"pools[0].nodes={NODES}",
    "pools[0].gpuAllocation=device-plugin",
    "injection={enabled: true}",
)
QUEUES = {"gke": "{shared: a4}", "eks": "{shared: p5, efa: p5}"}
KINDS = ["job", "jobset", "mpijob", "trainjob"]
WORKERS = {"google": "gke", "amazon": "eks"}


@dataclass
class Sites:
    """A manager and its two workers."""

    manager: Site
    google: Site
    amazon: Site

    @property
    def workers(self) -> tuple[Site, Site]:
        return self.google, self.amazon


def of_worker(stack: str) -> Graph:
    """What a stack makes that takes jobs."""
    worker = f"{{queues: {QUEUES[stack]}, kinds: [{', '.join(KINDS)}]}}"
    return graph_of(stack, *SETS, f"queues={{enabled: true, worker: {worker}}}")


def of_manager() -> Graph:
    """What a cluster without GPUs makes that sends them."""
    everywhere = {"shared": NODES * 8, "efa": NODES * 8}
    target = json.dumps({"kubeconfig": "{users: [], clusters: []}", "gpus": everywhere})

    def program() -> None:
        provider = k8s.Provider("manager", kubeconfig="{}")
        rdma.Queues(
            "manager",
            {
                "pools": [],
                "namespaces": [HERE],
                "dispatch": {
                    "manager": "e2e",
                    "clusters": [{"name": "google", "dispatch": target}, {"name": "amazon", "dispatch": target}],
                    "queues": {"shared": ["google", "amazon"], "efa": ["amazon"]},
                    "kinds": KINDS,
                },
            },
            pulumi.ResourceOptions(provider=provider),
        )

    return preview(program)


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    try:
        build.queues()
    except build.BuildError as error:
        pytest.skip(str(error))
    with connected(tmp_path_factory.mktemp("clusters")) as made:
        yield made


@contextmanager
def connected(folder: Path) -> Generator[Sites]:
    """A manager and two workers, with all that their programs make."""
    graphs = {**{name: of_worker(stack) for name, stack in WORKERS.items()}, "manager": of_manager()}
    configs = {name: configuration(graph) for name, graph in graphs.items()}
    configs["manager"]["multiKueue"] |= {"workerLostTimeout": f"{LOST_SECONDS}s", "gcInterval": "5s"}
    # The servers end with the threads that started them: these outlive all that is in the stack.
    with ThreadPoolExecutor(len(graphs)) as pool, ExitStack() as stack:

        def started(name: str) -> Site:
            return stack.enter_context(site(name, folder / name, configs[name], HERE))

        made, kubeconfigs = dict(zip(graphs, pool.map(started, graphs), strict=True)), {}
        for name, of_stack in WORKERS.items():
            prepared(made[name], of_stack, graphs[name])
            kubeconfigs[name] = kubeconfig_of(made[name])
            made[name].dispatched.write_text(kubeconfigs[name])
        secrets = {f"dispatch-{name}": {"stringData": {"kubeconfig": text}} for name, text in kubeconfigs.items()}
        apply_all(made["manager"].api, graphs["manager"], HERE, secrets)
        yield Sites(**made)


def prepared(made: Site, stack: str, graph: Graph) -> None:
    """Nodes with devices, and all that the stack makes."""
    with chdir(ROOT):
        (pool,) = pools(stack, graph)
    cluster = Cluster(made.api)
    topologies = [each.inputs["spec"]["levels"] for each in graph.resources if each.inputs.get("kind") == "Topology"]
    levels = [level["nodeLabel"] for each in topologies for level in each]
    add_nodes(cluster, pool.nodes, pool.workload, levels)
    for name in pool.nodes:
        cluster.create_all([each.manifest() for each in resource_slices(pool.machine, pool.target, name)])
    for each in device_classes([pool.target]):
        made.api.apply(each)
    apply_all(made.api, graph, HERE)


def kubeconfig_of(worker: Site) -> str:
    """What the stack's output ``dispatch`` would hold, by the way that can be cut."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": ACCOUNT, "namespace": NAMESPACE}}
    data = worker.api.wait(secret, lambda found: (found or {}).get("data"), 30)
    cluster = {"server": worker.way.server, "certificate-authority-data": data["ca.crt"]}
    own: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "c", "user": {"exec": {}}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "current-context": "c",
    }
    return token_kubeconfig(json.dumps(own), base64.b64decode(data["token"]).decode())


def job(name: str, queue: str, nodes: int = 1) -> Object:
    """A job that asks for whole nodes of GPUs and for its fabric, on whichever cloud."""
    container = {"name": "train", "image": "registry.example/train:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    pod = {
        "metadata": {"annotations": {"rdma-cluster/inject": "true"}},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    meta = {"name": name, "namespace": HERE, "labels": {"kueue.x-k8s.io/queue-name": queue}}
    spec = {"suspend": True, "parallelism": nodes, "completions": nodes, "completionMode": "Indexed", "template": pod}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}


def finished(sites: Sites) -> set[str]:
    """Jobs of which the manager knows that all their pods came to their end."""
    jobs = sites.manager.api.objects("batch/v1", "Job", HERE)
    return {each["metadata"]["name"] for each in jobs if each["status"].get("succeeded") == each["spec"]["completions"]}


def placed(sites: Sites) -> dict[str, str]:
    """The cluster of each job that has one."""
    found = sites.manager.api.objects(WORKLOADS, "Workload", HERE)
    names = {each["metadata"]["ownerReferences"][0]["name"]: each.get("status", {}) for each in found}
    return {name: status["clusterName"] for name, status in names.items() if status.get("clusterName")}


def ran(sites: Sites) -> dict[str, list[Ran]]:
    """Every pod that a kubelet started, by its job."""
    found: dict[str, list[Ran]] = {}
    for worker in sites.workers:
        for each in list(worker.kubelet.ran.values()):
            found.setdefault(each.pod["metadata"]["labels"]["job-name"], []).append(each)
    return found


def has_fabric(each: Ran, worker: Site) -> bool:
    """Whether a pod holds the NICs of the cluster that it runs on, and has the environment that finds them."""
    (container,) = each.pod["spec"]["containers"]
    if worker.name == "amazon":
        return container["resources"]["limits"].get("vpc.amazonaws.com/efa") == "32"
    claims = each.pod["spec"].get("resourceClaims", ())
    return [claim["resourceClaimTemplateName"] for claim in claims] == ["a4-highgpu-8g-nics"] and {
        "name": claims[0]["name"]
    } in container["resources"]["claims"]


def test_the_account_is_enough_and_no_more(sites: Sites):
    """Kueue reaches both clusters by it; it makes no pod and no job elsewhere, and reads no Secret."""
    manager = sites.manager.api
    until(lambda: all(connects(each) for each in manager.objects(WORKLOADS, "MultiKueueCluster")), "connected")
    elsewhere = job("x", "shared")
    elsewhere["metadata"]["namespace"] = "default"
    pod = {**job("x", "shared")["spec"]["template"], "apiVersion": "v1", "kind": "Pod"}
    pod["metadata"] = {"name": "x", "namespace": HERE}
    for worker in sites.workers:
        with connect(worker.dispatched) as http:
            account = Api(http)

            assert account.create(job("x", "shared"), dry_run=True)
            for made in (elsewhere, pod):
                with pytest.raises(Refused, match="403"):
                    account.create(made)
            for api_version, kind, namespace in (("v1", "Secret", NAMESPACE), ("batch/v1", "Job", HERE)):
                with pytest.raises(Refused, match="403"):
                    account.objects(api_version, kind, namespace)


def connects(cluster: Object) -> bool:
    """Whether Kueue says that it reaches a cluster."""
    conditions = cluster.get("status", {}).get("conditions", ())
    return any(each["type"] == "Active" and each["status"] == "True" for each in conditions)


def test_every_job_runs_once_and_on_its_fabric(sites: Sites):
    """Of 36 jobs, while one of two clusters is out of reach for a moment, and then gone for longer than jobs wait."""
    google, amazon = sites.workers
    names = {f"job-{i}": "efa" if i % 6 == 0 else "shared" for i in range(36)}
    nodes = {name: 2 if i % 10 == 5 else 1 for i, name in enumerate(names)}
    for name, queue in names.items():
        sites.manager.api.create(job(name, queue, nodes[name]))

    until(lambda: "google" in placed(sites).values() and len(finished(sites)) >= 6, "six jobs have ended", LONG)
    google.way.cut()  # its nodes go on
    left = {name for name, cluster in placed(sites).items() if cluster == "google"}
    until(lambda: not unfinished(google), "what runs there ends unseen")
    google.way.mend()
    until(lambda: left <= finished(sites), "the manager learns of it", LONG)
    assert {each.cluster for name in left for each in ran(sites)[name]} == {"google"}, "nothing was started twice"

    until(lambda: unfinished(google), "a job runs on google", LONG)
    google.kubelet.stop()
    until(lambda: whole(google, nodes) <= finished(sites), "the manager knows of all that has ended there", LONG)
    lost = {name for name, cluster in placed(sites).items() if cluster == "google"} - finished(sites)
    google.way.cut()
    until(lambda: lost <= finished(sites), "amazon does them instead", LONG)
    google.way.mend()
    until(lambda: not remains(google, lost), "what was left of them on google is gone", LONG)
    google.kubelet.working = True
    until(lambda: set(names) <= finished(sites), "all jobs have ended", LONG)

    assert {each.cluster for name, queue in names.items() if queue == "efa" for each in ran(sites)[name]} == {"amazon"}
    for name, pods in ran(sites).items():
        ended = [each.cluster for each in pods if each.ended]
        assert len(set(ended)) == 1 and len(ended) == nodes[name], name
        assert len(pods) == len(ended) or name in lost, name
    for worker in (google, amazon):
        pods = list(worker.kubelet.ran.values())
        assert pods, "both had a part"
        assert [each.pod["metadata"]["name"] for each in pods if not has_fabric(each, worker)] == []
        until(lambda worker=worker: not remains(worker, set(names)), "workers keep nothing")


def whole(worker: Site, nodes: Mapping[str, int]) -> set[str]:
    """Jobs all of whose pods came to their end on a worker."""
    ended = Counter(each.pod["metadata"]["labels"]["job-name"] for each in worker.kubelet.ran.values() if each.ended)
    return {name for name, pods in ended.items() if pods == nodes[name]}


def unfinished(worker: Site) -> list[Ran]:
    """Pods that run on a worker."""
    return [each for each in list(worker.kubelet.ran.values()) if not each.ended]


def remains(worker: Site, jobs: set[str]) -> set[str]:
    """Jobs that a worker still has, or pods of that nobody has deleted yet: their owner goes a moment before."""
    names = {each["metadata"]["name"] for each in worker.api.objects("batch/v1", "Job", HERE)}
    left = [each["metadata"] for each in worker.api.objects("v1", "Pod", HERE)]
    owned = {each.get("labels", {}).get("job-name", "") for each in left if "deletionTimestamp" not in each}
    return (names | owned) & jobs


def printed(kind: str) -> list[Object]:
    """What `rdma-cluster job` prints for any cluster; the last object is the job."""
    words = ("--nodes", "2", "--image", "my/train:1", "--queue", "shared", "--namespace", HERE)
    with chdir(ROOT):
        code, out, err = command("job", "--for", "any", "--kind", kind, *words)
    assert code == 0, err
    return list(yaml.safe_load_all(out))


@pytest.mark.parametrize(("kind", "says"), [("mpijob", "Succeeded"), ("trainjob", "Complete")])
def test_other_kinds_are_sent(sites: Sites, kind: str, says: str):
    """As the command prints them, to one cluster that has room; what is said of them there is said here."""
    *besides, sent = printed(kind)
    for each in (sites.manager, *sites.workers):  # Kueue sends a job alone, without its TrainingRuntime
        for obj in besides:
            each.api.apply(obj)
    sites.manager.api.create(sent)
    (worker,) = until(lambda: [each for each in sites.workers if starts(each.api.get(sent))], "it starts somewhere")
    until(lambda: [each for each in sites.workers if each.api.get(sent)] == [worker], "it is there alone")

    at = "2026-11-23T00:00:00Z"
    ended = {"type": says, "status": "True", "reason": "Done", "message": "", "lastTransitionTime": at}
    worker.api.merge(sent, {"status": {"conditions": [ended], "completionTime": at}}, "/status")
    until(lambda: says in conditions_of(sites.manager.api.get(sent)), "the manager learns that it has ended")
    until(lambda: worker.api.get(sent) is None, "its copy is gone")


def starts(found: Object | None) -> bool:
    """Whether a job is there that its controller may start."""
    spec = (found or {"spec": {"suspend": True}})["spec"]
    return not spec.get("runPolicy", spec).get("suspend", False)


def conditions_of(found: Object | None) -> set[str]:
    """Those that hold."""
    return {each["type"] for each in (found or {}).get("status", {}).get("conditions", ()) if each["status"] == "True"}


def test_a_job_without_its_queue_waits(sites: Sites):
    """A queue that google does not share takes its jobs to amazon alone, whether or not that has room."""
    amazon, manager = sites.amazon.api, sites.manager.api
    (queue,) = [each for each in amazon.objects(WORKLOADS, "ClusterQueue") if each["metadata"]["name"] == "p5"]
    amazon.merge(queue, {"spec": {"stopPolicy": "Hold"}})
    manager.create(job("held", "efa"))
    until(lambda: amazon.objects(WORKLOADS, "Workload", HERE), "amazon is asked")
    assert sites.google.api.objects(WORKLOADS, "Workload", HERE) == []
    assert "held" not in placed(sites)

    amazon.merge(queue, {"spec": {"stopPolicy": "None"}})
    until(lambda: "held" in finished(sites), "the job has ended")
    assert [each.cluster for each in ran(sites)["held"]] == ["amazon"]


def test_queues_leave_without_a_trace(sites: Sites):
    """What the manager's program made goes in the reverse order; no finalizer keeps anything."""
    api = sites.manager.api
    for each in api.objects("batch/v1", "Job", HERE):
        api.delete(each)
    for kind in ("LocalQueue", "ClusterQueue", "AdmissionCheck", "MultiKueueConfig", "MultiKueueCluster"):
        for each in api.objects(WORKLOADS, kind):
            api.delete(each)
        until(lambda kind=kind: api.objects(WORKLOADS, kind) == [], f"{kind}s are gone")
