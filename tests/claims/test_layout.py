"""Where aligned sets sit, on imaginary machines whose roots are in no order, of several sizes, or known in part."""

from dataclasses import replace

import pytest
from rdma_cluster.catalog import Machine, find
from rdma_cluster.catalog.machine import Gpu, PcieRoot
from rdma_cluster.claims import layout
from rdma_cluster.claims.layout import Slot

HIGH_NICS = PcieRoot("pci0000:10", 1, (6, 2), (8, 5, 6, 7))
LOW_NICS = PcieRoot(None, 0, (0, 1, 4), (0, 1))
NO_NODE = PcieRoot(None, None, (5,), (2,))
GPU_ALONE = PcieRoot("pci0000:40", 1, (3,), ())
NICS_ALONE = PcieRoot(None, 2, (), (3, 4))


def machine(*roots: PcieRoot) -> Machine:
    """A machine with these roots, or with none known."""
    row = find("a4-highgpu-8g")
    assert row is not None
    return replace(row, roots=roots or None)


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
def test_slots(gpus: int, nics: int, found: list[tuple[int, tuple[int, ...]]]) -> None:
    """Each root has as many as both its GPUs and its NICs suffice for, one after the other; slots are in NIC order."""
    assert layout.slots(MIXED, gpus, nics) == tuple(Slot(root, of) for root, of in found)


def test_nothing_is_known_without_roots() -> None:
    """A machine whose roots nobody published has no slots, nodes and shapes."""
    bare = machine()

    assert (layout.slots(bare, 1, 1), layout.numa_nodes(bare), dict(layout.shapes(bare))) == ((), {}, {})
    assert layout.table(bare) == ["its PCIe roots are not published"]


def test_numa_nodes() -> None:
    """Nodes rise, and so do their devices; a node without GPUs is none, and a root of unknown node is on none."""
    assert list(layout.numa_nodes(MIXED).items()) == [(0, ((0, 1, 4), (0, 1))), (1, ((2, 3, 6), (5, 6, 7, 8)))]
    assert layout.numa_nodes(machine(GPU_ALONE, NICS_ALONE)) == {}


def test_runs() -> None:
    """They are disjoint, begin at 0, and what is left over is in none of them."""
    assert layout.runs(8, 3) == ((0, 1, 2), (3, 4, 5))
    assert layout.runs(3, 3) == ((0, 1, 2),)
    assert layout.runs(2, 3) == layout.runs(0, 1) == ()


def test_words() -> None:
    """One is said otherwise than none and several."""
    assert [layout.devices(*each) for each in ((1, 1), (0, 2), (2, 0))] == [
        "1 GPU + 1 NIC", "0 GPUs + 2 NICs", "2 GPUs + 0 NICs",
    ]  # fmt: skip
    assert layout.summary(machine(LOW_NICS, NO_NODE, LOW_NICS)) == "2 roots of 3 GPUs + 2 NICs, 1 root of 1 GPU + 1 NIC"
    assert layout.table(MIXED) == [
        "root 0 (pci0000:10): GPUs 6 2, NICs 8 5 6 7, NUMA node 1",
        "root 1 (pci0000:40): GPU 3, no NIC, NUMA node 1",
        "root 2: GPUs 0 1 4, NICs 0 1, NUMA node 0",
        "root 3: GPU 5, NIC 2",
        "root 4: no GPU, NICs 3 4, NUMA node 2",
    ]


def test_neighbours_are_asked_for_only_where_no_root_shows_them() -> None:
    """Azure's topology files name pairs; on a machine whose drivers publish shared roots the roots decide."""
    azure = find("Standard_ND96isr_H100_v5")
    assert azure is not None

    assert layout.neighbours(azure) == tuple((pair, pair) for pair in range(8))
    assert layout.neighbours(replace(azure, pcie_root_comparable=True)) == ()


@pytest.mark.parametrize(
    ("model", "served"), [("NVIDIA H200", True), ("Tesla T4", True), ("AMD Instinct MI300X", False), (None, False)]
)
def test_whose_gpus_the_driver_serves(model: str | None, served: bool) -> None:
    """NVIDIA's driver serves NVIDIA's GPUs, also those that name no vendor."""
    row = replace(MIXED, gpu=Gpu(model, 80, "any") if model else None)
    assert layout.has_nvidia_gpus(row) is served
