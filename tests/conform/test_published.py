"""Each published node agrees with its row by the reader of `conform`, or the contradiction is listed."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.conform.devices import device_differences
from tests.conform.published import CASES, LISTINGS, looked, seen
from tests.machines import known_machine


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
