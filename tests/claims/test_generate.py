"""Claims ask for the right numbers, in the right groups, on every machine of the catalogue."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from rdma_cluster.catalog import Machine, machines
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.claims import (
    Gpus,
    Groups,
    Intent,
    Nics,
    Numa,
    Pairs,
    Target,
    Template,
    Unsatisfiable,
    Whole,
    driver_of,
    offers,
    templates,
)
from rdma_cluster.claims.allocator import Allocation, allocate
from rdma_cluster.claims.device import Device
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.claims.target import NUMA_NODE, PCIE_ROOT
from rdma_cluster.fabrics import NIC_DRIVERS
from rdma_cluster.fabrics.efa import AWS_DRANET
from tests.claims.nodes import A4, AZURE, H100_V5, NO_ROOTS, OF_GKE, P5
from tests.machines import known_machine


def only(row: Machine, intent: Intent, target: Target | None = None) -> Template:
    """Return the single claim of an intent."""
    (template,) = templates(row, intent, target or Target())
    return template


def counts(template: Template) -> list[tuple[str, int | None]]:
    """Return the name and the number of each request."""
    return [(each.name, each.count) for each in template.requests]


@pytest.mark.parametrize("k", [1, 2, 4, 8])
def test_every_root_has_its_own_constraint(k: int):
    """One request takes the NICs of a root and one its GPUs, and the constraint names both alone."""
    template = only(A4, Pairs(k))
    roots = max(1, k // 2)

    assert counts(template) == [(f"{kind}-{i}", min(k, 2)) for i in range(roots) for kind in ("nic", "gpu")]
    assert [(c.match_attribute, c.requests) for c in template.constraints] == [
        (PCIE_ROOT, (f"gpu-{i}", f"nic-{i}")) for i in range(roots)
    ]


def test_a_window_that_cuts_a_root_asks_for_its_part():
    assert counts(only(A4, Pairs(3))) == [("nic-0", 2), ("gpu-0", 2), ("nic-1", 1), ("gpu-1", 1)]


def test_pairs_stay_single_where_rails_have_no_names():
    """Two unnamed pairs may be on two roots, so that one request for both would be too narrow."""
    b200 = known_machine("p6-b200.48xlarge")

    assert counts(only(b200, Pairs(2), Target(AWS_DRANET))) == [
        (f"{kind}-{i}", 1) for i in "01" for kind in ("nic", "gpu")
    ]


def test_all_pairs_of_a_node_are_asked_for_by_root_though_nothing_names_a_rail():
    made = only(A4, Pairs(8), Target(OF_GKE))

    assert counts(made) == [(f"{kind}-{i}", 2) for i in range(4) for kind in ("nic", "gpu")]
    assert made.window == ""


@pytest.mark.parametrize("row", [row for row in machines() if row.gpus and row.nics], ids=lambda row: row.name)
def test_pairs_are_as_many_as_asked(row: Machine):
    """Each request has one selector at most, since the scheduler builds the device anew for each."""
    target = Target(driver_of(row))
    for k in (1, 2, row.gpus):
        try:
            made = templates(row, Pairs(k), target)
        except Unsatisfiable:
            continue
        for template in made:
            taken = {target.gpu_class: 0, target.nic_class: 0}
            for request in template.requests:
                taken[request.device_class] += request.count or 0
                assert len(request.selectors) <= 1
            assert set(taken.values()) == {k}, template


@pytest.mark.parametrize("name", ["a4-highgpu-8g", "a3-ultragpu-8g", "BM.GPU.H200.8", "BM.GPU.B200.8"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 8])
def test_windows_fill_a_node_and_strand_nothing(name: str, k: int):
    row = known_machine(name)
    target = Target(driver_of(row))
    devices = [device for each in resource_slices(row, target) for device in each.devices]
    taken: set[Device] = set()
    for window in offers(row, Pairs(k), target):
        given = allocate([only(row, window, target)], devices, target.classes, in_use=taken)
        assert isinstance(given, Allocation), given
        taken |= set(given.all())

    assert len(taken) == 2 * k * (row.gpus // k)


@pytest.mark.parametrize(
    ("row", "intent", "target", "windows"),
    [
        (A4, Groups(1, 2, 2), Target(), tuple(Groups(1, 2, 2, first) for first in (0, 1, 2, 3))),
        (A4, Groups(2, 1, 1), Target(), tuple(Groups(2, 1, 1, first) for first in (0, 2, 4, 6))),
        (A4, Pairs(3), Target(), (Pairs(3, 0), Pairs(3, 3))),
        (A4, Pairs(8), Target(OF_GKE), (Pairs(8),)),
        (P5, Groups(2, 1, 4), Target(AWS_DRANET), (Groups(2, 1, 4),)),
        (H100_V5, Pairs(2), Target(AZURE), tuple(Pairs(2, first) for first in (0, 2, 4, 6))),
        (A4, Numa(), Target(), (Numa(0), Numa(1))),
        (NO_ROOTS, Numa(), Target(), (Numa(),)),
        (A4, Whole(), Target(), (Whole(),)),
        (A4, Gpus(2), Target(), (Gpus(2),)),
    ],
)
def test_an_intent_has_a_window_for_each_run_of_rails(
    row: Machine, intent: Intent, target: Target, windows: tuple[Intent, ...]
):
    """NUMA nodes have one window each; where nothing names a rail the intent itself is the only window."""
    assert offers(row, intent, target) == windows


def test_a_name_tells_the_window():
    """A claim over all rails needs no rails in its name; a window is named by its first and last rail."""
    intents = (Pairs(8), Pairs(2, 4), Pairs(1, 7), Whole(), Nics(), Gpus(3), Numa(1))

    assert [only(A4, each).name.removeprefix("a4-highgpu-8g-") for each in intents] == [
        *("pairs-8", "pairs-2-rails-4-5", "pairs-1-rail-7", "whole", "nics", "gpus-3", "numa-1")
    ]


def test_32_devices_fit_into_one_claim_and_33_are_split_by_kind():
    for nics, claims in ((24, {"x-whole": 32}), (25, {"x-whole-gpus": 8, "x-whole-nics": 25})):
        made = templates(replace(P5, name="X", nics=nics), Whole(), Target(AWS_DRANET))
        assert {each.name: each.devices for each in made} == claims


def test_groups_are_split_by_the_largest():
    """Two groups of 20 devices would not fit into one claim, so the groups of 5 are split as they are."""
    small = [PcieRoot(None, 0, (gpu,), tuple(range(4 * gpu, 4 * gpu + 4))) for gpu in range(4, 8)]
    large = PcieRoot(None, 0, (0, 1, 2, 3), tuple(range(16)))
    made = templates(replace(P5, name="X", roots=(large, *small)), Groups(8, 1, 4), Target(AWS_DRANET))
    even = templates(P5, Groups(8, 1, 4), Target(AWS_DRANET))

    assert [(each.name, each.devices) for each in made] == [
        (f"x-groups-1x4-8-part-{part}", 5 if part else 20) for part in range(5)
    ]
    assert [len(each.constraints) for each in made] == [1] * 5
    assert [(each.name, each.devices) for each in even] == [(f"p5.48xlarge-groups-1x4-8-part-{i}", 20) for i in (0, 1)]


def test_a_numa_node_is_claimed_by_attribute_or_by_address():
    """Kubernetes 1.37 with newer drivers compares the standard attribute; before, the GPUs' addresses are listed."""
    both = Target(kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")
    new, old = only(H100_V5, Numa(1), both), only(H100_V5, Numa(1))

    assert [(each.match_attribute, each.requests) for each in new.constraints] == [(NUMA_NODE, ("gpu", "nic"))]
    assert not old.constraints and "0009:00:00.0" in old.requests[0].selectors[0]
    for lacking in ({"kubernetes": (1, 36)}, {"dranet": "1.4.0"}, {"nvidia": "0.4.1"}):
        assert not only(H100_V5, Numa(1), replace(both, **lacking)).constraints
    on_node = only(A4, Numa(1)).requests
    assert [each.count for each in on_node] == [4, 4] and "numaNode.orValue(-1) == 1" in on_node[1].selectors[0]


def test_a_claim_names_nics_by_address_where_other_interfaces_are_rdma_devices():
    (selector,) = only(H100_V5, Nics(), Target(AZURE)).requests[0].selectors
    pair = only(H100_V5, Pairs(1, 6), Target(AZURE)).requests

    assert all(f'"010{rail}:00:00.0"' in selector for rail in range(1, 9)) and ".?rdma" in selector
    assert [each.device_class for each in pair] == ["gpu.nvidia.com", "dranet"]
    assert '"000b:00:00.0"' in pair[0].selectors[0] and '"0107:00:00.0"' in pair[1].selectors[0]


def test_a_claim_reads_no_attribute_unguarded_and_counts_every_device():
    """An absent attribute would abort the pod, and All would hide a lost device; Kubernetes takes the names."""
    for row in machines():
        for intent in (Pairs(1), Groups(1, 1, 2), Numa(), Whole(), Nics()):
            for target in (Target(driver_of(row)), Target(), Target(NIC_DRIVERS["gke-managed"])):
                try:
                    made = templates(row, intent, target)
                except Unsatisfiable:
                    continue
                for template in made:
                    assert len(template.name) <= 63
                    assert template.name == template.name.lower() and "_" not in template.name
                    assert all(c.match_attribute in (PCIE_ROOT, NUMA_NODE) for c in template.constraints)
                    assert all(request.count is not None for request in template.requests)
                    for selector in (each for request in template.requests for each in request.selectors):
                        assert ".?" in selector and ".index" not in selector and ".minor" not in selector


@pytest.mark.parametrize(
    ("intent", "key"),
    [
        (lambda: Pairs(0), "pairs: got 0"),
        (lambda: Pairs(1, -1), "first_rail: got -1"),
        (lambda: Groups(0, 1, 1), "groups: got 0"),
        (lambda: Groups(1, 1, 0), "nics: got 0"),
        (lambda: Groups(1, 0, 1), "gpus: got 0"),
        (lambda: Groups(1, 1, 1, -1), "first_group: got -1"),
        (lambda: Gpus(0), "gpus: got 0"),
        (lambda: Numa(-1), "node: got -1"),
    ],
)
def test_an_intent_asks_for_something(intent: Callable[[], object], key: str):
    with pytest.raises(ValueError, match=key):
        intent()
