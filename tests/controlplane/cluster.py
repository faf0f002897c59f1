"""What a test does with a cluster: apply objects, pretend nodes and devices, ask the scheduler, and leave no trace."""

import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from .api import Api, Applied, Object, Refused

SCHEDULE_SECONDS = 60.0
CLEAN_SECONDS = 180.0
POLL_SECONDS = 0.05
# A pod refused because its nodes or devices were only on their way to the scheduler is tried again when they arrive,
# after a back-off of a second. So a "no" counts when it has stood that long.
SETTLE_SECONDS = 1.5
# Said of a pod before its claims are made, and at times after: up to 1.36 a controller that falls behind drops one of
# two claims from the pod's status and puts it back, over and over (kubernetes#138407, mended by #138408).
NO_CLAIM_YET = "ResourceClaim not created yet"
ROUND_SECONDS = 3.0
"""After these, pods whose claims flap are looked for; again and again, within the time that all have."""
AT_ONCE = 4  # requests; a client in Python keeps no more of them busy
DEVICES_IN_A_SLICE = 128  # the API's limit; 64 where devices have taints or share counters
RESOURCE_API = "resource.k8s.io/v1"
ROOMY_NODE = {"cpu": "1000", "memory": "4Ti", "ephemeral-storage": "4Ti", "pods": "1000"}


class Placement(NamedTuple):
    """The scheduler's answer for one pod."""

    node: str | None
    """Where it was bound; None where it fits nowhere."""
    message: str = ""
    """Why it fits nowhere, in the scheduler's words."""


