"""The page's tables, tree of resources and report as outlines, and which sections of a plan it has."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.errors import Refused
from rdma_cluster import __version__
from rdma_cluster.cli.page.page import _section, resources, write_page
from rdma_cluster.cli.page.part import Part, legend, shared, table
from rdma_cluster.cli.page.report import read_report, second_half
from rdma_cluster.common.summary import Section, Summary
from rdma_cluster.conform.report import FORM
from tests.cli.drawn import outline
from tests.cli.test_page_drawings import use
from tests.cli.test_page_head import DAY, PRICES, pool, section


def test_a_table():
    """Short cells stay on a line; of more than six columns it is a list already on a tablet."""
    assert (
        outline(table([{"a_b": None, "c": "x" * 14}, {"a_b": "x" * 15, "c": 3}]))
        == """\
div.few
  table
    thead
      tr
        th a b
        th c
    tbody
      tr
        td.short [a b] -
        td.short [c] xxxxxxxxxxxxxx
      tr
        td [a b] xxxxxxxxxxxxxxx
        td.short [c] 3
""".splitlines()
    )
    assert [outline(table([dict.fromkeys(names, 1)]))[0] for names in ("abcdef", "abcdefg")] == ["div.few", "div.wide"]


def test_what_all_have_alike():
    """Stands in a sentence; a fact that one lacks has a column, with a dash for that one. Templates have none."""
    facts = [{"a": 1, "b": "x", "c": "-", "templates": "t"}, {"a": 1, "b": "y", "d": 0}, {"a": 1, "b": "x", "d": ""}]

    sentence, rows = shared("GPU", facts)
    assert outline(sentence) == ["p.dim every GPU: a 1"]
    assert rows == [{"b": "x", "d": "-"}, {"b": "y", "d": 0}, {"b": "x", "d": "-"}]
    assert shared("GPU", [{"a": 1}, {"a": 2}]) == ("", [{"a": 1}, {"a": 2}])


def test_a_part_of_a_drawing():
    """A box with its card; what is not known is left out, a nought is not; a second line where there is one."""
    facts = {"a": None, "b": "", "c": "-", "d": 0, "e": "<x>"}
    card = '<div class="card" id="k" popover><b>n</b><dl><dt>d</dt><dd>0</dd><dt>e</dt><dd>&lt;x&gt;</dd></dl></div>'

    for beside, small in (("", ""), ("b", "<small>b</small>")):
        assert Part("gpu", "k", "n", facts, beside).html() == (
            f'<div class="part gpu"><button type="button" popovertarget="k">n{small}</button>{card}</div>'
        )
    assert outline(legend(a="one", b="two")) == ["ul.legend", "  li", "    i.key a one", "  li", "    i.key b two"]


def resource(kind: str, name: str, parent: str | None = None, *after: str) -> Resource:
    return Resource(f"urn:pulumi:lab::p::{kind}::{name}", kind, name, parent, None, {}, dependencies=after)


def test_the_tree_of_resources():
    """Components with how much is directly below, only those at the root open; what waits for what in the graph."""
    root = resource("a:b:Root", "root")
    below = resource("a:b:Comp", "comp", root.urn)
    leaf = resource("x:y:Leaf", "l1", below.urn, root.urn)
    other = resource("x:y:Leaf", "l2", root.urn, "urn:gone", leaf.urn, below.urn)

    assert (
        outline(resources(Graph("lab", (root, below, leaf, other, resource("x:y:Leaf", "alone")))))
        == """\
details [open]
  summary Root root
    span.dim 2
  ul
    li Leaf l2
      span.dim waits for Leaf l1, Comp comp
  details
    summary Comp comp
      span.dim 1
    ul
      li Leaf l1
        span.dim waits for Root root
details [open]
  summary Leaf alone
    span.dim 0
""".splitlines()
    )


REPORT = {
    "form": FORM, "proven": True, "evidence": {"measured": 3}, "versions": "text", "pools": [],
    "proofs": {"a": {"status": "ok", "waived": ["x", "y"], "z": 1}, "b": 3}, "phases": [{"n": 1}, "x", {"m": None}],
}  # fmt: skip


def test_the_report_of_up():
    """Each pool's proof, how promises are known, phases; what has another form than ours is passed over."""
    assert (
        outline(second_half(REPORT))
        == """\
section
  h2 report of `up`: every pool is proven
  div.wide
    table
      tr
        th pool
        th status
        th collective
        th gpusPerNode
        th seconds
        th reason
        th waived
      tr
        td a
        td ok
        td -
        td -
        td -
        td -
        td x, y
      tr
        td b
        td -
        td -
        td -
        td -
        td -
        td -
  h3 how the plan's promises are known
  div.wide
    table
      tr
        th known
        th promises
      tr
        td measured
        td 3
  h3 phases against their budget
  div.wide
    table
      tr
        th n
        th m
      tr
        td 1
        td -
      tr
        td -
        td -
  h3 pools
  div.wide
    table
      tr
""".splitlines()
    )
    for odd in ({"proven": 1, "proofs": [], "evidence": []}, {}):
        assert (
            outline(second_half(odd))
            == """\
section
  h2 report of `up`: not every pool is proven
  div.wide
    table
      tr
""".splitlines()
        )


