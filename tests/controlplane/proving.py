"""A prover on a real API server that ends at any request, and the nodes that it proves, played.

No kubelet stands behind the nodes: it is played here, and says of each test's leading pod what the judge would.
"""

import base64
import json
import os
import signal
from collections import Counter
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from rdma_agent import kube_api, proof
from rdma_agent.acceptance import mark_proofs as marks
from rdma_agent.names import (
    PROVER,
    PROVER_NAMESPACE as NAMESPACE,
    PROVER_PRIORITY as PRIORITY,
    SUBJECTS,
    TESTS_NAMESPACE as TESTS,
)
from rdma_agent.prover import fill, lease as lease_file, main as prover_file, metrics as metrics_file
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons.readiness.args import NodeReadinessArgs
from rdma_cluster.incluster.addons.readiness.plan import ReadinessPlan, plan_readiness
from rdma_cluster.incluster.addons.readiness.prover import PRIORITY_VALUE, Prover
from .api import Api

_RBAC, _ADMISSION = "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1"
GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def planned(nodes: int) -> ReadinessPlan:
    """A pool whose pods name networks, so that no driver has to publish devices."""
    pool = {"name": "a", "machine": "a3-megagpu-8g", "nodes": nodes, "fabric": "tcpxo"}
    args = {"pools": [pool], "pool_label": "pool", "host": "cos", "taint": {"key": GPU["key"], "value": GPU["value"]}}
    args["version"] = "1.36"
    return plan_from(NodeReadinessArgs, plan_readiness, args)


def rights(prover: Prover) -> list[dict[str, Any]]:
    """The objects that give the prover its rights, as ``NodeReadiness`` makes them."""
    subject = [{"kind": "ServiceAccount", "name": PROVER, "namespace": NAMESPACE}]
    objects: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (NAMESPACE, TESTS)
    ]
    objects += [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": PROVER, "namespace": NAMESPACE}},
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": PRIORITY}}
        | {"value": PRIORITY_VALUE, "preemptionPolicy": "Never"},
        {"apiVersion": _RBAC, "kind": "ClusterRole", "metadata": {"name": PROVER}, "rules": prover.cluster_rules},
        {"apiVersion": _RBAC, "kind": "ClusterRoleBinding", "metadata": {"name": PROVER}, "subjects": subject}
        | {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": PROVER}},
    ]
    for namespace, rules in (
        (NAMESPACE, prover.own_rules),
        (TESTS, prover.test_rules),
        ("default", prover.event_rules),
    ):
        named = {"name": PROVER, "namespace": namespace}
        objects.append({"apiVersion": _RBAC, "kind": "Role", "metadata": named, "rules": rules})
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": PROVER}
        objects.append(
            {"apiVersion": _RBAC, "kind": "RoleBinding", "metadata": named, "subjects": subject, "roleRef": role}
        )
    for name, spec in prover.policies.items():
        objects.append(
            {"apiVersion": _ADMISSION, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name}, "spec": spec}
        )
        binding = {"policyName": name, "validationActions": ["Deny"]}
        objects.append(
            {"apiVersion": _ADMISSION, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name}}
            | {"spec": binding}
        )
    return objects


def signed_in(api: Api, kubeconfig: Path, account: str, namespace: str, folder: Path) -> str:
    """The address of the API server; ``folder`` gets the files by which pods of a service account sign in."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    (folder / "token").write_text(api.request("POST", path, json=asked).json()["status"]["token"])
    server = yaml.safe_load(kubeconfig.read_text())["clusters"][0]["cluster"]
    ca = server.get("certificate-authority-data")
    text = base64.b64decode(ca) if ca else Path(server["certificate-authority"]).read_bytes()
    (folder / "ca.crt").write_bytes(text)
    return server["server"]


class Stopped(Exception):
    """The prover's process ends here, at once."""


class Mortal(kube_api.Api):
    """The prover's client, in a process that ends once before and once after each kind of request that writes, and then
    at every hundred and fiftieth."""

    def __init__(self, server: str, credentials: Path) -> None:
        super().__init__(server, credentials, timeout_seconds=3)
        self.ended: set[tuple[str, str]] = set()
        """Before or after which kinds of requests it has ended."""
        self._writes = 0

    def open(self, path: str, method: str = "GET", body: Any = None, kind: str = "application/json") -> Any:
        """As the client, or the end."""
        if method == "GET":
            return super().open(path, method, body, kind)
        step = f"{method} {_kind_of(path)}"
        self._writes += 1
        if self._is_due("before", step):
            raise Stopped(step)
        answer = super().open(path, method, body, kind)
        if self._is_due("after", step) or self._writes % 150 == 0:
            answer.close()
            raise Stopped(step)
        return answer

    def _is_due(self, when: str, step: str) -> bool:
        new = (when, step) not in self.ended
        self.ended.add((when, step))
        return new


