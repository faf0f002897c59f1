"""How the command ends: its exit code for whatever a verb returns or raises, and what it says then."""

import pytest
from pulumi_offline.errors import InputError, Refused
from rdma_cluster.base.lazy import MissingLibrary
from rdma_cluster.cli import stack_file
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
