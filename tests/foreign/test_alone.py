"""Each component on its own, in a program that knows of nothing else, with no SDK but its own."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from rdma_cluster.hosting import components_of
from tests.clouds import clouds
from tests.incluster.components import IN_CLUSTER

SDKS = ("pulumi_aws", "pulumi_azure_native", "pulumi_gcp", "pulumi_kubernetes", "pulumi_oci")

# In one process, which makes what they share once.
pytestmark = [pytest.mark.xdist_group("alone"), pytest.mark.thorough]

PROGRAM = """
import gc, json, sys, traceback
gc.disable()

missing = set()

class Missing:
    '''Makes packages as good as not installed.'''

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())

from importlib import import_module
from pulumi_offline import preview

def alone(package, component, args):
    def program():
        import pulumi
        made = getattr(import_module(package), component)("alone", args)
        for key, value in vars(made).items():
            if isinstance(value, pulumi.Output):
                pulumi.export(key, value)

    try:
        graph = preview(program, project="foreign", stack="dev", config={{}})
    except Exception:
        return traceback.format_exc()
    return "" if len(graph.resources) > 1 else "no resources"

told = {{}}
for package, installed, components in {rooms!r}:
    missing = set({sdks!r}) - set(installed)
    # What another room has loaded of them is gone, too.
    for name in [name for name in sys.modules if name.partition(".")[0] in missing]:
        del sys.modules[name]
    told |= {{component: alone(package, component, args) for component, args in components.items()}}
print(json.dumps(told))
"""

KUBERNETES = "pulumi_kubernetes"


class Room(NamedTuple):
    """A package of components, what may be installed for them, and the args of each on its own."""

    package: str
    installed: tuple[str, ...]
    components: Mapping[str, dict[str, Any]]


ROOMS = [
    Room("rdma_cluster.incluster", (KUBERNETES,), IN_CLUSTER),
    *(Room(f"rdma_cluster.{cloud.name}", (cloud.sdk, KUBERNETES), cloud.components) for cloud in clouds()),
]


def told(*rooms: Room) -> dict[str, str]:
    """What is wrong with each component in a program of its own, with all SDKs but its room's impossible to import."""
    code = PROGRAM.format(sdks=SDKS, rooms=[(room.package, room.installed, dict(room.components)) for room in rooms])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def errors() -> dict[str, str]:
    """All rooms in one process, which imports each SDK once."""
    return told(*ROOMS)


@pytest.mark.parametrize("component", [component for room in ROOMS for component in room.components])
def test_component_alone(component: str, errors: dict[str, str]):
    """It needs its cloud's SDK and pulumi-kubernetes; an in-cluster component the latter alone."""
    assert errors[component] == ""


def test_no_component_is_forgotten(errors: dict[str, str]):
    """Every component that these packages export is tried."""
    packages = [cloud.name for cloud in clouds()]

    assert set(errors) == {each.__name__ for each in components_of("incluster", *packages)}


def test_missing_sdk_is_missed():
    """The SDKs are gone indeed: a component fails without its own."""
    room = next(room for room in ROOMS if "GkeHpcNetwork" in room.components)
    network = {"GkeHpcNetwork": room.components["GkeHpcNetwork"]}

    assert (
        'pip install "rdma-cluster[gke]"'
        in told(room._replace(installed=(KUBERNETES,), components=network))["GkeHpcNetwork"]
    )
