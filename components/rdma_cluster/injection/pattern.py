"""What injection adds to the pods of one machine: plain data that the policies hold as a literal.

It could be a parameter of one policy for all machines. But an API server up to 1.36 stops to watch a kind of its own
for good when the last policy goes that has it as ``paramKind`` (k8s.io/apiserver@v0.36.3 policy/generic/
policy_source.go: the shared informer is started with that policy's context, and no informer starts twice). After that a
machine that is added is not seen: its pods are neither changed nor refused. A definition of our own would be watched
anew; what is more, a literal comes and goes with its policy.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from typing import Any

from pulumi_offline.frozen import frozen
from ..catalog.workload_images import WithoutPlugin
from .device_requests import DeviceRequest
from .other_nics import OtherNics

MACHINE_LABEL = "rdma-cluster/machine"
VERSION_LABEL = "rdma-cluster/injection"
"""On a pod: what was injected, as a digest."""
SOURCE_ANNOTATION = "rdma-cluster/source"
"""On a pod: the script that its program still has to source, for no policy can write a command anew."""
IMAGE_ANNOTATION = "rdma-cluster/image-needs"
"""On a pod: what its image has to bring, which no policy can see."""
PLUGIN_VARIABLE = "NCCL_NET_PLUGIN"
"""Who sets it knows what the image holds."""
_FOLDERS = ("LD_LIBRARY_PATH",)
"""Variables that list folders: ours stand before the user's, for the plugin must be found."""
_VOLUME = "rdma-"
"""Before names of volumes, so that none is a user's."""

Pattern = dict[str, Any]
"""Parts of a pod in the API's own form:

``labels``, ``annotations``, ``nodeSelector``, ``tolerations``, ``volumes``, ``resourceClaims``, ``sidecars``, and
``hostNetwork`` where the machine needs it; ``container``, which holds ``env``, ``volumeMounts`` and ``securityContext``
of each container with GPUs; ``folders``, what stands first in its variables that list folders; ``shapes``, the
``resources`` that a request for GPUs becomes, by number and window of rails (``2``, ``2-rails-0-1``); ``capacity``, the
``most`` of each ``resource`` that one node has.

And what decides: ``names``, the node labels by which pods name the machine, each a ``key`` with ``values``; ``only``,
whether pods that name none are its own; ``otherNics``, requests for NICs that no node serves: beginnings of
``resources`` that are not its ``own``, ``networks`` by annotation and name, a ``hostPath``, and how NICs ``come``;
``serves`` and ``noHostNetwork`` in the words of refusals; ``unfit``, images that are refused: how they ``start``, what
is in the names of those that are not (``but``), and why (``says``).
"""