def _kind_of(path: str) -> str:
    """``nodes``, ``nodes/status``, ``jobs``: of the objects at a path."""
    parts = path.partition("?")[0].strip("/").split("/")
    parts = parts[2:] if parts[0] == "api" else parts[3:]
    parts = parts[2:] if parts[0] == "namespaces" else parts
    return "/".join([parts[0], *parts[2:]])


@contextmanager
def away(folder: Path) -> Generator[None]:
    """The API server of a control plane with its files in ``folder`` does not answer for the length of the block."""
    flag = f"--cert-dir={folder / 'certificates'}".encode()
    lines = {int(each.parent.name): _read(each) for each in Path("/proc").glob("[0-9]*/cmdline")}
    (server,) = [pid for pid, line in lines.items() if flag in line.split(b"\0")]
    os.kill(server, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server, signal.SIGCONT)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""


class Kubelets:
    """Plays the nodes: says of a test's pods that they ran, and what the judge saw."""

    def __init__(self, api: Api, bad: Collection[str]) -> None:
        self._api, self._bad = api, bad
        self.tested: Counter[str] = Counter()
        """In how many tests a node was to be proven."""
        self.doubts: Counter[str] = Counter()
        """In how many it was, or was a neighbour, and failed beside somebody."""
        self._done: set[str] = set()

    def run(self) -> None:
        """Ends each test all of whose pods have a node."""
        path = f"/api/v1/namespaces/{TESTS}/pods"
        by_job: dict[str, list[dict[str, Any]]] = {}
        for pod in self._api.request("GET", path).json()["items"]:
            if "deletionTimestamp" in pod["metadata"]:
                # Its Job ends when no pod of it is left.
                self._api.delete({"apiVersion": "v1", "kind": "Pod", "metadata": pod["metadata"]})
                continue
            by_job.setdefault(pod["metadata"]["labels"].get("batch.kubernetes.io/job-name", ""), []).append(pod)
        for name, pods in by_job.items():
            if name not in self._done:
                self._end(name, pods)

    def _end(self, name: str, pods: list[dict[str, Any]]) -> None:
        job = self._api.get({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": TESTS}})
        index = "batch.kubernetes.io/job-completion-index"
        places = {int(pod["metadata"]["annotations"][index]): pod for pod in pods}
        if job is None or len(places) < job["spec"]["completions"]:
            return
        # What its pods mount; without it none starts.
        if self._api.get({"apiVersion": "v1", "kind": "ConfigMap", "metadata": job["metadata"]}) is None:
            return
        if not all(pod["spec"].get("nodeName") for pod in pods):
            return
        self._done.add(name)
        names = [places[i]["spec"]["nodeName"] for i in range(len(places))]
        edges = [pair for each in fill.ring(len(names)) for pair in each]
        good = {edge: not {names[i] for i in edge} & {*self._bad} for edge in edges}
        self.tested.update(json.loads(job["metadata"]["annotations"][SUBJECTS]))
        self.doubts.update({names[i] for edge, fine in good.items() if not fine for i in edge})
        self._tell(places[0], names, good)

    def _tell(self, leader: dict[str, Any], names: list[str], good: Mapping[tuple[int, int], bool]) -> None:
        """The end of the pod that judges: it suspects a node between two that were good beside others."""
        shown = tuple((one, two, 190.0 if fine else 3.0, fine) for (one, two), fine in good.items())
        well = {i for edge, fine in good.items() if fine for i in edge}
        others = {i: [one + two - i for one, two in good if i in (one, two)] for i in range(len(names))}
        suspects = tuple(i for i in others if i not in well and len(others[i]) > 1 and {*others[i]} <= well)
        line = marks.text_of(proof.Report(tuple(names), shown, suspects, 180.0))
        passed = all(good.values())
        ended = {"exitCode": 0 if passed else 1, "message": f"{line}\nbandwidth: 3 GB/s; wanted 180"}
        ended |= {"startedAt": kube_api.stamp(), "finishedAt": kube_api.stamp()}
        status = {
            "phase": "Succeeded" if passed else "Failed",
            "containerStatuses": [
                {"name": box["name"], "image": "i", "imageID": "i", "ready": False, "restartCount": 0}
                | {"state": {"terminated": ended}}
                for box in leader["spec"]["containers"]
            ],
        }
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": leader["metadata"]}
        self._api.merge(pod, {"status": status}, "/status")


def look(client: Any, config: dict[str, Any], now: int) -> bool:
    """A prover that is new each time, as after a restart, with the name of the one before; whether it lived."""
    lease = lease_file.Lease(client, NAMESPACE, "rdma-prover", "prover")
    try:
        prover_file.Prover(client, config, lease, metrics_file.Metrics()).look(now)
    except (Stopped, OSError) as error:
        print(f"the prover ends: {error!r}")
        return False
    return True


def whole_node(name: str) -> dict[str, Any]:
    """A pod of work that takes all GPUs of a node."""
    container = {"name": "work", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    spec = {
        "restartPolicy": "Never",
        "nodeSelector": {"pool": "a"},
        "tolerations": [{"key": GPU["key"], "operator": "Exists", "effect": "NoSchedule"}],
        "containers": [container],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
