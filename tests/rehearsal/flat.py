"""A Pulumi program with no component: what `resources.json` lists, made by the classes of the SDKs."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from rdma_cluster.offline import sdk

PACKAGES = {"gcp": "pulumi_gcp", "aws": "pulumi_aws", "azure-native": "pulumi_azure_native", "oci": "pulumi_oci"}
rows: list[dict[str, Any]] = json.loads(Path("resources.json").read_text())
for package in {sdk.package(row["type"]) for row in rows} & set(PACKAGES):
    import_module(PACKAGES[package])
made: dict[str, Any] = {}
for row in rows:
    provider = made.get(row["provider"])
    options = pulumi.ResourceOptions(provider=provider, depends_on=[made[urn] for urn in row["needs"]])
    cls: Any = sdk.resource_class(row["type"])
    inputs = row["inputs"]
    if cls is None:
        known = {"api_version": inputs["apiVersion"], "kind": inputs["kind"], "metadata": inputs["metadata"]}
        custom = kubernetes.apiextensions.CustomResource
        made[row["urn"]] = custom(row["name"], **known, spec=inputs.get("spec"), opts=options)
        continue
    args = sdk.args_class(cls)
    spelt = {wire: python for python, wire in sdk.python_names(args).items()} if args else {}
    given = {spelt.get(key, key): value for key, value in inputs.items() if key not in ("apiVersion", "kind")}
    made[row["urn"]] = cls(row["name"], **given, opts=options)
