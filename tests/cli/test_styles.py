"""On a terminal the command says what it says in a pipe, with styles where a reader looks first."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rdma_cluster.cli.app import run
from rdma_cluster.cli.output import headed
from rdma_cluster.conform.reader import read_answers
from rdma_cluster.conform.snapshot import as_text
from tests.cli.commands import command
from tests.cli.terminal import Terminal
from tests.conform.synthetic import answers, promised
from tests.nccl import render
from tests.stacks import ROOT

STYLED = re.compile(r"\x1b\[(\d+)m(.*?)\x1b\[0m")
NAMES = {"1": "bold", "31": "red", "32": "green", "33": "yellow"}
PROOF = ("--machine", "a3-ultragpu-8g", "--nodes", "2")


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


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A good log and a bad one, a snapshot of a cluster that lost a node, and a pod that asks for the fabric."""
    for name, lines in (("good", render.log()), ("bad", render.log(busbw=[100.0] * 4))):
        (tmp_path / f"{name}.log").write_bytes(render.joined(lines))
    of = promised("gke")
    lost = replace(answers(of), nodes=answers(of).nodes[1:], version="v1.40.1")
    seen = read_answers(lost, of.pool_label, [each.name for each in of.pools], "1.0")
    (tmp_path / "snapshot.json").write_text(as_text(seen.snapshot))
    container = "{name: main, image: x, resources: {limits: {nvidia.com/gpu: 8}}}"
    marked = '{name: train, annotations: {rdma-cluster/inject: "true"}}'
    (tmp_path / "pod.yaml").write_text(
        f"apiVersion: v1\nkind: Pod\nmetadata: {marked}\nspec: {{containers: [{container}]}}\n"
    )
    return tmp_path


CASES: dict[str, tuple[list[str], set[tuple[str, str]]]] = {
    "a plan": (["plan", "aks"], {("bold", "aks"), ("bold", "pools"), ("yellow", "warning")}),
    "what is known": (["plan", "gke", "--evidence"], {("bold", "gke"), ("bold", "measured")}),
    "a machine": (["machines", "BM.GPU.B300.8"], {("bold", "rails"), ("bold", "unknown roots")}),
    "a key": (["explain", "pools.capacity.spot"], {("bold", "pools.capacity.spot")}),
    "a verdict": (["verdict", "FILES/good.log", *PROOF], {("bold", "bus bandwidth"), ("bold", "gates")}),
    "a cluster": (["conform", "gke", "--offline", "FILES/snapshot.json"], {("red", "breaks"), ("yellow", "differs")}),
    "a machine's row": (["machines", "--from", "FILES/snapshot.json"], {("bold", "a4-highgpu-8g")}),
    "an upgrade": (["upgrade", "gke", "--to", "1.36.1-gke.1842000"], set()),
    "a pod": (["inject", "FILES/pod.yaml", "--machine", "a4-highgpu-8g"], {("green", "+  resourceClaims:")}),
}


@pytest.mark.parametrize("name", CASES)
def test_styles_are_all_that_a_terminal_adds(name: str, on_terminal: Callable[..., str], files: Path):
    """The words and their order are the same; what is styled is what leads a reader."""
    words, styled = CASES[name]
    line = [word.replace("FILES", str(files)) for word in words]
    plain, shown = command(*line)[1], on_terminal(*line)
    bare = STYLED.sub(r"\2", shown)

    assert plain and "\x1b" not in plain + bare and bare != shown
    assert styled <= {(NAMES[style], text) for style, text in STYLED.findall(shown)}
    if not any("─" in text for text in (plain, bare)):  # cells of tables are broken elsewhere
        assert bare.split() == plain.split()


@pytest.mark.parametrize(("log", "style"), [("good", "32"), ("bad", "31")])
def test_a_proof_is_green_and_a_failure_is_red(log: str, style: str, on_terminal: Callable[..., str], files: Path):
    assert on_terminal("verdict", str(files / f"{log}.log"), *PROOF).startswith(f"\x1b[{style}m")


def test_the_head_of_a_paragraph_is_styled_where_the_rest_is_broken(
    on_terminal: Callable[..., str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "stdout", Terminal())
    told = headed("unknown roots", ": " + "word " * 40, "yellow")

    assert told.startswith("\x1b[33munknown roots\x1b[0m: word word") and told.count("\n") == 2
