"""The objects of a simulated cluster on a real API server, which has the last word on them."""

from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

import yaml
from pulumi_offline import sdk
from pulumi_offline.codec import SIGNATURE
from rdma_cluster.kubernetes_api.client import Answered, Client, Object
from ..cloud import Inputs, Path
from ..inventory import Refusal, Thing
from .contents import MERGE, WITHOUT_FINALIZERS

DEFINITION = "CustomResourceDefinition"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
"""The schema of what has none."""
RECORDED: dict[str, dict[str, Any]] = yaml.safe_load(FilePath(__file__).with_name("definitions.yaml").read_text())
"""Schemas of kinds that our charts define, by kind: for a server without the charts."""


class ControlPlane:
    """What the engine makes in a cluster is applied here, too. One server is one cluster at a time."""

    def __init__(self, client: Client, alone: bool) -> None:
        """``alone``: beside this server there is no controller, which would clear up."""
        self._client, self._alone = client, alone
        self._made: dict[Path, Object] = {}
        """By what identifies each in its cluster."""
        self._ever: dict[Path, Object] = {}
        self._defined: list[Object] = []
        self.simulated: set[str] = set()
        """What it could not take: kinds that only a chart or a cloud brings, and charts themselves."""

    @property
    def server(self) -> str:
        """Its address and release."""
        return f"{self._client.server} ({self._client.request('GET', '/version')['gitVersion']})"

    @property
    def count(self) -> int:
        """How many objects are there."""
        return len(self._made)

    def takes(self, token: str, inputs: Inputs) -> bool:
        """Whether the server can judge a resource: an object of its own, of a kind that it serves."""
        if _is_object(token, inputs) and self._is_served(inputs):
            return True
        self.simulated.add(token.rpartition(":")[2])
        return False

    def make(self, path: Path, inputs: Inputs) -> Object:
        """Make or change an object; gives it as the server has it. Raises ``Refusal``."""
        obj = manifest(inputs)
        title = f"{obj['kind']} {obj['metadata']['name']}"
        if any(known != path and _identity(each) == _identity(obj) for known, each in self._made.items()):
            raise Refusal(f"{title} is of another cluster already, and one API server cannot be two clusters")
        try:
            if path not in self._made and self._client.get(obj) is not None:
                raise Refusal(f"{title} is on the API server already, and not ours")
            live = self._client.apply(obj)
            if obj["kind"] == DEFINITION:
                self._client.until(lambda: self._is_established(obj), obj["metadata"]["name"])
        except Answered as answered:
            raise Refusal(str(answered)) from None
        self._made[path] = self._ever[path] = obj
        return live

    def remove(self, path: Path) -> None:
        """Delete an object, and wait until it is gone. Raises ``Refusal``."""
        if (obj := self._made.get(path)) is None:
            return
        if obj["kind"] == "Namespace":
            name = obj["metadata"]["name"]
            for inner in [at for at, each in self._made.items() if each["metadata"].get("namespace") == name]:
                self.remove(inner)
        try:
            self._client.delete(obj)
            self._client.until(lambda: self._is_gone(obj), obj["metadata"]["name"])
        except Answered as answered:
            raise Refusal(str(answered)) from None
        del self._made[path]

    def has_lost(self, path: Path) -> bool:
        """Whether something was made here, and somebody else has deleted it."""
        return path in self._made and self._client.get(self._made[path]) is None

    def agree(self, things: Iterable[Thing]) -> None:
        """Have what the simulated clusters have: what went with a cluster goes, what came back with a state comes."""
        simulated = {each.path: each for each in things if each.token.startswith("kubernetes:")}
        for path in [each for each in reversed(self._made) if each not in simulated]:
            self.remove(path)
        for path, thing in simulated.items():
            if path not in self._made and self.takes(thing.token, thing.inputs):
                self.make(path, thing.inputs)

    def leftovers(self) -> list[str]:
        """What was made here once and still is, whoever should have deleted it."""
        return [
            f"{each['kind']} {each['metadata']['name']}"
            for path, each in self._ever.items()
            if path not in self._made and self._client.get(each) is not None
        ]

    def clear(self) -> None:
        """Leave nothing behind. Raises ``Refusal`` for what does not go."""
        self.agree(())
        while self._defined:
            self._client.delete(self._defined[-1])
            self._defined.pop()

    def _is_served(self, inputs: Inputs) -> bool:
        if self._client.kind(inputs) is not None:
            return True
        if not is_recorded(inputs["apiVersion"], inputs["kind"]):
            return False
        # A chart that is not there would have brought it.
        self._defined.append(definition(inputs["kind"]))
        self._client.apply(self._defined[-1])
        self._client.until(lambda: self._client.kind(inputs) is not None, inputs["kind"])
        return True

    def _is_established(self, made: Object) -> bool:
        """Whether objects of a kind that was defined are served."""
        spec = made["spec"]
        path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        try:
            return "items" in self._client.request("GET", path)
        except Answered:
            return False

    def _is_gone(self, obj: Object) -> bool:
        if (live := self._client.get(obj)) is None:
            return True
        # What controllers do for an object that is to go: nothing uses it, and in a namespace was only ours.
        if self._alone and obj["kind"] == "Namespace":
            finalized = {**live, "spec": {**live["spec"], "finalizers": []}}
            self._client.request("PUT", f"{self._client.path(obj)}/finalize", finalized)
        elif self._alone and live["metadata"].get("finalizers"):
            self._client.request("PATCH", self._client.path(obj), WITHOUT_FINALIZERS, MERGE)
        return False


