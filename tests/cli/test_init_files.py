"""What `init` writes: a stack file with every key, a program, and what is left alone."""

from pathlib import Path

import pytest
from rdma_cluster.cli.init import project_files
from tests.cli import small_cloud
from tests.cli.commands import command

STACK = """\
# yaml-language-server: $schema=gke.schema.json
# What a key means: rdma-cluster explain KEY. What this would build: rdma-cluster plan gke.
config:
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
  # Whether not. Default: false.
  # rdma-cluster:off: false
  # Which. Default: 1.30, as it is.
  # rdma-cluster:version: '1.30'
  # Labels.
  # rdma-cluster:labels: {b: x, a: [y, 1]}
  # Zones.
  # rdma-cluster:zones:
  # Modes.
  # rdma-cluster:modes:
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
  # Storage.
  # rdma-cluster:storage: {bucket, size}
"""


def test_a_stack_file_sets_what_is_needed(monkeypatch: pytest.MonkeyPatch):
    """And shows every other key as a comment, with its example, its default or its first choice."""
    small_cloud.put_there(monkeypatch)

    assert project_files("gke", "lab")["Pulumi.gke.yaml"] == STACK


def test_a_long_meaning_is_wrapped(monkeypatch: pytest.MonkeyPatch):
    """At spaces, not at hyphens."""
    words = " ".join(["one-two"] * 20)
    key = small_cloud.key("zone", "text", False, words)
    monkeypatch.setattr("rdma_cluster.cli.init.keys_of", lambda cloud: (key,))
    lines = project_files("gke", "lab")["Pulumi.gke.yaml"].splitlines()[4:]

    assert lines[:-1] == [f"  # {' '.join(['one-two'] * many)}" for many in (12, 8)]


@pytest.mark.parametrize(
    ("folder", "name"),
    [("lab", "lab"), ("my lab/é", "my-lab--"), ("A_z.0-9", "A_z.0-9"), ("", "cluster"), ("x" * 101, "x" * 100)],
)
def test_a_project_is_called_as_its_folder(folder: str, name: str):
    """In the letters that Pulumi takes, a hundred of them."""
    assert project_files("gke", folder)["Pulumi.yaml"].splitlines()[0] == f"name: {name}"


def test_a_program_exports_what_the_stacks_export():
    """Each output under its name of the engine."""
    text = project_files("eks", "lab")["__main__.py"]

    assert 'pulumi.export("placementGroups", cluster.placement_groups)\n' in text
    assert "from rdma_cluster.eks import EksRdmaCluster\n" in text
    assert "cluster = EksRdmaCluster(pulumi.get_stack(), plan.args, plan=plan)\n" in text


def test_what_is_there_is_named(tmp_path: Path):
    """Every file that is another, a folder or a link to nowhere; one's own .gitignore is left and not spoken of."""
    (tmp_path / "Pulumi.gke.yaml").mkdir()
    (tmp_path / "requirements.txt").symlink_to(tmp_path / "none")
    (tmp_path / ".gitignore").write_text("mine\n")
    words = ("init", "gke", "--folder", str(tmp_path))
    reason = "is there already; init writes into an empty folder"

    assert command(*words) == (
        2, "", f"{tmp_path}/Pulumi.gke.yaml: {reason}\n{tmp_path}/requirements.txt: {reason}\n",
    )  # fmt: skip
    (tmp_path / "Pulumi.gke.yaml").rmdir()
    (tmp_path / "requirements.txt").unlink()
    code, out, _ = command(*words)
    names = ("Pulumi.yaml", "Pulumi.gke.yaml", "__main__.py", "requirements.txt", "gke.schema.json")
    assert (code, out) == (
        0,
        "".join(f"wrote {tmp_path}/{name}\n" for name in names)
        + "\nEdit Pulumi.gke.yaml, then `rdma-cluster plan gke`; `pulumi up` installs requirements.txt itself.\n",
    )
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


def test_a_file_that_begins_alike_is_another(tmp_path: Path):
    """One that is longer, by whatever."""
    (tmp_path / "a").mkdir()
    words = ("init", "gke", "--folder", str(tmp_path / "a" / "b" / "c"))
    assert [command(*words)[0] for _ in range(2)] == [0, 0]
    (program := tmp_path / "a" / "b" / "c" / "__main__.py").write_text(program.read_text() + " ")

    assert command(*words)[0] == 2
