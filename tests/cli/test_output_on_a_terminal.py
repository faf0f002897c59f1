"""On a terminal the command says what it says in a pipe, with styles where a reader looks first."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rdma_cluster.cli.app import run
from rdma_cluster.cli.output import headed
from rdma_cluster.conform.reader import read_answers
from rdma_cluster.conform.snapshot import as_text
from tests.cli.commands import command
from tests.conform.synthetic import answers, promised
from tests.nccl import render
from tests.stacks import ROOT

STYLED = re.compile(r"\x1b\[(\d+)m(.*?)\x1b\[0m")
NAMES = {"1": "bold", "31": "red", "32": "green", "33": "yellow"}


class Terminal(StringIO):
    """One that shows styles."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs the command on a terminal of a hundred columns."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(ROOT)

    def shown(*words: str) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Terminal())
            run(words)
            return sys.stdout.getvalue()  # ty: ignore

    return shown


def logs(folder: Path) -> list[str]:
    """A good log and a bad one."""
    for name, lines in (("good", render.log()), ("bad", render.log(busbw=[100.0] * 4))):
        (folder / f"{name}.log").write_bytes(render.joined(lines))
    return [str(folder / f"{name}.log") for name in ("good", "bad")]


def snapshot(folder: Path) -> str:
    """Of a cluster whose Kubernetes is newer, and where a node was lost."""
    of = promised("gke")
    given = answers(of)
    seen = read_answers(
        replace(given, nodes=given.nodes[1:], version="v1.40.1"), of.pool_label, [each.name for each in of.pools], "1.0"
    )
    (folder / "snapshot.json").write_text(as_text(seen.snapshot))
    return str(folder / "snapshot.json")


def pod(folder: Path) -> str:
    """A pod that asks for the fabric."""
    container = "{name: main, image: x, resources: {limits: {nvidia.com/gpu: 8}}}"
    marked = '{name: train, annotations: {rdma-cluster/inject: "true"}}'
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {marked}\nspec: {{containers: [{container}]}}\n"
    (folder / "pod.yaml").write_text(text)
    return str(folder / "pod.yaml")


CASES: dict[str, tuple[Callable[[Path], list[str]], set[tuple[str, str]]]] = {
    "a plan": (
        lambda folder: ["plan", "aks"],
        {("bold", "aks"), ("bold", "pools"), ("bold", "artifacts"), ("yellow", "warning")},
    ),
    "what is known": (lambda folder: ["plan", "gke", "--evidence"], {("bold", "gke"), ("bold", "measured")}),
    "a machine": (
        lambda folder: ["machines", "BM.GPU.B300.8"],
        {("bold", "rails"), ("bold", "unknown roots"), ("bold", "on-demand price of one machine")},
    ),
    "a key": (lambda folder: ["explain", "pools.capacity.spot"], {("bold", "pools.capacity.spot")}),
    "a good log": (
        lambda folder: ["verdict", logs(folder)[0], "--machine", "a3-ultragpu-8g", "--nodes", "2"],
        {("bold", "bus bandwidth"), ("bold", "gates")},
    ),
    "a bad log": (
        lambda folder: ["verdict", logs(folder)[1], "--machine", "a3-ultragpu-8g", "--nodes", "2"],
        {("bold", "bus bandwidth"), ("bold", "gates")},
    ),
    "a cluster": (
        lambda folder: ["conform", "gke", "--offline", snapshot(folder)],
        {("red", "breaks"), ("yellow", "differs")},
    ),
    "a machine's row": (lambda folder: ["machines", "--from", snapshot(folder)], {("bold", "a4-highgpu-8g")}),
    "an upgrade": (
        lambda folder: ["upgrade", "gke", "--to", "1.36.1-gke.1842000"],
        {("bold", "gke: kubernetes to 1.36.1-gke.1842000, in 2 steps")},
    ),
    "a pod": (lambda folder: ["inject", pod(folder), "--machine", "a4-highgpu-8g"], {("green", "+  resourceClaims:")}),
}


@pytest.mark.parametrize("name", CASES)
def test_styles_are_all_that_a_terminal_adds(name: str, on_terminal: Callable[..., str], tmp_path: Path):
    """The same words in the same order, in lines that fit; what is styled is what leads a reader."""
    words, styled = CASES[name]
    line = words(tmp_path)
    plain, shown = command(*line)[1], on_terminal(*line)
    bare = STYLED.sub(r"\2", shown)

    assert plain and "\x1b" not in plain + bare
    of_text = {word for text in (bare, plain) for word in text.split() if not set(word) <= {"─"}}
    assert of_text and styled <= {(NAMES[style], text) for style, text in STYLED.findall(shown)}
    if not any("─" in text for text in (plain, bare)):  # cells of tables are broken elsewhere
        assert bare.split() == plain.split()


def test_outcomes_have_their_colour(on_terminal: Callable[..., str], tmp_path: Path):
    """Proved is green, not proved is red."""
    machine = ["--machine", "a3-ultragpu-8g", "--nodes", "2"]
    for log, style, said in zip(logs(tmp_path), ("32", "31"), ("passed; ", "failed; "), strict=True):
        assert on_terminal("verdict", log, *machine).startswith(f"\x1b[{style}m{said}")


def test_a_paragraph_with_a_head(on_terminal: Callable[..., str], monkeypatch: pytest.MonkeyPatch):
    """The head alone is styled, also where what follows is broken into lines."""
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert headed("warning", ": x", "yellow") == "\x1b[33mwarning\x1b[0m: x"
    told = headed("unknown roots", ": " + "word " * 40)
    assert told.startswith("\x1b[1munknown roots\x1b[0m: word word") and told.count("\n") == 2
