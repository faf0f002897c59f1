"""Takes a node, or the one device that is at fault, out of service, and gives it back to be proved again."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from ..device_taints import GROUP
from ..kube_api import Api
from ..names import FAULT_TAINT
from .rules import Finding

_ADDRESSES = ("resource.kubernetes.io/pciBusID", "pciAddress", "dra.net/pciAddress")
"""Attributes by which drivers publish where a device is."""


class Place(NamedTuple):
    """A device as its driver publishes it."""

    driver: str
    pool: str
    device: str


def places(api: Api, node: str) -> dict[str, Place]:
    """Where the node's devices are on the PCI bus, of all that drivers publish with an address."""
    found = {}
    slices = api.get(f"{GROUP}/v1/resourceslices?fieldSelector={quote(f'spec.nodeName={node}')}")
    for each in slices["items"]:
        spec = each["spec"]
        for device in spec.get("devices") or ():
            attributes = device.get("attributes", {})
            address = next((attributes[name].get("string") for name in _ADDRESSES if name in attributes), None)
            # A device of another pool than the node's own is none that this node may taint.
            if address and spec["pool"]["name"] == node:
                found[address.lower()] = Place(spec["driver"], spec["pool"]["name"], device["name"])
    return found


def split(
    active: Iterable[Finding], taints: Mapping[str, str], known: Mapping[str, Place]
) -> tuple[dict[Place, str], str]:
    """Devices to taint, with the condition of each; and the condition for which the whole node is, or nothing."""
    devices: dict[Place, str] = {}
    node = ""
    for finding in active:
        what = taints.get(finding.condition, "nothing")
        if what == "device" and finding.address in known:
            devices.setdefault(known[finding.address], finding.condition)
        elif what != "nothing":
            node = node or finding.condition
    return devices, node


def node_patch(
    node: Mapping[str, Any],
    value: str,
    effect: str,
    start_taint: Mapping[str, str] | None,
    proof_label: str,
    freed: bool = False,
) -> Any:
    """The patch that gives a node our taint, or takes it and holds the node for its proof; ``None`` is nothing to do.

    ``freed`` says that a device of its own was given back, which is proved again as well.
    """
    held = list(node.get("spec", {}).get("taints", []))
    wanted = [each for each in held if each.get("key") != FAULT_TAINT]
    over = freed or len(wanted) < len(held)
    metadata: dict[str, Any] = {"resourceVersion": node["metadata"]["resourceVersion"]}
    if value:
        wanted.append({"key": FAULT_TAINT, "value": value, "effect": effect})
    elif over and start_taint:
        # In one step: between two the node would be free. Who failed a proof keeps the word for it.
        if not any(each["key"] == start_taint["key"] for each in held):
            wanted.append(dict(start_taint))
        if node["metadata"].get("labels", {}).get(proof_label) not in (None, "failed"):
            metadata["labels"] = {proof_label: None}
    if [_plain(each) for each in wanted] == [_plain(each) for each in held] and "labels" not in metadata:
        return None
    # The version makes the API refuse the list where somebody else has written it meanwhile.
    return {"metadata": metadata, "spec": {"taints": wanted}}


def _plain(taint: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in taint.items() if key != "timeAdded"}


def rule(place: Place, value: str, effect: str, version: str) -> dict[str, Any]:
    """The rule that taints one device. Its name tells whose it is; a hash keeps it short and apart."""
    name = f"rdma-cluster-fault-{hashlib.sha256('/'.join(place).encode()).hexdigest()[:10]}"
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "DeviceTaintRule",
        "metadata": {"name": name, "labels": {"app.kubernetes.io/managed-by": "rdma-cluster"}},
        "spec": {"deviceSelector": place._asdict(), "taint": {"key": FAULT_TAINT, "value": value, "effect": effect}},
    }


class DeviceRules:
    """The node's rules in the API server, those of an earlier run among them."""

    def __init__(self, api: Api, version: str, node: str):
        self._api, self._version, self._node = api, version, node
        self._path = f"{GROUP}/{version}/devicetaintrules"

    def add(self, wanted: Mapping[Place, str], effect: str) -> set[str]:
        """Make what is missing; the names of those that are there and not wanted any more."""
        held = self._held()
        made = (rule(place, value, effect, self._version) for place, value in wanted.items())
        rules = {each["metadata"]["name"]: each for each in made}
        for name in rules.keys() - held:
            self._api.open(self._path, "POST", rules[name]).close()
        return held - rules.keys()

    def remove(self, names: Iterable[str]) -> None:
        """Give devices back."""
        for name in names:
            self._api.open(f"{self._path}/{name}", "DELETE").close()

    def _held(self) -> set[str]:
        selector = quote("app.kubernetes.io/managed-by=rdma-cluster")
        rules = self._api.get(f"{self._path}?labelSelector={selector}")["items"]
        return {each["metadata"]["name"] for each in rules if each["spec"]["deviceSelector"]["pool"] == self._node}
