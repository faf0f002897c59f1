"""The sections of a page: which ones a plan has, their tables, the tree of resources and the report of `up`."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.errors import Refused
from rdma_cluster.cli.page.page import resources, write_page
from rdma_cluster.cli.page.report import read_report, second_half
from rdma_cluster.common.summary import Section, Summary
from rdma_cluster.conform.report import FORM
from tests.cli.drawn import PAIRED, ROWS, outline, shown, use

OF = PAIRED.machine.name
RAILS = Section("rails", [{**ROWS[0], "subnet": "s"}, {**ROWS[1], "subnet": "s2"}], OF)


def page(*sections: Section, uses: tuple[Any, ...] = (PAIRED,), warnings: tuple[str, ...] = ()) -> str:
    """The page of a plan with these sections alone, and without a graph."""
    summary = Summary(sections, warnings, uses)
    return write_page("l<ab", summary, None, "no SDK", cloud="gke", today=date(2026, 2, 3))


def headings(*sections: Section, uses: tuple[Any, ...] = (PAIRED,)) -> list[str]:
    """The headings of that page."""
    return [line.removeprefix("h2 ") for line in shown(page(*sections, uses=uses), "h2")]


def resource(kind: str, name: str, parent: str | None = None, *after: str) -> Resource:
    """A resource that waits for others."""
    return Resource(f"urn:pulumi:lab::p::{kind}::{name}", kind, name, parent, None, {}, dependencies=after)


def test_the_tree_opens_its_roots_and_says_what_waits_for_what():
    """A component says how much lies directly below it; what lies outside of the graph is not named."""
    root = resource("a:b:Root", "root")
    below = resource("a:b:Comp", "comp", root.urn)
    leaf = resource("x:y:Leaf", "l1", below.urn, root.urn)
    other = resource("x:y:Leaf", "l2", root.urn, "urn:gone", leaf.urn, below.urn)
    alone = resource("x:y:Leaf", "alone")
    drawn = outline(resources(Graph("lab", (root, below, leaf, other, alone))))

    assert [line.strip() for line in drawn if line.strip() not in ("ul",)] == [
        "details [open]", "summary Root root", "span.dim 2", "li Leaf l2", "span.dim waits for Leaf l1, Comp comp",
        "details", "summary Comp comp", "span.dim 1", "li Leaf l1", "span.dim waits for Root root",
        "details [open]", "summary Leaf alone", "span.dim 0",
    ]  # fmt: skip


REPORT = {
    "form": FORM, "proven": True, "evidence": {"measured": 3}, "versions": "text", "pools": [],
    "proofs": {"a": {"status": "ok", "waived": ["x", "y"], "z": 1}, "b": 3}, "phases": [{"n": 1}, "x", {"m": None}],
}  # fmt: skip


def test_a_report_shows_its_proofs_and_passes_over_what_has_another_form():
    lines = shown(second_half(REPORT), "h2", "h3", "td")

    assert [line for line in lines if line[0] == "h"] == [
        "h2 report of `up`: every pool is proven", "h3 how the plan's promises are known",
        "h3 phases against their budget", "h3 pools",
    ]  # fmt: skip
    assert [line for line in lines if line[:2] == "td" and line != "td -"] == [
        "td a", "td ok", "td x, y", "td b", "td measured", "td 3", "td 1",
    ]  # fmt: skip
    for odd in ({"proven": 1, "proofs": [], "evidence": []}, {}):
        assert shown(second_half(odd), "h", "td") == ["h2 report of `up`: not every pool is proven"]


def test_a_file_that_is_no_report_is_refused(tmp_path: Path):
    file = tmp_path / "r.json"
    file.write_text(json.dumps(REPORT))
    assert read_report(file) == REPORT
    for text in ("[]", "{", "[" * 100_000, json.dumps({**REPORT, "form": f"{FORM}9"})):
        file.write_text(text)
        with pytest.raises(Refused, match=f"--report: .*r.json .*{FORM}"):
            read_report(file)


def test_sections_that_the_head_tells_or_that_have_no_rows_have_no_heading():
    cluster, price = Section("cluster", [{"region": "r", "name": "n"}]), Section("price", [])

    assert headings(cluster, price, Section("pools", [])) == ["resources"]
    assert headings(Section("adopted", [{"machine": "none", "nodes": 1}])) == ["adopted nodes", "resources"]


def test_rails_of_a_machine_are_a_drawing_and_without_its_use_a_table():
    drawn = [f"a node: {OF}", f"between nodes: {OF}", f"how programs use {OF}", "resources"]

    assert headings(RAILS) == drawn
    assert headings(RAILS, uses=()) == [f"rails of one {OF}", "resources"]
    rack = use("p6e-gb200.36xlarge", racks=(2,))
    assert "NVLink racks: p6e-gb200.36xlarge" in headings(replace(RAILS, of="p6e-gb200.36xlarge"), uses=(rack,))


def test_a_page_tells_warnings_old_prices_and_why_it_has_no_resources():
    old = {"pool": "a", "from_usd_an_hour": 1.0, "to_usd_an_hour": 2.0, "basis": "b", "as_of": "2025-01-01"}
    text = page(Section("price", [old]), warnings=("w<1", "w2"))

    assert "<title>l&lt;ab: " in text
    lines = shown(text.partition("<body>")[2], "h1", "h2", "b ", "p.dim")
    assert lines[:3] == ["h1 l<ab", "b warning w<1", "b warning w2"]
    assert "398 days ago" in lines[3] and lines[4:6] == ["h2 resources", "p.dim no SDK"]
