"""`rdma-cluster upgrade` shows its steps, and writes one at a time into a stack file that keeps its text."""

import json
from pathlib import Path

import pytest
import yaml
from rdma_cluster.catalog import charts
from rdma_cluster.cli.upgrade import with_value
from tests.cli.commands import command
from tests.stacks import ROOT

TO = "1.36.1-gke.1842000"
WRITE = (
    f"Write a step with `rdma-cluster upgrade lab --part kubernetes --to {TO} --step N --write`, then run `pulumi up`."
)
CORDON = "kubectl cordon -l cloud.google.com/gke-nodepool=a4"


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A project with a copy of gke as its one stack."""
    (tmp_path / "Pulumi.yaml").write_text("name: rdma-cluster\n")
    (tmp_path / "Pulumi.lab.yaml").write_text((ROOT / "stacks" / "Pulumi.gke.yaml").read_text())
    return tmp_path


def upgraded(folder: Path, *words: str, to: str = TO) -> tuple[int, str, str]:
    """The output of the command for that stack."""
    return command("upgrade", "lab", "--to", to, *words, folder=folder)


def test_the_text_has_each_step_with_its_edits_and_how_to_write_one(there: Path):
    """What is written already says so."""
    code, out, err = upgraded(there)
    lines = out.splitlines()

    assert (code, err, lines[0], lines[-1]) == (0, "", f"lab: kubernetes to {TO}, in 2 steps", WRITE)
    assert [line for line in lines if line[:1].isdigit()] == [
        "1. control plane; system nodes follow in the same `up`, one more than there are at a time",
        "2. pool a4: 2 nodes, 1 at a time, none beyond those there are",
    ]
    edits = [f"   write     kubernetes.version: {TO}", f"   write     pools[0].nodeVersion: {TO}"]
    assert [line for line in lines if "   write" in line] == edits
    _, out, _ = upgraded(there, "--set", f"kubernetes.version='{TO}'")
    assert [line for line in out.splitlines() if "   write" in line] == [f"{edits[0]}   (is there)", edits[1]]
    assert not [line for line in lines if line.startswith(("then", "warning"))]


def test_the_data_has_edits_as_set_takes_them(there: Path):
    code, out, _ = upgraded(there, "--json", "--set", f"kubernetes.version='{TO}'")
    data = json.loads(out)

    assert (code, data["stack"], data["part"], data["to"], data["then"]) == (0, "lab", "kubernetes", TO, "")
    assert data["warnings"] == []
    assert [(step["edits"], step["written"]) for step in data["steps"]] == [
        ([f"kubernetes.version='{TO}'"], True), ([f"pools[0].nodeVersion='{TO}'"], False),
    ]  # fmt: skip
    assert [step["before"] for step in data["steps"]] == ["", CORDON]


def test_a_step_without_an_edit_counts_as_written(there: Path):
    """The release of the library makes it."""
    version = charts.NVIDIA_DRA_DRIVER.version
    code, out, _ = command("upgrade", "lab", "--part", "dra-driver", "--to", version, "--json", folder=there)

    assert code == 0 and [step["written"] for step in json.loads(out)["steps"]] == [True]


def test_warnings_are_those_that_the_steps_bring():
    """What the stack's plan warns of already is not told again."""
    spot = ("--set", "pools[0].capacity={spot: true}")
    assert "spot" in command("plan", "eks", *spot)[1]
    _, out, _ = command("upgrade", "eks", "--to", "1.37", "--set", "kubernetes.version='1.36'", *spot, "--json")

    (warning,) = json.loads(out)["warnings"]
    assert warning.startswith("kubernetes.version: 1.37 is newer than 1.36")


