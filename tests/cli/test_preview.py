"""`rdma-cluster preview` of a program that makes a few resources, and of our own."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pulumi_offline import Graph
from pulumi_offline.constraints import Broken
from rdma_cluster.catalog.machine import Source
from rdma_cluster.cli import preview
from rdma_cluster.common.summary import Section, Summary
from tests.cli.commands import command
from tests.cli.small_project import NETWORK, POD, resource, write_project

ROOT = resource("rdma-cluster:index:Root", "root")
NET = resource("rdma-cluster:index:Net", "net", parent=ROOT.urn)
VPC = resource(NETWORK, "vpc", parent=NET.urn)
GRAPH = Graph("lab", (ROOT, NET, VPC, resource(POD, "pod", parent=ROOT.urn), resource("pulumi:providers:gcp", "gcp")))
TREE = """\
what `pulumi up` would make in stack lab
├── Root root
│   ├── Net net
│   │   └── Network vpc
│   └── Pod pod
└── Provider gcp

3 resources in 2 components, """
Said = tuple[int, str, str]


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    """Previews a stack whose plan is short and whose program makes that graph."""
    write_project(tmp_path)
    summary = Summary((Section("pools", [{"name": "a"}]),), ("w",))
    monkeypatch.setattr(preview, "summary_of", lambda settings: summary)
    monkeypatch.setattr(preview, "run_program", lambda root, settings: GRAPH)
    monkeypatch.setattr(preview, "broken_in", lambda graph: [])
    return lambda *words: command("preview", "lab", *words, folder=tmp_path)


def test_a_preview_is_the_plan_the_tree_and_a_count(said: Callable[..., Said]):
    """Components are counted apart; as data the graph stands alone."""
    code, out, err = said()
    plan, tree = out.split("what `pulumi up`")

    assert (code, err) == (0, "")
    assert plan.endswith("a\n\nwarning: w\n") and f"what `pulumi up`{tree}".startswith(TREE)
    assert out.splitlines()[-1] == "no constraint of the cloud is broken"
    assert {each["urn"] for each in json.loads(said("--json")[1])["resources"]} == {
        each.urn for each in GRAPH.resources
    }


def test_broken_constraints_are_told_with_place_and_source(said: Callable[..., Said], monkeypatch: pytest.MonkeyPatch):
    """One line stands for all objects that break the same one, and the exit code is 2, also beside data."""
    mtu, whole = Broken("mtu", "no", Source("api", "2026-11")), Broken("", "never", Source("api", "2026-11"))
    many = [(resource(NETWORK, f"n{i}"), mtu) for i in range(41)]
    monkeypatch.setattr(preview, "broken_in", lambda graph: [*many, many[0], (VPC, whole)])
    code, out, err = said()

    assert code == 2 and "no constraint" not in out
    assert err.splitlines() == [
        f"{NETWORK} n0 and 40 others: mtu: no (api, 2026-11)",
        f"{NETWORK} vpc: never (api, 2026-11)",
    ]
    assert said("--json")[0] == 2


def test_a_resource_of_ones_own_is_held_against_the_clouds_constraints(tmp_path: Path):
    command("init", "gke", folder=tmp_path)
    with (tmp_path / "__main__.py").open("a") as program:
        program.write('import pulumi_gcp as gcp\ngcp.compute.Network("jumbo", name="jumbo", mtu=9000)\n')
    code, _, err = command("preview", "gke", folder=tmp_path)

    assert code == 2 and re.match(r"gcp:compute/network:Network jumbo: mtu: .*8896 \(compute\.v1 ", err)
