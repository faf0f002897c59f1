"""An API server in memory, and the nodes behind it: what the prover writes is there, and what it asks for is told."""

import copy
import io
import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from email.message import Message
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

from rdma_agent.kube_api import Api
from tests.readiness.in_pod import load
from tests.readiness.judged import report_of

marks = load("mark_proofs")

POOL_LABEL = "pool"
TESTS = "/api/v1/namespaces/rdma-acceptance"
EVENTS = "/api/v1/namespaces/default/events"
JOBS = "/apis/batch/v1/namespaces/rdma-acceptance/jobs"
MPI_JOBS = "/apis/kubeflow.org/v2beta1/namespaces/rdma-acceptance/mpijobs"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
_JOB_LABELS = {JOBS: "batch.kubernetes.io/job-name", MPI_JOBS: "training.kubeflow.org/job-name"}


class Server(Api):
    """What it holds lies by the path of its collection and by its name. A page of a list has two objects."""

    PAGE = 2

    def __init__(self) -> None:
        self.held: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        self.now = 1_800_000_000
        self.writes: list[str] = []
        """Method and path of all that was written."""
        self.asked = 0
        """How many requests there were."""
        self.away = False
        self.groups = {
            "/apis/resource.k8s.io/v1": {"resources": [{"name": "resourceslices"}]},
            "/apis/resource.k8s.io/v1beta2": {"resources": [{"name": "devicetaintrules"}]},
        }
        self.fails: dict[str, int] = {}
        """Codes with which it answers to a method and a path."""
        self._made = 0

    @property
    def time(self) -> str:
        """The time as Kubernetes writes it."""
        return datetime.fromtimestamp(self.now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def open(self, path: str, method: str = "GET", body: Any = None, kind: str = "application/json") -> Any:
        """The answer to a request."""
        url = urlsplit(path)
        step = f"{method} {url.path}"
        if method != "GET":
            self.writes.append(step)
        self.asked += 1
        if code := 503 if self.away else self.fails.get(step):
            raise HTTPError(path, code, "no", Message(), io.BytesIO(b"words of the server"))
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        answer = self._answer(method, url.path, query, copy.deepcopy(body), kind)
        if answer is None:
            raise HTTPError(path, 404, "none", Message(), io.BytesIO())
        return io.BytesIO(json.dumps(answer).encode())

    def put(self, collection: str, name: str, **parts: Any) -> dict[str, Any]:
        """Hold an object."""
        self._made += 1
        metadata = {"name": name, "uid": f"uid-{self._made}", "resourceVersion": "1", "creationTimestamp": self.time}
        made = {**parts, "metadata": {**metadata, **parts.get("metadata", {})}}
        self.held[collection][name] = made
        return made

    def node(self, name: str) -> dict[str, Any]:
        """A node as it is held."""
        return self.held["/api/v1/nodes"][name]

    def condition(self, node: str, type_: str) -> dict[str, Any]:
        """A condition of a node; empty where it has none."""
        conditions = self.node(node)["status"]["conditions"]
        return next((each for each in conditions if each["type"] == type_), {})

    def _answer(self, method: str, path: str, query: dict[str, str], body: Any, kind: str) -> Any:
        collection, _, name = path.rpartition("/")
        match method:
            case "GET" if path in self.groups:
                return self.groups[path]
            case "GET" if name in self.held.get(collection, {}):
                return self.held[collection][name]
            case "GET" if name in ("nodes", "pods", "jobs", "mpijobs", "resourceslices", "devicetaintrules"):
                return self._page(path, query)
            case "POST":
                body["metadata"].setdefault("namespace", "default")
                name = body["metadata"].get("name") or f"{body['metadata']['generateName']}{self._made}"
                if name in self.held[path]:
                    raise HTTPError(path, 409, "is there", Message(), io.BytesIO())
                return self.put(path, name, **body)
            case "PUT":
                return self.put(collection, name, **body)
            case "DELETE":
                assert body == {"propagationPolicy": "Background"} or "jobs" not in path, "its pods would stay"
                return self.held[collection].pop(name, None)
            case "PATCH" if name == "status":
                assert kind == "application/strategic-merge-patch+json", "the other conditions would be gone"
                return _with_conditions(self.node(collection.rpartition("/")[2]), body)
            case "PATCH":
                assert kind == "application/merge-patch+json"
                return self._merged(self.held[collection][name], body)
        return None

    def _merged(self, node: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
        version = patch["metadata"].pop("resourceVersion")
        if version != node["metadata"]["resourceVersion"]:
            raise HTTPError("", 409, "another version", Message(), io.BytesIO())
        node["metadata"]["resourceVersion"] = str(int(version) + 1)
        for part, words in patch["metadata"].items():
            kept = {**node["metadata"].get(part, {}), **words}
            node["metadata"][part] = {key: value for key, value in kept.items() if value is not None}
        node["spec"] = {**node.get("spec", {}), **patch.get("spec", {})}
        return node

    def _page(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        # Pods are asked for in a namespace, or in all.
        of = [each for each in self.held if each == path or (path == "/api/v1/pods" and each.endswith("/pods"))]
        fields, labels = query.get("fieldSelector", ""), query.get("labelSelector", "")
        found = [each for name in of for each in self.held[name].values() if _chosen(each, fields, labels)]
        begin = int(query.get("continue", "0"))
        end = begin + min(self.PAGE, int(query["limit"])) if "limit" in query else len(found)
        more = {"continue": str(end)} if end < len(found) else {}
        return {"items": found[begin:end], "metadata": more}

    def end_tests(self, bad: Collection[str]) -> None:
        """Plays the nodes: every test that has all that its pods mount runs, and its judge says what it saw."""
        for collection in (JOBS, MPI_JOBS):
            for name, job in self.held[collection].items():
                if not job.get("status") and name in self.held[f"{TESTS}/configmaps"]:
                    self._end(collection, job, bad)

    def _end(self, collection: str, job: dict[str, Any], bad: Collection[str]) -> None:
        name, names = job["metadata"]["name"], pinned_to(job)
        report = report_of(names, bad, 190.0, 3.0, 180.0)
        line, passed = marks.text_of(report), all(pair[3] for pair in report.pairs)
        told = {"exitCode": int(not passed), "message": f"{line}\n{'passed' if passed else 'bandwidth: 3 GB/s'}"}
        told["finishedAt"] = self.time
        boxes = [
            {"name": "nccl", "state": {"terminated": {"message": "of another"}}},
            {"name": "verdict", "state": {"terminated": told}},
        ]
        for place, node in enumerate(names):
            status = {"phase": "Succeeded", **({} if place else {"containerStatuses": boxes})}
            metadata = {"namespace": "rdma-acceptance", "labels": {_JOB_LABELS[collection]: name}}
            self.put(f"{TESTS}/pods", f"{name}-{place}", metadata=metadata, spec={"nodeName": node}, status=status)
        well_ended = "Complete" if collection == JOBS else "Succeeded"
        end = {"type": well_ended if passed else "Failed", "status": "True", "lastTransitionTime": self.time}
        job["status"] = {"conditions": [{"type": "Suspended", "status": "False"}, end]}


def pinned_to(job: dict[str, Any]) -> list[str]:
    """The nodes on which alone a test's pods can be, which is the same for all of them."""
    templates = [each["template"] for each in job["spec"].get("mpiReplicaSpecs", {"": job["spec"]}).values()]
    rules = [each["spec"]["affinity"]["nodeAffinity"] for each in templates]
    assert all(rule == rules[0] for rule in rules)
    terms = rules[0]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return [term["matchFields"][0]["values"][0] for term in terms]


def _with_conditions(node: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    status = node.setdefault("status", {})
    by_type = {each["type"]: each for each in (*status.get("conditions", ()), *patch["status"]["conditions"])}
    status["conditions"] = list(by_type.values())
    node["metadata"]["resourceVersion"] += "1"
    return node


def _chosen(held: dict[str, Any], fields: str, labels: str) -> bool:
    return all(_holds(held, each) for each in _terms(fields)) and _labelled(held["metadata"].get("labels", {}), labels)


def _terms(selector: str) -> Iterator[tuple[str, str, bool]]:
    for term in filter(None, selector.split(",")):
        key, _, value = term.partition("=")
        yield key.rstrip("!"), value, not key.endswith("!")


def _holds(held: dict[str, Any], term: tuple[str, str, bool]) -> bool:
    (key, value, equal), part = term, held
    for word in key.split("."):
        part = part.get(word, {})
    return ((part or "") == value) == equal


def _labelled(labels: dict[str, str], selector: str) -> bool:
    key, within, values = selector.partition(" in (")
    if within:
        return labels.get(key) in values.rstrip(")").split(",")
    key, _, value = selector.partition("=")
    return not key or labels.get(key) == value