def test_steps_are_written_in_order_with_what_comes_before_up(there: Path):
    """All other text of the file stays."""
    file = there / "Pulumi.lab.yaml"
    before = file.read_text()
    late = "--step: got 2; step 1 comes before it: write it and run `pulumi up`\n"
    assert upgraded(there, "--step", "2", "--write") == (2, "", late)
    assert upgraded(there, "--step", "1", "--write") == (
        0, f"Pulumi.lab.yaml: kubernetes.version: {TO}\nnow: `pulumi preview` and `pulumi up`\n", "",
    )  # fmt: skip
    added = set(file.read_text().splitlines()) - set(before.splitlines())
    assert len(added) == 1 and TO in added.pop()
    assert upgraded(there, "--step", "2", "--write") == (
        0,
        f"Pulumi.lab.yaml: pools[0].nodeVersion: {TO}\nnow: {CORDON}; then `pulumi preview` and `pulumi up`\n",
        "",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--write",), "--write: goes with --step N: one step is written at a time"),
        (("--step", "1"), "--write: goes with --step N: one step is written at a time"),
        (("--step", "0", "--write"), "--step: got 0; the upgrade has steps 1 to 2"),
        (("--step", "3", "--write"), "--step: got 3; the upgrade has steps 1 to 2"),
        (("--step", "1", "--write", "--config", "-"),
         f"-: cannot be edited in its place; write kubernetes.version: {TO} there yourself"),
    ],
)  # fmt: skip
def test_a_step_that_cannot_be_written_leaves_the_file_as_it_was(
    there: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
):
    file = there / "Pulumi.lab.yaml"
    before = file.read_text()
    with file.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert upgraded(there, *words) == (2, "", f"{said}\n")
    assert file.read_text() == before


BY_HAND = f"Pulumi.lab.yaml: cannot be edited in its place; write kubernetes.version: {TO} there yourself\n"


@pytest.mark.parametrize(
    ("key", "outcome"),
    [
        ("rdma-cluster:kubernetes: {}", (2, BY_HAND)),
        ("rdma-cluster:kubernetes: &k {version: '1.36'}\n  other:key: *k", (2, BY_HAND)),
        ("rdma-cluster:kubernetes: {version: '1.36'}\n  other:key: '1.36'", (0, "")),
        ("kubernetes: {version: '1.36'}", (0, "")),
        ("rdma-cluster:kubernetes: {endpoint: dns}", (0, "")),
    ],
)
def test_an_edit_is_the_only_difference(there: Path, key: str, outcome: tuple[int, str]):
    """Where there is no place for it, or more would change, the owner writes it."""
    file = there / "Pulumi.lab.yaml"
    config = {**yaml.safe_load(file.read_text())["config"]}
    file.write_text(f"{file.read_text()}  {key}\n")
    before = yaml.safe_load(file.read_text())["config"]
    code, _, err = upgraded(there, "--step", "1", "--write")
    after = yaml.safe_load(file.read_text())["config"]

    assert (code, err) == outcome
    changed = {name for name in after if after[name] != before[name]}
    assert set(after) == set(before) and changed == ({key.partition(": ")[0]} if code == 0 else set())
    assert config.items() <= after.items()
    if code == 0:
        (name,) = changed
        assert after[name] == {**before[name], "version": TO}


@pytest.mark.parametrize(
    ("text", "path", "value", "new"),
    [
        ("a:\n- x\n- y\n", ("a", 1), "z", "a:\n- x\n- z\n"),
        ("a:\n- x\n", ("a", 1), "z", None),
        ("a:\n- x\n", ("a", "b"), "z", None),
        ("a: {b: 1}\n", ("a", 0), "z", None),
        ("a: x\n", ("a", "b"), "z", None),
        ("a: x\n", ("a",), "true", 'a: "true"\n'),
        ("a: x\n", ("a",), "1.36.1-gke", "a: 1.36.1-gke\n"),
        ("a: 1\nb: 2\nc: 3\n", ("d",), "x", "a: 1\nd: x\nb: 2\nc: 3\n"),
        ("a:\n    n: 1\n    m: 2\n", ("a", "k", "l"), "x", "a:\n    n: 1\n    k: {l: x}\n    m: 2\n"),
        ("a: {n: 1, m: 2}\n", ("a", "k"), "x", "a: {n: 1, k: x, m: 2}\n"),
        ("a: {n: 1}\n", ("b", "c", "d"), "x", "b: {c: {d: x}}\na: {n: 1}\n"),
    ],
)  # fmt: skip
def test_a_value_keeps_its_neighbours(text: str, path: tuple[str | int, ...], value: str, new: str | None):
    """A new key stands behind the first one of its mapping, in that one's form."""
    assert with_value(text, path, value) == new
