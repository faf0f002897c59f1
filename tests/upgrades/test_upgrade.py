"""The steps of `rdma-cluster upgrade` replace nothing, and every cell of its table is true."""

import json
from pathlib import Path

import pytest
from pulumi_offline import diff
from pulumi_offline.graph import type_and_name
from pulumi_offline.immutable import fixed
from pulumi_offline.replacements import replacements
from rdma_cluster.common import CLOUDS
from rdma_cluster.upgrades.record import Outcome, Part
from docs.generate import UPGRADES_PAGE, upgrades
from tests.cli.commands import command
from tests.stacks import graph_of
from tests.upgrades.edits import EDITS, GKE
from tests.upgrades.rolls import UPGRADES


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("part", Part)
def test_each_cell_is_done_or_says_why_not(cloud: str, part: Part):
    """It has a source and its date."""
    cell = UPGRADES[cloud].cells[part]

    assert cell.words and cell.source.ref and cell.source.seen >= "2026-01-01"
    if cell.outcome is Outcome.DONE:
        assert part is Part.KUBERNETES or part in UPGRADES[cloud].node_keys or (cell.installed and cell.jobs)


def test_the_page_has_the_table_of_all_cells():
    """`make docs` writes it."""
    assert UPGRADES_PAGE.read_text(encoding="utf-8") == upgrades()


@pytest.mark.parametrize(
    "stack", [pytest.param(each, marks=[pytest.mark.thorough] if each != "gke" else []) for each in EDITS]
)
def test_steps_replace_nothing(stack: str):
    """They move the control plane, then the nodes."""
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


def test_a_pool_is_proved_again_with_the_step_that_moves_it_alone():
    steps = ((), (f"kubernetes.version={GKE}",), (f"kubernetes.version={GKE}", f"pools[0].nodeVersion={GKE}"))
    tests = (graph_of("gke", *step).one("kubernetes:batch/v1:Job", "gke-a4-test") for step in steps)
    proofs = [test.inputs["metadata"]["name"] for test in tests]

    assert proofs[0] == proofs[1] != proofs[2]


def test_one_pool_is_upgraded_alone_behind_the_control_plane(tmp_path: Path):
    second = "pools[1]={name: b, machine: a4-highgpu-8g, nodes: 2, capacity: {spot: true}}"
    _, out, _ = command("upgrade", "gke", "--to", GKE, "--pool", "b", "--set", second, "--json")

    assert [step["edits"] for step in json.loads(out)["steps"]] == [
        [f"kubernetes.version='{GKE}'"],
        [f"pools[1].nodeVersion='{GKE}'"],
    ]