def manifest(inputs: Inputs) -> dict[str, Any]:
    """An object as the provider sends it."""
    return _with_dashes(inputs) if inputs["kind"] == DEFINITION else dict(inputs)


def filled(outputs: Inputs, inputs: Inputs, live: Object) -> dict[str, Any]:
    """Outputs with what the server filled in. Its word counts, but for what is secret and what only time shows."""
    metadata = {key: each for key, each in live["metadata"].items() if key != "managedFields"}
    shown = {key: each for key, each in live.items() if key != "status"}
    return {**outputs, **_laid_over(inputs, {**shown, "metadata": metadata})}


def _laid_over(ours: Any, theirs: Any) -> Any:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping) and SIGNATURE not in ours:
        keys = [*ours, *(key for key in theirs if key not in ours)]
        return {key: _laid_over(ours.get(key), theirs[key]) if key in theirs else ours[key] for key in keys}
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [_laid_over(one, other) for one, other in zip(ours, theirs, strict=True)]
    return theirs if ours is None else ours


def _is_object(token: str, inputs: Inputs) -> bool:
    name = (inputs.get("metadata") or {}).get("name")
    kind = token.rpartition(":")[2]
    return bool(name and inputs.get("apiVersion") and inputs.get("kind") == kind) and sdk.package(token) == "kubernetes"


def _identity(obj: Object) -> tuple[str | None, ...]:
    return obj["apiVersion"], obj["kind"], obj["metadata"]["name"], obj["metadata"].get("namespace")


def _with_dashes(value: Any) -> Any:
    """The extensions of a schema as Kubernetes spells them; the SDKs cannot, and the provider puts it right."""
    if isinstance(value, Mapping):
        names = {key: key.replace("_", "-") if key.startswith("x_kubernetes_") else key for key in value}
        return {names[key]: _with_dashes(each) for key, each in value.items()}
    return [_with_dashes(each) for each in value] if isinstance(value, list) else value


def is_recorded(api_version: str, kind: str) -> bool:
    """Whether the kind's schema is here, in this version."""
    recorded = RECORDED.get(kind)
    return recorded is not None and api_version == f"{recorded['group']}/{recorded['version']}"


def definition(kind: str) -> dict[str, Any]:
    """The definition of a recorded kind; of the objects' status anything goes."""
    recorded = RECORDED[kind]
    schema = {"type": "object", "properties": {"spec": recorded["spec"], "status": ANYTHING}}
    return defined(f"{recorded['group']}/{recorded['version']}", kind, recorded["plural"], recorded["scope"], schema)


def defined(api_version: str, kind: str, plural: str, scope: str, schema: Inputs, **version: Any) -> dict[str, Any]:
    """The definition of a kind in one version, with further keys of that ``version``."""
    group, _, name = api_version.partition("/")
    served = {"name": name, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
    names = {"kind": kind, "plural": plural}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": DEFINITION,
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "names": names, "scope": scope, "versions": [served]},
    }
