"""Kueue itself, with what a stack gives it, admits jobs of claims, places them, and holds those that do not fit."""

import io
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi_offline import Graph
from rdma_cluster.catalog import charts
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.cli.app import run
from rdma_cluster.incluster.plan.mpi_operator import CRD, crd
from tests.stacks import ROOT, graph_of
from . import build
from .api import Api, Object, Refused
from .cluster import RESOURCE_API, Cluster, allocation
from .queueing import JOBSET, KUEUE, defined, jobset, kueue, leader_worker_set, read, until
from .scenarios import device_classes
from .stack_objects import RELEASE, manifest, of_kubernetes, pools

pytestmark = pytest.mark.skipif(
    "KUBECONFIG_E2E" in os.environ, reason="the programs run beside a control plane of ours"
)

BLOCK, SUBBLOCK = "cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"
PLACES = {"a4-0": ("b0", "b0-s0"), "a4-1": ("b0", "b0-s1"), "a4-2": ("b0", "b0-s1"), "a4-3": ("b1", "b1-s0")}
"""Blocks and sub-blocks of the nodes: one sub-block alone holds two of them."""
# What kubelets of an A4 say they have, about: it has 224 vCPUs.
ALLOCATABLE = {"cpu": "222", "memory": "3700Gi", "pods": "110", "ephemeral-storage": "1Ti"}
OTHER_KINDS = {
    "mpijob": ("MPIJob", "kubeflow.org/v2beta1", {"launcher": 1, "worker": 2}),
    "trainjob": ("TrainJob", "trainer.kubeflow.org/v1alpha1", {"node": 2}),
}
"""With their API versions, and how many pods of each part Kueue finds in a job of two nodes."""
OURS = ("Topology", "ResourceFlavor", "ClusterQueue", "LocalQueue")


@dataclass(frozen=True)
class Site:
    """A cluster with a stack's queues and four nodes."""

    cluster: Cluster
    sets: tuple[str, ...]
    """The stack's, as the command takes them."""
    queues: list[Object]
    """The objects of ``Queues``, in the order in which they were made."""

    def job(self, name: str, nodes: int = 2, kind: str = "job", *more: str) -> list[Object]:
        """What the command prints, applied."""
        words = ["job", "a4", "--stack", "gke", "--nodes", str(nodes), "--kind", kind, "--name", name, *more]
        out = io.StringIO()
        with chdir(ROOT), redirect_stdout(out), redirect_stderr(io.StringIO()):
            assert run([*words, *(word for each in self.sets for word in ("--set", each))]) == 0
        return [self.applied(each) for each in yaml.safe_load_all(out.getvalue())]

    def applied(self, asked: Object) -> Object:
        """Applied; a webhook learns of what a job names a moment after that is there."""

        def once() -> Object | None:
            try:
                return self.cluster.apply(asked).result
            except Refused as refused:
                if "not found" not in refused.message:
                    raise
                return None

        return until(once, f"{asked['kind']} {asked['metadata']['name']} is taken")

    def workload(self, name: str) -> Object | None:
        """Kueue's own record of a job."""
        found = self.cluster.api.objects("kueue.x-k8s.io/v1beta2", "Workload", self.cluster.namespace)
        return next((each for each in found if each["metadata"]["ownerReferences"][0]["name"] == name), None)

    def admitted(self, name: str) -> Object:
        """The same, once it is admitted."""
        return until(
            lambda: (found := self.workload(name)) and said(found, "Admitted") and found, f"{name} is admitted"
        )

    def held(self, name: str) -> str:
        """Why it is not, once Kueue has looked at it."""
        return until(lambda: (found := self.workload(name)) and not_reserved(found), f"{name} is looked at")

    def pods(self, name: str, nodes: int = 2) -> list[Object]:
        """A job's pods, once all are on nodes."""

        def bound() -> list[Object]:
            found = self.cluster.api.objects("v1", "Pod", self.cluster.namespace)
            own = [each for each in found if each["metadata"]["name"].startswith(f"{name}-")]
            return own if len([each for each in own if "nodeName" in each["spec"]]) == nodes else []

        return until(bound, f"pods of {name} are on nodes")

    def end(self, name: str) -> None:
        """Delete a job and all that is left of it."""
        api = self.cluster.api
        for api_version, kind in (("batch/v1", "Job"), ("jobset.x-k8s.io/v1alpha2", "JobSet"), ("v1", "Service")):
            for each in api.objects(api_version, kind, self.cluster.namespace):
                if each["metadata"]["name"] == name:
                    api.delete(each)

        def left() -> list[Object]:
            pods = api.objects("v1", "Pod", self.cluster.namespace)
            found = [each for each in pods if each["metadata"]["name"].startswith(f"{name}-")]
            for each in found:
                api.delete(each)  # no kubelet reports their end
            return found

        until(lambda: not left() and self.workload(name) is None, f"{name} is gone")


def said(workload: Object, condition: str) -> bool:
    """Whether a condition of it is true."""
    found = workload.get("status", {}).get("conditions", ())
    return any(each["type"] == condition and each["status"] == "True" for each in found)


