"""How a stack is found: its project, its file, its cloud; and the words where one of them is not there."""

import json
import os
from pathlib import Path

import pytest
from pulumi_offline.errors import Refused
from pulumi_offline.project import Settings
from rdma_cluster.cli.stack_file import cloud_of, clouds_of_project, project, read_stack, stacks
from tests.cli.commands import command

CHOOSE = "choose one of aks, eks, gce, gke, oke"


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with three stacks, in a folder of their own; one file cannot be read, and one names no cloud."""
    (tmp_path / "Pulumi.yaml").write_text("name: mine\nruntime: python\nstackConfigDir: here\n")
    (tmp_path / "here").mkdir()
    for name, text in (("lab", "config: {rdma-cluster:cloud: gke, gcp:project: p}"), ("bad", "["), ("a.b", "")):
        (tmp_path / "here" / f"Pulumi.{name}.yaml").write_text(text)
    (tmp_path / "here" / "Pulumi.other.yml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(stack: str, file: Path | None = None, *overrides: str) -> list[str]:
    """Why a stack cannot be read."""
    with pytest.raises(Refused) as found:
        read_stack(stack, file, overrides)
    return found.value.lines


def test_a_stack_of_a_project(there: Path):
    """Its folder and settings, from a folder below as well; values of --set are laid over it in their order."""
    below = there / "some" / "where"
    below.mkdir(parents=True)
    os.chdir(below)
    root, settings = read_stack("lab", None, ["zone=a", "zone=b", "pools[0].nodes=2"])

    pools = {"rdma-cluster:pools": '[{"nodes": 2}]', "rdma-cluster:zone": "b"}
    assert (root, settings.project, settings.stack) == (there, "mine", "lab")
    assert settings.config == {"rdma-cluster:cloud": "gke", "gcp:project": "p", **pools}


def test_a_stack_that_is_not_there(there: Path):
    """The nearest of its name, or all; what to write where there is none."""
    assert stacks(there) == ["a.b", "bad", "lab"]
    assert refused("labb") == ["no stack 'labb'; choose one of lab, or name a file with --config"]
    assert refused("zzz") == ["no stack 'zzz'; choose one of a.b, bad, lab, or name a file with --config"]
    for file in (there / "here").iterdir():
        file.unlink()
    assert refused("lab") == ["no stack 'lab'; write one with `rdma-cluster init`, or name a file with --config"]


def test_a_file_in_its_place(there: Path):
    """Any name does then; a file that is not there is named."""
    (there / "x.yaml").write_text("config: {rdma-cluster:zone: z}")

    _, settings = read_stack("new", there / "x.yaml", ())
    assert (settings.stack, settings.config) == ("new", {"rdma-cluster:zone": "z"})
    assert refused("lab", there / "y.yaml") == [f"--config: no file '{there}/y.yaml'"]


def test_every_wrong_override_is_told(there: Path):
    """Together, each in its own words."""
    assert refused("lab", None, "zone", "zone=a", "zone.b=1") == [
        "--set: got 'zone'; write PATH=VALUE, e.g. pools[0].nodes=4",
        "--set: got 'zone.b=1'; there is nothing at 'b' to set",
    ]


def test_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Neither here nor above; a folder of that name is no project."""
    (tmp_path / "Pulumi.yaml").mkdir()
    monkeypatch.chdir(tmp_path)

    with pytest.raises(Refused) as found:
        project()
    assert found.value.lines == ["no Pulumi.yaml here or above; go to a project, or begin one with `rdma-cluster init`"]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, f"rdma-cluster:cloud: missing; write below `config:` {CHOOSE.removeprefix('choose ')}"),
        ({"rdma-cluster:cloud": "azure"}, f"rdma-cluster:cloud: got 'azure'; {CHOOSE}"),
    ],
)
def test_a_cloud_that_is_not_built(config: dict[str, str], said: str):
    """With those that there are; one of them is taken."""
    with pytest.raises(Refused) as found:
        cloud_of(Settings("p", "s", config))
    assert found.value.lines == [said]
    assert cloud_of(Settings("p", "s", {"rdma-cluster:cloud": "gce"})) == "gce"


def test_stacks_with_their_clouds(there: Path):
    """One whose file cannot be read says so; a project without stacks prints no table."""
    rows = [("a.b", "none"), ("bad", "unreadable"), ("lab", "gke")]
    assert command("stacks", folder=there) == (
        0, "stack   cloud\n──────────────────\na.b     none\nbad     unreadable\nlab     gke\n", "",
    )  # fmt: skip
    assert json.loads(command("stacks", "--json", folder=there)[1]) == [
        {"stack": stack, "cloud": cloud} for stack, cloud in rows
    ]
    for file in (there / "here").iterdir():
        file.unlink()
    assert command("stacks", folder=there) == (0, "", "")
    assert command("stacks", "--json", folder=there) == (0, "[]\n", "")


def test_clouds_of_a_project(there: Path):
    """Those of its stacks; where one cannot be read nobody knows."""
    with pytest.raises(Refused):
        clouds_of_project()
    (there / "here" / "Pulumi.bad.yaml").write_text("config: {rdma-cluster:cloud: oke}")

    assert clouds_of_project() == {"gke", "oke", "None"}
