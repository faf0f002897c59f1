"""What the command prints: tables for people, JSON for programs, and exit codes that tell."""

import json
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi_offline import Graph
from rdma_cluster.catalog import Known, find, machines
from rdma_cluster.catalog.questions import figures
from rdma_cluster.cli import output
from rdma_cluster.cli.app import run
from rdma_cluster.cli.output import styled, table
from tests.cli.commands import command
from tests.stacks import ROOT, STACKS, graph_of

GKE = [stack for stack in STACKS if stack.startswith("gke")]


BY_NAME = {"gke-a3-high": 4, "gke-a3-mega": 8}
"""Stacks whose pods name networks, with their rails: gVNICs, whose place on the bus nobody published."""


def rails_of(stack: str) -> list[tuple[Any, ...]]:
    """Rail, GPU, root, NIC and interface of each."""
    if stack in BY_NAME:
        return [(i, "-", "-", f"eth{i + 1}", f"eth{i + 1}") for i in range(BY_NAME[stack])]
    if stack == "gke-a4x":
        # Nobody published which GPU of a tray is near which NIC.
        return [(i, "-", "-", f"gpu{i}rdma0", f"eth{i + 2}") for i in range(4)]
    return [(i, i, i // 2, f"gpu{i}rdma0", f"eth{i + 2}") for i in range(8)]


@pytest.mark.parametrize("stack", GKE)
def test_plan_for_people(stack: str):
    """Every section has its title, every rail its row."""
    code, out, err = command("plan", stack)

    assert (code, err) == (0, "")
    claims = () if stack in BY_NAME else ("claims of one ",)
    for title in ("pools", "rails of one ", "addresses", *claims, "versions"):
        assert f"\n{title}" in out
    for *_, nic, interface in rails_of(stack):
        assert nic in out and interface in out
    assert "\x1b" not in out


@pytest.mark.parametrize("stack", GKE)
def test_plan_for_programs(stack: str):
    """The same as data: rails with their GPU, root, NIC and CIDR, all rows of a section alike."""
    code, out, err = command("plan", stack, "--json")
    plan = json.loads(out)

    assert (code, err, plan["stack"]) == (0, "", stack)
    rails = plan["rails"][plan["pools"][0]["machine"]]
    assert [(row["rail"], row["gpu"], row["root"], row["nic"], row["eth"]) for row in rails] == rails_of(stack)
    assert len({row["cidr"] for row in rails}) == len(rails)
    assert re.fullmatch(r"[a-z_]+", "".join(key for row in rails for key in row))
    for rows in plan.values():
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            assert len({tuple(row) for row in rows}) == 1
    assert all(isinstance(warning, str) for warning in plan["warnings"])


def test_warnings_are_told():
    """Spot nodes of one job go down together: no refusal, but a word."""
    _, out, _ = command("plan", "gke-a3-ultra")

    assert "warning: pool a3-ultra: one preempted spot node stops every job that spans it" in out


def test_preview_for_people():
    """The plan first, then every resource below its component, and a last line that counts them."""
    code, out, err = command("preview", "gke")
    *_, last, _ = out.splitlines()
    graph = graph_of("gke")
    components = sum(each.type.startswith("rdma-cluster:") for each in graph.resources)

    assert (code, err) == (0, "")
    assert out.startswith(command("plan", "gke")[1])
    assert last.startswith(f"{len(graph.resources) - components} resources in {components} components, ")
    tree = out[out.index("what `pulumi up` would make") :]
    for resource in graph.resources:
        assert f" {resource.name}" in tree


def test_preview_for_programs_is_the_graph_alone():
    """It can be read back, and compared."""
    code, out, err = command("preview", "gke", "--json")

    assert (code, err) == (0, "")
    assert Graph.from_dict(json.loads(out)) == graph_of("gke")


def test_overrides_reach_the_program():
    """Values are YAML; a list may grow at its end."""
    _, out, _ = command(
        "preview",
        "gke",
        "--json",
        "--set",
        "pools[0].nodes=3",
        "--set",
        "pools[1]={name: b, machine: a3-ultragpu-8g, nodes: 1, capacity: {spot: true}}",
        "--set",
        "claims.namespaces[0]=team-a",
        "--set",
        "gcp:project=other-project",
    )
    graph = Graph.from_dict(json.loads(out))

    pools = {pool.name: pool.inputs for pool in graph.of_type("gcp:container/nodePool:NodePool")}
    assert pools["gke-a4"]["nodeCount"] == 3
    assert pools["gke-b"]["nodeConfig"]["machineType"] == "a3-ultragpu-8g"
    assert graph.one("pulumi:providers:gcp").inputs["project"] == "other-project"
    namespaces = {each.inputs["metadata"]["namespace"] for each in graph.of_type(TEMPLATE)}
    assert "team-a" in namespaces and "default" not in namespaces


TEMPLATE = "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate"


def test_a_file_in_the_stack_s_place(tmp_path: Path):
    """`--config` takes any file; the stack keeps its name."""
    text = (ROOT / "stacks" / "Pulumi.gke.yaml").read_text().replace("nodes: 2", "nodes: 7")
    (tmp_path / "mine.yaml").write_text(text)

    _, out, _ = command("plan", "lab", "--json", "--config", str(tmp_path / "mine.yaml"))

    plan = json.loads(out)
    assert (plan["stack"], plan["cluster"][0]["name"], plan["pools"][0]["nodes"]) == ("lab", "lab", 7)


def test_command_works_from_a_folder_below(monkeypatch: pytest.MonkeyPatch):
    """As Pulumi does, it finds the project above."""
    monkeypatch.chdir(ROOT / "tests" / "cli")
    with redirect_stdout(StringIO()) as out:
        code = run(["plan", "gke"])

    assert code == 0
    assert out.getvalue() == command("plan", "gke")[1]


def test_cells_are_shown_as_they_are():
    """Brackets in a name are no colours."""
    shown = table([{"name": "[red]", "end": "[/x]"}])

    assert "[red]" in shown and "[/x]" in shown
    _, rule, row = shown.splitlines()
    assert len(rule) == len(row) and set(rule) == {"─"}


def test_table_keeps_to_the_page(monkeypatch: pytest.MonkeyPatch):
    """The widest columns are narrowed, their cells go over several lines, and no word is lost."""
    monkeypatch.setattr(output, "page", lambda: 80)
    words = " ".join(f"word{i}" for i in range(40))
    shown = table([{"short": "x", "long": words, "other": words}], "title")

    assert max(map(len, shown.splitlines())) <= 80
    assert all(f"word{i}" in shown for i in range(40))


def test_table_in_a_pipe_breaks_nothing():
    """Who greps a name finds it, however long."""
    name = "a-very-long-name-" * 20
    shown = table([{"name": name, "other": "x " * 200}])

    assert name in shown and len(shown.splitlines()) == 3


def test_no_colours_in_a_pipe():
    """Styles are for terminals."""
    assert styled("text", "bold") == "text"


def test_machines():
    """All of them, or one with its sources."""
    code, out, _ = command("machines")
    assert code == 0
    assert "a4-highgpu-8g" in out and "BM.GPU" in out

    code, out, _ = command("machines", "--json")
    assert code == 0
    assert [form["name"] for form in json.loads(out)] == [machine.name for machine in machines()]

    code, out, _ = command("machines", "a4-highgpu-8g")
    assert code == 0
    assert "gpu7rdma0" in out and "\nsources\n" in out
    lines = out.splitlines()
    assert any(line.startswith("measured: nic_pci, roots: github.com/") for line in lines)
    assert any(line.startswith("not published: roots.name: searched for ") for line in lines)
    told = [line.split(":")[:2] for line in lines if line.startswith(tuple(f"{each.value}:" for each in Known))]
    row = find("a4-highgpu-8g")
    assert row
    settled = {figure.field for figure in figures(row) if figure.sources}
    assert {name for _, names in told for name in names.strip().split(", ")} == settled

    # Whether it pairs is not known before its roots are.
    rows = [re.split(r"\s{3,}", line.strip()) for line in command("machines")[1].splitlines()]
    shown = {row[1]: row[-2] for row in rows if len(row) > 2}
    assert (shown["a4-highgpu-8g"], shown["BM.GPU.GB300.4"], shown["BM.GPU.B300.8"]) == ("yes", "no", "-")

    code, out, _ = command("machines", "a4-highgpu-8g", "--json")
    (form,) = json.loads(out)
    assert (code, form["name"]) == (0, "a4-highgpu-8g")
    assert form["sources"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--gpu", "B200"], ["BM.GPU.B200.8", "a4-highgpu-8g", "p6-b200.48xlarge"]),
        (["b200"], ["BM.GPU.B200.8", "a4-highgpu-8g", "p6-b200.48xlarge"]),
        (["--gpu", "H100", "--cloud", "eks"], ["p5.48xlarge", "p5.4xlarge"]),
        (["H100", "--cloud", "gke"], ["a3-edgegpu-8g", "a3-highgpu-8g", "a3-megagpu-8g"]),
    ],
    ids=" ".join,
)
def test_machines_by_gpu_and_cloud(words: list[str], found: list[str]):
    """A GPU's name in any case; B200 is no GB200."""
    code, out, _ = command("machines", *words, "--json")

    assert code == 0 and sorted(form["name"] for form in json.loads(out)) == found


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--gpu", "B300", "--cloud", "gke"], "--gpu: no machine has 'B300'; there are B200, GB200"),
        (["--cloud", "gce"], "--cloud: got gce; the catalogue has machines of aks, eks, gke, oke"),
        (["p5.48xlarge", "--cloud", "gke"], "p5.48xlarge is no machine of gke"),
        (["p5.48xlarge", "--gpu", "B200"], "no machine has 'B200'; there are H100"),
        (["p5.48xlarg"], "nearest are p5.48xlarge"),
    ],
    ids=" ".join,
)
def test_machines_that_are_not(words: list[str], reason: str):
    """What there is stands beside it."""
    code, out, err = command("machines", *words)

    assert (code, out) == (2, "") and reason in err


