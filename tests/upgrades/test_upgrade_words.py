"""`rdma-cluster upgrade` shows its steps, and writes one at a time into a stack file that keeps its text."""

import json
import re
from pathlib import Path

import pytest
import yaml
from rdma_cluster.cli.upgrade import with_value
from tests.cli.commands import command
from tests.stacks import ROOT

TO = "1.36.1-gke.1842000"
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
    _, again, _ = upgraded(there, "--set", f"kubernetes.version='{TO}'")

    assert (code, err) == (0, "") and f"--part kubernetes --to {TO} --step N --write" in out
    assert [line[:2] for line in out.splitlines() if line[:1].isdigit()] == ["1.", "2."]
    first, second = (f"kubernetes.version: {TO}", f"pools[0].nodeVersion: {TO}")
    assert re.findall(r"   write +(.+)", out) == [first, second]
    assert re.findall(r"   write +(.+)", again) == [f"{first}   (is there)", second]


def test_the_data_has_edits_as_set_takes_them(there: Path):
    code, out, _ = upgraded(there, "--json", "--set", f"kubernetes.version='{TO}'")
    data = json.loads(out)

    assert (code, data["stack"], data["part"], data["to"], data["then"]) == (0, "lab", "kubernetes", TO, "")
    assert data["warnings"] == []
    assert [(step["edits"], step["written"]) for step in data["steps"]] == [
        ([f"kubernetes.version='{TO}'"], True), ([f"pools[0].nodeVersion='{TO}'"], False),
    ]  # fmt: skip
    assert [step["before"] for step in data["steps"]] == ["", CORDON]


def test_warnings_are_those_that_the_steps_bring():
    """What the stack's plan warns of already is not told again."""
    spot = ("--set", "pools[0].capacity={spot: true}")
    assert "spot" in command("plan", "eks", *spot)[1]
    _, out, _ = command("upgrade", "eks", "--to", "1.38", "--set", "kubernetes.version='1.37'", *spot, "--json")

    (warning,) = json.loads(out)["warnings"]
    assert warning.startswith("kubernetes.version: 1.38 is newer than 1.37")


def test_steps_are_written_in_order_with_what_comes_before_up(there: Path):
    """All other text of the file stays."""
    file = there / "Pulumi.lab.yaml"
    before = file.read_text()
    assert upgraded(there, "--step", "2", "--write")[0] == 2 and file.read_text() == before
    code, out, _ = upgraded(there, "--step", "1", "--write")
    assert code == 0 and f"kubernetes.version: {TO}" in out and CORDON not in out
    added = set(file.read_text().splitlines()) - set(before.splitlines())
    assert len(added) == 1 and TO in added.pop()
    code, out, _ = upgraded(there, "--step", "2", "--write")
    assert code == 0 and f"pools[0].nodeVersion: {TO}" in out and CORDON in out


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--write",), "--write"),
        (("--step", "1"), "--write"),
        (("--step", "0", "--write"), "--step"),
        (("--step", "3", "--write"), "--step"),
        (("--step", "1", "--write", "--config", "-"), "-"),
    ],
)
def test_a_step_that_cannot_be_written_leaves_the_file_as_it_was(
    there: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], option: str
):
    file = there / "Pulumi.lab.yaml"
    before = file.read_text()
    with file.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        code, out, err = upgraded(there, *words)
    assert (code, out, err.partition(": ")[0], err.count("\n")) == (2, "", option, 1)
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("key", "has_place"),
    [
        ("rdma-cluster:kubernetes: {}", False),
        ("rdma-cluster:kubernetes: &k {version: '1.36'}\n  other:key: *k", False),
        ("rdma-cluster:kubernetes: {version: '1.36'}\n  other:key: '1.36'", True),
        ("kubernetes: {version: '1.36'}", True),
        ("rdma-cluster:kubernetes: {endpoint: dns}", True),
    ],
)
def test_an_edit_is_the_only_difference(there: Path, key: str, has_place: bool):
    """Where there is no place for it, or more would change, the owner writes it."""
    file = there / "Pulumi.lab.yaml"
    config = {**yaml.safe_load(file.read_text())["config"]}
    file.write_text(f"{file.read_text()}  {key}\n")
    before = yaml.safe_load(file.read_text())["config"]
    code, _, err = upgraded(there, "--step", "1", "--write")
    after = yaml.safe_load(file.read_text())["config"]

    assert (code == 0) is has_place and (f"kubernetes.version: {TO}" in err) is not has_place
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
