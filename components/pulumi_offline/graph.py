"""What a program would build: resources, sorted, as plain data."""

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from .frozen import frozen


def type_and_name(urn: str) -> tuple[str, str]:
    """The type token and the logical name in a URN."""
    _, _, types, name = urn.split("::", 3)
    return types.rpartition("$")[2], name


def title(urn: str) -> str:
    """A URN for a reader: `gcp:compute/network:Network rail-0`."""
    return " ".join(type_and_name(urn))


_WRITTEN = {
    "urn": str, "type": str, "name": str, "parent": str | None, "provider": str | None, "inputs": dict, "options": dict,
    "dependencies": list,
}  # fmt: skip
"""What stands in the JSON form, and its kinds."""
_OPTIONS = {"deletedWith": str, "ignoreChanges": list, "replaceOnChanges": list, "replaceWith": list}
"""The options that are read again, and their kinds."""


@frozen
class Resource:
    """One resource as the engine would get it. `inputs` and `options` are JSON values with camelCase keys."""

    urn: str
    type: str
    """Type token: `gcp:compute/network:Network`."""
    name: str
    """Logical name, the last part of the URN."""
    parent: str | None
    """URN of the parent component or resource; None at the root of the stack."""
    provider: str | None
    """URN of the provider named by the program; None where a default provider would be used."""
    inputs: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    """Only what differs from the default: `{"protect": True, "ignoreChanges": ["nodeCount"]}`."""
    dependencies: tuple[str, ...] = ()
    """Sorted URNs this resource waits for."""
    outputs: dict[str, Any] = field(default_factory=dict, compare=False)
    """What a component handed to `register_outputs`; not part of the JSON form."""

    @property
    def kind(self) -> str:
        """The type without its module, for a reader: ``Network``, or ``Provider`` for any provider."""
        return "Provider" if self.type.startswith("pulumi:providers:") else self.type.rpartition(":")[2]

    def to_dict(self) -> dict[str, Any]:
        """The resource's JSON form."""
        return {key: getattr(self, key) for key in _WRITTEN} | {"dependencies": list(self.dependencies)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Resource":
        """The resource that `to_dict` wrote down, perhaps a later one's, whose further keys are left out.

        Raises ``ValueError`` and others for what it did not write.
        """
        wrong = [key for key, kind in _WRITTEN.items() if not isinstance(data[key], kind)]
        wrong += [key for key, kind in _OPTIONS.items() if not isinstance(data["options"].get(key, kind()), kind)]
        if wrong:
            raise ValueError(f"{', '.join(wrong)} of another kind than a graph has")
        type_and_name(data["urn"])
        written: dict[str, Any] = {key: data[key] for key in _WRITTEN}
        written["dependencies"] = tuple(map(str, data["dependencies"]))
        return cls(**written)


@frozen
class Graph:
    """Every resource of one run, sorted by URN, and what the program exports. The stack itself is not listed."""

    stack: str
    resources: tuple[Resource, ...]
    outputs: dict[str, Any] = field(default_factory=dict)

    def of_type(self, token: str) -> list[Resource]:
        """The resources of a type token, sorted by URN; an empty list when there is none."""
        return [resource for resource in self.resources if resource.type == token]

    def by_parent(self) -> dict[str | None, list[Resource]]:
        """The resources below each URN, and under ``None`` those at the root of the stack."""
        children: dict[str | None, list[Resource]] = {}
        for resource in self.resources:
            children.setdefault(resource.parent, []).append(resource)
        return children

    def one(self, token: str, name: str | None = None) -> Resource:
        """The only resource of a type token, or the only one of that name.

        Raises LookupError, with the names there are, when none or several fit.
        """
        fitting = [resource for resource in self.of_type(token) if name in (None, resource.name)]
        if len(fitting) != 1:
            names = ", ".join(resource.name for resource in self.of_type(token)) or "none"
            found = f"{token if name is None else f'{token} {name}'}: {len(fitting)} resources fit"
            raise LookupError(f"{found}, want exactly 1; of this type there are: {names}")
        return fitting[0]

    def to_dict(self) -> dict[str, Any]:
        """The graph's JSON form: `{"stack": ..., "resources": [...], "outputs": {...}}`."""
        return {"stack": self.stack, "resources": [each.to_dict() for each in self.resources], "outputs": self.outputs}

    def to_json(self) -> str:
        """The JSON form as text with sorted keys and a newline at the end: the same bytes on every run."""
        return json.dumps(self.to_dict(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Graph":
        """The graph that `to_dict` wrote down; takes the parsed text of `to_json`, and raises as a resource does."""
        resources = sorted(map(Resource.from_dict, data["resources"]), key=lambda resource: resource.urn)
        _check_parents({resource.urn: resource.parent for resource in resources})
        return cls(str(data["stack"]), tuple(resources), dict(data["outputs"]))


def _check_parents(parents: Mapping[str, str | None]) -> None:
    """Raise ``ValueError`` for a resource that is above itself: who walks up would never arrive."""
    rooted: set[str | None] = {None}
    for urn in parents:
        way: dict[str | None, None] = {}
        at: str | None = urn
        while at not in rooted:
            if at in way:
                raise ValueError(f"{at} is its own parent")
            way[at] = None
            at = parents.get(str(at))
        rooted.update(way)