def test_claims_of_every_shape():
    """Without a shape: the shapes of a stack's plan, and their templates."""
    code, out, _ = command("claims", "a4-highgpu-8g", "--json")
    assert code == 0
    assert json.loads(out) == json.loads(command("plan", "gke", "--json")[1])["claims"]["a4-highgpu-8g"]

    _, out, _ = command("claims", "a4-highgpu-8g", "--yaml", "--gpu-allocation", "device-plugin")
    kinds = [each["kind"] for each in yaml.safe_load_all(out)]
    assert set(kinds) == {"DeviceClass", "ResourceClaimTemplate"}


def test_explain_on_one_cloud(tmp_path: Path):
    """The cloud that is asked for, or that of the project first."""
    _, out, _ = command("explain", "pools.capacity", "--cloud", "oke")
    assert "on oke" in out and "on gke" not in out

    (tmp_path / "Pulumi.yaml").write_text("{name: p, runtime: python}")
    (tmp_path / "Pulumi.lab.yaml").write_text("config: {rdma-cluster:cloud: oke}")
    _, out, _ = command("explain", "pools.capacity", folder=tmp_path)
    assert out.index("on oke") < out.index("on gke")


def test_drift(tmp_path: Path):
    """Exit 0 where a state is as the configuration says, 1 and the difference where it is not."""
    file = tmp_path / "state.json"
    file.write_text(graph_of("gke").to_json())

    code, out, _ = command("drift", "gke", "--state", str(file))
    assert code == 0 and out.startswith("stack gke is as its configuration says: ")
    code, out, _ = command("drift", "gke", "--state", str(file), "--set", "zone=us-east4-b")
    assert code == 1 and "! replaces the cluster gke" in out
    code, out, err = command("drift", "gke", "--state", str(tmp_path / "none.json"))
    assert (code, out) == (2, "") and "none.json: No such file" in err


