"""Unit tests of users: every component and every stack under `pulumi.runtime.set_mocks`, as Pulumi documents it."""

import runpy
import time
from importlib import import_module
from typing import Any

import pytest
from tests.clouds import clouds
from tests.foreign.test_alone import ROOMS
from tests.stacks import ROOT, cloud_of

COMPONENTS = {name: (room.package, args) for room in ROOMS for name, args in room.components.items()}
MOCKS = ("echo", "ours")
WITHIN_SECONDS = 20
"""Nothing waits: the slowest component takes three seconds, of which an SDK's import is most."""


pytestmark = pytest.mark.usefixtures("loop")


def mocked(which: str, **settings: Any) -> Any:
    """The mocks, in place of an engine."""
    import pulumi

    class Echo(pulumi.runtime.Mocks):
        """The mock of pulumi.com/docs/iac/guides/testing/unit: a resource's inputs, and nothing for a call."""

        def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
            return f"{args.name}_id", args.inputs

        def call(self, args: pulumi.runtime.MockCallArgs) -> Any:
            return {}

    from pulumi_offline.testing import Mocks

    mocks = Echo() if which == "echo" else Mocks()
    pulumi.runtime.set_mocks(mocks, preview=False, **settings)
    return mocks


def finished(build: Any) -> None:
    """Runs a test's body as `pulumi.runtime.test` does: until every output of the component is known."""
    import pulumi

    pulumi.runtime.test(build)()


@pytest.mark.parametrize(
    ("name", "which"),
    [
        pytest.param(name, which, marks=pytest.mark.thorough if which == "echo" else [])
        for name in COMPONENTS
        for which in MOCKS
    ],
)
def test_a_component_works_under_mocks(name: str, which: str):
    """Its outputs come, none of them an error, and none of them late."""
    import pulumi

    package, args = COMPONENTS[name]
    component = getattr(import_module(package), name)
    mocked(which)
    begun = time.monotonic()

    def build() -> Any:
        made = component("c", args)
        return pulumi.Output.all(*(value for value in vars(made).values() if isinstance(value, pulumi.Output)))

    finished(build)

    assert time.monotonic() - begun < WITHIN_SECONDS


GRAPHS = {name: of for each in clouds() for name, of in each.graphs.items()}


@pytest.mark.thorough
@pytest.mark.parametrize("which", MOCKS)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_stack_works_under_mocks(name: str, which: str, monkeypatch: pytest.MonkeyPatch):
    """What choices beside the usual ones look up: clusters, networks and nodes that exist, storage, add-ons."""
    import pulumi
    from rdma_cluster.cli.stack_file import read_stack

    stack, *overrides = GRAPHS[name]
    monkeypatch.chdir(ROOT)
    _, settings = read_stack(stack, None, overrides)
    mocked(which, project=settings.project, stack=settings.stack)
    pulumi.runtime.set_all_config(settings.config, sorted(settings.secrets))

    def build() -> None:
        runpy.run_path(f"stacks/{cloud_of(stack)}.py", run_name="__main__")

    finished(build)
