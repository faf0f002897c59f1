"""What a cloud would return: plausible outputs for every type, made from the SDK's own list of them.

A value says where it comes from (`[selfLink of gcp:compute/network:Network rail-0]`), so that a graph shows which
resource feeds which. Where programs usually parse a value, it has the form they expect.
"""

import json
from base64 import b64encode
from collections import abc
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from inspect import isclass
from re import search
from typing import Any, get_args, get_origin

from . import sdk
from .codec import SECRET, SIGNATURE, show, signature
from .unknowns import NUMBER, host, output_of

DEPTH = 3
"""Objects made up inside one another: `status.loadBalancer.ingress[0].ip` of a Kubernetes service needs three."""
_CHOSEN = {"azure-native:network:PublicIPAddress": ("ipAddress",)}
"""Inputs that a program leaves out and the cloud then chooses, by type: outputs that the SDK does not promise."""


def identify(token: str, name: str) -> str:
    """The id a cloud would give a resource."""
    return output_of("id", token, name)


def complete(
    token: str, name: str, inputs: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The outputs a resource has beyond its inputs, as values for the wire; empty for a type no imported SDK knows.

    `defaults` holds settings of the provider or the stack (`{"project": "p", "region": "r"}`) which a resource takes
    over where its own inputs do not name them.
    """
    cls = sdk.resource_class(token)
    metadata = _metadata(token, name, inputs) if sdk.package(token) == "kubernetes" else {}
    if cls is None or token.startswith("pulumi:"):
        return metadata
    maker = _Maker(token, name, defaults or {})
    made_up = {key: maker.make(key, hint) for key, hint in _always(cls).items() if key not in inputs}
    made_up |= {key: output_of(key, token, name) for key in _CHOSEN.get(token, ()) if key not in inputs}
    if metadata:  # the API server hands back what it got, and a status
        return {**made_up, **metadata}
    completed = {key: maker.inside(value, sdk.outputs(cls).get(key, Any)) for key, value in inputs.items()} | made_up
    return {key: value for key, value in completed.items() if value is not None and inputs.get(key) != value}


def _metadata(token: str, name: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A Kubernetes object's metadata as the API server hands it back."""
    metadata = inputs.get("metadata", {})
    if "kind" not in inputs or SIGNATURE in metadata:
        return {}
    server = {"name": name, "namespace": "default", "uid": output_of("uid", token, name)}
    return {"metadata": {**server, **metadata}}


class _Maker:
    """Makes up the outputs of one resource."""

    def __init__(self, token: str, name: str, defaults: Mapping[str, Any]) -> None:
        self._token, self._name, self._defaults = token, name, defaults

    def make(self, key: str, hint: Any, depth: int = 0) -> Any:
        """A value of a type, or None where nothing plausible is known."""
        kind = next(iter(sdk.alternatives(hint)), Any)
        origin, args = get_origin(kind), get_args(kind)
        if kind is str:
            return self._text(key)
        if kind in (int, float):
            return NUMBER
        if kind is bool:
            return False
        if origin in (list, abc.Sequence):
            item = self.make(key, args[0], depth)
            return [] if item is None else [item]
        if origin in (dict, abc.Mapping):
            return {}
        if isclass(kind) and issubclass(kind, Enum):
            return next(iter(kind)).value
        if isclass(kind) and sdk.is_output_class(kind) and depth < DEPTH:
            return self._fill(sdk.outputs(kind), {}, depth + 1)
        return None

    def inside(self, value: Any, hint: Any) -> Any:
        """A value with its objects completed."""
        if signature(value) == SECRET:
            return {**value, "value": self.inside(value["value"], hint)}
        if not isinstance(value, (dict, list)) or SIGNATURE in value:
            return value
        members = sdk.alternatives(hint)
        if members == (str,):  # policies may be given as objects, and come back as text
            return json.dumps(show(value))
        for member in members:
            if isinstance(value, list) and get_origin(member) in (list, abc.Sequence):
                return [self.inside(item, get_args(member)[0]) for item in value]
            if isinstance(value, list) and get_origin(member) in (dict, abc.Mapping):
                # Azure takes identities as a list of ids, and hands back what it knows of each.
                return {str(show(item)): self.make("", get_args(member)[1], DEPTH - 1) for item in value}
            if isinstance(value, dict) and isclass(member) and sdk.is_output_class(member):
                return self._fill(sdk.outputs(member), value, DEPTH)
        return value

    def _fill(self, hints: Mapping[str, Any], values: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """The values, and beside them one for every other property; at the deepest level only for text."""
        filled = {key: self.inside(value, hints.get(key, Any)) for key, value in values.items()}
        for key, hint in hints.items():
            if key not in values and (depth < DEPTH or str in sdk.alternatives(hint)):
                filled[key] = self.make(key, hint, depth)
        return {key: value for key, value in filled.items() if value is not None or key in values}

    def _text(self, key: str) -> str:
        if key == "name":
            return self._name
        if key in self._defaults:
            return str(self._defaults[key])
        label = output_of(key, self._token, self._name)
        form = _form(self._token, key)
        return form(host(self._name, self._token.rpartition(":")[2]), label) if form else label


@cache
def _always(cls: type) -> Mapping[str, Any]:
    """The outputs every resource of a class has: those its SDK says so of, and those that cannot be given."""
    args = sdk.args_class(cls)
    inputs = sdk.properties(args) if args else {}
    return {
        key: hint
        for key, hint in sdk.outputs(cls).items()
        if key not in ("id", "urn") and (key not in inputs or type(None) not in get_args(hint))
    }


def kubeconfig(host: str, label: str) -> str:
    """A kubeconfig as JSON; ``label`` stands for the certificate."""
    cluster = {"server": f"https://{host}", "certificate-authority-data": b64encode(label.encode()).decode()}
    context = {"cluster": host, "user": host}
    clusters, contexts = [{"name": host, "cluster": cluster}], [{"name": host, "context": context}]
    users = {"current-context": host, "users": [{"name": host, "user": {}}]}
    return json.dumps({"apiVersion": "v1", "kind": "Config", "clusters": clusters, "contexts": contexts, **users})


FORMS: tuple[tuple[str, Callable[[str, str], str]], ...] = (
    (r" kube_?[cC]onfig", kubeconfig),
    (r" data$|[cC]ertificate(Authority)?(Data)?$", lambda host, label: b64encode(label.encode()).decode()),
    (r" email$|Email$", lambda host, label: f"{host.partition('.')[0]}@{host}"),
    (r"^gcp:serviceaccount/.* member$", lambda host, label: f"serviceAccount:{host.partition('.')[0]}@{host}"),
    (r"[iI]pv6.*(Cidr|Range|Prefix)", lambda host, label: "fd00::/64"),
    (r"[cC]idr|[iI]pRange", lambda host, label: "10.0.0.0/16"),
    (r"( ip|I[pP])(v4|Address)?$", lambda host, label: "192.0.2.1"),
    (r"^aws:eks/.* endpoint$|( ur|U[rR])[lLiI]$|[iI]ssuer$", lambda host, label: f"https://{host}"),
    (r"[eE]ndpoint$|[fF]qdn$|[hH]ostname$|[dD]omainName$|[dD]nsName$", lambda host, label: host),
)
"""How texts look that programs parse: a pattern for `<type token> <property>`, and the text from a host and a label."""


@cache
def _form(token: str, key: str) -> Callable[[str, str], str] | None:
    return next((form for pattern, form in FORMS if search(pattern, f"{token} {key}")), None)
