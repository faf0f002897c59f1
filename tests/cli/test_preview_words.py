"""``preview``, ``plan`` and ``drift`` line by line, of a program that makes a few resources."""

import json
import re
from pathlib import Path

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.constraints import Broken
from pulumi_offline.problems import BrokenProgram, Problem
from rdma_cluster.catalog.machine import Source
from rdma_cluster.cli import plan, preview
from rdma_cluster.common.summary import Section, Summary
from tests.cli.commands import command

NETWORK, POD = "gcp:compute/network:Network", "kubernetes:core/v1:Pod"
PLAN = "stack lab\n\npools\nname\n────\na\n\nwarning: w\n"


def resource(kind: str, name: str, parent: Resource | None = None, /, **inputs: object) -> Resource:
    above = None if parent is None else parent.urn
    return Resource(f"urn:pulumi:lab::p::{kind}::{name}", kind, name, above, None, dict(inputs))


def graph(**network: object) -> Graph:
    """A component in another, with resources in both, and one beside them."""
    root = resource("rdma-cluster:index:Root", "root")
    below = resource("rdma-cluster:index:Net", "net", root)
    vpc, pod = resource(NETWORK, "vpc", below, **network), resource(POD, "pod", root)
    return Graph("lab", (root, below, vpc, pod, resource("pulumi:providers:gcp", "gcp")))


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one stack, whose plan is short and whose program makes that graph."""
    (tmp_path / "Pulumi.yaml").write_text("name: p\n")
    (tmp_path / "Pulumi.lab.yaml").write_text("config: {rdma-cluster:cloud: gke}\n")
    for module in (plan, preview):
        summary = Summary((Section("pools", [{"name": "a"}]),), ("w",))
        monkeypatch.setattr(module, "summary_of", lambda settings, summary=summary: summary)
    monkeypatch.setattr(preview, "run_program", lambda root, settings: graph(name="vpc"))
    monkeypatch.setattr(preview, "broken_in", lambda graph: [])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*words: str) -> tuple[int, str, str]:
    """What a verb says of the stack, without how long it took."""
    code, out, err = command(words[0], "lab", *words[1:], folder=Path.cwd())
    return code, re.sub(r"in \d+\.\d s\n", "in x s\n", out), err


TREE = """\
what `pulumi up` would make in stack lab
├── Root root
│   ├── Net net
│   │   └── Network vpc
│   └── Pod pod
└── Provider gcp

3 resources in 2 components, every input checked against its SDK, in x s
"""


def test_a_preview(there: Path):
    """The plan, the tree with components counted apart, and that nothing is broken; as data the graph alone."""
    assert said("preview") == (0, f"{PLAN}{TREE}no constraint of the cloud is broken\n", "")
    code, out, err = said("preview", "--json")
    assert (code, err, Graph.from_dict(json.loads(out))) == (
        0, "", Graph("lab", tuple(sorted(graph(name="vpc").resources, key=lambda each: each.urn))),
    )  # fmt: skip


def test_constraints_that_are_broken(there: Path, monkeypatch: pytest.MonkeyPatch):
    """Each on stderr with its place and source; exit code 2, also beside data."""
    vpc = graph().resources[2]
    rules = [Broken(path, "no", Source("api", "2026-11")) for path in ("mtu", "")]
    rules[1] = Broken("", "never", Source("api", "2026-11"))
    monkeypatch.setattr(preview, "broken_in", lambda graph: [(vpc, each) for each in rules])
    lines = f"{NETWORK} vpc: mtu: no (api, 2026-11)\n{NETWORK} vpc: never (api, 2026-11)\n"

    assert said("preview") == (2, PLAN + TREE, lines)
    code, out, err = said("preview", "--json")
    assert (code, err) == (2, lines) and json.loads(out)["stack"] == "lab"


def test_a_program_that_the_engine_would_refuse(there: Path, monkeypatch: pytest.MonkeyPatch):
    """Its problems are told, and no plan before them."""

    def run_program(root: Path, settings: object) -> Graph:
        raise BrokenProgram((Problem("", "mtu", "is no number"),), graph())

    monkeypatch.setattr(preview, "run_program", run_program)
    assert said("preview") == (2, "", "1 problem in stack lab\n  mtu: is no number\n")


def test_a_plan(there: Path):
    """As tables or as data; with a graph to compare also what is lost."""
    assert said("plan") == (0, PLAN, "")
    data = json.loads(said("plan", "--json")[1])
    assert data == {"stack": "lab", "pools": [{"name": "a"}], "warnings": ["w"]}
    (there / "same").write_text(graph(name="vpc").to_json())
    (there / "other").write_text(graph(name="old").to_json())

    same = "since same: no cluster, network or pool is replaced, and nothing is refused\n"
    assert said("plan", "--since", "same") == (0, PLAN + same, "")
    lost = "replaces the network vpc: inputs.name"
    assert said("plan", "--since", "other") == (0, f"{PLAN}since other: {lost}\n", "")
    assert json.loads(said("plan", "--since", "other", "--json")[1]) == {
        **data, "replaces": [lost], "refused": [],
    }  # fmt: skip
    assert said("plan", "--report", "r") == (2, "", "--report: is the second half of a page; add --html FILE\n")


def test_drift(there: Path):
    """A sentence where there is none; the difference and what it destroys as text or data, with exit code 1."""
    (there / "same").write_text(graph(name="vpc").to_json())
    (there / "other").write_text(graph(name="old").to_json())

    assert said("drift", "--state", "same") == (0, "stack lab is as its configuration says: 5 resources\n", "")
    assert json.loads(said("drift", "--state", "same", "--json")[1])["changed"] == {}
    text = f'~ {NETWORK} vpc\n    ~ inputs.name: "old" -> "vpc"\n! replaces the network vpc: inputs.name\n'
    assert said("drift", "--state", "other") == (1, text, "")
    code, out, _ = said("drift", "--state", "other", "--json")
    assert (code, json.loads(out)["replaced"]) == (1, {graph().resources[2].urn: ["inputs.name"]})
