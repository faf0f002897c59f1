"""`rdma-cluster machines --from`: what a snapshot of a living cluster says of its machines."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import as_text
from tests.cli.commands import command
from tests.conform.synthetic import one_node
from tests.machines import known_machine


def saved(folder: Path, *of: Answers) -> str:
    """A snapshot of nodes, each of a pool of its own."""
    nodes = [
        {**node, "metadata": {**node["metadata"], "name": f"n{i}", "labels": {
            **node["metadata"]["labels"], "pool": str(i)}}}
        for i, each in enumerate(of)
        for node in each.nodes
    ]  # fmt: skip
    looks = {f"n{i}": look for i, each in enumerate(of) for look in each.looks.values()}
    given = Answers(nodes=nodes, looks=looks)
    (folder / "s.json").write_text(as_text(read_answers(given, "pool", list(map(str, range(9))), "0.1.0").snapshot))
    return str(folder / "s.json")


def test_a_snapshot_measures_what_was_not_published(tmp_path: Path):
    """Each machine is told once, by the node that a pod looked at, and a figure that is confirmed says so."""
    ultra = known_machine("a3-ultragpu-8g")
    given = one_node(ultra)
    file = saved(tmp_path, replace(given, looks={}), given)

    code, out, err = command("machines", "--from", file)
    lines = out.splitlines()
    assert (code, err, lines[0]) == (0, "", "a3-ultragpu-8g: 0 differences from its row")
    seen = tuple(each["pci"] for each in json.loads(given.looks["n"])["nics"][1:])
    assert f"measured: nic_pci, which was not published: {seen}" in lines
    assert any(line.startswith("measured: roots, which was inferred") for line in lines)
    (told,) = json.loads(command("machines", "--from", file, "--json")[1])
    assert (told["machine"], told["known"], told["row"], told["differences"]) == (ultra.name, True, None, [])
    settled = told["settles"]
    same = [name for name, each in settled.items() if each["had"] == each["seen"]]
    assert same and all(f"measured: {name}, which was {settled[name]['was']}: the same" in lines for name in same)


def test_a_machine_that_differs_from_its_row_is_the_answer_no(tmp_path: Path):
    """It is so beside a machine that is as its row says."""
    ultra = known_machine("a3-ultragpu-8g")
    given = one_node(ultra)
    look = json.loads(given.looks["n"])
    look["gpus"][0]["pci"] = "0000:aa:00.0"
    file = saved(tmp_path, one_node(known_machine("a4-highgpu-8g")), replace(given, looks={"n": json.dumps(look)}))

    code, out, _ = command("machines", "--from", file)
    (told,) = [line for line in out.splitlines() if line.startswith("differs")]
    assert code == 1 and ultra.gpu_pci
    assert told.startswith(f"differs: GPU 0: gpu address: expected {ultra.gpu_pci[0]} (")
    assert told.endswith("found 0000:aa:00.0")


@pytest.mark.parametrize("looked", [True, False])
def test_an_unknown_machine_gets_a_row_where_a_pod_looked_at_it(tmp_path: Path, looked: bool):
    """Without a look no row can be written, and that is no contradiction."""
    given = one_node(known_machine("a4-highgpu-8g"), "a9-highgpu-8g")
    file = saved(tmp_path, given if looked else replace(given, looks={}))

    code, out, _ = command("machines", "--from", file)
    (told,) = json.loads(command("machines", "--from", file, "--json")[1])
    assert (code, told["known"], told["settles"], told["differences"]) == (0, False, {}, [])
    assert out.startswith("a9-highgpu-8g") and ("GkeMachine(\n    name='a9-highgpu-8g'" in out) == looked
    assert told["row"] is None if not looked else out.endswith(f"{told['row']}\n")
