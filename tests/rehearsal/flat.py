"""A Pulumi program with no component: what `resources.json` lists, made by the classes of the SDKs."""

import json
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi
from pulumi_offline.lazy import fast_imports

rows: list[dict[str, Any]] = json.loads(Path("resources.json").read_text())
made: dict[str, Any] = {}
with fast_imports():  # as the project's own __main__.py
    for row in rows:
        package, *names = row["class"].split(".")
        cls: Any = reduce(getattr, names, import_module(package))
        needs = [made[urn] for urn in row["needs"]]
        options = pulumi.ResourceOptions(provider=made.get(row["provider"]), depends_on=needs)
        made[row["urn"]] = cls(row["name"], **row["arguments"], opts=options)
