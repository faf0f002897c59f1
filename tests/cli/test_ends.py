"""How the command ends: its exit code for whatever a verb returns or raises, and what it says then."""

import sys
from io import StringIO
from pathlib import Path

import pytest
from pulumi_offline.errors import InputError, Refused
from rdma_cluster.base.lazy import MissingLibrary
from rdma_cluster.cli import stack_file
from rdma_cluster.cli.app import run
from tests.cli.commands import command


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException | int) -> None:
    """Whoever lists the stacks meets this error, or gets this exit code."""

    def run(stacks: stack_file.Stacks) -> int:
        print("listed")
        if isinstance(error, int):
            return error
        raise error

    monkeypatch.setattr(stack_file.Stacks, "run", run)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
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
def test_an_error_is_told_on_stderr_behind_what_was_printed(
    monkeypatch: pytest.MonkeyPatch, error: BaseException | int, code: int, said: str
):
    raising(monkeypatch, error)

    assert command("stacks") == (code, "listed\n", said)


@pytest.mark.parametrize("error", [BrokenPipeError(), ZeroDivisionError()], ids=repr)
def test_a_closed_pipe_and_a_fault_of_ours_reach_the_process(monkeypatch: pytest.MonkeyPatch, error: BaseException):
    raising(monkeypatch, error)

    with pytest.raises(type(error)):
        command("stacks")


def test_a_full_disk_is_told_by_the_verb_that_printed(monkeypatch: pytest.MonkeyPatch):
    class Full(StringIO):
        def flush(self) -> None:
            if self.getvalue():
                raise OSError(28, "No space left on device")

    raising(monkeypatch, 0)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Full())
        assert run(["stacks"]) == 2


def test_a_shell_asks_for_the_next_words_by_a_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Stacks are those of the project here; without a project there are none to offer."""
    monkeypatch.setenv("RDMA_CLUSTER_COMPLETE", "1")
    assert command("plan", "--config", "x", "--jso") == (0, "--json\n", "") and command()[0] == 0
    assert command("plan", "", folder=tmp_path) == (0, "", "")
    (tmp_path / "Pulumi.yaml").write_text("name: p\n")
    for name in ("b", "a"):
        (tmp_path / f"Pulumi.{name}.yaml").touch()
    assert command("inject", "--stack", "", folder=tmp_path) == (0, "a\nb\n", "")
    monkeypatch.setenv("RDMA_CLUSTER_COMPLETE", "")
    assert command("graph", "di")[0] == 2
