"""Each published node agrees with its row by the reader of `conform`, or the contradiction is listed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog import Machine, find
from rdma_cluster.conform.devices import device_differences
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import SeenNode
from tests import quick_yaml
from tests.machines import known_machine
from tests.stacks import ROOT

LISTINGS = quick_yaml.load((ROOT / "tests" / "conform" / "published.yaml").read_text())
CASES = [(listing, name) for listing in LISTINGS for name in listing["machines"]]
_NUMBERS = ("numa", "mtu_bytes")


def looked(listing: Any, machine: Machine) -> dict[str, Any]:
    """The facts as a pod on the node would tell them; GPUs without an address take the row's, in order."""
    gpus, _, nics = listing["facts"].partition("--")
    own = iter(machine.gpu_pci or ())
    told = {
        "gpus": [{"pci": next(own, ""), **each} for each in _parts(gpus, ("pci", "root", "numa"))],
        "nics": list(_parts(nics, ("pci", "root", "numa", "rdma", "interface", "mtu_bytes"))),
    }
    return {key: parts for key, parts in told.items() if parts}


def _parts(text: str, keys: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for line in text.split("\n"):
        told = {key: cell for key, cell in zip(keys, line.split(), strict=False) if cell != "-"}
        if told:
            yield {key: int(cell) if key in _NUMBERS else cell for key, cell in told.items()}


def seen(listing: Any, machine: Machine) -> SeenNode:
    """The node of the listing, as the reader reads it."""
    labels = {"pool": "a", "node.kubernetes.io/instance-type": machine.name}
    node = {"metadata": {"name": "node", "labels": labels}}
    answers = Answers(nodes=[node], looks={"node": json.dumps(looked(listing, machine))})
    return read_answers(answers, "pool", ["a"], "0.1.0").snapshot["nodes"][0]


@pytest.mark.parametrize(("listing", "name"), CASES, ids=[f"{name}-{i}" for i, (_, name) in enumerate(CASES)])
def test_a_published_node_agrees_with_its_row(listing: Any, name: str):
    """Counts, addresses, names, roots and NUMA nodes agree; what is listed as a contradiction is one."""
    machine = known_machine(name)
    if not listing.get("names", True) and machine.roots:
        machine = replace(machine, roots=tuple(replace(root, name=None) for root in machine.roots))

    found = device_differences(machine, seen(listing, machine), (0, 0))

    kinds = {each.kind for each in found if not (listing.get("partial") and each.kind in ("nics", "gpus"))}
    assert kinds == set(listing.get("differs", {})), [
        (each.kind, each.what, each.expected, each.found) for each in found
    ]


PAIRED = [(listing, name) for listing, name in CASES if listing.get("pairs")]


@pytest.mark.parametrize(("listing", "name"), PAIRED, ids=[name for _, name in PAIRED])
def test_neighbours_of_a_published_file_are_those_of_the_row(listing: Any, name: str):
    """Where no root is shared, claims name a GPU and a NIC that the cloud's own file calls near."""
    machine = find(name)
    assert machine is not None and machine.gpu_pci and machine.nic_pci
    told = looked(listing, machine)
    near = {(gpu["pci"], nic["pci"]) for gpu in told["gpus"] for nic in told["nics"] if gpu["root"] == nic["root"]}

    assert {(machine.gpu_pci[gpu], machine.nic_pci[nic]) for gpu, nic in machine.neighbours} <= near


def test_there_are_twenty_nodes_of_all_clouds_with_their_sources():
    assert len(LISTINGS) >= 20
    assert {machine.cloud for _, name in CASES if (machine := find(name))} == {"gke", "eks", "aks", "oke"}
    assert all("@" in listing["source"] and listing["seen"] for listing in LISTINGS)
