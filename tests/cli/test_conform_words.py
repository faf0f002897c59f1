"""What `conform` and `machines --from` print: each kind of difference once, with its places."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.catalog.machine import Known
from rdma_cluster.cli import conform
from rdma_cluster.conform.difference import Difference
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import as_text
from tests.cli.commands import command
from tests.conform.test_row import answers

PROMISED: Any = SimpleNamespace(pools=[SimpleNamespace(name="a"), SimpleNamespace(name="b")])
NAMES = (("n1",), ("n2", "n3", "n4"), ("n5", "n6", "n7", "n8"), ())
SEEN: Any = SimpleNamespace(snapshot={"nodes": [{}, {"count": 3}, {"count": 4}, {"count": 2}]}, names=NAMES)
ROOT = Difference("nic root", (0, 0), "rail 3", "0", "1", "claims fail", "take --whole", True, Known.INFERRED)
NEWER = Difference("kubernetes newer", (), "Kubernetes", "1.35", "1.36", "it is new", "wait", False)


@pytest.mark.parametrize(
    ("where", "place"),
    [
        ((), "cluster"),
        ((1,), "pool b"),
        ((0, 0), "pool a, n1"),
        ((0, 1), "pool a, n2, n3, n4"),
        ((1, 2), "pool b, n5, n6, n7 and 1 more"),
        ((1, 3), "pool b, node 3 of the snapshot and 1 more"),
    ],
)
def test_where_a_difference_is(where: tuple[int, ...], place: str):
    """The pool, and three of the nodes that are alike by name; without names the node of the snapshot."""
    assert conform._place(where, SEEN, PROMISED) == place


def test_differences_for_people(capsys: pytest.CaptureFixture[str]):
    """What breaks a promise first, alike ones together with each place once, what was not seen, and the sums."""
    found = [NEWER, ROOT, replace(ROOT, where=(0, 0)), replace(ROOT, where=(1, 2)), replace(ROOT, found="2")]

    conform._show("lab", SEEN, PROMISED, found, ["one", "two"])
    assert capsys.readouterr().out.splitlines() == [
        "breaks: pool a, n1; pool b, n5, n6, n7 and 1 more: rail 3: nic root: expected 0 (inferred), found 1",
        "    claims fail; take --whole",
        "breaks: pool a, n1: rail 3: nic root: expected 0 (inferred), found 2",
        "    claims fail; take --whole",
        "differs: cluster: Kubernetes: kubernetes newer: expected 1.35, found 1.36",
        "    it is new; wait",
        "not seen: one",
        "not seen: two",
        "stack lab: 10 nodes seen, 5 differences, 4 promises are broken",
    ]
    conform._show("lab", SEEN, PROMISED, [NEWER], [])
    assert capsys.readouterr().out.endswith("stack lab: 10 nodes seen, 1 differences, no promise is broken\n")


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


def test_machines_of_a_snapshot(tmp_path: Path):
    """Each machine once, by the node that a pod looked at; what is measured now, and whether it is as it was."""
    ultra = find("a3-ultragpu-8g")
    assert ultra is not None
    given = answers(ultra, ultra.name)
    unseen = replace(given, looks={})
    file = saved(tmp_path, unseen, given, replace(unseen))

    code, out, err = command("machines", "--from", file)
    lines = out.splitlines()
    assert (code, err, lines[0]) == (0, "", "a3-ultragpu-8g: 0 differences from its row")
    seen = tuple(each["pci"] for each in json.loads(given.looks["n"])["nics"][1:])
    assert f"measured: nic_pci, which was not published: {seen}" in lines
    (told,) = json.loads(command("machines", "--from", file, "--json")[1])
    assert (told["machine"], told["known"], told["row"], told["differences"]) == ("a3-ultragpu-8g", True, None, [])
    settled = told["settles"]
    assert settled["nic_pci"]["was"] == "not published" and settled["nic_pci"]["had"] == "None"
    assert all(each["was"] != "measured" for each in settled.values())
    same = [name for name, each in settled.items() if each["had"] == each["seen"]]
    assert same and all(f"measured: {name}, which was {settled[name]['was']}: the same" in lines for name in same)


def test_a_machine_that_differs(tmp_path: Path):
    """Each difference once, with how the figure was known; exit code 1, also beside one that is as it was."""
    ultra, other = (find(name) for name in ("a3-ultragpu-8g", "a4-highgpu-8g"))
    assert ultra is not None and other is not None and ultra.gpu_pci is not None
    given = answers(ultra, ultra.name)
    look = json.loads(given.looks["n"])
    look["gpus"][0]["pci"] = "0000:aa:00.0"
    file = saved(tmp_path, answers(other, other.name), replace(given, looks={"n": json.dumps(look)}))

    code, out, _ = command("machines", "--from", file)
    told = [line for line in out.splitlines() if line.startswith("differs")]
    was = ultra.gpu_pci[0] if ultra.gpu_pci else ""
    assert (code, len(told)) == (1, 1)
    assert told[0].startswith(f"differs: GPU 0: gpu address: expected {was} (") and told[0].endswith(
        "found 0000:aa:00.0"
    )


@pytest.mark.parametrize("looked", [True, False])
def test_a_machine_that_is_not_in_the_catalogue(tmp_path: Path, looked: bool):
    """Its row, as data too; without a look at the node none can be written, and that is no contradiction."""
    a4 = find("a4-highgpu-8g")
    assert a4 is not None
    given = answers(a4, "a9-highgpu-8g")
    file = saved(tmp_path, given if looked else replace(given, looks={}))

    code, out, _ = command("machines", "--from", file)
    (told,) = json.loads(command("machines", "--from", file, "--json")[1])
    assert code == 0 and (told["row"] is not None) == looked
    assert {key: told[key] for key in told if key != "row"} == {
        "machine": "a9-highgpu-8g", "known": False, "settles": {}, "differences": [],
    }  # fmt: skip
    if looked:
        head, _, row = out.partition("\n")
        assert head == "a9-highgpu-8g is not in the catalogue; its row, as far as the snapshot goes:"
        assert row == f"{told['row']}\n"
    else:
        why = "no row can be written: take the snapshot with the pod, on a node with RDMA devices"
        assert out == f"a9-highgpu-8g: {why}\n\n"
