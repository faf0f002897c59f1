"""Every component and every stack works under `pulumi.runtime.set_mocks`, as Pulumi documents unit tests."""

import runpy
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.clouds import clouds
from tests.stacks import ROOT, STACKS, cloud_of

COMPONENTS = {name: (each.package, args) for each in clouds() for name, args in each.components.items()}
GRAPHS = {name: of for each in clouds() for name, of in each.graphs.items()}
MOCKS = ("echo", "ours")
WITHIN_SECONDS = 20
"""The slowest component takes three seconds, of which an SDK's import is most."""

pytestmark = pytest.mark.usefixtures("loop")


def mock(which: str, **settings: Any) -> None:
    """Put mocks in the place of an engine."""
    import pulumi
    from pulumi_offline.testing import Mocks

    class Echo(pulumi.runtime.Mocks):
        """The mock of pulumi.com/docs/iac/guides/testing/unit returns a resource's inputs, and nothing for a call."""

        def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
            return f"{args.name}_id", args.inputs

        def call(self, args: pulumi.runtime.MockCallArgs) -> Any:
            return {}

    pulumi.runtime.set_mocks(Echo() if which == "echo" else Mocks(), preview=False, **settings)


@pytest.mark.parametrize("which", [pytest.param("echo", marks=pytest.mark.thorough), "ours"])
@pytest.mark.parametrize("name", COMPONENTS)
def test_the_outputs_of_a_component_come_under_mocks(name: str, which: str):
    import pulumi

    package, args = COMPONENTS[name]
    mock(which)
    begun = time.monotonic()

    def build() -> Any:
        made = getattr(package, name)("c", args)
        return pulumi.Output.all(*(value for value in vars(made).values() if isinstance(value, pulumi.Output)))

    pulumi.runtime.test(build)()

    assert time.monotonic() - begun < WITHIN_SECONDS


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "which"), [(name, which) for name in GRAPHS for which in MOCKS if which == "ours" or name in STACKS]
)
def test_a_stack_works_under_mocks(name: str, which: str, monkeypatch: pytest.MonkeyPatch):
    """Unusual choices look up clusters, networks and nodes that exist, storage and add-ons."""
    import pulumi
    from rdma_cluster.cli.stack_file import read_stack

    stack, *overrides = GRAPHS[name]
    monkeypatch.chdir(ROOT)
    _, settings = read_stack(stack, None, overrides)
    mock(which, project=settings.project, stack=settings.stack)
    pulumi.runtime.set_all_config(settings.config, sorted(settings.secrets))

    def build() -> None:
        runpy.run_path(f"stacks/{cloud_of(stack)}.py", run_name="__main__")

    pulumi.runtime.test(build)()


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(path, id=path.name, marks=[] if path.name == "composed-gke" else [pytest.mark.thorough])
        for path in sorted((ROOT / "examples").glob("composed-*"))
    ],
)
@pytest.mark.parametrize("which", MOCKS)
def test_a_composed_program_works_under_mocks(folder: Path, which: str):
    import pulumi

    mock(which, project=folder.name, stack="dev")
    pulumi.runtime.set_all_config(yaml.safe_load((folder / "Pulumi.dev.yaml").read_text())["config"])

    def build() -> Any:
        made = runpy.run_path(str(folder / "__main__.py"))
        return pulumi.Output.all(*(value for value in made.values() if isinstance(value, pulumi.Output)))

    pulumi.runtime.test(build)()