def test_drift_tells_what_would_be_refused(tmp_path: Path):
    """As text and as JSON: an API that will not make the living object as the configuration has it."""
    state, file = graph_of("gke").to_dict(), tmp_path / "state.json"
    job = next(each for each in state["resources"] if each["type"] == "kubernetes:batch/v1:Job")
    there = {**job, "inputs": {**job["inputs"], "spec": {**job["inputs"]["spec"], "completionMode": "NonIndexed"}}}
    others = [each for each in state["resources"] if each != job]
    file.write_text(json.dumps({**state, "resources": [*others, there]}))

    code, out, _ = command("drift", "gke", "--state", str(file))
    assert code == 1 and "spec.completionMode: refused: field is immutable" in out
    code, out, _ = command("drift", "gke", "--state", str(file), "--json")
    (refused,) = json.loads(out)["refused"]
    assert code == 1 and (refused["urn"], refused["path"]) == (job["urn"], "spec.completionMode")


def test_graph_diff_can_be_read(tmp_path: Path):
    """More machines of gce change whole scripts; the difference is short, and inside them."""
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text(graph_of("gce").to_json())
    other.write_text(graph_of("gce", "pools[0].nodes=6").to_json())

    _, out, _ = command("graph", "diff", str(one), str(other))

    assert max(map(len, out.splitlines())) < 350 and len(out) < 5_000
    assert '["expect/expectation.json"].tests: 1 -> 6' in out
    assert "        - export NODES=2\n        + export NODES=6\n" in out


