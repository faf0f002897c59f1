"""A small fake kubelet: nodes that are ready, pods that run, jobs that end, and what charts' controllers would do.

Of our own and not KWOK: what a stack needs beside ready nodes and running pods is its own, as devices of its machines,
the end of its acceptance test with a message, the status of the kinds that charts bring; KWOK would be one more program
to build, and would have to be taught the same by templates.
"""

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Any

from rdma_cluster.kubernetes_api.client import Answered, Client
from ...controlplane.contents import MERGE
from .expected import Expected, ExpectedNode

ROUND_SECONDS = 0.25
"""From one look at the cluster to the next."""
NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
BUSY = (429, 503)
PASSING = (404, 409, *BUSY)
"""Answers that the next round may not get."""
ENDED = ("Succeeded", "Failed")
READY: Mapping[str, dict[str, Any]] = {"/apis/mellanox.com/v1alpha1/nicclusterpolicies": {"state": "ready"}}
"""What a chart's controller says of its kind when all is well."""
COMPUTE_DOMAINS = "/apis/resource.nvidia.com/v1beta1/computedomains"
"""For each, NVIDIA's controller makes a template of claims."""

Object = dict[str, Any]


class Kubelet:
    """Works beside a control plane from its start to its end, for what is expected of a stack."""

    def __init__(self, client: Client, exists: Callable[[str], bool]) -> None:
        """``exists`` tells whether a pool of that name does; of the empty name, whether the cluster does."""
        self._client, self._exists = client, exists
        self._expected = Expected()
        self._made: dict[str, ExpectedNode] = {}
        self._numbers: dict[str, int] = {}
        self._fails = ""
        self._settled: tuple[Any, ...] | None = None
        self._lock, self._over = Lock(), Event()
        self.wrong: list[str] = []
        """What it was refused."""
        self._thread = Thread(target=self._run, name="kubelet", daemon=True)
        self._thread.start()

    def expect(self, expected: Expected) -> None:
        """From now on these nodes come as their pools do; what somebody else brought goes where the stack brings it."""
        with self._lock:
            stays = [each["metadata"]["name"] for each in expected.of_cloud]
            for each in self._expected.of_cloud:
                if each["kind"] == "DeviceClass" and each["metadata"]["name"] not in stays:
                    self._client.delete(each)
            self._expected = expected

    def fail(self, message: str) -> None:
        """From now on the pods of jobs fail, with a termination message; an empty one has them succeed."""
        with self._lock:
            self._fails = message

    @contextmanager
    def paused(self) -> Generator[None]:
        """Nothing is done for the length of the block; then all nodes are new."""
        with self._lock:
            yield
            self._made.clear()
            self._settled = None

    def end(self) -> None:
        """No more of it."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(ROUND_SECONDS):
            with self._lock:
                now = self._now()
                if now is None or now != self._settled:
                    self._settled = now if self._round() else None

    def _now(self) -> tuple[Any, ...] | None:
        """What is to be done follows from this. While it stays, so does the server, which is busy enough.

        Of every list the resource version is etcd's revision, which any change of any kind raises.
        """
        try:
            revision = self._client.request("GET", NODES, limit="1")["metadata"]["resourceVersion"]
        except (Answered, OSError):
            return None
        pools = sorted({each.pool for each in self._expected.nodes if self._exists(each.pool)})
        return revision, self._exists(""), pools, self._expected, self._fails

    def _round(self) -> bool:
        """Whether all was as it was looked for."""
        done = True
        for part in (self._nodes, self._of_cloud, self._pods, self._statuses, self._compute_domains):
            try:
                part()
            except (Answered, OSError) as error:
                done = False
                # What it just looked at may be gone, or its kind on its way.
                if getattr(error, "code", 0) not in PASSING:
                    self.wrong.append(f"{part.__name__}: {error}")
        return done

    def _nodes(self) -> None:
        wanted = {each.name: each for each in self._expected.nodes if each.adopted or self._exists(each.pool)}
        there = {each["metadata"]["name"] for each in self._client.request("GET", NODES)["items"]}
        for name in there & self._made.keys() - wanted.keys():
            self._leave(self._made[name])
        for name, node in wanted.items():
            if name in there and self._made.get(name, node) != node:
                # Another driver hands out its devices, or it has other labels: what it offers is told anew.
                self._leave(self._made[name])
                there.discard(name)
            if name not in there:
                self._join(node)

    def _of_cloud(self) -> None:
        """Kinds and device classes that no chart of the stack brings: the cloud does, with the cluster."""
        for each in self._expected.of_cloud if self._exists("") else ():
            if self._client.get(each) is None:
                self._client.apply(each)

    def _join(self, node: ExpectedNode) -> None:
        self._client.request("POST", NODES, node.manifest)
        # Admission taints every new node as not ready.
        self._client.request("PATCH", f"{NODES}/{node.name}", {"spec": {"taints": node.taints}}, MERGE)
        for each in node.slices:
            self._client.request("POST", SLICES, each)
        self._made[node.name] = node

    def _leave(self, node: ExpectedNode) -> None:
        for each in node.slices:
            self._client.request("DELETE", f"{SLICES}/{each['metadata']['name']}")
        self._client.request("DELETE", f"{NODES}/{node.name}")
        del self._made[node.name]

    def _pods(self) -> None:
        nodes = {each["metadata"]["name"] for each in self._client.request("GET", NODES)["items"]}
        for pod in self._client.request("GET", PODS)["items"]:
            with _unless_busy():
                self._attend(pod, nodes)

    def _attend(self, pod: Object, nodes: set[str]) -> None:
        meta, node = pod["metadata"], pod["spec"].get("nodeName")
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        if node and (meta.get("deletionTimestamp") or node not in nodes):
            self._client.request("DELETE", path, {"gracePeriodSeconds": 0})
        elif node and pod["status"].get("phase") not in ENDED:
            status = self._status(pod)
            if pod["status"].get("phase") != status["phase"]:
                self._client.request("PATCH", f"{path}/status", {"status": status}, MERGE)

    def _status(self, pod: Object) -> Object:
        owners = {each["kind"] for each in pod["metadata"].get("ownerReferences", ())}
        began = pod["metadata"]["creationTimestamp"]
        phase = ("Failed" if self._fails else "Succeeded") if "Job" in owners else "Running"
        state: Object = {"running": {"startedAt": began}}
        if phase in ENDED:
            ended = {"exitCode": 0, "reason": "Completed"}
            if self._fails:
                ended = {"exitCode": 1, "reason": "Error", "message": self._fails}
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            state = {"terminated": {"startedAt": began, "finishedAt": now, **ended}}
        runs = phase == "Running"
        # One of 10.64.0.0/10 for each pod.
        number = self._numbers.setdefault(pod["metadata"]["uid"], len(self._numbers))
        address = f"10.{64 + number // 65536 % 64}.{number // 256 % 256}.{number % 256}"
        alike = {"imageID": "", "restartCount": 0, "ready": runs, "started": runs, "state": state}
        containers = [{"name": each["name"], "image": each["image"], **alike} for each in pod["spec"]["containers"]]
        kinds = ("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
        true = {kind: kind == "Initialized" or runs for kind in kinds}
        conditions = [{"type": kind, "status": str(holds), "lastTransitionTime": began} for kind, holds in true.items()]
        scheduled = [each for each in pod["status"].get("conditions", ()) if each["type"] not in true]
        return {
            "phase": phase,
            "startTime": began,
            "podIP": address,
            "podIPs": [{"ip": address}],
            "containerStatuses": containers,
            "conditions": [*scheduled, *conditions],
        }

    def _statuses(self) -> None:
        for path, status in READY.items():
            names = [each["metadata"]["name"] for each in self._served(path) if each.get("status") != status]
            for name in names:
                self._client.request("PATCH", f"{path}/{name}/status", {"status": status}, MERGE)

    def _compute_domains(self) -> None:
        for each in self._served(COMPUTE_DOMAINS):
            meta = each["metadata"]
            owner = {"apiVersion": each["apiVersion"], "kind": each["kind"], "name": meta["name"], "uid": meta["uid"]}
            name = each["spec"]["channel"]["resourceClaimTemplate"]["name"]
            template = {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaimTemplate",
                "metadata": {"name": name, "ownerReferences": [owner]},
                "spec": {"spec": {"devices": {}}},
            }
            path = f"/apis/resource.k8s.io/v1/namespaces/{meta['namespace']}/resourceclaimtemplates"
            with _unless_busy():  # it is there
                self._client.request("POST", path, template)

    def _served(self, path: str) -> list[Object]:
        """The objects of a kind that a chart may bring."""
        try:
            return self._client.request("GET", path)["items"]
        except Answered as answered:
            if answered.code != 404:
                raise
            return []


@contextmanager
def _unless_busy() -> Generator[None]:
    """What is refused is not to be done; what a busy server did not look at is done in the next round."""
    try:
        yield
    except Answered as answered:
        if answered.code in BUSY:
            raise
