"""A small Kubernetes client: any object of any kind, server-side apply, and the warnings that come with an answer."""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import httpx

DEFINED_SECONDS = 60.0
FIELD_MANAGER = "rdma-cluster-e2e"
WARNING = re.compile(r'^\d{3} \S+ "(.*)"$')  # RFC 7234 §5.5: code, agent, quoted text

Object = dict[str, Any]
Found = TypeVar("Found")


class Refused(Exception):
    """The API server said no."""

    def __init__(self, code: int, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def established(definition: Object | None) -> bool | None:
    """True once the kind is served."""
    conditions = definition.get("status", {}).get("conditions") if definition else None  # null at first
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions or ()) or None


class Applied(NamedTuple):
    """What the server made of an object, and what it warned about."""

    result: Object
    warnings: list[str]


class Resource(NamedTuple):
    """Where the objects of a kind are served."""

    root: str
    plural: str
    namespaced: bool

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """Of one object, of all in a namespace, or of all."""
        scope = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{self.root}{scope}/{self.plural}" + (f"/{name}" if name else "")


class Api:
    """Requests to one cluster."""

    def __init__(self, http: httpx.Client):
        self.http = http
        self.namespaces: dict[str, Object] = {}
        """Namespaces that outlive a test; whoever ends the session deletes them."""
        self._served: dict[tuple[str, str], Resource] = {}

    def apply(self, obj: Object, dry_run: bool = False) -> Applied:
        """Server-side apply, or what it would give. Unknown and doubled fields are refused, as a schema typo would be
        lost without a word."""
        answer = self.request(
            "PATCH",
            self.path(obj),
            params={"fieldManager": FIELD_MANAGER, "force": "true", "fieldValidation": "Strict"}
            | ({"dryRun": "All"} if dry_run else {}),
            headers={"Content-Type": "application/apply-patch+yaml"},  # JSON is YAML
            content=json.dumps(obj),
        )
        return Applied(answer.json(), warnings_of(answer))

    def create(self, obj: Object, dry_run: bool = False) -> Object:
        """Make an object that is not there yet: half the server's work of an apply. Or only ask whether one could."""
        path, _, _ = self.path(obj).rpartition("/")
        params = {"fieldValidation": "Strict"} | ({"dryRun": "All"} if dry_run else {})
        return self.request("POST", path, params=params, json=obj).json()

    def merge(self, obj: Object, change: Object, subresource: str = "") -> Object:
        """Change an object, or its status, by a merge patch."""
        headers = {"Content-Type": "application/merge-patch+json"}
        return self.request("PATCH", self.path(obj) + subresource, headers=headers, content=json.dumps(change)).json()

    def get(self, obj: Object) -> Object | None:
        """The object as the server has it now; None where it has none."""
        try:
            return self.request("GET", self.path(obj)).json()
        except Refused as refusal:
            if refusal.code == 404:
                return None
            raise

    def delete(self, obj: Object) -> None:
        """Delete at once and with what it owns; no matter if it is gone already. No kubelet ends a pod of ours."""
        options = {"propagationPolicy": "Background"} | ({"gracePeriodSeconds": 0} if obj["kind"] == "Pod" else {})
        try:
            self.request("DELETE", self.path(obj), json=options)
        except Refused as refusal:
            if refusal.code != 404:
                raise

    def delete_all(self, api_version: str, kind: str, namespace: str, **params: str) -> None:
        """Delete all objects of a kind in a namespace, in one request and at once."""
        options = {"propagationPolicy": "Background", "gracePeriodSeconds": 0}
        self.request("DELETE", self.resource(api_version, kind).path(namespace), params=params, json=options)

    def objects(self, api_version: str, kind: str, namespace: str | None = None, **params: str) -> list[Object]:
        """All objects of a kind, of one namespace or of every one."""
        path = self.resource(api_version, kind).path(namespace)
        items = self.request("GET", path, params=params).json()["items"]
        return [{"apiVersion": api_version, "kind": kind} | item for item in items]

    def wait(self, obj: Object, condition: Callable[[Object | None], Found | None], seconds: float) -> Found:
        """Watch one object until `condition` gives something; it is asked about None while there is no such object."""
        state = None
        for state in self._states(obj, seconds):
            found = condition(state)
            if found is not None:
                return found
        name = f"{obj['kind']} {obj['metadata']['name']}"
        raise TimeoutError(f"{name}: not as awaited after {seconds:g} s: {json.dumps(state)}")

    def watch(self, api_version: str, kind: str, namespace: str, seconds: float, **params: str) -> Iterator[Object]:
        """Every object of a kind as it is now, then each as it changes, until the time is up."""
        path = self.resource(api_version, kind).path(namespace)
        for event, what in self._events(path, params, seconds):
            if event == "LISTED":
                yield from what
            elif event != "DELETED":
                yield what

    def _states(self, obj: Object, seconds: float) -> Iterator[Object | None]:
        path, _, name = self.path(obj).rpartition("/")
        for event, what in self._events(path, {"fieldSelector": f"metadata.name={name}"}, seconds):
            if event == "LISTED":
                yield next(iter(what), None)
            else:
                yield None if event == "DELETED" else what

    def _events(self, path: str, selector: dict[str, str], seconds: float) -> Iterator[tuple[str, Any]]:
        """`LISTED` with all objects, then what a watch tells of single ones; listed anew where it breaks off."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            listed = self.request("GET", path, params=selector).json()
            yield "LISTED", listed["items"]
            query = selector | {"watch": "true", "resourceVersion": listed["metadata"]["resourceVersion"]}
            query["timeoutSeconds"] = str(math.ceil(left))
            try:
                with self.http.stream("GET", path, params=query, timeout=left) as answer:
                    for line in answer.iter_lines():
                        event = json.loads(line)
                        if event["type"] == "ERROR":
                            break  # the version is too old to watch from: list again
                        yield event["type"], event["object"]
            except httpx.ReadTimeout:
                return

    def path(self, obj: Object) -> str:
        """Where the object lives; `default` is the namespace of one that names none."""
        meta = obj["metadata"]
        return self.resource(obj["apiVersion"], obj["kind"]).path(meta.get("namespace", "default"), meta["name"])

    def resource(self, api_version: str, kind: str) -> Resource:
        """Ask the server where it serves a kind."""
        if (api_version, kind) not in self._served:
            root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
            for entry in self.request("GET", root).json()["resources"]:
                if "/" not in entry["name"]:
                    self._served[api_version, entry["kind"]] = Resource(root, entry["name"], entry["namespaced"])
            if (api_version, kind) not in self._served:
                raise Refused(404, f"{api_version} has no kind {kind}")
        return self._served[api_version, kind]

    def define(self, kind: Object, apply: Callable[[Object], Applied] | None = None) -> Applied:
        """A kind that the server serves: it does so a moment after it has accepted the names.

        One that is being deleted goes first.
        """

        def stays(state: Object | None) -> bool | None:
            return None if state and "deletionTimestamp" in state["metadata"] else True

        self.wait(kind, stays, DEFINED_SECONDS)
        applied = (apply or self.apply)(kind)
        self.wait(applied.result, established, DEFINED_SECONDS)
        spec = applied.result["spec"]
        path = f"/apis/{spec['group']}/{next(each['name'] for each in spec['versions'] if each['served'])}"
        deadline = time.monotonic() + DEFINED_SECONDS
        while not self._serves(path, spec["names"]["kind"]):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} does not serve {spec['names']['kind']} within {DEFINED_SECONDS:g} s")
            time.sleep(0.05)
        return applied

    def _serves(self, root: str, kind: str) -> bool:
        try:
            return any(each["kind"] == kind for each in self.request("GET", root).json()["resources"])
        except Refused:
            return False

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request; any answer but a success is a refusal. A busy server ends a connection that it could still use:
        what can be asked twice is."""
        try:
            answer = self.http.request(method, path, **options)
        except httpx.RemoteProtocolError:
            if method == "POST":
                raise
            answer = self.http.request(method, path, **options)
        if answer.is_success:
            return answer
        is_status = answer.headers.get("content-type", "").startswith("application/json")
        raise Refused(answer.status_code, answer.json()["message"] if is_status else answer.text)


def warnings_of(answer: httpx.Response) -> list[str]:
    """The texts of the Warning headers, with which a server marks what it takes but does not like."""
    texts = []
    for header in answer.headers.get_list("warning"):
        match = WARNING.match(header)
        texts.append(re.sub(r"\\(.)", r"\1", match[1]) if match else header)
    return texts
