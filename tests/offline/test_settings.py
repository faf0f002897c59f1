"""A project's folder as settings: what each file says of a key, and what is no settings."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from pulumi_offline.project import Settings, _place, program_of, read_settings, stack_folder

Write = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Write:
    """Writes files by name, with `__` for a dot, and tells where."""

    def write(**files: str) -> Path:
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_text(text)
        return tmp_path

    return write


def test_settings_over_others():
    """The later wins, None takes a key away, what is no text is JSON, and secrets add up."""
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
def test_what_a_project_declares(folder: Write, declared: str, expected: str | None, secrets: bool):
    """A default or a value of a key, or the value alone; a type alone sets nothing."""
    where = folder(Pulumi__yaml=f"name: gpu\nconfig:\n  key: {declared}\n")
    settings = read_settings(where, "lab")

    assert settings.config == ({} if expected is None else {"gpu:key": expected})
    assert settings.secrets == ({"gpu:key"} if secrets else set())


def test_a_stack_goes_before_its_project(folder: Write):
    """Keys without a namespace are the project's own; those of both files are one."""
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
def test_a_file_that_says_nothing(folder: Write, files: dict[str, str], name: str):
    """One that is not there, that is empty, or whose configuration is."""
    where = folder(**files)

    assert read_settings(where, "lab") == Settings(name, "lab")
    assert stack_folder(where) == where


def test_a_folder_for_stacks(folder: Write):
    """Where the project says, below its own."""
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
def test_what_is_no_settings(folder: Write, files: dict[str, str], errors: list[str]):
    """Each wrong key is told at its place."""
    with pytest.raises(Refused) as refused:
        read_settings(folder(**files), "lab")

    assert [str(error) for error in refused.value.errors] == errors


def test_a_file_that_cannot_be_read(tmp_path: Path):
    """It is told by its name, with what the system says; standard input is called so."""
    (tmp_path / "Pulumi.lab.yaml").mkdir()
    with pytest.raises(Refused, match=r"^Pulumi.lab.yaml\W*: cannot be read: Is a directory$"):
        read_settings(tmp_path, "lab")


PROGRAM = """
import own_module_of_test, own_package_of_test.inner, beside_of_test
from own_package_of_test import a, b, c, d, e, f, g, h
assert own_module_of_test.VALUE == 1
result = own_package_of_test.inner.VALUE
"""


def test_modules_of_a_program_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its own, with all below them; those of other folders stay, and so does the caller's path."""
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    (here / "own_package_of_test").mkdir(parents=True)
    elsewhere.mkdir()
    (here / "__main__.py").write_text(PROGRAM)
    (here / "own_module_of_test.py").write_text("VALUE = 1")
    (here / "own_package_of_test" / "__init__.py").write_text("")
    (here / "own_package_of_test" / "inner.py").write_text("VALUE = 2")
    for name in "abcdefgh":  # whichever is forgotten first, the package or what is in it
        (here / "own_package_of_test" / f"{name}.py").write_text("")
    (elsewhere / "beside_of_test.py").write_text("")
    monkeypatch.syspath_prepend(str(elsewhere))
    before, directory = list(sys.path), Path.cwd()

    with program_of(here) as program:
        made: Any = program()
        assert Path.cwd() == here and sys.path == [str(here), *before]
        assert (made["result"], made["__name__"]) == (2, "__main__")

    assert (sys.path, Path.cwd()) == (before, directory)
    assert [name for name in sys.modules if name.endswith("_of_test") or "own_package_of_test" in name] == [
        "beside_of_test"
    ]
    monkeypatch.delitem(sys.modules, "beside_of_test")
    with pytest.raises(ZeroDivisionError), program_of(here):
        raise ZeroDivisionError
    assert (sys.path, Path.cwd()) == (before, directory)


@pytest.mark.parametrize(
    ("module", "place"),
    [
        (None, None),
        (ModuleType("made"), None),
        (SimpleNamespace(__file__="/a/b/c.py"), Path("/a/b")),
        (SimpleNamespace(__file__="/a/b/c/__init__.py", __path__=["/a/b/c"]), Path("/a/b")),
        (SimpleNamespace(__path__=["/a/b/c"]), Path("/a/b")),
        (SimpleNamespace(__file__=None), None),
        (import_module("sys"), None),
    ],
)
def test_where_a_module_was_found(module: Any, place: Path | None):
    """A package stands in the folder above its own; one without a file is nowhere."""
    assert _place(module) == place
