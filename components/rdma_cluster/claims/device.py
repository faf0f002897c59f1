"""A device as a DRA driver publishes it, and the ResourceSlice around it."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from pulumi_offline.frozen import frozen
from .template import API_VERSION


class Version(str):
    """A semantic version, which the API keeps apart from a string: the two never match each other."""


Value = bool | int | str | Version


@frozen(eq=False)
class Device:
    """One device of a node."""

    driver: str
    name: str
    attributes: Mapping[str, Value]
    """By fully qualified name, ``domain/key``."""
    capacity: Mapping[str, str] = field(default_factory=dict)
    """Quantities by name in the driver's own domain."""


@frozen
class ResourceSlice:
    """What one driver publishes for one node."""

    driver: str
    node: str
    devices: tuple[Device, ...]

    def manifest(self) -> dict[str, Any]:
        """The object as the API server takes it."""
        return {
            "apiVersion": API_VERSION,
            "kind": "ResourceSlice",
            "metadata": {"name": f"{self.node}-{self.driver}"},
            "spec": {
                "driver": self.driver,
                "nodeName": self.node,
                "pool": {"name": self.node, "generation": 1, "resourceSliceCount": 1},
                "devices": [_device(device) for device in self.devices],
            },
        }


def _device(device: Device) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "name": device.name,
        "attributes": {key.removeprefix(f"{device.driver}/"): _typed(v) for key, v in device.attributes.items()},
    }
    if device.capacity:
        spec["capacity"] = {name: {"value": quantity} for name, quantity in device.capacity.items()}
    return spec


def _typed(value: Value) -> dict[str, Value]:
    kind = {bool: "bool", int: "int", Version: "version"}.get(type(value), "string")
    return {kind: str(value) if isinstance(value, Version) else value}
