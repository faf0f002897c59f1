"""How lines and tables are broken to a page, and what JSON, YAML and a plan look like."""

import io
import sys
from datetime import date

import pytest
from rdma_cluster.cli import output
from rdma_cluster.cli.output import page, paragraph, prepare_streams, table, write_summary
from rdma_cluster.common.summary import Section, Summary
from tests.cli.terminal import Terminal


def on_page(monkeypatch: pytest.MonkeyPatch, columns: int | None) -> None:
    """Whatever is printed has lines of this length."""
    monkeypatch.setattr(output, "page", lambda: columns)


@pytest.mark.parametrize(
    ("columns", "text", "lines"),
    [
        (None, "a b " * 99, ["a b " * 99]),
        (10, "alpha beta!", ["alpha", "beta!"]),
        (10, "  in it and out", ["  in it", "and out"]),
        (10, "in  two     spaces", ["in  two", "spaces"]),
        (10, "a aaaa/bbbb.cccc_dddd", ["a aaaa/", "bbbb.cccc_", "dddd"]),
        (10, "x aaa-aaa:aaa@aaa", ["x aaa-aaa:", "aaa@aaa"]),
        (4, "abcdefghij kl", ["abcd", "efgh", "ij", "kl"]),
        (10, "", [""]),
    ],
)
def test_a_paragraph_is_broken_at_spaces(monkeypatch: pytest.MonkeyPatch, columns: int | None, text: str, lines):
    """A word too long for a line is broken at a sign that joins its parts, or anywhere; a line may be full."""
    on_page(monkeypatch, columns)

    assert paragraph(text) == "\n".join(lines)


@pytest.mark.parametrize(("columns", "wide"), [(59, 60), (60, 60), (61, 61), (119, 119), (120, 120), (121, 120)])
def test_a_page_is_sixty_to_a_hundred_and_twenty_wide(monkeypatch: pytest.MonkeyPatch, columns: int, wide: int):
    """A pipe has no page."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert page() is None

    monkeypatch.setattr(sys, "stdout", Terminal())
    assert page() == wide


def test_a_table_in_a_pipe_breaks_nothing():
    """Columns stand in the first row's order, and a dash stands for what is not known."""
    rows = [{"a_name": "x", "of": None, "b": 12}, {"a_name": "much longer", "of": "[red]", "b": 3}]

    assert table(rows, "a title").split("\n") == [
        "a title",
        "a name        of      b",
        "─" * 24,
        "x             -       12",
        "much longer   [red]   3",
    ]
    assert len(table([{"name": "a-very-long-name-" * 20, "other": "x " * 200}]).splitlines()) == 3


@pytest.mark.parametrize(
    ("columns", "rule", "lines"),
    [
        (30, 30, ["aaaa aaaa aa   b   cccc cccc c", "xxxx           y   z"]),
        (27, 27, ["aaaa aaaa    b  cccc cccc c", "aa", "xxxx         y  z"]),
        (21, 21, ["aaaa      b  cccc", "aaaa aa      cccc c", "xxxx      y  z"]),
    ],
)
def test_a_table_is_narrowed_where_it_is_widest(
    monkeypatch: pytest.MonkeyPatch, columns: int, rule: int, lines: list[str]
):
    """First the gaps give way, then the widest column, of two the first; no column has less than eight characters."""
    on_page(monkeypatch, columns)
    *heading, row = lines

    assert table([{"aaaa aaaa aa": "xxxx", "b": "y", "cccc cccc c": "z"}]).split("\n") == [*heading, "─" * rule, row]


def test_a_plan_is_its_sections_its_warnings_and_the_age_of_its_prices(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """A section without rows is left out."""

    class Day(date):
        @classmethod
        def today(cls) -> "Day":
            return cls(2027, 7, 9)

    monkeypatch.setattr(output, "date", Day)
    price = Section("price", [{"pool": "a", "as_of": "2026-07-09"}])
    write_summary("lab", Summary((Section("pools", [{"name": "a"}]), Section("claims", []), price), ("one", "two")))

    *plan, age, _ = capsys.readouterr().out.split("\n")
    assert plan == [
        "stack lab", "", "pools", "name", "────", "a", "", "price", "pool   as of", "─────────────────",
        "a      2026-07-09", "", "warning: one", "warning: two",
    ]  # fmt: skip
    assert "pool a is of 2026-07-09, 365 days ago" in age


def test_streams_of_ascii_take_every_character(monkeypatch: pytest.MonkeyPatch):
    """Our lines and signs have likes in ASCII; any other character is written as Python escapes it."""
    kept, told = io.BytesIO(), io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(kept, encoding="ascii"))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(told, encoding="ascii"))
    assert prepare_streams()
    for stream in (sys.stdout, sys.stderr):
        stream.write("a─│└├…é\u2603b")
        stream.flush()

    assert kept.getvalue() == told.getvalue() == b"a-|`+~\\xe9\\u2603b"
