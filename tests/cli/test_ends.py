"""How the command ends: its exit code for whatever a verb returns or raises, and what it says then."""

import sys
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import InputError, Refused
from rdma_cluster.base.lazy import MissingLibrary
from rdma_cluster.cli import app, stack_file
from rdma_cluster.cli.app import parser, run
from tests.cli.commands import command


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException | int) -> None:
    """Whoever lists the stacks meets this, or gets this exit code."""

    def run(stacks: stack_file.Stacks) -> int:
        print("listed")
        if isinstance(error, int):
            return error
        raise error

    monkeypatch.setattr(stack_file.Stacks, "run", run)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (0, 0, ""),
        (1, 1, ""),
        (Refused([InputError(("a",), "x"), InputError((), "y")]), 2, "a: x\ny\n"),
        (MissingLibrary("it needs oras"), 2, "it needs oras\n"),
        (OSError(2, "No such file", "some\x1bfile"), 2, "some\\u001bfile: No such file\n"),
        (OSError(28, "No space left"), 2, "No space left\n"),
        (OSError("this folder is gone"), 2, "this folder is gone\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=repr,
)
def test_a_verb_ends(monkeypatch: pytest.MonkeyPatch, error: BaseException | int, code: int, said: str):
    """What was printed before is printed; what is wrong with the input stands on stderr, in a line."""
    raising(monkeypatch, error)

    assert command("stacks") == (code, "listed\n", said)


def test_a_reader_that_has_enough(monkeypatch: pytest.MonkeyPatch):
    """Is for the process to answer; and so is a fault of ours, which nothing hides."""
    for error in (BrokenPipeError(), ZeroDivisionError()):
        raising(monkeypatch, error)
        with pytest.raises(type(error)):
            command("stacks")


def test_what_was_printed_is_passed_on(monkeypatch: pytest.MonkeyPatch):
    """Before the verb has ended: a full disk is told by it."""

    class Full:
        def __init__(self) -> None:
            self.held = ""

        def write(self, text: str) -> int:
            self.held += text
            return len(text)

        def isatty(self) -> bool:
            return False

        def flush(self) -> None:
            if self.held:
                raise OSError(28, "No space left on device")

    raising(monkeypatch, 0)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Full())
        assert run(["stacks"]) == 2


def test_a_shell_asks_for_the_next_words(monkeypatch: pytest.MonkeyPatch):
    """By a variable that its script sets; an empty one is none."""
    monkeypatch.setenv("RDMA_CLUSTER_COMPLETE", "1")
    assert command("graph", "di") == (0, "diff\n", "")
    assert command("plan", "--config", "x", "--jso") == (0, "--json\n", "")
    assert command()[0] == 0
    monkeypatch.setenv("RDMA_CLUSTER_COMPLETE", "")
    assert command("graph", "di")[0] == 2


def test_nothing_to_complete_without_a_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Stacks are those of the project here; without one, or in a folder that is gone, there are none."""
    monkeypatch.setenv("RDMA_CLUSTER_COMPLETE", "1")
    assert command("plan", "", folder=tmp_path) == (0, "", "")
    assert "a4-highgpu-8g\n" in command("machines", "a4-", folder=tmp_path)[1]
    (tmp_path / "Pulumi.yaml").write_text("name: p\n")
    for name in ("b", "a"):
        (tmp_path / f"Pulumi.{name}.yaml").touch()
    assert command("plan", "", folder=tmp_path) == (0, "a\nb\n", "")
    assert command("inject", "--stack", "", folder=tmp_path) == (0, "a\nb\n", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "x", "--set=--"], "rdma-cluster: argument --set: got '--'; expected a value; see rdma-cluster"),
        (["plan", "\x1b", "--odd\x1b"], "rdma-cluster: unrecognized arguments: --odd\\u001b; see rdma-cluster"),
    ],
)
def test_a_wrong_line(words: list[str], said: str):
    """With the help to look into; nothing in it acts on a terminal."""
    assert command(*words) == (2, "", f"{said} -h\n")


def test_a_value_may_begin_with_dashes():
    """Only a flag with nothing but two dashes behind its equals sign is none."""
    options: Any = parser().parse_args(["plan", "x", "--set=a=--", "--set=--a=b"])

    assert options.overrides == ["a=--", "--a=b"]
    assert parser() is app.parser()
