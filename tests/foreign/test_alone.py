"""Each component on its own, in a program that knows of nothing else, with no SDK but its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest
from rdma_cluster.hosting import components_of

from tests.clouds import clouds

SDKS = ("pulumi_aws", "pulumi_azure_native", "pulumi_gcp", "pulumi_kubernetes", "pulumi_oci")

PROGRAM = """
import gc, sys
gc.disable()

class Missing:
    '''Makes a package as good as not installed.'''

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())

from rdma_cluster.offline import preview

def program():
    import pulumi
    {program}
    for key, value in vars(component).items():
        if isinstance(value, pulumi.Output):
            pulumi.export(key, value)

graph = preview(program, project="foreign", stack="dev", config={{}})
sys.exit(0 if len(graph.resources) > 1 else "no resources")
"""

NODES = {"label": "pool", "values": ["a"], "nodes": 2}
POOL = {"name": "a", "machine": "a4-highgpu-8g", "nodes": 2, "fabric": "gib"}
IN_CLUSTER: dict[str, dict[str, Any]] = {
    "DraDrivers": {"host": "cos", "gpu_nodes": NODES, "nic_nodes": NODES},
    "NcclInstaller": {"fabric": "gib", "nodes": NODES},
    "ClaimTemplates": {"machines": ["a3-ultragpu-8g", "a4-highgpu-8g"]},
    "DevicePlugins": {"nodes": NODES, "nic_plugin": "efa", "nic_registry": "r.example"},
    "MpiOperator": {},
    "NcclAcceptance": {"pools": [POOL], "pool_label": "pool", "taint": {"key": "k", "value": "v"}},
}
KUBERNETES = "pulumi_kubernetes"


class Alone(NamedTuple):
    """A component, what may be installed, and its args."""

    package: str
    component: str
    installed: tuple[str, ...]
    args: dict[str, Any]


ALONE = [
    *(Alone("rdma_cluster.incluster", name, (KUBERNETES,), args) for name, args in IN_CLUSTER.items()),
    *(
        Alone(f"rdma_cluster.{cloud.name}", name, (cloud.sdk, KUBERNETES), args)
        for cloud in clouds()
        for name, args in cloud.components.items()
    ),
]


def start(alone: Alone) -> subprocess.Popen[str]:
    """Preview a program of one component, with all SDKs but some made impossible to import."""
    package, name, installed, args = alone
    program = f"from {package} import {name}\n    component = {name}('alone', {args})"
    code = PROGRAM.format(missing=tuple(sdk for sdk in SDKS if sdk not in installed), program=program)
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def started() -> Iterator[dict[str, subprocess.Popen[str]]]:
    """All programs at once, for each spends its time on the import of its SDK."""
    with ExitStack() as open_pipes:
        yield {alone.component: open_pipes.enter_context(start(alone)) for alone in ALONE}


@pytest.mark.parametrize("name", [alone.component for alone in ALONE])
def test_component_alone(name: str, started: dict[str, subprocess.Popen[str]]):
    """It needs its cloud's SDK and pulumi-kubernetes; an in-cluster component the latter alone."""
    _, told = started[name].communicate()

    assert (started[name].returncode, told) == (0, "")


def test_no_component_is_forgotten():
    """Every component that these packages export is tried."""
    exported = components_of("incluster", *(cloud.name for cloud in clouds()))

    assert {alone.component for alone in ALONE} == {component.__name__ for component in exported}


def test_missing_sdk_is_missed():
    """The SDKs are gone indeed: a component fails without its own."""
    network = next(alone for alone in ALONE if alone.component == "GkeHpcNetwork")

    process = start(network._replace(installed=(KUBERNETES,)))
    _, told = process.communicate()

    assert process.returncode == 1
    assert 'pip install "rdma-cluster[gke]"' in told
