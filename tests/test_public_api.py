"""What the packages export: the components, their args, and the types that a program has to name. Nothing else.

A nested record of args needs no name in a program: it is written as a literal, which a type checker reads by its key.
"""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from rdma_cluster.common import CLOUDS
from rdma_cluster.hosting import components_of
from rdma_cluster.hosting.schema import schema_of

# The analyzer leaves a file of the SDK's open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

COMPONENTS = {
    "gke": ["GkeCluster", "GkeGpuNodePool", "GkeHpcNetwork", "GkePodNetworks", "GkeRdmaCluster", "GkeStorage"],
    "eks": ["EksCluster", "EksGpuNodePool", "EksHpcNetwork", "EksRdmaCluster", "EksStorage"],
    "aks": ["AksCluster", "AksGpuNodePool", "AksHpcNetwork", "AksOperators", "AksRdmaCluster", "AksStorage"],
    "oke": [
        *("OkeAdoptedNodes", "OkeCluster", "OkeGpuNodePool", "OkeHpcNetwork", "OkeIdentityPolicies"),
        *("OkeImportedImage", "OkeRdmaCluster", "OkeStorage", "OkeVirtualFunctions"),
    ],
    "gce": ["GceGpuVms", "GceHpcNetwork", "GceRdmaCluster"],
    "incluster": [
        *("ClaimTemplates", "DevicePlugins", "DistributedInference", "DraDrivers", "FabricInjection", "Monitoring"),
        *("MpiOperator", "NcclAcceptance", "NcclInstaller", "NodeReadiness", "PodFiles", "Queues", "SharedVolume"),
    ],
}
"""Of each package. The args of ``X`` are ``XArgs``, and are exported beside it."""

CHOICES = {
    "gke": ["GkeEndpoint", "GkeLocation", "GkeNetworkMode", "GkePlacement", "GkeReleaseChannel"],
    "eks": ["EksAmiType", "EksEndpoint", "EksPlacement"],
    "aks": [
        *("AksEndpoint", "AksFeatureCheck", "AksGpuDriver", "AksLogin", "AksMemoryLock", "AksNodeOsUpgrades"),
        *("AksOsDisk", "AksOutbound", "AksPrincipalType", "AksRdmaDriver", "AksRdmaResource"),
    ],
    "oke": [
        *("OkeCniType", "OkeEndpoint", "OkeNicAttachment", "OkeGpuPlugin", "OkePoolMode", "OkeSpread", "OkeVfResource")
    ],
    "gce": [],
    "incluster": [
        "DispatchKind",
        "Launcher",
        "GpuAllocation",
        "InferenceSplit",
        "InjectionEngine",
        "InstalledBy",
        "ManagedBy",
        "ExporterBy",
        "OnFault",
        "RenewWhen",
    ],
}
"""Enums of args: a type checker takes no text for them."""

RECORDS = {
    "gke": ["GkeCapacity", "GkeNodeNetwork", "GkePodNetwork", "GkePool", "GkePrimaryNetwork"],
    "eks": ["EksCapacity", "EksPool", "EksSubnet"],
    "aks": ["AksAdmin", "AksCapacity", "AksPool"],
    "oke": ["OkeAdoptedPool", "OkeCapacity", "OkeMemoryFabric", "OkePool"],
    "gce": ["DockerWorkload", "GceCapacity", "GceNic", "GcePool", "NamedMachine"],
    "incluster": [
        *("BusbwThreshold", "PodMount", "PodSidecar", "PodToleration", "PodVariable", "PodVolume"),
        *("DispatchCluster", "InClusterPool", "PoolProof", "PoolWorkload", "ServedModel"),
    ],
}
"""Items of lists, which programs make in loops; outputs; and where capacity comes from, which programs choose."""

OPTIONS = [
    *("AcceptanceOptions", "ClaimOptions", "DriverOptions", "ExistingStorage", "InferenceOptions", "InjectionOptions"),
    "StoredData",
    *("MonitoringOptions", "QueueOptions", "ReadinessOptions"),
]
"""What every cloud's whole takes, exported by ``incluster`` alone."""

PACKAGES = [*CLOUDS, "incluster"]


def exported(package: str) -> list[str]:
    """What a package is to export by the tables above."""
    components = COMPONENTS[package]
    options = OPTIONS if package == "incluster" else []
    names = [*components, *(f"{name}Args" for name in components), *CHOICES[package], *RECORDS[package], *options]
    return sorted(names)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_exports_its_list(package: str):
    """Each name is there, and is what it is called."""
    module = import_module(f"rdma_cluster.{package}")

    assert module.__all__ == exported(package)
    assert [getattr(module, name).__name__ for name in module.__all__] == module.__all__


def test_each_name_is_exported_once():
    """A program needs not ask which of several is meant."""
    names = [name for package in PACKAGES for name in exported(package)]

    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("package", [*(f"rdma_cluster.{name}" for name in PACKAGES), "pulumi_offline"])
def test_a_type_checker_sees_each_name(package: str):
    """Under its own name and for others to use, which is what ``import X as X`` says; none is listed twice."""
    module: Any = import_module(package)
    (block,) = (node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.If))
    imports = [alias for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]

    assert [alias.asname for alias in imports] == [alias.name for alias in imports]
    assert sorted(alias.name for alias in imports) == module.__all__
    assert all(getattr(module, name) is not None for name in module.__all__)
    assert not hasattr(module, "NoSuchName")


def references(schema: Any) -> Iterator[str]:
    """The types of ours that some part of a schema names."""
    if isinstance(schema, dict):
        if (reference := schema.get("$ref", "")).startswith("#/types/"):
            yield reference.rpartition(":")[2]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from references(part)


def items(schema: Any) -> Iterator[str]:
    """The types of ours that stand in a list somewhere in a schema."""
    if isinstance(schema, dict):
        yield from references(schema.get("items"))
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from items(part)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_type_that_a_program_names_is_exported(package: str):
    """Args, choices, outputs and items of lists: by the package itself or, where clouds share it, by ``incluster``."""
    components = components_of(package)
    schema = schema_of(components)
    types = {token.rpartition(":")[2]: kind for token, kind in schema["types"].items()}
    resources = schema["resources"].values()
    named = {component.__init__.__annotations__["args"].__name__ for component in components}
    named |= {name for name, kind in types.items() if "enum" in kind}
    named |= {name for resource in resources for name in references(resource["properties"])}
    named |= {name for resource in resources for name in items(resource["inputProperties"])}
    named |= {name for kind in types.values() for name in items(kind.get("properties"))}
    capacity = {name for name in types if name.endswith("Capacity")}

    assert named | capacity <= {*exported(package), *exported("incluster")}
    assert {*exported(package)} <= {*named, *capacity, *COMPONENTS[package], *OPTIONS}
