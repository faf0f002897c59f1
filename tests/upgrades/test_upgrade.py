"""`rdma-cluster upgrade`: thirty cells, steps whose edits replace nothing, and a stack file that keeps its text."""

import json
from pathlib import Path

import pytest
import yaml
from pulumi_offline import diff
from pulumi_offline.graph import type_and_name
from pulumi_offline.immutable import fixed
from pulumi_offline.replacements import replacements
from rdma_cluster.catalog import charts
from rdma_cluster.cli.upgrade import with_value
from rdma_cluster.common import CLOUDS
from rdma_cluster.upgrades.record import Outcome, Part
from docs.generate import UPGRADES_PAGE, upgrades
from tests.cli.commands import command
from tests.stacks import ROOT, graph_of
from tests.upgrades.test_rolls import UPGRADES

GKE = "1.36.1-gke.1842000"
EDITS = {
    "gke": (GKE, "kubernetes", [("kubernetes.version",), ("pools[0].nodeVersion",)]),
    "eks": ("1.36", "kubernetes", [("kubernetes.version",)]),
    "aks": ("1.37", "kubernetes", [("kubernetes.version",), ("pools[0].nodeVersion",)]),
    "oke": ("1.37.0", "kubernetes", [("kubernetes.version",)]),
}
"""By stack: the version, the part, and the keys that each step writes."""


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("part", Part)
def test_each_cell_is_done_or_says_why_not(cloud: str, part: Part):
    """With a source and its date; what is ours has steps, by keys or by the control plane."""
    cell = UPGRADES[cloud].cells[part]

    assert cell.words and cell.source.ref and cell.source.seen >= "2026-01-01"
    if cell.outcome is Outcome.DONE:
        assert part is Part.KUBERNETES or part in UPGRADES[cloud].node_keys or (cell.installed and cell.jobs)


def test_page_is_up_to_date():
    """`make docs` writes the table of all cells."""
    assert UPGRADES_PAGE.read_text(encoding="utf-8") == upgrades()


@pytest.mark.parametrize(
    "stack", [pytest.param(each, marks=[pytest.mark.thorough] if each != "gke" else []) for each in EDITS]
)
def test_steps_replace_nothing(stack: str):
    """One after the other they move the control plane, then the nodes; no cluster, network or pool is made anew."""
    to, part, keys = EDITS[stack]
    code, out, err = command("upgrade", stack, "--to", to, "--part", part, "--json")
    steps = json.loads(out)["steps"]

    assert (code, err, [[each.partition("=")[0] for each in step["edits"]] for step in steps]) == (
        0,
        "",
        [*map(list, keys)],
    )
    before, written = graph_of(stack), list[str]()
    for step in steps:
        written += step["edits"]
        after = graph_of(stack, *written)
        rows = [fixed(type_and_name(urn)[0]) for urn in replacements(before, after)]
        assert [row.role for row in rows if row is not None and row.role] == []
        assert diff(before, after).changed
        before = after


def test_a_pool_is_proved_on_its_new_nodes():
    """Its test runs again with the step that moves it, and not with the control plane's."""
    steps = ((), (f"kubernetes.version={GKE}",), (f"kubernetes.version={GKE}", f"pools[0].nodeVersion={GKE}"))
    proofs = [
        graph_of("gke", *step).one("kubernetes:batch/v1:Job", "gke-a4").inputs["metadata"]["name"] for step in steps
    ]

    assert proofs[0] == proofs[1] != proofs[2]


@pytest.mark.parametrize("stack", ["gke", "eks", "aks", "oke"])
def test_a_driver_comes_with_the_library(stack: str):
    """One step without an edit, to the version that the chart of the stack's graph has."""
    code, out, _ = command("upgrade", stack, "--part", "dra-driver", "--to", charts.NVIDIA_DRA_DRIVER.version, "--json")
    (step,) = json.loads(out)["steps"]

    assert code == 0 and step["edits"] == [] and step["jobs"] and step["proof"]


def test_one_pool_alone(tmp_path: Path):
    """The others stay as they are, and the control plane goes first all the same."""
    second = "pools[1]={name: b, machine: a4-highgpu-8g, nodes: 2, capacity: {spot: true}}"
    _, out, _ = command("upgrade", "gke", "--to", GKE, "--pool", "b", "--set", second, "--json")

    assert [step["edits"] for step in json.loads(out)["steps"]] == [
        [f"kubernetes.version='{GKE}'"],
        [f"pools[1].nodeVersion='{GKE}'"],
    ]


def test_a_minor_that_nobody_has_seen_is_told():
    """As a plan tells it, with the steps."""
    code, out, _ = command("upgrade", "eks", "--to", "1.37", "--set", "kubernetes.version='1.36'")

    assert code == 0 and "warning    kubernetes.version: 1.37 is newer than 1.36" in out


def test_steps_are_written_one_by_one(tmp_path: Path):
    """Comments and order stay, and what is written is not asked for again."""
    (tmp_path / "Pulumi.yaml").write_text("name: rdma-cluster\n")
    stack = tmp_path / "Pulumi.lab.yaml"
    stack.write_text((ROOT / "stacks" / "Pulumi.gke.yaml").read_text().replace("nodes: 2", "nodes: 2  # all of them"))
    words = ("upgrade", "lab", "--to", GKE)

    for step in ("1", "2"):
        code, out, err = command(*words, "--step", step, "--write", folder=tmp_path)
        assert (code, err) == (0, "") and GKE in out

    assert "nodes: 2  # all of them" in stack.read_text()
    written = yaml.safe_load(stack.read_text())["config"]
    assert (written["rdma-cluster:kubernetes"], written["rdma-cluster:pools"][0]["nodeVersion"]) == (
        {"version": GKE},
        GKE,
    )
    again = json.loads(command(*words, "--json", folder=tmp_path)[1])
    assert [step["written"] for step in again["steps"]] == [True, True]


@pytest.mark.parametrize(
    ("text", "path", "new"),
    [
        ("a:\n  b: 1 # c\n", ("a", "b"), 'a:\n  b: "2" # c\n'),
        ("a: {b: 1}\n", ("a", "c"), 'a: {c: "2", b: 1}\n'),
        ("- x: 1\n  y: 1\n", (0, "z"), '- x: 1\n  z: "2"\n  y: 1\n'),
        ("a: 1\n", ("b", "c"), 'b: {c: "2"}\na: 1\n'),
        ("a: {}\n", ("a", "b"), None),
        ("a: []\n", ("a", 0), None),
        ("", ("a",), None),
    ],
)
def test_a_value_is_written_in_its_place(text: str, path: tuple[str | int, ...], new: str | None):
    """A text that YAML would read as a number is quoted."""
    assert with_value(text, path, "2") == new
