"""What the packages export: the components, their args, and the types that a program has to name. Nothing else.

A nested record of args needs no name in a program: it is written as a literal, which a type checker reads by its key.
"""

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


PACKAGES = [*CLOUDS, "incluster"]


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


def exported(package: str) -> dict[str, Any]:
    """Everything that a package exports, by name."""
    module = import_module(f"rdma_cluster.{package}")
    return {name: getattr(module, name) for name in module.__all__}


def test_each_name_is_exported_by_one_package():
    names = [name for package in PACKAGES for name in exported(package)]

    assert sorted(names) == sorted(set(names))
    assert all(value.__name__ == name for package in PACKAGES for name, value in exported(package).items())


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_exports_the_types_that_a_program_names_and_no_others(package: str):
    """A program names args, choices, outputs, items of lists, sources of capacity, components and what several take."""
    components = components_of(package)
    schema = schema_of(components)
    types = {token.rpartition(":")[2]: kind for token, kind in schema["types"].items()}
    resources = schema["resources"].values()
    named = {component.__init__.__annotations__["args"].__name__ for component in components}
    named |= {name for name, kind in types.items() if "enum" in kind}
    named |= {name for resource in resources for name in references(resource["properties"])}
    named |= {name for resource in resources for name in items(resource["inputProperties"])}
    named |= {name for kind in types.values() for name in items(kind.get("properties"))}
    named |= {name for name in types if name.endswith("Capacity")}
    options = {name for name in exported("incluster") if name.endswith("Options")} | {"ExistingStorage", "StoredData"}
    shared = {"NodePools", "NodeSet", "OkePlace"}

    assert named <= {*exported(package), *exported("incluster")}
    assert {*exported(package)} <= named | options | shared | {component.__name__ for component in components}
