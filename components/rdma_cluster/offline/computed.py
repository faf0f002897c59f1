"""What a cloud would answer: plausible outputs for every type, made from the SDK's own list of them.

A value says where it comes from (`[selfLink of gcp:compute/network:Network rail-0]`), so that a graph shows which
resource feeds which. Where programs usually parse a value, it has the form they expect.
"""

import json
from base64 import b64encode
from collections import abc
from collections.abc import Callable, Mapping
from enum import Enum
from inspect import isclass
from re import IGNORECASE, search
from typing import Any, get_args, get_origin

from . import sdk
from .wire import SIGNATURE, unwrap

DEPTH = 2
"""Objects made up inside one another: `identities[0].oidcs[0].issuer` of an EKS cluster needs two."""


def identify(token: str, name: str) -> str:
    """The id a cloud would give a resource."""
    return f"[id of {token} {name}]"


def complete(
    token: str, name: str, inputs: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The outputs a resource has beyond its inputs, as values for the wire; empty for a type no imported SDK knows.

    `defaults` holds settings of the provider or the stack (`{"project": "p", "region": "r"}`) which a resource takes
    over where its own inputs do not name them.
    """
    cls = sdk.resource_class(token)
    if cls is None or token.startswith("pulumi:"):
        return _metadata(name, inputs) if sdk.package(token) == "kubernetes" else {}
    made = _Maker(token, name, defaults or {})
    if sdk.package(token) == "kubernetes":
        known = {key: hint for key, hint in sdk.outputs(cls).items() if key not in inputs and _always(hint)}
        return {**made.fill(known, {}, depth=DEPTH), **_metadata(name, inputs)}
    known = {key: hint for key, hint in sdk.outputs(cls).items() if key not in ("id", "urn")}
    return {key: value for key, value in made.fill(known, inputs, depth=0).items() if inputs.get(key) != value}


def _metadata(name: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A Kubernetes object's metadata as the API server hands it back."""
    metadata = inputs.get("metadata", {})
    if "kind" not in inputs or SIGNATURE in metadata:
        return {}
    server = {"name": name, "namespace": "default", "uid": f"[uid of {inputs['kind']} {name}]"}
    return {"metadata": {**server, **metadata}}


class _Maker:
    """Makes up the outputs of one resource."""

    def __init__(self, token: str, name: str, defaults: Mapping[str, Any]) -> None:
        self._token = token
        self._name = name
        self._defaults = defaults

    def fill(self, known: Mapping[str, Any], given: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """The given values and, beside them, one for each property a provider computes.

        At the top those are the ones that are always there; inside an object, where every SDK marks nearly all as
        optional, those that hold text.
        """
        filled = dict(given)
        for key, hint in known.items():
            if key in given:
                filled[key] = self._inside(given[key], hint, depth)
            elif _always(hint) or (depth and (depth < DEPTH or _types(hint) == (str,))):
                value = self._make(key, hint, depth)
                if value is not None:
                    filled[key] = value
        return filled

    def _inside(self, value: Any, hint: Any, depth: int) -> Any:
        """A given value, its objects completed."""
        bare = unwrap(value)
        if bare is not value or not isinstance(value, (dict, list)) or SIGNATURE in value:
            return value
        for member in _types(hint):
            if isinstance(value, list) and get_origin(member) in (list, abc.Sequence):
                return [self._inside(item, get_args(member)[0], depth) for item in value]
            if isinstance(value, dict) and isclass(member) and sdk.is_output_class(member):
                return self.fill(sdk.outputs(member), value, max(depth + 1, DEPTH))
        return value

    def _make(self, key: str, hint: Any, depth: int) -> Any:
        """A value of a type, or None where nothing plausible is known."""
        kind = next(iter(_types(hint)), Any)
        origin, args = get_origin(kind), get_args(kind)
        if kind is str:
            return self._text(key)
        if kind in (int, float):
            return 0
        if kind is bool:
            return False
        if origin in (list, abc.Sequence):
            item = self._make(key, args[0], depth)
            return [] if item is None else [item]
        if origin in (dict, abc.Mapping):
            return {}
        if isclass(kind) and issubclass(kind, Enum):
            return next(iter(kind)).value
        if isclass(kind) and sdk.is_output_class(kind) and depth < DEPTH:
            return self.fill(sdk.outputs(kind), {}, depth + 1)
        return None

    def _text(self, key: str) -> str:
        if key == "name":
            return self._name
        if key in self._defaults:
            return str(self._defaults[key])
        label = f"[{key} of {self._token} {self._name}]"
        for pattern, form in FORMS:
            if search(pattern, key, IGNORECASE):
                return form(self._host(), label)
        return label

    def _host(self) -> str:
        """A name in a domain that never resolves (RFC 2606)."""
        kind = self._token.rpartition(":")[2]
        return f"{self._name}.{kind}.invalid".lower()


def _kubeconfig(host: str, label: str) -> str:
    cluster = {"server": f"https://{host}", "certificate-authority-data": b64encode(label.encode()).decode()}
    context = {"cluster": host, "user": host}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": host, "cluster": cluster}],
            "contexts": [{"name": host, "context": context}],
            "current-context": host,
            "users": [{"name": host, "user": {}}],
        }
    )


FORMS: tuple[tuple[str, Callable[[str, str], str]], ...] = (
    (r"^kube_?config", _kubeconfig),
    (r"certificate(authority)?(data)?$|^data$", lambda host, label: b64encode(label.encode()).decode()),
    (r"email$", lambda host, label: f"{host.partition('.')[0]}@{host}"),
    (r"^member$", lambda host, label: f"serviceAccount:{host.partition('.')[0]}@{host}"),
    (r"(ipv?6).*(cidr|range|prefix)", lambda host, label: "fd00::/64"),
    (r"cidr|iprange", lambda host, label: "10.0.0.0/16"),
    (r"(ip|ipv4|ip_?address)$", lambda host, label: "192.0.2.1"),
    (r"(fqdn|hostname|domainname|dnsname)$", lambda host, label: host),
    (
        r"^(issuer|endpoint|server)$|(url|uri|issuer|publicendpoint|privateendpoint)$",
        lambda host, label: f"https://{host}",
    ),
)
"""How values look that programs parse, by the end of their property's name: (pattern, host and label -> value)."""


def _types(hint: Any) -> tuple[Any, ...]:
    return sdk.alternatives(hint)


def _always(hint: Any) -> bool:
    """Whether an output is there on every resource, by its SDK's word."""
    return type(None) not in get_args(hint)
