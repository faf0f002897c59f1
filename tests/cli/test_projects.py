"""How a stack is found: its project, its file, its cloud; and what is said where one of them is not there."""

import json
from pathlib import Path

import pytest
from pulumi_offline.errors import Refused
from pulumi_offline.project import Settings
from rdma_cluster.cli.stack_file import cloud_of, clouds_of_project, read_stack
from tests.cli.commands import command


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with three stacks in a folder of their own; one file cannot be read, and one names no cloud."""
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


def test_overrides_are_laid_over_a_stack_in_their_order(there: Path, monkeypatch: pytest.MonkeyPatch):
    """The project is found from a folder below it."""
    (below := there / "some" / "where").mkdir(parents=True)
    monkeypatch.chdir(below)
    root, settings = read_stack("lab", None, ["zone=a", "zone=b", "pools[0].nodes=2"])

    pools = {"rdma-cluster:pools": '[{"nodes": 2}]', "rdma-cluster:zone": "b"}
    assert (root, settings.project, settings.stack) == (there, "mine", "lab")
    assert settings.config == {"rdma-cluster:cloud": "gke", "gcp:project": "p", **pools}


def test_a_missing_stack_is_refused_with_the_nearest_or_all(there: Path):
    near, every = refused("labb"), refused("zzz")

    assert "one of lab, or" in near[0] and "one of a.b, bad, lab, or" in every[0]
    for file in (there / "here").iterdir():
        file.unlink()
    assert "rdma-cluster init" in refused("lab")[0]


def test_every_wrong_override_is_told_at_once(there: Path):
    lines = refused("lab", None, "zone", "zone=a", "zone.b=1")

    assert [line.partition(";")[0] for line in lines] == ["--set: got 'zone'", "--set: got 'zone.b=1'"]


@pytest.mark.parametrize("config", [{}, {"rdma-cluster:cloud": "azure"}], ids=["missing", "unknown"])
def test_a_cloud_must_be_one_that_is_built(config: dict[str, str]):
    with pytest.raises(Refused, match=r"^rdma-cluster:cloud: .*one of aks, eks, gce, gke, oke"):
        cloud_of(Settings("p", "s", config))
    assert cloud_of(Settings("p", "s", {"rdma-cluster:cloud": "gce"})) == "gce"


def test_stacks_are_listed_with_their_clouds(there: Path):
    """A stack whose file cannot be read says so; a project without stacks prints no table."""
    rows = [("a.b", "none"), ("bad", "unreadable"), ("lab", "gke")]
    assert [tuple(line.split()) for line in command("stacks", folder=there)[1].splitlines()[2:]] == rows
    data = json.loads(command("stacks", "--json", folder=there)[1])
    assert [(each["stack"], each["cloud"]) for each in data] == rows
    for file in (there / "here").iterdir():
        file.unlink()
    assert command("stacks", folder=there) == (0, "", "")


def test_the_clouds_of_a_project_are_unknown_where_a_stack_cannot_be_read(there: Path):
    with pytest.raises(Refused):
        clouds_of_project()
    (there / "here" / "Pulumi.bad.yaml").write_text("config: {rdma-cluster:cloud: oke}")

    assert clouds_of_project() == {"gke", "oke", "None"}
