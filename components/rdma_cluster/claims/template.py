"""A ResourceClaimTemplate as data, and its resource.k8s.io/v1 form."""

from typing import Any

from pulumi_offline.frozen import frozen

API_VERSION = "resource.k8s.io/v1"


@frozen
class Request:
    """Devices of one class that pass every selector."""

    name: str
    device_class: str
    count: int | None = 1
    """``None`` is allocation mode ``All``, which we read but never generate: it hides a lost device."""
    selectors: tuple[str, ...] = ()
    """CEL expressions."""

    def spec(self) -> dict[str, Any]:
        """The request as the API has it."""
        exactly: dict[str, Any] = {"deviceClassName": self.device_class}
        if self.count is None:
            exactly["allocationMode"] = "All"
        else:
            exactly |= {"allocationMode": "ExactCount", "count": self.count}
        if self.selectors:
            exactly["selectors"] = [{"cel": {"expression": expression}} for expression in self.selectors]
        return {"name": self.name, "exactly": exactly}


@frozen
class Constraint:
    """Every device of every named request has the same value of an attribute."""

    match_attribute: str
    requests: tuple[str, ...] = ()
    """Empty means all requests of the claim."""

    def spec(self) -> dict[str, Any]:
        """The constraint as the API has it."""
        requests = {"requests": list(self.requests)} if self.requests else {}
        return {**requests, "matchAttribute": self.match_attribute}


@frozen
class Template:
    """A ResourceClaimTemplate."""

    name: str
    requests: tuple[Request, ...]
    constraints: tuple[Constraint, ...] = ()
    window: str = ""
    """The part of a node that it is pinned to. Example: ``rails-2-3``."""

    @property
    def devices(self) -> int:
        """Devices that an allocated claim holds; requests for ``All`` not counted."""
        return sum(request.count or 0 for request in self.requests)

    def spec(self) -> dict[str, Any]:
        """The object's ``spec``."""
        devices: dict[str, Any] = {"requests": [request.spec() for request in self.requests]}
        if self.constraints:
            devices["constraints"] = [constraint.spec() for constraint in self.constraints]
        return {"spec": {"devices": devices}}

    def manifest(self, namespace: str = "default") -> dict[str, Any]:
        """The whole object, ready to be applied."""
        return {
            "apiVersion": API_VERSION,
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": self.name, "namespace": namespace},
            "spec": self.spec(),
        }
