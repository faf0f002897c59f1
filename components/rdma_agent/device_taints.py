"""Which devices no new pod gets: tainted by a DeviceTaintRule, or by their driver in a ResourceSlice."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.error import HTTPError

from .kube_api import Api

GROUP = "/apis/resource.k8s.io"
_VERSIONS = ("v1", "v1beta2")
"""Versions of DeviceTaintRules: 1.37 has the first, 1.36 the second where its operator enables it."""
_KEEPS_AWAY = ("NoSchedule", "NoExecute")
"""Effects; `None` only informs (k8s.io/api@v0.36.3 resource/v1beta2 types.go, DeviceTaintEffect)."""


def rules_version(api: Api) -> str | None:
    """The version in which the API server has DeviceTaintRules; ``None`` where it has none."""
    for version in _VERSIONS:
        try:
            known = api.get(f"{GROUP}/{version}")
        except HTTPError as error:
            if error.code != 404:
                raise
            continue
        if any(each["name"] == "devicetaintrules" for each in known["resources"]):
            return version
    return None


def rules_of(api: Api) -> list[dict[str, Any]]:
    """What the cluster's rules say, of those that keep pods from devices: ``deviceSelector`` and ``taint``."""
    if (version := rules_version(api)) is None:
        return []
    specs = [each["spec"] for each in api.get(f"{GROUP}/{version}/devicetaintrules")["items"]]
    return [spec for spec in specs if "deviceSelector" in spec and spec["taint"]["effect"] in _KEEPS_AWAY]


def named_by(rules: Iterable[Mapping[str, Any]], node: str, drivers: Collection[str]) -> str:
    """The first rule about devices of these drivers on a node, in words, of the rules that name the node.

    Drivers of devices that are in a node call their pool as the node is called.
    """
    for rule in rules:
        selector = rule["deviceSelector"]
        if selector.get("pool") == node and selector.get("driver", "") in (*drivers, ""):
            return _words(selector.get("device", "every device"), selector.get("driver", "every driver"), rule["taint"])
    return ""


def of_slice(rules: Iterable[Mapping[str, Any]], spec: Mapping[str, Any]) -> str:
    """The first tainted device of a ResourceSlice, in words.

    All fields of a rule's selector must agree; an empty one is every device, none at all no device (k8s.io/api@v0.36.3
    resource/v1beta2 types.go, DeviceTaintSelector).
    """
    rules = list(rules)
    for device in spec.get("devices") or ():
        place = {"driver": spec["driver"], "pool": spec["pool"]["name"], "device": device["name"]}
        selected = (r for r in rules if all(r["deviceSelector"].get(key, of) == of for key, of in place.items()))
        by_driver = (taint for taint in device.get("taints") or () if taint["effect"] in _KEEPS_AWAY)
        for taint in (*(rule["taint"] for rule in selected), *by_driver):
            return _words(device["name"], spec["driver"], taint)
    return ""


def _words(device: str, driver: str, taint: Mapping[str, Any]) -> str:
    return f"{device} of {driver} is tainted: {taint['key']}={taint.get('value', '')}:{taint['effect']}"
