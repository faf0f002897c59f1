"""A project's folder as settings: what each file says of a key, and what is no settings."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pulumi_offline.errors import Refused
from pulumi_offline.project import Settings, read_settings, stack_folder

Write = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Write:
    """Writes files by name, with `__` for a dot, and tells where."""

    def write(**files: str) -> Path:
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_text(text)
        return tmp_path

    return write


def test_later_settings_win():
    """None takes a key away, what is no text becomes JSON, and secrets add up."""
    below = Settings("p", "s", {"a": "1", "b": "2", "c": "3"}, frozenset({"a"}))
    above = below.over({"b": None, "c": "text", "d": [True, None], "e": 1.5, "f": ""}, ["d", "e"])

    assert above == Settings(
        "p", "s", {"a": "1", "c": "text", "d": "[true, null]", "e": "1.5", "f": ""}, frozenset({"a", "d", "e"})
    )
    assert below.over({}) == below


@pytest.mark.parametrize(
    ("declared", "expected", "secrets"),
    [
        ("{default: a}", "a", False),
        ("{value: b}", "b", False),
        ("{default: a, value: b}", "a", False),
        ("{default: 0}", "0", False),
        ("{value: false}", "false", False),
        ("plain", "plain", False),
        ("[1, 2]", "[1, 2]", False),
        ("{type: string}", None, False),
        ("{type: string, secret: true}", None, True),
        ("{default: a, secret: true}", "a", True),
        ("{default: a, secret: false}", "a", False),
    ],
)
def test_a_project_declares_defaults_and_secrets(folder: Write, declared: str, expected: str | None, secrets: bool):
    """A key has a default, a value, or stands for its value alone; a type alone sets nothing."""
    where = folder(Pulumi__yaml=f"name: gpu\nconfig:\n  key: {declared}\n")
    settings = read_settings(where, "lab")

    assert settings.config == ({} if expected is None else {"gpu:key": expected})
    assert settings.secrets == ({"gpu:key"} if secrets else set())


def test_a_stack_goes_before_its_project(folder: Write):
    """Keys without a namespace are the project's own."""
    where = folder(
        Pulumi__yaml="name: gpu\nconfig:\n  a: {default: 1}\n  b: {default: 2}\n  gcp:project: {value: p}\n",
        Pulumi__lab__yaml="config:\n  gpu:a: 3\n  gcp:zone: z\n  sealed: {secure: v1}\n  open: {secure: v1, more: 1}\n",
        other__yaml="config: {b: 9}\n",
    )
    whole = {"gpu:a": "3", "gpu:b": "2", "gcp:project": "p", "gcp:zone": "z", "gpu:sealed": "[secret]"}

    assert read_settings(where, "lab") == Settings(
        "gpu", "lab", {**whole, "gpu:open": '{"secure": "v1", "more": 1}'}, frozenset({"gpu:sealed"})
    )
    assert read_settings(where, "x") == Settings("gpu", "x", {"gpu:a": "1", "gpu:b": "2", "gcp:project": "p"})
    beside = read_settings(where, "lab", stack_file=where / "other.yaml")
    assert beside.config == {"gpu:a": "1", "gpu:b": "9", "gcp:project": "p"}
    assert read_settings(where, "lab", "own").config["own:b"] == "2"


@pytest.mark.parametrize(
    ("files", "name"),
    [({}, "project"), ({"Pulumi__yaml": ""}, "project"), ({"Pulumi__yaml": "name: 7\nconfig:\n"}, "7")],
)
def test_missing_and_empty_files_say_nothing(folder: Write, files: dict[str, str], name: str):
    where = folder(**files)

    assert read_settings(where, "lab") == Settings(name, "lab")
    assert stack_folder(where) == where


def test_stack_files_lie_where_the_project_says(folder: Write):
    where = folder(Pulumi__yaml="name: gpu\nstackConfigDir: deep/stacks\n")
    (where / "deep" / "stacks").mkdir(parents=True)
    (where / "deep" / "stacks" / "Pulumi.lab.yaml").write_text("config: {a: b}")

    assert stack_folder(where) == where / "deep" / "stacks"
    assert read_settings(where, "lab").config == {"gpu:a": "b"}


@pytest.mark.parametrize(
    ("files", "errors"),
    [
        (
            {"Pulumi__lab__yaml": "gcp:zone: z\nconfig: {}\nother: 1\naws:region: r\n"},
            [
                "gcp:zone: stands beside `config:`, where nobody reads it; indent it",
                "aws:region: stands beside `config:`, where nobody reads it; indent it",
            ],
        ),
        ({"Pulumi__lab__yaml": "config: [a]"}, ["config: must be a set of keys, got ['a']"]),
        ({"Pulumi__yaml": "config: text"}, ["config: must be a set of keys, got 'text'"]),
        ({"Pulumi__yaml": "[]"}, ["Pulumi.yaml: must be a set of keys, got []"]),
    ],
)
def test_misplaced_and_misshapen_settings_are_refused(folder: Write, files: dict[str, str], errors: list[str]):
    with pytest.raises(Refused) as refused:
        read_settings(folder(**files), "lab")

    assert [str(error) for error in refused.value.errors] == errors


def test_an_unreadable_file_is_named(tmp_path: Path):
    (tmp_path / "Pulumi.lab.yaml").mkdir()
    with pytest.raises(Refused, match=r"^Pulumi.lab.yaml\W*: cannot be read: Is a directory$"):
        read_settings(tmp_path, "lab")
