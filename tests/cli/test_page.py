"""The plan as a page: what its text says. What a browser shows of it stands in test_page_in_a_browser.py."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
import yaml
from rdma_cluster.cli.page.page import write_page
from rdma_cluster.common.summary import Summary
from tests.cli.commands import command
from tests.cli.pages import page_of, summary_of
from tests.stacks import STACKS, graph_of

CARD = re.compile(r'<div class="card" id="([^"]*)" popover><b>([^<]*)</b><dl>(.*?)</dl></div>')


def cards_of(stack: str) -> dict[str, dict[str, str]]:
    """The facts that each card of a page shows, by its id."""
    found = CARD.findall(page_of(stack))
    assert len(found) == len({key for key, _, _ in found})
    facts = {key: re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", lines) for key, _, lines in found}
    return {key: {what: unescape(value) for what, value in lines} for key, lines in facts.items()}


@pytest.mark.parametrize("stack", STACKS)
def test_a_page_holds_every_resource_and_loads_nothing(stack: str):
    """The only addresses in it are those inside the cluster."""
    page = page_of(stack)

    assert not re.search(r"<link(?! rel=\"icon\" href=\"data:,\")|src=|url\(|@import|https?://(?!\S+\.svc:)", page)
    for resource in graph_of(stack).resources:
        assert f" {resource.name}" in page


def test_a_page_lets_only_its_own_script_run():
    """The policy names the script by its digest, and no attribute holds a handler."""
    page = page_of("gke")
    (script,) = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()

    assert page.count("<script") == 1 and page.endswith("</script></body></html>\n")
    assert f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'\"" in page
    assert not re.search(r"<[^>]* on\w+=", page.replace(script, ""))


def test_what_a_stack_names_is_text_and_never_markup():
    """The name is put into every cell, tile, box, card and patch; nothing of it is hidden from a reader either."""
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


@pytest.mark.parametrize("stack", STACKS)
def test_all_that_a_card_holds_stands_on_paper(stack: str):
    """Cards are not printed, so that tables, headings and sentences hold what they do."""
    text = unescape(re.sub(r"<[^>]*>", "\n", CARD.sub("", page_of(stack))))
    held = {
        each
        for facts in cards_of(stack).values()
        for what, value in facts.items()
        for each in (value.split(", ") if what == "templates" else [value])
    }

    assert {each for each in held if each not in text} == set()


def test_cards_answer_what_a_network_engineer_asks():
    """A rail has its block and its network, a NIC its interface, and a GPU its place."""
    cards = cards_of("gke")
    rail, nic, gpu = (cards[f"a4-highgpu-8g-{kind}-3"] for kind in ("rail", "nic", "gpu"))

    assert rail["CIDR"] == "10.2.22.0/24" and "MTU" in rail["network"]
    assert (nic["eth"], nic["near"], nic["rail"], nic["network"]) == ("eth5", "GPU 3", "3", rail["network"])
    assert {"a4-highgpu-8g-pairs-1-rail-3", "a4-highgpu-8g-whole"} <= {*gpu["templates"].split(", ")}
    assert gpu["rails"] == "3" and cards_of("oke")["BM.GPU.H100.8-nic-0"]["reaches"].startswith("the same rail")
    assert (gpu["PCI address"], gpu["NUMA"], gpu["asked for by"]) == (
        "0000:97:00.0", "0", "DeviceClass gpu.nvidia.com",
    )  # fmt: skip


@pytest.mark.parametrize("stack", STACKS)
def test_patches_are_the_workloads_that_the_stack_exports(stack: str):
    texts = re.findall("<pre>(.*?)</pre>", page_of(stack), re.DOTALL)

    assert [yaml.safe_load(unescape(text)) for text in texts] == [use.workload for use in summary_of(stack).uses]


@pytest.mark.parametrize("stack", STACKS)
def test_a_page_says_each_thing_once(stack: str):
    """No heading stands twice, and no subnet of a rail is among the other addresses."""
    page = page_of(stack)
    titles = re.findall("<h2>(.*?)</h2>", page)

    assert len(titles) == len(set(titles)) and "unasked" not in titles
    assert "rail-0" not in page.partition("<h2>addresses</h2>")[2].partition("</section>")[0]
    assert not re.search(r"every \w+: [^<]*\bcidr\b", page)


def test_the_command_writes_the_same_bytes_for_the_same_plan(tmp_path: Path):
    path = tmp_path / "gke.html"

    assert command("plan", "gke", "--html", str(path)) == (0, "", f"wrote {path}\n")
    assert path.read_text() == page_of("gke")