def test_graph_diff(tmp_path: Path):
    """Exit 0 and nothing to say for the same, 1 and each property for another."""
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text(graph_of("gke").to_json())
    other.write_text(graph_of("gke", "pools[0].nodes=3").to_json())

    assert command("graph", "diff", str(one), str(one))[0] == 0
    code, out, err = command("graph", "diff", str(one), str(other))
    assert (code, err) == (1, "")
    assert "    ~ inputs.nodeCount: 2 -> 3\n" in out
    code, out, _ = command("graph", "diff", str(one), str(other), "--json")
    assert code == 1
    assert "inputs.nodeCount" in out and json.loads(out)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["plan"], "rdma-cluster plan: the following arguments are required: STACK"),
        (["plan", "gke", "--colour"], "--colour"),
        (["plan", "gke", "--js"], "--js"),
        (["deploy"], "'deploy'"),
        (["graph", "diff", "one"], "required: B"),
        (["claims", "p5.48xlarge", "--pairs", "\u0663"], "must be a whole number, got '\u0663'"),
    ],
    ids=" ".join,
)
def test_words_it_does_not_know(words: list[str], expected: str):
    """Exit 2, on stderr."""
    code, out, err = command(*words)

    assert (code, out) == (2, "")
    assert expected in err


@pytest.mark.thorough
def test_a_faulty_program_is_told_without_a_traceback(tmp_path: Path):
    """Who changes the stack program and misspells a key reads the error, and nothing of our insides."""
    for name in ("stacks", "__main__.py", "Pulumi.yaml"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    with (tmp_path / "stacks" / "gke.py").open("a") as program:
        program.write("import pulumi_gcp as gcp\ngcp.compute.Network('extra', mtu='big')\n")

    done = subprocess.run(
        [Path(sys.executable).parent / "rdma-cluster", "preview", "gke"], cwd=tmp_path, capture_output=True, text=True
    )

    expected = "1 problem in stack gke\n  gcp:compute/network:Network extra: mtu: 'big' is not int\n"
    assert (done.returncode, done.stderr) == (2, expected)


@pytest.mark.parametrize("stack", STACKS)
def test_every_key_of_a_plan_is_documented(stack: str):
    """The keys are an interface: those that no page names are found by nobody, and those that are gone mislead."""
    page = (ROOT / "docs" / "command.md").read_text().partition("## `plan --json`")[2].partition("\n## ")[0]
    plan = json.loads(command("plan", stack, "--json")[1])
    lists = [rows for of in plan.values() for rows in (of.values() if isinstance(of, dict) else [of])]
    keys = {
        *plan,
        *(key for rows in lists if isinstance(rows, list) for row in rows if isinstance(row, dict) for key in row),
    }

    assert {key for key in keys if f"`{key}`" not in page} == set()
