"""On a terminal the command says what it says in a pipe, with styles where a reader looks first."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rdma_cluster.cli.app import run
from tests.cli.commands import command
from tests.cli.terminal import Terminal
from tests.nccl import render
from tests.stacks import ROOT

STYLED = re.compile(r"\x1b\[(\d+)m(.*?)\x1b\[0m")
BOLD, RED, GREEN, YELLOW = "1", "31", "32", "33"


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs the command on a terminal of a hundred columns."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(ROOT)

    def shown(*words: str) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", terminal := Terminal())
            run(words)
            return terminal.getvalue()

    return shown


@pytest.mark.parametrize(
    ("words", "styled"),
    [
        (["plan", "aks"], {(BOLD, "aks"), (BOLD, "pools"), (YELLOW, "warning")}),
        (["plan", "gke", "--evidence"], {(BOLD, "measured")}),
        (["explain", "pools.capacity.spot"], {(BOLD, "pools.capacity.spot")}),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_styles_are_all_that_a_terminal_adds(
    words: list[str], styled: set[tuple[str, str]], on_terminal: Callable[..., str]
):
    """The words and their order are the same; what is styled is what leads a reader."""
    plain, shown = command(*words)[1], on_terminal(*words)
    bare = STYLED.sub(r"\2", shown)

    assert plain and "\x1b" not in plain + bare and styled <= set(STYLED.findall(shown))
    if not any("─" in text for text in (plain, bare)):  # cells of tables are broken elsewhere
        assert bare.split() == plain.split()


@pytest.mark.parametrize(("busbw", "style"), [(325.0, GREEN), (100.0, RED)])
def test_a_proof_is_green_and_a_failure_is_red(
    busbw: float, style: str, on_terminal: Callable[..., str], tmp_path: Path
):
    (tmp_path / "run.log").write_bytes(render.joined(render.log(busbw=[busbw] * 4)))
    shown = on_terminal("verdict", str(tmp_path / "run.log"), "--machine", "a3-ultragpu-8g", "--nodes", "2")

    assert shown.startswith(f"\x1b[{style}m")
