"""Files stay short enough to be read; functions are ruff's to judge (PLR0913, PLR0915)."""

from pathlib import Path

from tests.stacks import ROOT

LONGEST = 300
TABLES = ROOT / "components" / "rdma_cluster" / "catalog"
"""The room whose files are tables, which may be longer."""


def lines(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def test_files_are_short():
    """A longer file holds two concerns, or is a table."""
    files = [path for room in ("components", "rehearsal") for path in (ROOT / room).rglob("*.py")]
    long = {str(path.relative_to(ROOT)): lines(path) for path in files if TABLES not in path.parents}

    assert {name: count for name, count in long.items() if count > LONGEST} == {}
