"""The prover on a real API server: nodes join, are tested by real Jobs on the real scheduler, and take work then."""

import json
import random
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any
from urllib.error import HTTPError

import pytest
from rdma_agent import names
from rdma_agent.names import PROVER, PROVER_NAMESPACE as NAMESPACE, STARTUP_TAINT, TESTS_NAMESPACE as TESTS, UNPROVEN
from rdma_cluster.incluster.addons.readiness import policies
from tests.cli.commands import command
from .api import Api
from .cluster import Cluster
from .proving import GPU, Kubelets, Mortal, away, kube_api, look, planned, proof, rights, signed_in, whole_node

HELD = {"key": STARTUP_TAINT, "value": UNPROVEN, "effect": "NoSchedule"}
EVERY_SECONDS, AWAY_SECONDS, MOST_SECONDS = 5, 10, 900
COUNT, JOIN_SECONDS = 100, 30
"""Nodes, and the seconds within which they join: enough tests for every kind of request to be cut off once."""
STEPS = {
    "PATCH nodes",
    "PATCH nodes/status",
    "POST jobs",
    "POST configmaps",
    "POST services",
    "DELETE jobs",
    "POST events",
    "PUT leases",
}
"""All that the prover writes here; at each it is ended before and afterwards."""


@pytest.fixture(scope="module")
def account(api: Api, kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Where the prover's server is, with its token and no more rights than the plan gives it; and what it works by."""
    plan = planned(200)
    assert plan.prover is not None
    with Cluster(api) as cluster:
        named = {"name": PROVER, "namespace": NAMESPACE}
        files: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": named, "data": plan.prover.files}
        for each in (*rights(plan.prover), files):
            if api.get(each) is None:
                cluster.create(each)
        folder = tmp_path_factory.mktemp("credentials")
        server = signed_in(api, kubeconfig, PROVER, NAMESPACE, folder)
        _await_policies(kube_api.Api(server, folder))
        yield (server, folder), json.loads(plan.prover.files["config.json"])


def _await_policies(client: Any) -> None:
    """The server takes them up within seconds, and tells nobody when: the last one refuses then."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    of = {"metadata": {"generateName": "try-"}, "spec": {"template": {"spec": pod}}}
    job = {"apiVersion": "batch/v1", "kind": "Job", **of}
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            client.open(f"/apis/batch/v1/namespaces/{TESTS}/jobs?dryRun=All", "POST", job).close()
        except HTTPError as error:
            if "its own tests" in error.read().decode():
                return
        time.sleep(0.2)


class Machines:
    """Nodes that join in random order, a tenth of them bad; their GPUs come later. Some are asked for by whole pods."""

    def __init__(self, cluster: Cluster, count: int, over_seconds: int) -> None:
        chance = random.Random(1)
        self.names = [f"n{i:03}" for i in range(count)]
        self.bad = {*chance.sample(self.names, max(2, count // 10))}
        self._cluster, self._began = cluster, time.monotonic()
        self._joins = {name: chance.uniform(0, over_seconds) for name in self.names}
        self._gpus = {name: at + chance.uniform(1, 20) for name, at in self._joins.items()}
        # Half of the nodes get work in the end; the others are the neighbours of those that come late.
        self._work = sorted(chance.uniform(0, 2 * over_seconds) for _ in range(count // 2))
        self.ready_at: dict[str, float] = {}
        self.in_service: dict[str, float] = {}

    def go_on(self) -> None:
        """What happened meanwhile."""
        passed = time.monotonic() - self._began
        for name in [name for name, at in self._joins.items() if at <= passed]:
            self._cluster.add_node(name, {"pool": "a"}, [GPU, HELD])
            del self._joins[name]
        for name in [name for name, at in self._gpus.items() if at <= passed and name not in self._joins]:
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
            room = {"nvidia.com/gpu": "8"}
            self._cluster.api.merge(node, {"status": {"capacity": room, "allocatable": room}}, "/status")
            self.ready_at[name] = time.monotonic()
            del self._gpus[name]
        while self._work and self._work[0] <= passed:
            self._cluster.create(whole_node(f"work-{len(self._work)}"))
            del self._work[0]

    def look(self) -> None:
        """Which nodes are in service by now; no pod of work is on another."""
        for node in self.nodes():
            if not _is_held(node):
                self.in_service.setdefault(node["metadata"]["name"], time.monotonic())
        bound = {pod["spec"]["nodeName"] for pod in self.pods() if "nodeName" in pod["spec"]}
        fresh = {name for name in bound - self.in_service.keys() if _is_held(self._node(name))}
        assert not fresh, f"work is on nodes that are held: {fresh}"

    def nodes(self) -> list[dict[str, Any]]:
        """As the API server has them."""
        asked = {"labelSelector": "pool=a"}
        return self._cluster.api.request("GET", "/api/v1/nodes", params=asked).json()["items"]

    def pods(self) -> list[dict[str, Any]]:
        """Of work."""
        return self._cluster.api.request("GET", f"/api/v1/namespaces/{self._cluster.namespace}/pods").json()["items"]

    def _node(self, name: str) -> dict[str, Any]:
        return self._cluster.api.request("GET", f"/api/v1/nodes/{name}").json()

    @property
    def is_settled(self) -> bool:
        """Whether every node is in service, or known to be bad."""
        failed = {
            each["metadata"]["name"]
            for each in self.nodes()
            if each["metadata"]["labels"].get(proof.FABRIC_LABEL) == "failed"
        }
        return not self._work and {*self.names} - self.in_service.keys() == failed


def test_nodes_join_and_take_work_when_they_are_proven(api: Api, account: Any, kubeconfig: Path):
    """In random order, a tenth of them bad, with a prover that is ended before and after every kind of request, and an
    API server that is away for a while: no unproven node gets a pod of work, every good one is in service, nothing is
    tested twice without a reason, and the time that it takes is told."""
    where, config = account
    client = Mortal(*where)
    with Cluster(api) as cluster:
        machines = Machines(cluster, COUNT, over_seconds=JOIN_SECONDS)
        kubelets = Kubelets(api, machines.bad)
        began, next_look, was_away = time.monotonic(), 0.0, False
        while time.monotonic() - began < MOST_SECONDS and not machines.is_settled:
            machines.go_on()
            if time.monotonic() >= next_look:
                # Who ended is started anew at once.
                lived = look(client, config, int(time.time()))
                next_look = time.monotonic() + (EVERY_SECONDS if lived else 0)
            kubelets.run()
            machines.look()
            if not was_away and len(machines.in_service) > COUNT // 4:
                was_away = _without_server(kubeconfig, client, config)
            time.sleep(0.2)

        good = {*machines.names} - machines.bad
        assert machines.in_service.keys() == good
        assert client.ended >= {(when, step) for when in ("before", "after") for step in STEPS}
        _proven_before_work(machines)
        for name in good:
            # Once, and again only where it failed beside somebody.
            assert kubelets.tested[name] <= 1 + kubelets.doubts[name], name
        assert max(kubelets.tested.values()) <= 8
        waited = sorted(machines.in_service[name] - machines.ready_at[name] for name in good)
        once = sum(kubelets.tested[name] == 1 for name in good)
        print(
            f"{COUNT} nodes settled after {time.monotonic() - began:.0f} s; from device-ready to in service "
            f"{waited[0]:.0f} to {waited[-1]:.0f} s, median {median(waited):.0f}; of {len(good)} good ones {once} were "
            "tested once"
        )
        # Who ended after a label has not written the condition yet.
        assert any(look(client, config, int(time.time())) for _ in range(9))
        _told(kubeconfig, good, machines.bad)


def _without_server(kubeconfig: Path, client: Any, config: dict[str, Any]) -> bool:
    """The prover looks, and nobody answers. A cluster of the user's own is not stopped."""
    if (kubeconfig.parent / "certificates").is_dir():
        with away(kubeconfig.parent):
            until = time.monotonic() + AWAY_SECONDS
            while time.monotonic() < until:
                assert not look(client, config, int(time.time()))
    return True


def _proven_before_work(machines: Machines) -> None:
    """By what nodes and pods say themselves, whatever was looked at meanwhile."""
    proofs = {
        each["metadata"]["name"]: proof.proof_of(each["metadata"].get("annotations", {})) for each in machines.nodes()
    }
    placed = 0
    for pod in machines.pods():
        for condition in pod["status"].get("conditions", []):
            if condition["type"] == "PodScheduled" and condition["status"] == "True":
                at = datetime.fromisoformat(condition["lastTransitionTime"].replace("Z", "+00:00")).timestamp()
                shown = proofs[pod["spec"]["nodeName"]]
                assert shown is not None
                # A node in service is proven anew where it was somebody's neighbour: its first proof let work in.
                first = min([shown.at, *(earlier for earlier, _ in shown.history)])
                assert first <= at, pod["metadata"]["name"]
                placed += 1
    assert placed == len(machines.names) // 2


def _told(kubeconfig: Path, good: set[str], bad: set[str]) -> None:
    """`rdma-cluster proofs` says of the same nodes what they are."""
    code, out, err = command("proofs", "--kubeconfig", str(kubeconfig), "--json")

    assert (code, err) == (0, "")
    states = {each["node"]: each["state"] for each in json.loads(out)["nodes"]}
    assert states == dict.fromkeys(good, "proven") | dict.fromkeys(bad, "failed")


def test_a_node_is_held_from_its_registration_on(api: Api):
    """By the policy, where its request has the pool's label; other taints stay, and none is there twice."""
    spec = planned(2).registration
    kind, named = "MutatingAdmissionPolicy", {"name": policies.REGISTRATION}
    taint = {"key": "a", "effect": "NoExecute"}
    made: dict[str, list[Any]] = {"bare": [], "with-another": [taint], "held": [{**HELD, "value": "failed"}]}

    def joined(cluster: Cluster, name: str, pool: str, taints: list[Any]) -> list[Any]:
        node = {"metadata": {"name": name, "labels": {"pool": pool}}, "spec": {"taints": taints} if taints else {}}
        seen = cluster.create({"apiVersion": "v1", "kind": "Node", **node})
        return [each for each in seen["spec"].get("taints", []) if not each["key"].startswith("node.kubernetes.io/")]

    with Cluster(api) as cluster:
        for each, of in ((kind, spec), (f"{kind}Binding", {"policyName": policies.REGISTRATION})):
            cluster.apply(
                {"apiVersion": "admissionregistration.k8s.io/v1", "kind": each, "metadata": named, "spec": of}
            )
        # The server takes policies up within seconds, and tells nobody when.
        deadline = time.monotonic() + 30
        while not joined(cluster, f"try-{time.monotonic_ns()}", "a", []) and time.monotonic() < deadline:
            time.sleep(0.2)
        nodes = {name: joined(cluster, name, "a", taints) for name, taints in made.items()}
        other = joined(cluster, "other", "b", [])

    assert nodes == {"bare": [HELD], "with-another": [taint, HELD], "held": made["held"]}
    assert other == []


def test_the_prover_changes_nothing_else_of_a_node(api: Api, account: Any):
    """By the policies; a role knows no fields."""
    client = kube_api.Api(*account[0])
    with Cluster(api) as cluster:
        cluster.add_node("other", {"pool": "b"}, [GPU])
        path = "/api/v1/nodes/other"
        for change in (
            {"spec": {"unschedulable": True}},
            {"metadata": {"labels": {"pool": "c"}}},
            {"metadata": {"annotations": {"else": "x"}}},
            {"spec": {"taints": [{**HELD, "effect": "NoExecute"}]}},
        ):
            with pytest.raises(OSError, match="HTTP Error 4"):
                client.open(path, "PATCH", change, "application/merge-patch+json")
        status = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
        with pytest.raises(OSError, match="HTTP Error 4"):
            client.open(f"{path}/status", "PATCH", status, "application/strategic-merge-patch+json")
        with pytest.raises(OSError, match="HTTP Error 4"):
            client.open(
                f"{path}/status", "PATCH", {"status": {"capacity": {"cpu": "1"}}}, "application/merge-patch+json"
            )
        for denied in ("/api/v1/secrets", "/api/v1/namespaces/kube-system/pods/x/exec"):
            with pytest.raises(OSError, match="HTTP Error 403"):
                client.get(denied)


def test_the_prover_makes_and_deletes_its_own_tests_alone(api: Api, account: Any):
    """Not those of `up`, which are in the same namespace, and none with the account that marks nodes."""
    client, path = kube_api.Api(*account[0]), f"/apis/batch/v1/namespaces/{TESTS}/jobs"
    pod: dict[str, Any] = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}

    def job(name: str, labels: dict[str, str], **more: Any) -> dict[str, Any]:
        spec = {"suspend": True, "template": {"spec": {**pod, **more}}}
        metadata = {"name": name, "namespace": TESTS, "labels": labels}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}

    own = {names.PROVES: "a"}
    with Cluster(api) as cluster:
        cluster.create(job("of-up", {"rdma-cluster/pool": "a"}))
        client.open(path, "POST", job("own", own)).close()
        for method, where, body, why in (
            ("POST", path, job("other", {}), "its own tests"),
            ("POST", path, job("marks", own, serviceAccountName="nccl-marker"), "without an account"),
            ("DELETE", f"{path}/of-up", {}, "its own tests"),
        ):
            with pytest.raises(HTTPError) as refused:
                client.open(where, method, body)
            assert why in refused.value.read().decode()
        client.open(f"{path}/own", "DELETE", {"propagationPolicy": "Background"}).close()


def _is_held(node: dict[str, Any]) -> bool:
    return any(taint["key"] == STARTUP_TAINT for taint in node["spec"].get("taints", []))