class Cluster:
    """One test's use of a cluster: a namespace of its own, and an end to everything it made."""

    def __init__(self, api: Api):
        self.api = api
        self.namespace = f"e2e-{secrets.token_hex(4)}"
        self._made: list[Object] = []

    def __enter__(self) -> "Cluster":
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})
        return self

    def apply(self, obj: Object) -> Applied:
        """Server-side apply; `default` becomes the test's own namespace where the object names none."""
        if self.api.resource(obj["apiVersion"], obj["kind"]).namespaced and "namespace" not in obj["metadata"]:
            obj = obj | {"metadata": obj["metadata"] | {"namespace": self.namespace}}
        applied = self.api.apply(obj)
        self._made.append(applied.result)
        return applied

    def create(self, obj: Object) -> Object:
        """Make an object that nobody has made before; in the test's own namespace where it names none."""
        if self.api.resource(obj["apiVersion"], obj["kind"]).namespaced and "namespace" not in obj["metadata"]:
            obj = obj | {"metadata": obj["metadata"] | {"namespace": self.namespace}}
        try:
            made = self.api.create(obj)
        except Refused as refused:
            if refused.code != 409:
                raise
            # A test that could not take all back is one failure, and not that of all that come after it.
            self.api.delete(obj)
            self.api.wait(obj, lambda state: True if state is None else None, SCHEDULE_SECONDS)
            made = self.api.create(obj)
        self._made.append(made)
        return made

    def create_all(self, objects: Sequence[Object]) -> list[Object]:
        """Make objects that do not need each other, some at a time."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(self.create, objects))

    def add_nodes(self, names: Sequence[str], labels: Mapping[str, str] | None = None) -> None:
        """Many nodes, alike but for their names."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda name: self.add_node(name, labels), names))

    def add_node(
        self,
        name: str,
        labels: Mapping[str, str] | None = None,
        taints: Sequence[Mapping[str, str]] = (),
        allocatable: Mapping[str, str] | None = None,
    ) -> Object:
        """A node that takes pods, though no kubelet stands behind it."""
        room = ROOMY_NODE | dict(allocatable or {})
        ready = {"type": "Ready", "status": "True", "reason": "Simulated", "message": "no kubelet"}
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name} | dict(labels or {})},
            "status": {"capacity": room, "allocatable": room, "conditions": [ready]},
        }
        made = self.create(node)
        return self.api.merge(made, {"spec": {"taints": list(taints)}})  # admission taints every new node as not ready

    def add_slices(self, node: str, driver: str, devices: Sequence[Object], pool: str | None = None) -> list[Object]:
        """Publish a node's devices as its driver would; the pool bears the node's name unless told otherwise."""
        pool = pool or node
        parts = [devices[i : i + DEVICES_IN_A_SLICE] for i in range(0, len(devices), DEVICES_IN_A_SLICE)]
        slices = []
        for number, part in enumerate(parts):
            spec = {
                "driver": driver,
                "nodeName": node,
                "pool": {"name": pool, "generation": 1, "resourceSliceCount": len(parts)},
                "devices": list(part),
            }
            name = {"name": f"{pool}-{driver}-{number}"}
            slices.append({"apiVersion": RESOURCE_API, "kind": "ResourceSlice", "metadata": name, "spec": spec})
        return self.create_all(slices)

    def schedule(self, pod: Object, seconds: float = SCHEDULE_SECONDS) -> Placement:
        """Apply a pod and wait until it is bound, or has been refused for good."""
        made = self.apply(pod).result
        first = self.api.wait(made, _verdict, seconds)
        if first.node:
            return first
        try:
            return self.api.wait(made, _bound, SETTLE_SECONDS)
        except TimeoutError:
            return self.api.wait(made, _verdict, seconds)

    def schedule_all(self, pods: Sequence[Object], seconds: float = SCHEDULE_SECONDS) -> dict[str, Placement]:
        """Create many pods and wait for the verdict on each, by name. A "no" has stood as long as one of `schedule`."""
        batch = {"e2e-batch": secrets.token_hex(4)}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self.api.create, [_in_batch(pod, self.namespace, batch) for pod in pods]))
        selector = {"labelSelector": "e2e-batch=" + batch["e2e-batch"]}
        verdicts: dict[str, Placement] = {}
        for _ in range(math.ceil(seconds / ROUND_SECONDS)):
            for pod in self.api.watch("v1", "Pod", self.namespace, ROUND_SECONDS, **selector):
                if verdict := _verdict(pod):
                    verdicts[pod["metadata"]["name"]] = verdict
                if len(verdicts) == len(pods):
                    break
            states = self.api.objects("v1", "Pod", self.namespace, **selector)
            left = [pod for pod in states if pod["metadata"]["name"] not in verdicts]
            if not left:
                break
            self._make_anew([pod for pod in left if flaps(pod)], pods, batch)
        else:
            raise TimeoutError(f"no verdict on {len(left)} of {len(pods)} pods after {seconds:g} s; one: {left[:1]}")
        if not all(verdict.node for verdict in verdicts.values()):
            for pod in self.api.watch("v1", "Pod", self.namespace, SETTLE_SECONDS, **selector):
                verdicts[pod["metadata"]["name"]] = _verdict(pod) or verdicts[pod["metadata"]["name"]]
        return verdicts

    def _make_anew(self, stuck: Sequence[Object], pods: Sequence[Object], batch: dict[str, str]) -> None:
        """Delete pods whose claims flap and create them again: they would flap for ever (kubernetes#138407)."""
        names = {pod["metadata"]["name"] for pod in stuck}
        for pod in stuck:
            self.api.delete(pod)
        self._until_nothing(lambda: [pod for pod in stuck if self.api.get(pod)])
        for pod in pods:
            if pod["metadata"]["name"] in names:
                self.api.create(_in_batch(pod, self.namespace, batch))

    def claims(self, pod: Object) -> dict[str, Object]:
        """A pod's claims by their name in the pod, those made from templates among them."""
        namespace = pod["metadata"].get("namespace", self.namespace)
        meta = {"name": pod["metadata"]["name"], "namespace": namespace}
        state = self.api.get({"apiVersion": "v1", "kind": "Pod", "metadata": meta})
        assert state is not None, f"no pod {meta['name']}"
        named = {entry["name"]: entry.get("resourceClaimName") for entry in state["spec"].get("resourceClaims", ())}
        for entry in state["status"].get("resourceClaimStatuses", ()):
            named[entry["name"]] = entry.get("resourceClaimName")
        claims = {}
        for name, claim in named.items():
            where = {"name": claim, "namespace": namespace}
            state = self.api.get({"apiVersion": RESOURCE_API, "kind": "ResourceClaim", "metadata": where})
            assert state is not None, f"no claim {claim} for {name}"
            claims[name] = state
        return claims

    def __exit__(self, *_: object) -> None:
        """Take back everything, newest first, and see it gone: the next test may use the same names.

        Only namespaces that a test named itself stay, empty, for a later test: a cluster takes five seconds to begin to
        delete one. They go with the session.
        """
        own = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}
        self.api.delete(own)  # slow to go, but from now on no controller makes anything in it
        # Those that wait for devices go first, or they would be tried again with each device that comes free.
        self.api.delete_all("v1", "Pod", self.namespace, fieldSelector="spec.nodeName=")
        self.api.delete_all("v1", "Pod", self.namespace)
        for obj in self._made:
            if obj["kind"] == "Namespace" and obj["metadata"]["name"] != self.namespace:
                self.api.namespaces[obj["metadata"]["name"]] = obj
        # What else is in the test's own namespace goes with it.
        elsewhere = [obj for obj in reversed(self._made) if obj["metadata"].get("namespace") != self.namespace]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self.api.delete, [obj for obj in elsewhere if obj["kind"] != "Namespace"]))
        self._until_nothing(self._evict)

    def _evict(self) -> list[Object]:
        """Pods on our nodes, which no kubelet will ever report as ended, and claims on our devices."""
        nodes = {obj["metadata"]["name"] for obj in self._made if obj["kind"] == "Node"}
        pools = {obj["spec"]["pool"]["name"] for obj in self._made if obj["kind"] == "ResourceSlice"}
        pods = [pod for pod in self.api.objects("v1", "Pod") if pod["spec"].get("nodeName") in nodes]
        for pod in pods:
            self.api.delete(pod)
        claims = self.api.objects(RESOURCE_API, "ResourceClaim")
        return pods + [c for c in claims if pools & {pool for devices in allocation(c).values() for pool, _ in devices}]

    def _until_nothing(self, left: Callable[[], list[Object]]) -> None:
        deadline = time.monotonic() + CLEAN_SECONDS
        while remaining := left():
            if time.monotonic() > deadline:
                raise TimeoutError(f"left behind by the test: {[obj['metadata']['name'] for obj in remaining]}")
            time.sleep(POLL_SECONDS)


