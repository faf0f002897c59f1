"""Reads a living cluster: what its API tells, and what a short-lived pod sees on one node of each pool.

It asks for no more than to list nodes, ResourceSlices, DaemonSets, ResourceClaimTemplates and DeviceClasses, and in
kube-system to list, create, read and delete pods and read their logs. The house's own client does: a kept library is
twenty times its lines, and this one runs exec plugins, too.
"""

import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..claims.template import API_VERSION
from ..conform.expected import Expected
from ..conform.pod import LABELS, NAMESPACE, SECONDS, pod
from ..conform.reader import Answers
from ..kubernetes_api.client import Answered, Client
from ..kubernetes_api.connect import connected
from .options import KUBECONFIG
from .signals import Signals

_PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
_POLL_SECONDS = 0.5


def read_cluster(
    kubeconfig: Path, promised: Expected, namespaces: Sequence[str], image: str | None
) -> tuple[Answers, list[str]]:
    """What the cluster answers, and why a node could not be looked at. Raises ``Refused``.

    ``image`` is that of the pod; ``None`` makes none.
    """
    with connected(kubeconfig, KUBECONFIG) as client:
        answers = _read(client, namespaces)
        if image is None:
            return answers, ["no pod looked at any node, as was asked"]
        try:
            looks, why = _look(client, _one_a_pool(answers.nodes, promised), image)
        except Answered as answered:
            if answered.code != 403:  # the account may do nothing with pods
                raise
            looks, why = {}, [f"no pod could look at any node: {answered}"]
    return replace(answers, looks=looks), why


def _read(client: Client, namespaces: Iterable[str]) -> Answers:
    def listed(path: str) -> list[Any]:
        items = client.request("GET", path).get("items")
        return items if isinstance(items, list) else []

    def claimed(path: str) -> list[Any]:
        try:
            return listed(f"/apis/{API_VERSION}{path}")
        except Answered as answered:
            if answered.code != 404:  # an older API server has no such objects
                raise
            return []

    return Answers(
        nodes=listed("/api/v1/nodes"),
        slices=claimed("/resourceslices"),
        daemons=listed("/apis/apps/v1/daemonsets"),
        templates=[claimed(f"/namespaces/{each}/resourceclaimtemplates") for each in namespaces],
        classes=claimed("/deviceclasses"),
        version=str(client.request("GET", "/version").get("gitVersion", "")),
    )


def _one_a_pool(nodes: Iterable[Any], promised: Expected) -> list[str]:
    """The first node of each pool that is ready."""
    first: dict[str, str] = {}
    for node in nodes:
        pool = node["metadata"].get("labels", {}).get(promised.pool_label)
        conditions = node.get("status", {}).get("conditions") or []
        ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
        if ready and pool in {each.name for each in promised.pools}:
            first.setdefault(pool, node["metadata"]["name"])
    return list(first.values())


def _look(client: Client, nodes: Sequence[str], image: str) -> tuple[dict[str, str], list[str]]:
    """What a pod on each node prints, and why there is no answer of a node. No pod stays, however this ends."""
    pods = {node: pod(f"rdma-conform-{secrets.token_hex(4)}", node, image) for node in nodes}
    with Signals(raising=True) as signals:
        try:
            _sweep(client)
            refused = {node: why for node, each in pods.items() if (why := _make(client, each))}
            waiting = {node: each["metadata"]["name"] for node, each in pods.items() if node not in refused}
            looks, failed = _answers(client, waiting)
        finally:
            signals.hold()
            _remove(client, [each["metadata"]["name"] for each in pods.values()])
    return looks, [f"{node}: no pod could look: {why}" for node, why in {**refused, **failed}.items()]


def _make(client: Client, manifest: Mapping[str, Any]) -> str | None:
    """Makes a pod; why not, where the server says no."""
    try:
        client.request("POST", _PODS, manifest)
    except Answered as answered:
        return str(answered)
    return None


def _answers(client: Client, pods: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The logs of pods that succeed, and what became of the others."""
    waiting, looks, failed = dict(pods), dict[str, str](), dict[str, str]()
    deadline = time.monotonic() + SECONDS
    while waiting and time.monotonic() < deadline:
        for node, name in list(waiting.items()):
            status = client.request("GET", f"{_PODS}/{name}").get("status", {})
            if status.get("phase") == "Succeeded":
                looks[node] = client.text(f"{_PODS}/{name}/log")
            elif status.get("phase") == "Failed":
                failed[node] = str(status.get("message") or status.get("reason") or "it failed")
            if node in looks or node in failed:
                del waiting[node]
        if waiting:
            time.sleep(_POLL_SECONDS)
    return looks, failed | dict.fromkeys(waiting, f"it did not end within {SECONDS} s")


def _sweep(client: Client) -> None:
    """Removes ended pods of a run that was killed outright; one that runs may be another person's."""
    labels = ",".join(f"{key}={value}" for key, value in LABELS.items())
    found = client.request("GET", _PODS, labelSelector=labels).get("items") or []
    ended = [each for each in found if each.get("status", {}).get("phase") in ("Succeeded", "Failed")]
    _remove(client, [each["metadata"]["name"] for each in ended])


def _remove(client: Client, names: Iterable[str]) -> None:
    for name in names:
        try:
            client.request("DELETE", f"{_PODS}/{name}", {"gracePeriodSeconds": 0})
        except Answered as answered:
            if answered.code not in (403, 404):  # it was never made
                raise