@frozen
class Served:
    """The pods of one machine: what injection adds to them, and the labels by which it knows them."""

    machine: str
    name: str
    """Name of the policy."""
    pod_patch: Mapping[str, Any]
    """``Workload.pod_patch()``."""
    device_requests: tuple[DeviceRequest, ...]
    capacity: Mapping[str, str]
    no_host_network: str = ""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Node labels by which a pod names the machine, with their values."""
    only: bool = False
    """Whether pods that name no machine mean this one."""
    image_needs: str = ""
    """What an image has to bring, in words."""
    unfit: tuple[WithoutPlugin, ...] = ()
    """Images that are known to lack it."""
    other_nics: OtherNics = field(default_factory=OtherNics)
    """Requests for NICs that no node of it serves."""
    parts_by: str = ""
    """Another fabric of the machine that serves parts of a node."""


def pattern(served: Served) -> Pattern:
    """The data of the policy."""
    part = served.pod_patch
    context = {
        key: of for key, of in part["securityContext"].items() if of not in ({}, {"add": []})
    }  # without empty keys
    container = {"env": part["env"], "volumeMounts": part["volumeMounts"], "securityContext": context}
    claims = dict.fromkeys(name for device_request in served.device_requests for name in device_request.claims)
    said = {SOURCE_ANNOTATION: part["source"], IMAGE_ANNOTATION: served.image_needs}
    to_user = {name: of for name, of in said.items() if of}
    additions: dict[str, Any] = {
        "annotations": {**part.get("annotations", {}), **to_user},
        "nodeSelector": dict(part["nodeSelector"]),
        "tolerations": list(part["tolerations"]),
        "volumes": [{**volume, "name": _VOLUME + volume["name"]} for volume in part["volumes"]],
        "resourceClaims": [{"name": claim_name(name), "resourceClaimTemplateName": name} for name in claims],
        "sidecars": [_mounting(container) for container in part.get("initContainers", [])],
        "hostNetwork": bool(part.get("hostNetwork")),
        "container": _mounting(container),
        "folders": {each["name"]: each["value"] for each in part["env"] if each["name"] in _FOLDERS},
        "shapes": {
            device_request_name(str(device_request.gpus), device_request.window): _resources(device_request)
            for device_request in served.device_requests
        },
        "capacity": [{"resource": resource, "most": most} for resource, most in served.capacity.items()],
    }
    digest = sha256(json.dumps(additions, sort_keys=True).encode()).hexdigest()[:12]
    return {
        "name": served.name,
        "names": [{"key": key, "values": list(values)} for key, values in served.names.items()],
        "only": served.only,
        "serves": _serves(served),
        "noHostNetwork": served.no_host_network,
        "otherNics": _other_nics(served.other_nics),
        "unfit": unfit_rows(served.unfit),
        "labels": {MACHINE_LABEL: served.machine, VERSION_LABEL: digest},
        **additions,
    }


def _other_nics(other: OtherNics) -> dict[str, Any]:
    networks = [{"annotation": annotation, "name": name} for annotation, name in other.networks]
    found = {"resources": list(other.resources), "own": list(other.own), "networks": networks}
    return {**found, "hostPath": other.host_path, "come": f"; remove it: {other.come}, and injection adds them"}


def _mounting(container: dict[str, Any]) -> dict[str, Any]:
    """A container with our names of volumes."""
    mounts = container.get("volumeMounts", [])
    return {**container, "volumeMounts": [{**mount, "name": _VOLUME + mount["name"]} for mount in mounts]}


def _resources(device_request: DeviceRequest) -> dict[str, Any]:
    return {
        "limits": dict(device_request.limits),
        "claims": [{"name": claim_name(name)} for name in device_request.claims],
    }


def device_request_name(gpus: str, window: str) -> str:
    """The shape that a container asks for."""
    return f"{gpus}-{window}" if window else gpus


def claim_name(template: str) -> str:
    """A claim's name in a pod, which is a DNS label; its template's has dots and may be longer."""
    name = "rdma-" + template.replace(".", "-")
    return name if len(name) <= 63 else f"{name[:54]}-{sha256(name.encode()).hexdigest()[:8]}"


def _serves(served: Served) -> str:
    """``p5.48xlarge serves 1, 2, 4 or 8 GPUs a container``, and the rails that may be named."""
    numbers = list(dict.fromkeys(str(device_request.gpus) for device_request in served.device_requests))
    *most, last = numbers
    windows = [device_request.window for device_request in served.device_requests if device_request.window]
    rails = f"rails by name {', '.join(windows)}" if windows else "rails unnamed"
    counts = f"{', '.join(most)} or {last}" if most else last
    parts = f"; its fabric {served.parts_by} serves parts of a node, too" if not most and served.parts_by else ""
    return f"{served.machine} serves {counts} GPU{'s' * (numbers != ['1'])} a container, {rails}{parts}"


def unfit_rows(unfit: Sequence[WithoutPlugin]) -> list[dict[str, str]]:
    """How images that are refused begin, what is in the names of those that are not, and why."""
    return [row for images in unfit for row in _unfit(images)]


def _unfit(images: WithoutPlugin) -> list[dict[str, str]]:
    """By both names of what Docker Hub has."""
    hub = "" if "." in images.repository.partition("/")[0] else "docker.io/"
    says = (
        f"which holds no {images.plugin}, so that NCCL does not find the NICs; take {images.instead}, or set "
        f"{PLUGIN_VARIABLE} yourself where it does"
    )
    names = dict.fromkeys((f"{hub}{images.repository}:", f"{images.repository}:"))
    return [{"start": name, "but": images.holds, "says": says} for name in names]