def allocation(claim: Object) -> dict[str, list[tuple[str, str]]]:
    """The devices of each request, as (pool, device), in the order allocated; nothing for a claim not allocated."""
    devices: dict[str, list[tuple[str, str]]] = {}
    for result in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", ()):
        devices.setdefault(result["request"], []).append((result["pool"], result["device"]))
    return devices


def _bound(pod: Object | None) -> Placement | None:
    return Placement(pod["spec"]["nodeName"]) if pod and "nodeName" in pod["spec"] else None


def _in_batch(pod: Object, namespace: str, labels: Mapping[str, str]) -> Object:
    meta = pod["metadata"]
    return pod | {"metadata": meta | {"namespace": namespace, "labels": meta.get("labels", {}) | labels}}


def flaps(pod: Object) -> bool:
    """Its claims come and go: its status names some of them, or the scheduler last saw it without one.

    The controller writes the names of all claims at once; the scheduler is silent on a pod that never got so far.
    """
    conditions = pod["status"].get("conditions", ())
    unseen = any(NO_CLAIM_YET in each.get("message", "") for each in conditions if each["type"] == "PodScheduled")
    return unseen or 0 < len(pod["status"].get("resourceClaimStatuses", ())) < len(
        pod["spec"].get("resourceClaims", ())
    )


def _verdict(pod: Object | None) -> Placement | None:
    if placed := _bound(pod):
        return placed
    for condition in pod["status"].get("conditions", ()) if pod else ():
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            message = condition.get("message", "")
            return None if NO_CLAIM_YET in message else Placement(None, f"{condition['reason']}: {message}")
    return None
