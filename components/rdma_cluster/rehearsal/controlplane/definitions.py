"""Kinds that charts of ours define: recorded schemas, for a server that has not the charts."""

from pathlib import Path
from typing import Any

import yaml

RECORDED: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())
"""By kind."""


def is_recorded(api_version: str, kind: str) -> bool:
    """Whether the kind's schema is here, in this version."""
    recorded = RECORDED.get(kind)
    return recorded is not None and api_version == f"{recorded['group']}/{recorded['version']}"


def definition(kind: str) -> dict[str, Any]:
    """The definition of a kind; of the objects' status anything goes."""
    recorded = RECORDED[kind]
    spec, status = recorded["spec"], {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    version = {"name": recorded["version"], "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{recorded['plural']}.{recorded['group']}"},
        "spec": {
            "group": recorded["group"],
            "names": {"kind": kind, "plural": recorded["plural"]},
            "scope": recorded["scope"],
            "versions": [version],
        },
    }