def test_a_file_that_is_no_report(tmp_path: Path):
    """Is refused with what prints one; a report is taken as it is."""
    file = tmp_path / "r.json"
    file.write_text(json.dumps(REPORT))
    assert read_report(file) == REPORT
    for text in ("[]", "{}", "{", "[" * 100_000, json.dumps({**REPORT, "form": f"{FORM}9"})):
        file.write_text(text)
        with pytest.raises(Refused) as refused:
            read_report(file)
        how = f"of the form {FORM}; `pulumi stack output report` prints one"
        assert refused.value.lines == [f"--report: {file} is no report {how}"]


OF = "a4-highgpu-8g"
USE = use(OF, gpus=1, nics=1, nvlink_domain=0)
RAILS = section("rails", {"rail": 0, "gpu": "0", "subnet": "s"}, of=OF)
ADDRESSES = section("addresses", {"subnet": "s", "cidr": "a"}, {"subnet": "t", "cidr": "b"})


def headings(*sections: Section, of: int = 0, uses: Any = (USE,)) -> list[str]:
    """What stands on the page of one of some sections: keys and headings."""
    found = _section(sections[of], Summary(sections, (), tuple(uses)))
    assert all(html.startswith('<section data-section="') for html in found)
    return [f"{html.split(chr(34))[1]}: {outline(html)[1].strip().removeprefix('h2 ')}" for html in found]


def test_which_sections_a_page_has():
    """Rails as drawings of node, rails and programs, of their own machine alone; cluster and price are the head's."""
    drawn = [f"node: a node: {OF}", f"rails: between nodes: {OF}", f"patches: how programs use {OF}"]
    assert headings(RAILS) == headings(RAILS, uses=(use("p5.48xlarge"), USE)) == drawn
    racked = use(OF, 2, (2,), gpus=1, nics=1, nvlink_domain=4)
    assert headings(RAILS, uses=(racked,)) == [*drawn[:2], f"racks: NVLink racks: {OF}", drawn[2]]
    assert headings(RAILS, uses=()) == headings(RAILS, uses=(use("p5.48xlarge"),)) == [f"rails: {RAILS.title}"]
    for name in ("cluster", "price"):
        assert headings(section(name, {"a": 1})) == []
    for told in (
        "unasked: what only the cloud knows",
        "adopted: adopted nodes",
        "policies: IAM policies",
        "pools: pools",
    ):
        assert headings(section(told.partition(":")[0], {"a": 1})) == [told]


def test_claims_are_drawn_as_tiles():
    """Of a machine whose use is known; of another as a table."""
    claims = section("claims", {"a": 1}, of=OF)

    assert headings(claims) == [f"claims: claims: {OF}"]
    for uses, drawn in (((USE,), "div.shapes"), ((), "div.few")):
        (html,) = _section(claims, Summary((claims,), (), uses))
        assert outline(html)[2].strip() == drawn


def test_fabrics_of_one_machine_have_a_drawing_each():
    """Pools of the same fabric share one."""
    uses = [USE, replace(USE, pool="b"), replace(USE, pool="c", fabric=use("p5.48xlarge").fabric)]
    between = _section(RAILS, Summary((RAILS,), (), tuple(uses)))[1]

    assert [line.strip() for line in outline(between) if "nodes" in line and line.strip().startswith("p.dim pool")] == [
        "p.dim pool a: 2 nodes; pool b: 2 nodes", "p.dim pool c: 2 nodes",
    ]  # fmt: skip


def test_addresses_of_rails_stand_beside_the_rails():
    """The others keep a section of their own, where there are any; the drawing has what the address tells."""
    (html,) = _section(ADDRESSES, Summary((RAILS, ADDRESSES), (), (USE,)))
    assert [line.split()[-1] for line in outline(html) if line.strip().startswith("td")] == ["t", "b"]
    alone = section("addresses", {"subnet": "s", "cidr": "a", "mtu": 9})
    assert headings(RAILS, alone, of=1) == []
    assert "<dt>MTU</dt><dd>9</dd>" in _section(RAILS, Summary((RAILS, alone), (), (USE,)))[0]


def test_a_page_is_one_file():
    """Head, warnings, old prices, sections with rows, resources or why there are none, and what made it."""
    old = {**PRICES[0], "as_of": "2025-01-01"}
    sections = (section("pools", pool(OF, 1)), section("claims", of=OF), section("price", old))
    page = write_page("l<ab", Summary(sections, ("w<1", "w2"), (USE,)), None, "no SDK", cloud="gke", today=DAY)
    before, _, body = page.partition("<body>")

    assert "<title>l&lt;ab: GPUs over RDMA</title><style>" in before
    lines = [line.strip() for line in outline(body.partition("<script>")[0])]
    told = [line for line in lines if line.startswith(("h1", "h2", "p.", "b "))]
    assert told == [
        "h1 l<ab", "p.warning", "b warning w<1", "p.warning", "b warning w2",
        "p.dim the price of pool a is of 2025-01-01, 398 days ago; look at the cloud's own list",
        "h2 pools", "h2 resources", "p.dim no SDK",
        f"p.dim made by rdma-cluster {__version__}; nothing on this page was measured",
    ]  # fmt: skip
    graph = Graph("lab", (resource("a:b:Root", "root"),))
    assert "<summary>Root root" in write_page("lab", Summary(sections, ()), graph, "no SDK", cloud="gke", today=DAY)
