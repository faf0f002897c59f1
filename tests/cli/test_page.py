"""The plan as a page: what its text says. What a browser shows of it: test_page_in_a_browser.py."""

import re
from base64 import b64encode
from dataclasses import replace
from datetime import date
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
import yaml
from rdma_cluster.cli.page.devices import with_network
from rdma_cluster.cli.page.head import _where
from rdma_cluster.cli.page.page import write_page
from rdma_cluster.cli.page.part import shared
from rdma_cluster.common.summary import Section, Summary
from tests.cli.commands import command
from tests.cli.pages import page_of, summary_of
from tests.stacks import STACKS, graph_of

_CARD = re.compile(r'<div class="card" id="([^"]*)" popover><b>([^<]*)</b><dl>(.*?)</dl></div>')


def cards_of(stack: str) -> dict[str, dict[str, str]]:
    """The facts that each card of a page shows, by its id."""
    found = _CARD.findall(page_of(stack))
    assert len(found) == len({key for key, _, _ in found})
    facts = {key: re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", lines) for key, _, lines in found}
    return {key: {what: unescape(value) for what, value in lines} for key, lines in facts.items()}


@pytest.mark.parametrize("stack", STACKS)
def test_page_is_whole(stack: str):
    """It holds every resource, loads nothing and names no address but those inside the cluster."""
    page = page_of(stack)

    assert not re.search(r"<link(?! rel=\"icon\" href=\"data:,\")|src=|url\(|@import|https?://(?!\S+\.svc:)", page)
    for resource in graph_of(stack).resources:
        assert f" {resource.name}" in page


def test_page_lets_one_script_run():
    """Ours, at its end, by its digest; and no handler stands in an attribute."""
    page = page_of("gke")
    (script,) = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()

    assert page.count("<script") == 1 and page.endswith("</script></body></html>\n")
    assert f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'\"" in page
    assert not re.search(r"<[^>]* on\w+=", page.replace(script, ""))


def test_head_tells_place_and_sums():
    """Two nodes of eight GPUs with eight NICs of 400 Gb/s; a price that no list has is named as such, with the why."""
    page = page_of("gke-a3-ultra")

    for value in ("GKE", "europe-west1, europe-west1-b", "my-project", "16", "3.2 Tb/s", "6.4 Tb/s"):
        assert f"<dd>{value}</dd>" in page
    assert "<dt>cluster</dt><dd>new<small>Kubernetes 1.35, endpoint dns</small></dd>" in page
    assert "<dd>183.89 USD<small>on demand" in page
    assert "<dd>no public price<small>rack-1: no public price, sold by contract" in page_of("gke-a4x")


@pytest.mark.parametrize(
    ("stack", "words"),
    [
        ("gke-a3-high", "an upper reference: spot nodes cost less"),
        ("gke-a3-mega", "an upper reference: what a commitment or contract takes off is not known"),
        ("eks", "capacity-block has a price of its own"),
    ],
)
def test_price_says_what_it_is_worth(stack: str, words: str):
    """For capacity that is not bought on demand the lists are no more than a reference."""
    assert words in re.search('<div class="price">(.*?)</div>', page_of(stack))[1]  # ty: ignore[not-subscriptable]


def test_head_has_the_day_of_the_run():
    """And the same day makes the same page; what a stack names is text, never markup."""
    pool = {"name": "a", "machine": "<b>&", "nodes": 2, "rails": "<i>", "capacity": "spot"}
    cluster = {"region": "<u>", "name": "<q>", "made": "<b>", "pods": "<i>"}
    summary = Summary((Section("cluster", [cluster]), Section("pools", [pool])), ("<s>",))
    day = date(2026, 2, 3)
    pages = {write_page("<s>", summary, None, "<p>", cloud="eks", project="<q>", today=day) for _ in range(2)}

    (page,) = pages
    assert "<dd>2026-02-03</dd>" in page
    assert not re.search("<(i|u|s|q)>", page) and page.count("<b>") == page.count("<b>warning</b>")


def test_a_section_without_rows_has_no_heading():
    """A heading above nothing looks like a page that is broken."""
    sections = (Section("cluster", [{"region": "r", "name": "n", "made": "m", "pods": "p"}]), Section("addresses", []))
    page = write_page("s", Summary(sections, (), ()), None, "p", cloud="eks", project="q")

    assert "<h2>addresses</h2>" not in page


def test_a_gpu_has_its_memory():
    """As NVIDIA publishes it."""
    assert "memory 180 GiB" in unescape(page_of("gke")) and "memory 80 GiB" in unescape(page_of("eks"))


def test_what_a_stack_names_is_text():
    """In every cell, tile, box, card and patch: nothing of it is markup, and nothing of it is hidden."""
    hostile, plan = "<img src=x onerror=alert()>\N{RIGHT-TO-LEFT OVERRIDE}", summary_of("gke")
    kept = ("machine", "gpu", "basis")
    sections = tuple(
        replace(
            section,
            rows=[
                {
                    key: f"{value}{hostile}" if isinstance(value, str) and key not in kept else value
                    for key, value in row.items()
                }
                for row in section.rows
            ],
        )
        for section in plan.sections
    )
    (use,) = plan.uses
    uses = (replace(use, pool=hostile, nic_by=hostile, workload={hostile: [hostile]}),)
    page = write_page(hostile, Summary(sections, (hostile,), uses), None, hostile, cloud=hostile, project=hostile)

    assert page.count("&lt;img src=x onerror=alert()&gt;") > 100
    assert "<img" not in page and "\N{RIGHT-TO-LEFT OVERRIDE}" not in page


@pytest.mark.parametrize(("stack", "solid", "near"), [("eks", True, False), ("aks", False, True), ("gke-a4x", 0, 0)])
def test_lines_say_what_is_known(stack: str, solid: bool, near: bool):
    """A shared root is a solid line, neighbours without one a dashed line, what is not known no line."""
    page = page_of(stack)

    assert ('class="line pcie"' in page, 'class="line near"' in page) == (solid, near)


@pytest.mark.parametrize("stack", STACKS)
def test_all_that_a_card_holds_stands_on_paper(stack: str):
    """Cards are not printed, so tables, headings and sentences hold what they do."""
    text = unescape(re.sub(r"<[^>]*>", "\n", _CARD.sub("", page_of(stack))))
    held = {
        each
        for facts in cards_of(stack).values()
        for what, value in facts.items()
        for each in (value.split(", ") if what == "templates" else [value])
    }

    assert {each for each in held if each not in text} == set()


@pytest.mark.parametrize("stack", STACKS)
def test_cards_name_templates_that_hold_the_device(stack: str):
    """A template that is pinned to NICs by name stands on the cards of those NICs and of no other."""
    names = {
        key: facts
        for key, facts in cards_of(stack).items()
        if "-nic-" in key and facts.get("asked for by", "").startswith("DeviceClass")
    }
    templates = {
        template.name: " ".join(selector for request in template.requests for selector in request.selectors)
        for use in summary_of(stack).uses
        for offer in use.offers
        for window in offer.windows
        for template in window
    }
    for key, facts in names.items():
        for template in facts.get("templates", "").split(", "):
            pinned = re.findall(r'"(\w*(?:rdma|mlx5_)\w*)"', templates[template])
            assert not pinned or {facts.get("nic"), facts.get("device")} & set(pinned), (key, template, pinned)


def test_cards_tell_addresses_and_places():
    """What a network engineer asks of a rail, a NIC and a GPU."""
    cards = cards_of("gke")

    assert (
        cards["a4-highgpu-8g-rail-3"] | {"CIDR": "10.2.22.0/24", "network": "RoCE VPC, MTU 8896"}
        == (cards["a4-highgpu-8g-rail-3"])
    )
    assert cards["a4-highgpu-8g-nic-3"]["eth"] == "eth5"
    assert cards["a4-highgpu-8g-gpu-3"] | {"PCI address": "0000:97:00.0", "NUMA": "0"} == cards["a4-highgpu-8g-gpu-3"]
    assert cards["a4-highgpu-8g-gpu-3"]["asked for by"] == "DeviceClass gpu.nvidia.com"
    assert cards_of("oke")["BM.GPU.H100.8-rail-0"]["MTU"] == "4220"


@pytest.mark.parametrize("stack", STACKS)
def test_patches_are_the_output_workloads(stack: str):
    """Of each pool, as YAML that a parser reads back."""
    texts = re.findall("<pre>(.*?)</pre>", page_of(stack), re.DOTALL)

    assert [yaml.safe_load(unescape(text)) for text in texts] == [use.workload for use in summary_of(stack).uses]


def test_machines_without_kubernetes_say_what_they_have():
    """In the place of a pod patch."""
    assert "no Kubernetes, so no pod patch: these are the words of docker run" in page_of("gce")


@pytest.mark.parametrize(("stack", "rails"), [("gke", 8), ("eks", 1), ("gke-a3-high", 4), ("oke", 8)])
def test_rails_join_nodes(stack: str, rails: int):
    """One network a rail, or one for all where every NIC reaches every other; two rails of a GPU share a line."""
    assert len([key for key in cards_of(stack) if key.startswith("between-")]) == rails


@pytest.mark.parametrize(
    ("stack", "told"),
    [
        ("gke", "gIB, 400 Gb/s a NIC"),
        ("eks", "EFA, 100 Gb/s a NIC"),
        ("aks", "InfiniBand, 400 Gb/s a NIC"),
        ("gke-a3-high", "GPUDirect-TCPX, 200 Gb/s a NIC"),
    ],
)
def test_the_rate_of_a_line(stack: str, told: str):
    """As the machine's publisher tells it."""
    assert told in page_of(stack)


@pytest.mark.parametrize(("stack", "racks"), [("gke-a4x", [18, 18]), ("oke-gb200", [18, 18]), ("gke", [])])
def test_racks_hold_their_nodes(stack: str, racks: list[int]):
    """One frame for each NVLink domain of the plan."""
    drawn = page_of(stack).split('<div class="rack">')[1:]

    assert [each.split("</div></div>")[0].count('class="cell"') for each in drawn] == racks


@pytest.mark.parametrize("stack", STACKS)
def test_each_thing_is_said_once(stack: str):
    """No heading twice, no row of a rail's subnet among the other addresses, no key of the plan for a title."""
    page = page_of(stack)
    titles = re.findall("<h2>(.*?)</h2>", page)

    assert len(titles) == len(set(titles))
    assert "unasked" not in titles and "pod 1" not in page
    addresses = page.partition("<h2>addresses</h2>")[2].partition("</section>")[0]
    assert "rail-0" not in addresses
    assert not re.search(r"every \w+: [^<]*\bcidr\b", page)


@pytest.mark.parametrize(
    ("cluster", "told"),
    [
        ({"region": "r", "zone": "z"}, "r, z"),
        ({"region": "r", "zone": "none"}, "r"),
        ({"location": "l"}, "l"),
        ({"region": "r", "zone": "r"}, "r"),
        ({}, ""),
    ],
)
def test_where_a_cluster_is(cluster: dict[str, str], told: str):
    """A zone that there is not is left out."""
    assert _where(cluster) == told


def test_a_rail_keeps_its_own_block():
    """Its subnet brings what else the plan says, such as the MTU."""
    rails, subnets = (
        [{"rail": 0, "subnet": "s", "cidr": "10.0.1.0/24"}],
        [{"subnet": "s", "cidr": "10.0.0.0/16", "mtu": 9}],
    )

    assert with_network(rails, subnets) == [{"rail": 0, "subnet": "s", "cidr": "10.0.1.0/24", "mtu": 9}]


def test_what_all_have_alike_has_no_column():
    """It stands in the sentence above the table, once."""
    sentence, rows = shared("GPU", [{"model": "B200", "slot": 1}, {"model": "B200", "slot": 2}])

    assert "every GPU: model B200" in sentence
    assert rows == [{"slot": 1}, {"slot": 2}]


def test_command_writes_the_page(tmp_path: Path):
    """`--html` writes it and says where; the same plan makes the same bytes."""
    path = tmp_path / "gke.html"

    assert command("plan", "gke", "--html", str(path)) == (0, "", f"wrote {path}\n")
    assert path.read_text() == page_of("gke")
