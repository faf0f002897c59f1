"""The Python blocks of our pages run as they are printed, in one order, and give what the page says.

A block that begins with ``# path.py`` is that file. A comment behind or below an expression that begins as a value does
is that value, with ``...`` for what is left out.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import preview
from rdma_cluster.cli.init import project_files
from tests.pages.blocks import Block, run_blocks
from tests.pages.printed import shows
from tests.stacks import ROOT

ELSEWHERE = {"docs/unit-tests.md": "tests/test_unit_tests_page.py"}
"""Pages whose programs a test of their own runs."""
QUICK = ("docs/catalogue.md", "docs/claims.md", "docs/constraints.md")
"""Pages whose programs import no SDK."""
PROGRAMS = {
    "README.md": {"GkeHpcNetwork", "GkeGpuNodePool", "DraDrivers", "NcclInstaller"},
    "docs/library.md": {"GkeRdmaCluster"},
}
"""Pages that show a Pulumi program, and what it makes."""
PYTEST = ("-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider")


def by_page() -> dict[str, list[Block]]:
    """The programs of every page that a test here runs."""
    pages: dict[str, list[Block]] = {}
    for block in run_blocks("python"):
        pages.setdefault(str(block.page.relative_to(ROOT)), []).append(block)
    return {page: blocks for page, blocks in pages.items() if page not in ELSEWHERE}


PAGES = by_page()


def of_pages(pages: Iterator[str]) -> list[object]:
    """The slow ones for `make thorough`."""
    return [pytest.param(page, marks=[] if page in QUICK else [pytest.mark.thorough]) for page in pages]


def run(blocks: list[Block]) -> None:
    """One after the other, as one program; what a page says of a value is held against it."""
    names: dict[str, Any] = {}
    for block in blocks:
        printed = StringIO()
        with redirect_stdout(printed):
            run_one(block, names)
        assert not block.below or shows(block.below, printed.getvalue()), f"{block.name}:\n{printed.getvalue()}"


def run_one(block: Block, names: dict[str, Any]) -> None:
    """Its statements, with what earlier blocks named."""
    lines = block.text.splitlines()
    for statement in ast.parse(block.text).body:
        ast.increment_lineno(statement, block.line - 1)
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), block.page, "exec"), names)
            continue
        value = eval(compile(ast.Expression(statement.value), block.page, "eval"), names)
        if said := value_said(lines, statement, block.line):
            assert shows(said, repr(value)), f"{block.name}: {value!r}"


def value_said(lines: list[str], statement: ast.Expr, first: int) -> str:
    """The comment behind an expression, or below it, where it begins as a value does."""
    at = (statement.end_lineno or 0) - first
    behind = lines[at][statement.end_col_offset or 0 :].strip()
    below = lines[at + 1].strip() if at + 1 < len(lines) else ""
    comment = (behind or below).removeprefix("# ")
    return comment if (behind or below).startswith("#") and comment[:1] in set("[{('\"0123456789") else ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What `rdma-cluster init gke` writes."""
    for name, text in project_files("gke", "lab").items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("page", of_pages(page for page in PAGES if page not in (*PROGRAMS, "examples/README.md")))
def test_programs_of_docs(page: str, project: Path):
    """They stand in a project that `init` began; a file that holds tests is run by pytest, as a user runs it."""
    files = {block: block.text.partition("\n")[0] for block in PAGES[page]}
    files = {block: project / first.removeprefix("# ") for block, first in files.items() if first.endswith(".py")}
    for block, file in files.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(block.text)
    tests = [str(file) for file in files.values() if file.name.startswith("test_")]
    done = (
        subprocess.run([sys.executable, *PYTEST, *tests], cwd=project, capture_output=True, text=True)
        if tests
        else None
    )

    assert done is None or done.returncode == 0, done.stdout
    with chdir(project):
        run([block for block in PAGES[page] if block not in files])


@pytest.mark.thorough
@pytest.mark.parametrize("page", PROGRAMS)
def test_a_page_shows_a_program_of_pulumis(page: str):
    graph = preview(lambda: run(PAGES[page]), project="train", stack="dev")

    assert all(graph.of_type(f"rdma-cluster:index:{name}") for name in PROGRAMS[page])


@pytest.mark.thorough
def test_program_of_the_examples():
    """It is run from their folder, as the page says."""
    with chdir(ROOT / "examples"):
        run(PAGES["examples/README.md"])


def test_every_page_is_run():
    """By a test here, or by one of its own, which is there."""
    pages = {str(block.page.relative_to(ROOT)) for block in run_blocks("python")}

    assert set(ELSEWHERE) <= pages
    assert set(QUICK) <= set(PAGES)
    for page, file in ELSEWHERE.items():
        assert page.rpartition("/")[2] in (ROOT / file).read_text()
