"""`rdma-cluster init`: a project from nothing, with every key in its stack file, and what is left alone."""

import json
from pathlib import Path

import pytest
from rdma_cluster.cli.init import project_files
from rdma_cluster.common import CLOUDS
from rdma_cluster.common.stack import keys_of
from tests.cli import small_cloud
from tests.cli.commands import command
from tests.stacks import graph_of

STACK = """\
  rdma-cluster:cloud: gke
  # Where all of it is, as us-1.
  rdma-cluster:zone: us-1
  # Whose it is. Default: mine.
  # gcp:project: mine
  # How it is made.
  # rdma-cluster:mode: own
  # The most. Default: 250 nodes.
  # rdma-cluster:most: 250
  # Whether.
  # rdma-cluster:on: true
  # Which. Default: 1.30, as it is.
  # rdma-cluster:version: '1.30'
  # Labels.
  # rdma-cluster:labels: {b: x, a: [y, 1]}
  # Zones.
  # rdma-cluster:zones:
  # The pools.
  rdma-cluster:pools:
      # Its name.
    - name: a
      # How many. Default: 1.
      nodes: 2
      # Where from.
      # capacity: {spot}
      # Its name.
    - name: b
      # How many. Default: 1.
      # nodes: 1
      # Where from.
      capacity:
        # Whether spot.
        spot: true
  # The network.
  rdma-cluster:network:
    # Its block.
    cidr: 10.0.0.0/8
"""


@pytest.mark.variant
@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_new_project_plans_and_previews_as_the_clone_does(cloud: str, tmp_path: Path):
    """Every key at the top is in its stack file, set or as a comment."""
    code, out, err = command("init", cloud, folder=tmp_path)
    assert (code, err) == (0, "")
    assert all((tmp_path / line.split()[1]).is_file() for line in out.splitlines() if line.startswith("wrote "))
    text = (tmp_path / f"Pulumi.{cloud}.yaml").read_text()
    assert all(f"{key.written}:" in text for key in keys_of(cloud))

    assert command("plan", cloud, folder=tmp_path) == command("plan", cloud)
    code, out, err = command("preview", cloud, "--json", folder=tmp_path)
    assert (code, err) == (0, "")
    assert sorted(each["urn"].split("::", 2)[2] for each in json.loads(out)["resources"]) == sorted(
        each.urn.split("::", 2)[2] for each in graph_of(cloud).resources
    )


def test_a_stack_file_sets_what_is_needed_and_comments_every_other_key(monkeypatch: pytest.MonkeyPatch):
    """A comment has the key's example, its default or its first choice."""
    small_cloud.put_there(monkeypatch)

    assert project_files("gke", "lab")["Pulumi.gke.yaml"].partition("config:\n")[2] == STACK


@pytest.mark.parametrize(
    ("folder", "name"), [("my lab/é", "my-lab--"), ("A_z.0-9", "A_z.0-9"), ("", "cluster"), ("x" * 101, "x" * 100)]
)
def test_a_project_is_called_as_its_folder_in_letters_that_pulumi_takes(folder: str, name: str):
    assert project_files("gke", folder)["Pulumi.yaml"].splitlines()[0] == f"name: {name}"


def test_files_that_are_there_are_named_and_nothing_is_written(tmp_path: Path):
    """A folder or a link to nowhere is in the way too; only one's own .gitignore stays and is not spoken of."""
    (tmp_path / "Pulumi.gke.yaml").mkdir()
    (tmp_path / "requirements.txt").symlink_to(tmp_path / "none")
    (tmp_path / ".gitignore").write_text("mine\n")
    words = ("init", "gke", "--folder", str(tmp_path))

    code, out, err = command(*words)
    assert (code, out) == (2, "") and not (tmp_path / "Pulumi.yaml").exists()
    assert [line.partition(": ")[0] for line in err.splitlines()] == [
        f"{tmp_path}/Pulumi.gke.yaml", f"{tmp_path}/requirements.txt",
    ]  # fmt: skip
    (tmp_path / "Pulumi.gke.yaml").rmdir()
    (tmp_path / "requirements.txt").unlink()
    assert command(*words)[0] == 0 and (tmp_path / ".gitignore").read_text() == "mine\n"


def test_a_project_that_was_broken_off_is_written_again(tmp_path: Path):
    """A file that only begins like ours is another one."""
    words = ("init", "gke", "--folder", str(tmp_path / "a" / "b"))
    assert [command(*words)[0] for _ in range(2)] == [0, 0]
    (program := tmp_path / "a" / "b" / "__main__.py").write_text(program.read_text() + " ")

    assert command(*words)[0] == 2
