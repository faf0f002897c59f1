"""`rdma-cluster plan`: tables for people, JSON for programs, and where a stack is looked for."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import command
from tests.stacks import ROOT, STACKS

GKE = [stack for stack in STACKS if stack.startswith("gke")]
BY_NAME = {"gke-a3-high": 4, "gke-a3-mega": 8}
"""The stacks whose pods name networks, with their rails: gVNICs, whose place on the bus nobody published."""


def rails_of(stack: str) -> list[tuple[Any, ...]]:
    """The GPU, the root, the NIC and the interface of each rail."""
    if stack in BY_NAME:
        return [("-", "-", f"eth{i + 1}", f"eth{i + 1}") for i in range(BY_NAME[stack])]
    if stack == "gke-a4x":  # nobody published which GPU of a tray is near which NIC
        return [("-", "-", f"gpu{i}rdma0", f"eth{i + 2}") for i in range(4)]
    return [(i, i // 2, f"gpu{i}rdma0", f"eth{i + 2}") for i in range(8)]


@pytest.mark.parametrize("stack", GKE)
def test_a_plan_has_every_rail_in_words_and_as_data(stack: str):
    code, out, err = command("plan", stack)
    plan = json.loads(command("plan", stack, "--json")[1])
    rails = plan["rails"][plan["pools"][0]["machine"]]

    assert (code, err, plan["stack"]) == (0, "", stack) and "\x1b" not in out
    claims = () if stack in BY_NAME else ("claims of one ",)
    assert all(f"\n{title}" in out for title in ("pools", "rails of one ", "addresses", *claims, "versions"))
    assert [(row["gpu"], row["root"], row["nic"], row["eth"]) for row in rails] == rails_of(stack)
    assert all(nic in out and eth in out for *_, nic, eth in rails_of(stack))
    assert len({row["cidr"] for row in rails}) == len(rails)


@pytest.mark.parametrize("stack", STACKS)
def test_every_key_of_a_plan_is_documented(stack: str):
    """All rows of a section have the same keys."""
    page = (ROOT / "docs" / "command.md").read_text().partition("## `plan --json`")[2].partition("\n## ")[0]
    plan = json.loads(command("plan", stack, "--json")[1])
    lists = [rows for of in plan.values() for rows in (of.values() if isinstance(of, dict) else [of])]
    tables = [rows for rows in lists if isinstance(rows, list) and rows and isinstance(rows[0], dict)]

    assert {key for key in (*plan, *(key for rows in tables for key in rows[0])) if f"`{key}`" not in page} == set()
    assert all(len({tuple(row) for row in rows}) == 1 for rows in tables)


def test_any_file_may_stand_in_the_place_of_a_stacks_own(tmp_path: Path):
    text = (ROOT / "stacks" / "Pulumi.gke.yaml").read_text().replace("nodes: 2", "nodes: 7")
    (tmp_path / "mine.yaml").write_text(text)
    plan = json.loads(command("plan", "lab", "--json", "--config", str(tmp_path / "mine.yaml"))[1])

    assert (plan["stack"], plan["cluster"][0]["name"], plan["pools"][0]["nodes"]) == ("lab", "lab", 7)