def not_reserved(workload: Object) -> str:
    """Why it has no quota."""
    found = workload.get("status", {}).get("conditions", ())
    return next(
        (each["message"] for each in found if each["type"] == "QuotaReserved" and each["status"] == "False"), ""
    )


@pytest.fixture(scope="module")
def site(api: Api, kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The GKE stack's queues, with the controllers that its charts would bring."""
    try:
        build.queues()
    except build.BuildError as error:
        pytest.skip(str(error))
    with ExitStack() as stack:
        cluster = Cluster(api)
        sets = (f"claims.namespaces=[{cluster.namespace}]", "queues={enabled: true}", "pools[0].nodes=4")
        graph = graph_of("gke", *sets)
        folder = tmp_path_factory.mktemp("queues")
        # Kueue looks after the kinds that it finds; of one that comes later it knows later.
        stack.enter_context(defined(api, [*of_trainer(), of_mpi()]))
        stack.enter_context(jobset(api, kubeconfig, folder / "jobset"))
        stack.enter_context(leader_worker_set(api, kubeconfig, folder / "lws"))
        stack.enter_context(kueue(api, kubeconfig, folder / "kueue", configuration(graph)))
        stack.enter_context(cluster)
        yield prepared(cluster, graph, sets)


def of_trainer() -> list[Object]:
    """The kinds of Kubeflow Trainer, at the version that Kueue is built with."""
    folder = build.module("github.com/kubeflow/trainer/v2", "queues") / "manifests/base/crds"
    return read(sorted(folder.glob("trainer*.yaml")))


def of_mpi() -> Object:
    """The kind of the MPI operator, as our own component defines it."""
    form = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**form, "metadata": {"name": CRD}, "spec": crd()}


def configuration(graph: Graph) -> dict[str, Any]:
    """What the stack tells Kueue."""
    (release,) = [each for each in graph.of_type(RELEASE) if each.inputs["name"] == "kueue"]
    return json.loads(release.inputs["values"]["managerConfig"]["controllerManagerConfigYaml"])


def prepared(cluster: Cluster, graph: Graph, sets: tuple[str, ...]) -> Site:
    """Nodes with devices, and the stack's objects that have to do with queues."""
    with chdir(ROOT):
        (pool,) = pools("gke", graph)
    (taint,) = pool.workload["tolerations"]
    for name, (block, subblock) in PLACES.items():
        labels = {**pool.workload["nodeSelector"], BLOCK: block, SUBBLOCK: subblock}
        cluster.add_node(name, labels, [{key: taint[key] for key in ("key", "value", "effect")}], ALLOCATABLE)
        cluster.create_all([each.manifest() for each in resource_slices(pool.machine, pool.target, name)])
    objects = [manifest(each) for each in of_kubernetes(graph) if "kind" in each.inputs]
    objects = [each for each in objects if each["metadata"].get("namespace") in (None, cluster.namespace)]
    of_ours = [each for each in objects if each["kind"] in ("DeviceClass", "ResourceClaimTemplate", "PriorityClass")]
    ours = {each["metadata"]["name"] for each in of_ours}
    for each in [*(of for of in device_classes([pool.target]) if of["metadata"]["name"] not in ours), *of_ours]:
        cluster.apply(each)
    queues = [cluster.apply(each).result for each in objects if each["kind"] in OURS]
    return Site(cluster, sets, queues)


def test_the_programs_are_those_of_the_charts():
    """What runs here is what a stack would install."""
    go_mod = (build.MODULES / "queues" / "go.mod").read_text()

    assert f"{KUEUE} v{charts.KUEUE.version}" in go_mod
    assert f"{JOBSET} v{charts.JOBSET.version}" in go_mod


@pytest.mark.parametrize(("name", "module"), [("kueue", KUEUE), ("jobset", JOBSET)])
def test_the_charts_know_their_values(name: str, module: str):
    """Each key is one of the chart's own; Helm would take any other without a word."""
    known = yaml.safe_load((build.module(module, "queues") / f"charts/{name}/values.yaml").read_text())
    (release,) = [
        each for each in graph_of("gke", "queues={enabled: true}").of_type(RELEASE) if each.inputs["name"] == name
    ]

    assert unknown(release.inputs["values"], known) == []


def unknown(values: Object, known: Object, path: str = "") -> list[str]:
    """Paths of what a chart does not have."""
    found = []
    for key, value in values.items():
        if key not in known:
            found.append(f"{path}{key}")
        elif isinstance(value, dict):
            found += unknown(value, known[key], f"{path}{key}.")
    return found


