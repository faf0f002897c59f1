"""A snapshot: what a living cluster shows of all that a plan promises, as plain data and as a file.

No name, address or id of its owner is in it (``redact``): pools are the numbers of the stack's own, nodes that show the
same are one with a count. The form is an interface: keys are added, never renamed.
"""

import json
from collections.abc import Mapping
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList, InputError, Refused
from typing_extensions import TypedDict
from ..base.args import args_schema, parse
from ..claims.device import Device, Value, Version

FORM = "rdma-cluster/snapshot/1"
LONGEST = 16 << 20
"""Bytes of a file: a thousand nodes that all differ take about six million."""


@args_schema
class Taint(TypedDict):
    """A node's taint."""

    key: str
    """``other`` for one that neither Kubernetes, a cloud nor this library sets."""
    value: NotRequired[str]
    effect: str


@args_schema
class SeenDevice(TypedDict):
    """One device of a ResourceSlice."""

    driver: str
    """Example: ``dra.net``."""
    name: str
    strings: NotRequired[dict[str, str]]
    """Attributes by fully qualified name, as the API tells their types apart."""
    numbers: NotRequired[dict[str, int]]
    flags: NotRequired[dict[str, bool]]
    versions: NotRequired[dict[str, str]]


@args_schema
class SeenGpu(TypedDict):
    """A GPU on the node's PCI bus."""

    pci: str
    """``DDDD:BB:DD.F``."""
    root: NotRequired[str]
    """``pciDDDD:BB``."""
    numa: NotRequired[int]
    model: NotRequired[str]
    """As ``nvidia-smi`` prints it."""


@args_schema
class SeenNic(TypedDict):
    """A network or RDMA device on the node's PCI bus."""

    pci: NotRequired[str]
    root: NotRequired[str]
    numa: NotRequired[int]
    id: NotRequired[str]
    """Vendor and device, ``15b3:101e``."""
    interface: NotRequired[str]
    rdma: NotRequired[str]
    """The RDMA device's name."""
    mtu_bytes: NotRequired[int]
    gbps: NotRequired[int]
    """Rate of the port."""
    firmware: NotRequired[str]
    active: NotRequired[bool]
    """Whether the port has its link."""


@args_schema
class SeenNode(TypedDict):
    """A GPU node, or several that show the same."""

    pool: int
    """Which of the stack's pools, from 0."""
    count: NotRequired[int]
    """Default: 1."""
    machine: str
    """The instance type that the cloud gives as a label; ``other`` where it has no cloud's form."""
    ready: NotRequired[bool]
    """Default: true."""
    architecture: NotRequired[str]
    kubelet: NotRequired[str]
    kernel: NotRequired[str]
    os: NotRequired[str]
    runtime: NotRequired[str]
    taints: NotRequired[list[Taint]]
    labels: NotRequired[dict[str, str]]
    """Those that this library sets, none of the user's."""
    cpus: NotRequired[int]
    """As the kubelet counts them."""
    allocatable: NotRequired[dict[str, str]]
    """What it offers to pods of GPUs, NICs and huge pages."""
    devices: NotRequired[list[SeenDevice]]
    """What DRA drivers publish of it."""
    gpus: NotRequired[list[SeenGpu]]
    """What a pod saw on the node, in bus order; absent where none looked."""
    nics: NotRequired[list[SeenNic]]
    driver: NotRequired[str]
    """Version of the kernel's GPU driver."""
    parameters: NotRequired[dict[str, str]]
    """Settings of the kernel."""


@args_schema
class SeenDaemon(TypedDict):
    """A DaemonSet that some plan of this library could have made."""

    name: str
    version: NotRequired[str]
    wanted: int
    ready: int


@args_schema
class Snapshot(TypedDict):
    """A cluster as it was seen."""

    form: str
    made_by: NotRequired[str]
    """The version of this library."""
    kubernetes: NotRequired[str]
    nodes: list[SeenNode]
    daemons: NotRequired[list[SeenDaemon]]
    templates: NotRequired[list[str]]
    """ResourceClaimTemplates that are in every namespace of the stack."""
    classes: NotRequired[list[str]]
    """DeviceClasses."""


def as_text(snapshot: Snapshot) -> str:
    """The file's text."""
    return json.dumps(snapshot, indent=1) + "\n"


def read(data: bytes, name: str) -> Snapshot:
    """The snapshot in a file. Raises ``Refused`` with every error of its form."""
    if len(data) > LONGEST:
        raise _refused(name, f"longer than {LONGEST >> 20} MiB, which no snapshot is")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _refused(name, f"is no JSON: {error}; `conform STACK --save FILE` writes a snapshot") from None
    return checked(value, name)


def checked(value: Any, name: str) -> Snapshot:
    """A value as a snapshot. Raises ``Refused`` with every error of its form."""
    if not isinstance(value, Mapping) or value.get("form") != FORM:
        got = value.get("form") if isinstance(value, Mapping) else value
        raise _refused(name, f"has the form {got!r:.40}, and not {FORM}; `conform STACK --save FILE` writes one")
    errors = ErrorList()
    snapshot = parse(Snapshot, value, errors)
    if not errors:
        for i, node in enumerate(snapshot["nodes"]):
            if node["pool"] < 0 or node.get("count", 1) < 1:
                errors.at("nodes", i).add("pool is 0 or more, and count is 1 or more")
    if errors:
        raise Refused([InputError((name, *each.path), each.reason) for each in errors.found()])
    return snapshot


def devices_of(node: SeenNode) -> tuple[Device, ...]:
    """What DRA drivers publish of a node, as claims are allocated on it."""
    return tuple(Device(each["driver"], each["name"], attributes_of(each)) for each in node.get("devices", []))


def attributes_of(device: SeenDevice) -> dict[str, Value]:
    """A device's attributes by fully qualified name."""
    versions = {key: Version(text) for key, text in device.get("versions", {}).items()}
    return {**device.get("strings", {}), **device.get("numbers", {}), **device.get("flags", {}), **versions}


def together(nodes: list[SeenNode]) -> list[SeenNode]:
    """Single nodes that show the same as one, in the order of the first of each."""
    groups: dict[str, SeenNode] = {}
    for node in nodes:
        alike = groups.setdefault(json.dumps(node, sort_keys=True), {**node, "count": 0})
        alike["count"] = alike.get("count", 0) + 1
    return list(groups.values())


def _refused(name: str, reason: str) -> Refused:
    return Refused([InputError((name,), reason)])
