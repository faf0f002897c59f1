"""Several control planes on one machine: each with its Kueue and its nodes, reached by a way that a test can cut."""

import json
import socket
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from pulumi_offline import Graph
from rdma_rehearsal.controlplane.servers import HOST
from .api import Api, Object, Refused
from .cluster import Cluster
from .kubeconfig import connect
from .queueing import defined, jobset, kinds_of_kubeflow, kueue, until
from .servers import control_plane
from .stack_objects import RELEASE, manifest, of_kubernetes

ROUND_SECONDS = 0.25
LEFT_OUT = ("Namespace", "Job", "DaemonSet", "Deployment")
"""What a test makes itself, or nobody needs here."""


@dataclass
class Site:
    """One cluster."""

    name: str
    api: Api
    kubeconfig: Path
    kubelet: "Kubelet"
    way: "Way"
    """To its API server, for who is outside of it."""
    dispatched: Path
    """The kubeconfig that its manager has."""


@contextmanager
def site(name: str, folder: Path, config: Mapping[str, Any], namespace: str) -> Generator[Site]:
    """A control plane with JobSet and Kueue beside it, Kubeflow's kinds without controllers, and ``namespace``."""
    folder.mkdir()
    with ExitStack() as stack:
        kubeconfig = stack.enter_context(control_plane(folder))
        http = stack.enter_context(connect(kubeconfig))
        api = Api(http)
        api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        stack.enter_context(defined(api, kinds_of_kubeflow()))
        stack.enter_context(jobset(api, kubeconfig, folder / "jobset"))
        stack.enter_context(kueue(api, kubeconfig, folder / "kueue", config))
        way = stack.enter_context(Way.to(str(http.base_url)))
        kubelet = stack.enter_context(Kubelet.of(name, kubeconfig, namespace))
        yield Site(name, api, kubeconfig, kubelet, way, folder / "dispatched")


def configuration(graph: Graph) -> dict[str, Any]:
    """What Kueue is told."""
    (release,) = [each for each in graph.of_type(RELEASE) if each.inputs["name"] == "kueue"]
    return json.loads(release.inputs["values"]["managerConfig"]["controllerManagerConfigYaml"])


def apply_all(api: Api, graph: Graph, namespace: str, instead: Mapping[str, Object] | None = None) -> None:
    """What a stack makes for jobs of a namespace, in its order; ``instead`` holds what no preview shows, by name."""
    for resource in of_kubernetes(graph):
        if "kind" not in resource.inputs or resource.type == RELEASE or resource.inputs["kind"] in LEFT_OUT:
            continue
        each = manifest(resource)
        if each["metadata"].get("namespace", namespace) not in (namespace, "kueue-system"):
            continue
        changed = {**each, **(instead or {}).get(each["metadata"]["name"], {})}
        until(lambda changed=changed: taken(api, changed), f"{each['kind']} {each['metadata']['name']} is taken")


def taken(api: Api, obj: Object) -> Object | None:
    """Applied; a webhook learns of what an object names a moment after that is there."""
    try:
        return api.apply(obj).result
    except Refused as refused:
        if "not found" not in refused.message and "connection refused" not in refused.message:
            raise
        return None


class Way:
    """A port that leads to a server, and can lead nowhere."""

    def __init__(self, listener: socket.socket, port: int):
        self._listener, self._port = listener, port
        self._open = True
        self._ends: set[socket.socket] = set()
        self.server = f"https://{HOST}:{listener.getsockname()[1]}"

    @classmethod
    @contextmanager
    def to(cls, server: str) -> "Generator[Way]":
        """A way to a server of this machine."""
        with socket.create_server((HOST, 0)) as listener:
            way = cls(listener, urlsplit(server).port or 443)
            threading.Thread(target=way._accept, daemon=True).start()
            try:
                yield way
            finally:
                way.cut()
                listener.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Nobody gets through, and who did is cut off."""
        self._open = False
        for each in list(self._ends):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """As before."""
        self._open = True

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if not self._open:
                    near.close()
                    continue
                far = socket.create_connection((HOST, self._port))
                self._ends |= {near, far}
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._ends.discard(source)
        source.close()


@dataclass
class Ran:
    """A pod that a kubelet started."""

    cluster: str
    pod: Object
    """As it was when it started."""
    ended: bool = False
    """Whether its program came to its end."""


@dataclass
class Kubelet:
    """Starts the pods that are bound to nodes, and ends them after a while."""

    name: str
    http: httpx.Client
    namespace: str
    seconds: float = 1.0
    """How long a program takes."""
    ran: dict[str, Ran] = field(default_factory=dict)
    """By the pod's uid."""
    working: bool = True
    """Machines that are gone start nothing and end nothing."""
    round: threading.Lock = field(default_factory=threading.Lock)
    """Held while it looks after its pods."""

    @classmethod
    @contextmanager
    def of(cls, name: str, kubeconfig: Path, namespace: str) -> "Generator[Kubelet]":
        """One that works until the block ends."""
        with connect(kubeconfig) as http:
            kubelet, over = cls(name, http, namespace), threading.Event()
            thread = threading.Thread(target=kubelet._run, args=(over,), daemon=True)
            thread.start()
            try:
                yield kubelet
            finally:
                over.set()
                thread.join()

    def stop(self) -> None:
        """The machines are gone. What they had begun to tell has arrived."""
        with self.round:
            self.working = False

    def _run(self, over: threading.Event) -> None:
        api, began = Api(self.http), {}
        while not over.wait(ROUND_SECONDS):
            with self.round:
                for pod in api.objects("v1", "Pod", self.namespace) if self.working else ():
                    if "nodeName" in pod["spec"]:
                        with suppress(Refused):  # it has just gone
                            self._attend(api, pod, began)

    def _attend(self, api: Api, pod: Object, began: dict[str, float]) -> None:
        uid, phase = pod["metadata"]["uid"], pod["status"].get("phase")
        if "deletionTimestamp" in pod["metadata"]:
            api.delete(pod)
        elif phase == "Pending":
            began[uid] = time.monotonic()
            self.ran[uid] = Ran(self.name, pod)
            self._say(api, pod, "Running")
        elif phase == "Running" and time.monotonic() - began[uid] > self.seconds:
            self._say(api, pod, "Succeeded")
            self.ran[uid].ended = True

    def _say(self, api: Api, pod: Object, phase: str) -> None:
        runs = str(phase == "Running")
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        ready = [{"type": kind, "status": runs, "lastTransitionTime": now} for kind in ("Ready", "ContainersReady")]
        before = [each for each in pod["status"]["conditions"] if each["type"] == "PodScheduled"]
        status = {"phase": phase, "startTime": pod["metadata"]["creationTimestamp"], "conditions": [*before, *ready]}
        api.merge(pod, {"status": status}, "/status")


def add_nodes(cluster: Cluster, names: Sequence[str], workload: Mapping[str, Any], levels: Sequence[str]) -> None:
    """Nodes of a pool, as its pod patch tells of them; all in one place of the network."""
    labels = {**workload["nodeSelector"], **dict.fromkeys(levels, "here")}
    taints = [{key: each[key] for key in ("key", "value", "effect")} for each in workload["tolerations"]]
    for name in names:
        cluster.add_node(name, {**labels, "kubernetes.io/hostname": name}, taints, workload["resources"]["limits"])