def test_a_job_is_placed_and_the_next_ones_wait(site: Site):
    """Two nodes of one sub-block, then the two that are left, then none; and none that was promised twice."""
    site.job("first")
    placed = {pod["spec"]["nodeName"] for pod in site.pods("first")}
    assert placed == {"a4-1", "a4-2"}, "the only sub-block that holds both"

    claims = site.cluster.api.objects(RESOURCE_API, "ResourceClaim", site.cluster.namespace)
    given = dict.fromkeys(placed, 0)
    for claim in claims:
        for devices in allocation(claim).values():
            for node, _ in devices:
                given[node] += 1
    assert given == {"a4-1": 32, "a4-2": 32} or given == {"a4-1": 16, "a4-2": 16}

    site.job("second")
    assert {pod["spec"]["nodeName"] for pod in site.pods("second")} == {"a4-0", "a4-3"}

    site.job("third")
    assert "insufficient unused quota" in site.held("third")

    site.end("first")
    assert {pod["spec"]["nodeName"] for pod in site.pods("third")} == {"a4-1", "a4-2"}
    for name in ("second", "third"):
        site.end(name)


def test_what_a_queue_counts(site: Site):
    """Devices of claims are counted under the names that quotas have."""
    site.job("counted", 1)
    usage = site.admitted("counted")["status"]["admission"]["podSetAssignments"][0]["resourceUsage"]

    assert usage == {"nvidia.com/gpu": "8", "rdma-cluster/nic": "8", "pods": "1"}
    site.end("counted")


def test_a_jobset_waits_in_the_same_queue(site: Site):
    """JobSet's own controller makes its pods when Kueue lets it go."""
    site.job("set", 4, "jobset")
    assert {pod["spec"]["nodeName"] for pod in site.pods("set", 4)} == set(PLACES)

    site.job("after", 1)
    assert "insufficient unused quota" in site.held("after")
    for name in ("set", "after"):
        site.end(name)


def test_a_small_request_of_cpus_puts_two_pods_on_a_node(site: Site):
    """Why whole nodes ask for more than half of the CPUs: Kueue sees no claim where it looks for room."""
    job = next(each for each in site.job("blind", 2) if each["kind"] == "Job")
    site.end("blind")
    spec = {**job["spec"], "template": {**job["spec"]["template"]}}
    container = spec["template"]["spec"]["containers"][0]
    container["resources"]["requests"]["cpu"] = "1"
    spec["template"]["metadata"] = {**spec["template"].get("metadata", {}), "labels": {"app": "blind"}}
    for key in ("selector", "suspend"):
        spec.pop(key, None)
    meta = {"name": "blind", "labels": {"kueue.x-k8s.io/queue-name": "a4"}}
    site.cluster.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": {**spec, "suspend": True}})
    assigned = site.admitted("blind")["status"]["admission"]["podSetAssignments"][0]["topologyAssignment"]

    assert [part["domainCount"] for part in assigned["slices"]] == [1], assigned
    site.end("blind")


@pytest.mark.parametrize(("kind", "api_version", "pods"), OTHER_KINDS.values(), ids=OTHER_KINDS)
def test_other_kinds_are_admitted(site: Site, kind: str, api_version: str, pods: dict[str, int]):
    """Kueue reads an MPIJob and a TrainJob as it does the others, and lets them go; nobody here runs them."""
    name = f"one-{kind.lower()}"
    *_, job = site.job(name, 2, kind.lower())
    assigned = site.admitted(name)["status"]["admission"]["podSetAssignments"]

    assert {each["name"]: each["count"] for each in assigned} == pods
    assert all("topologyAssignment" in each for each in assigned)
    assert sum(int(each["resourceUsage"].get("nvidia.com/gpu", "0")) for each in assigned) == 16
    assert job["apiVersion"] == api_version
    site.cluster.api.delete(job)
    until(lambda: site.workload(name) is None, f"{name} is gone")


def test_a_leader_and_its_worker(site: Site):
    """A LeaderWorkerSet waits in the queue as a group; each pod gets a whole node and the leader's address."""
    job = next(each for each in site.job("served", 2) if each["kind"] == "Job")
    site.end("served")
    pod = {key: of for key, of in job["spec"]["template"]["spec"].items() if key not in ("restartPolicy", "subdomain")}
    group = {"size": 2, "workerTemplate": {"spec": pod}}
    lws = {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet"}
    meta = {"name": "served", "labels": {"kueue.x-k8s.io/queue-name": "a4"}}
    made = site.cluster.apply({**lws, "metadata": meta, "spec": {"replicas": 1, "leaderWorkerTemplate": group}}).result
    pods = site.pods("served")

    assert len({each["spec"]["nodeName"] for each in pods}) == 2
    for each in pods:
        given = {env["name"]: env.get("value", "") for env in each["spec"]["containers"][0]["env"]}
        assert given["LWS_LEADER_ADDRESS"].startswith("served-0.served.")
        assert site.cluster.claims(each)["devices-0"]["status"]["allocation"]
    site.cluster.api.delete(made)
    site.end("served")


def test_queues_leave_without_a_trace(site: Site):
    """In the reverse order of their making, with Kueue still there: no finalizer keeps anything."""
    api = site.cluster.api
    for each in reversed(site.queues):
        api.delete(each)
        until(lambda each=each: api.get(each) is None, f"{each['kind']} {each['metadata']['name']} is gone")
