"""The layout of a machine shows where aligned sets sit, whatever the order and the size of its roots."""

from dataclasses import replace

import pytest
from rdma_cluster.catalog import Machine
from rdma_cluster.catalog.machine import Gpu, PcieRoot
from rdma_cluster.claims import layout
from rdma_cluster.claims.layout import Slot
from tests.claims.nodes import A4, H100_V5

HIGH_NICS = PcieRoot("pci0000:10", 1, (6, 2), (8, 5, 6, 7))
LOW_NICS = PcieRoot(None, 0, (0, 1, 4), (0, 1))
NO_NODE = PcieRoot(None, None, (5,), (2,))
GPU_ALONE = PcieRoot("pci0000:40", 1, (3,), ())
NICS_ALONE = PcieRoot(None, 2, (), (3, 4))


def machine(*roots: PcieRoot) -> Machine:
    """Make a machine with these roots, or with none known."""
    return replace(A4, roots=roots or None)


MIXED = machine(HIGH_NICS, GPU_ALONE, LOW_NICS, NO_NODE, NICS_ALONE)


@pytest.mark.parametrize(
    ("gpus", "nics", "found"),
    [
        (1, 1, [(2, (0,)), (2, (1,)), (3, (2,)), (0, (5,)), (0, (8,))]),
        (1, 2, [(2, (0, 1)), (0, (6, 7)), (0, (8, 5))]),
        (2, 1, [(2, (0,)), (0, (8,))]),
        (2, 4, [(0, (8, 5, 6, 7))]),
        (3, 3, []),
    ],
)
def test_a_root_has_as_many_slots_as_its_gpus_and_nics_suffice_for(
    gpus: int, nics: int, found: list[tuple[int, tuple[int, ...]]]
):
    """Slots stand in the order of their NICs."""
    assert layout.slots(MIXED, gpus, nics) == tuple(Slot(root, of) for root, of in found)


def test_nothing_is_known_of_a_machine_without_roots():
    bare = machine()

    assert (layout.slots(bare, 1, 1), layout.numa_nodes(bare), dict(layout.shapes(bare))) == ((), {}, {})
    assert len(layout.table(bare)) == 1 and "not published" in layout.table(bare)[0]


def test_a_numa_node_holds_the_devices_of_its_roots():
    """A node without GPUs does not count, and a root of unknown node is on none."""
    assert list(layout.numa_nodes(MIXED).items()) == [(0, ((0, 1, 4), (0, 1))), (1, ((2, 3, 6), (5, 6, 7, 8)))]
    assert layout.numa_nodes(machine(GPU_ALONE, NICS_ALONE)) == {}


def test_runs_are_disjoint_and_leave_the_rest_out():
    assert layout.runs(8, 3) == ((0, 1, 2), (3, 4, 5))
    assert layout.runs(3, 3) == ((0, 1, 2),)
    assert layout.runs(2, 3) == layout.runs(0, 1) == ()


def test_the_table_shows_each_root_with_its_devices():
    assert layout.summary(machine(LOW_NICS, NO_NODE, LOW_NICS)) == "2 roots of 3 GPUs + 2 NICs, 1 root of 1 GPU + 1 NIC"
    assert layout.table(MIXED) == [
        "root 0 (pci0000:10): GPUs 6 2, NICs 8 5 6 7, NUMA node 1",
        "root 1 (pci0000:40): GPU 3, no NIC, NUMA node 1",
        "root 2: GPUs 0 1 4, NICs 0 1, NUMA node 0",
        "root 3: GPU 5, NIC 2",
        "root 4: no GPU, NICs 3 4, NUMA node 2",
    ]


def test_neighbours_count_only_where_no_root_shows_them():
    """Azure's topology files name pairs; on a machine whose drivers publish shared roots the roots decide."""
    assert layout.neighbours(H100_V5) == tuple((pair, pair) for pair in range(8))
    assert layout.neighbours(replace(H100_V5, pcie_root_comparable=True)) == ()


@pytest.mark.parametrize(
    ("model", "served"), [("NVIDIA H200", True), ("Tesla T4", True), ("AMD Instinct MI300X", False), (None, False)]
)
def test_nvidias_driver_serves_nvidias_gpus(model: str | None, served: bool):
    """Some models of NVIDIA's name no vendor."""
    row = replace(MIXED, gpu=Gpu(model, 80, "any") if model else None)

    assert layout.has_nvidia_gpus(row) is served
