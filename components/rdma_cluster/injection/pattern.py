"""What pods of one machine are given, as a PodTemplate: the parameter of the policies.

A PodTemplate is the one kind of Kubernetes' own that holds volumes, mounts, claims and containers with their types: the
API server checks it as it checks pods, policies read its parts as they are, and nothing ever runs it. A ConfigMap
would hold texts that expressions had to take apart, a kind of our own would need a definition.

Its container ``adds`` is what each container with GPUs is given, ``node`` what one node has, and ``gpus-N`` what a
request for N GPUs becomes, on the rails that its name ends with.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from .shapes import Shape

NAMESPACE = "rdma-injection"
"""Of the parameters."""
MACHINE_LABEL = "rdma-cluster/machine"
VERSION_LABEL = "rdma-cluster/injection"
"""On a pod: what was injected, as a digest. On a PodTemplate: that it is a parameter."""
ONLY_LABEL = "rdma-cluster/only"
"""On a PodTemplate: pods that name no machine are its own."""
HOST_NETWORK_ANNOTATION = "rdma-cluster/host-network"
"""On a PodTemplate: why pods in the host's network are refused."""
SERVES_ANNOTATION = "rdma-cluster/serves"
"""On a PodTemplate: which numbers of GPUs it has."""
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_VOLUME = "rdma-"
"""Before names of volumes, so that none is a user's."""
_IMAGE = "never.run/only-a-pattern"


@dataclass(frozen=True)
class Served:
    """The pods of one machine: what they are given, and by what they are known."""

    machine: str
    name: str
    """Of the PodTemplate."""
    fragment: Mapping[str, Any]
    """``Workload.fragment()``."""
    shapes: tuple[Shape, ...]
    capacity: Mapping[str, str]
    no_host_network: str = ""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Node labels by which a pod names the machine, with their values."""
    only: bool = False
    """Whether pods that name no machine mean this one."""


def pattern(served: Served) -> dict[str, Any]:
    """The PodTemplate."""
    spec = _spec(served)
    annotations = dict(served.fragment.get("annotations", {}))
    digest = sha256(json.dumps([spec, annotations], sort_keys=True).encode()).hexdigest()[:12]
    about = {SERVES_ANNOTATION: _serves(served), HOST_NETWORK_ANNOTATION: served.no_host_network}
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {
            "name": served.name,
            "namespace": NAMESPACE,
            "labels": {VERSION_LABEL: "pattern", **({ONLY_LABEL: "true"} if served.only else {})},
            "annotations": {key: text for key, text in about.items() if text},
        },
        "template": {
            "metadata": {
                "labels": {MACHINE_LABEL: served.machine, VERSION_LABEL: digest},
                **({"annotations": annotations} if annotations else {}),
            },
            "spec": spec,
        },
    }


def _spec(served: Served) -> dict[str, Any]:
    part = served.fragment
    claims = dict.fromkeys(name for shape in served.shapes for name in shape.claims)
    parts: dict[str, Any] = {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _terms(served.names)}},
        "nodeSelector": dict(part.get("nodeSelector", {})),
        "tolerations": list(part.get("tolerations", [])),
        "volumes": [{**volume, "name": _VOLUME + volume["name"]} for volume in part["volumes"]],
        "resourceClaims": [{"name": claim_name(name), "resourceClaimTemplateName": name} for name in claims],
        "initContainers": [_mounting(container) for container in part.get("initContainers", [])],
    }
    if part.get("hostNetwork"):
        parts |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    adds = {"env": part["env"], "volumeMounts": part["volumeMounts"], "securityContext": _context(part)}
    containers = [
        _mounting({"name": "adds", "image": _IMAGE, **{key: of for key, of in adds.items() if of}}),
        {"name": "node", "image": _IMAGE, "resources": {"limits": dict(served.capacity)}},
        *(_shape(shape) for shape in served.shapes),
    ]
    return {**{key: of for key, of in parts.items() if of}, "containers": containers}


def _terms(names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Each name is enough."""
    expressions = [{"key": key, "operator": "In", "values": list(values)} for key, values in names.items()]
    return {"nodeSelectorTerms": [{"matchExpressions": [each]} for each in expressions]}


def _context(part: Mapping[str, Any]) -> dict[str, Any]:
    context = part["securityContext"]
    return {key: of for key, of in context.items() if of and of != {"add": []}}


def _mounting(container: dict[str, Any]) -> dict[str, Any]:
    mounts = [{**mount, "name": _VOLUME + mount["name"]} for mount in container.get("volumeMounts", [])]
    return {**container, **({"volumeMounts": mounts} if mounts else {})}


def _shape(shape: Shape) -> dict[str, Any]:
    resources = {"limits": dict(shape.limits), "claims": [{"name": claim_name(name)} for name in shape.claims]}
    return {
        "name": shape_name(str(shape.gpus), shape.window),
        "image": _IMAGE,
        "resources": {key: of for key, of in resources.items() if of},
    }


def shape_name(gpus: str, window: str) -> str:
    """The container that stands for a request."""
    return f"gpus-{gpus}" + (f"-{window}" if window else "")


def claim_name(template: str) -> str:
    """A claim's name in a pod, which is a DNS label; its template's has dots and may be longer."""
    name = "rdma-" + template.replace(".", "-")
    return name if len(name) <= 63 else f"{name[:54]}-{sha256(name.encode()).hexdigest()[:8]}"


def _serves(served: Served) -> str:
    """``1, 2, 4 or 8 GPUs``, and the rails that may be named."""
    numbers = list(dict.fromkeys(str(shape.gpus) for shape in served.shapes))
    *most, last = numbers
    windows = [shape.window for shape in served.shapes if shape.window]
    rails = f"rails by name {', '.join(windows)}" if windows else "rails unnamed"
    counts = f"{', '.join(most)} or {last}" if most else last
    return f"{served.machine} serves {counts} GPU{'s' * (numbers != ['1'])} a container, {rails}"
