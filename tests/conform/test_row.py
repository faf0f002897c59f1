"""A snapshot becomes a row: what hardware told is measured, all else is open, and the text is Python."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.catalog import Machine, NicKind, machine, machines
from rdma_cluster.catalog.machine import Known, Source
from rdma_cluster.catalog.serialization import record_of
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.row import as_source, cloud_of, row_of
from rdma_cluster.conform.snapshot import SeenNode, as_text
from tests.cli.commands import command
from tests.conform.synthetic import look

SOURCE = Source("a snapshot", "2026-11-23", Known.MEASURED)
WITH_GPUS = [each for each in machines() if each.gpu and each.nic_kind is not NicKind.NETDEV]


def answers(of: Machine, name: str) -> Answers:
    """One node of a machine, under a name."""
    labels = {"pool": "a", "node.kubernetes.io/instance-type": name}
    info = {"architecture": of.architecture}
    node = {
        "metadata": {"name": "n", "labels": labels},
        "status": {"nodeInfo": info, "capacity": {"cpu": str(of.vcpus)}},
    }
    return Answers(nodes=[node], looks={"n": json.dumps(look(of))})


def seen(of: Machine) -> SeenNode:
    """As the reader reads it."""
    return read_answers(answers(of, of.name), "pool", ["a"], "0.1.0").snapshot["nodes"][0]


def evaluated(text: str, row: Machine) -> Any:
    """What Python makes of the row's text, with the names that the catalogue's files have."""
    return eval(text, {**vars(machine), type(row).__name__: record_of(row.cloud)})


@pytest.mark.parametrize("known", WITH_GPUS, ids=lambda known: known.name)
def test_a_node_of_a_known_machine_gives_its_row_again(known: Machine):
    """In all that hardware can tell: counts, addresses, names, rates, roots."""
    row = row_of(seen(known), SOURCE)

    assert row is not None
    assert (row.name, row.cloud, row.gpus, row.nics) == (known.name, known.cloud, known.gpus, known.nics)
    for field in ("gpu_pci", "nic_pci", "rdma_names", "nic_names", "nic_gbps"):
        if (promised := getattr(known, field)) is not None:
            told = getattr(row, field)
            assert sorted(told) == sorted(promised) if isinstance(promised, tuple) else told == promised
    if known.pcie_root_comparable and known.roots:
        assert sorted((len(root.gpus), len(root.nics)) for root in row.roots or ()) == sorted(
            (len(root.gpus), len(root.nics)) for root in known.roots if root.gpus or root.nics
        )


@pytest.mark.parametrize("known", WITH_GPUS[::9], ids=lambda known: known.name)
def test_a_row_is_python_and_says_how_it_is_known(known: Machine):
    """It can be pasted; each figure is measured, or open with a reason."""
    row = row_of(seen(known), SOURCE)
    assert row is not None

    assert evaluated(as_source(row), row) == row
    assert set(row.evidence.values()) == {SOURCE}
    assert not row.evidence.keys() & (row.unknown.keys() | row.unverified.keys())


def test_a_machine_that_nobody_knew(tmp_path: Path):
    """Its row is printed."""
    a4 = next(each for each in machines() if each.name == "a4-highgpu-8g")
    file = tmp_path / "new.json"
    file.write_text(as_text(read_answers(answers(a4, "a9-highgpu-8g"), "pool", ["a"], "0.1.0").snapshot))

    code, out, err = command("machines", "--from", str(file))

    assert (code, err) == (0, "")
    assert "a9-highgpu-8g is not in the catalogue" in out and "GkeMachine(\n    name='a9-highgpu-8g'" in out


def test_a_snapshot_settles_open_points_and_tells_contradictions(tmp_path: Path):
    """A3 Ultra's NIC addresses were published by nobody, and its roots inferred: one file measures both."""
    ultra = next(each for each in machines() if each.name == "a3-ultragpu-8g")
    file = tmp_path / "ultra.json"
    given = answers(ultra, ultra.name)
    file.write_text(as_text(read_answers(given, "pool", ["a"], "0.1.0").snapshot))

    code, out, _ = command("machines", "--from", str(file))
    assert code == 0
    assert "a3-ultragpu-8g: 0 differences" in out
    assert "measured: nic_pci, which was not published" in out and "measured: roots, which was inferred" in out

    told = json.loads(given.looks["n"])
    told["gpus"][0]["pci"] = "0000:aa:00.0"
    given = replace(given, looks={"n": json.dumps(told)})
    file.write_text(as_text(read_answers(given, "pool", ["a"], "0.1.0").snapshot))
    code, out, _ = command("machines", "--from", str(file), "--json")
    assert code == 1
    (told,) = json.loads(out)
    assert [(each["kind"], each["found"]) for each in told["differences"]] == [("gpu address", "0000:aa:00.0")]


def test_every_machine_type_names_its_cloud():
    """By its form alone, which is all that a snapshot of an unknown machine has."""
    assert [each.name for each in machines() if cloud_of(each.name) != each.cloud] == []
