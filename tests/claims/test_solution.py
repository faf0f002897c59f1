"""A claim that is offered has a proof, and the proof holds until the node is full."""

import re

import pytest
from hypothesis import given, settings, strategies as st
from rdma_cluster.catalog import Machine, machines
from rdma_cluster.claims import (
    Groups,
    Intent,
    Nics,
    Numa,
    Pairs,
    Solution,
    Target,
    Unsatisfiable,
    Whole,
    driver_of,
    solve,
    templates,
)
from rdma_cluster.claims.allocator import Allocation
from rdma_cluster.claims.generate import MAX_PER_CLAIM
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from rdma_cluster.fabrics.dranet import DRANET
from tests.examples import examples
from tests.machines import known_machine

small = st.one_of(st.integers(1, 2), st.integers(1, 9))
rows = st.one_of(st.sampled_from([row for row in machines() if row.roots]), st.sampled_from(machines()))
intents = st.one_of(
    st.builds(Pairs, small, st.one_of(st.just(0), st.integers(0, 8))),
    st.builds(Groups, small, st.integers(1, 2), small, st.one_of(st.just(0), st.integers(0, 4))),
    st.builds(Numa, st.one_of(st.none(), st.integers(0, 7))),
    st.just(Whole()),
    st.just(Nics()),
)
targets = st.builds(
    Target,
    st.sampled_from([*NIC_DRIVERS.values(), *[DRANET] * 6]),
    st.sampled_from([GpuAllocation.DRA, GpuAllocation.DRA, GpuAllocation.DRA, GpuAllocation.DEVICE_PLUGIN]),
    st.sampled_from([(1, 33), (1, 34), (1, 35), (1, 37), (1, 37)]),
    st.sampled_from(["", "", "1.5.0"]),
    st.sampled_from(["25.3.2", "25.8.0", "25.12.0", "0.4.1", "0.4.1", "0.5.0", "0.5.0"]),
)


def check(solution: Solution):
    """Check that nothing is given twice, every count is met, and every constraint holds over every copy."""
    for window in solution.windows:
        assert len({template.name for template in window.templates}) == len(window.templates)
    given: list[object] = []
    for window in solution.windows:
        for allocation in window.allocations:
            given += allocation.all()
            check_copy(solution, window.intent, allocation)
    assert len(given) == len(set(given))


def root_of(row: Machine, name: str) -> int | None:
    """Return the root where the catalogue, not a claim's constraint, puts a device."""
    kind, _, index = name.partition("-")
    root = row.root_of_gpu(int(index)) if kind == "gpu" else row.root_of_nic(int(index))
    assert root is not None
    return root


def numa_of(row: Machine, name: str) -> int | None:
    """Return the NUMA node of that root."""
    assert row.roots
    return row.roots[root_of(row, name) or 0].numa


def check_copy(solution: Solution, intent: Intent, allocation: Allocation):
    """Check that one pod's devices are what its claims ask."""
    for template in templates(solution.machine, intent, solution.target):
        assert template.devices <= MAX_PER_CLAIM
        by_request = {request.name: allocation.devices[template.name, request.name] for request in template.requests}
        for request in template.requests:
            assert len(by_request[request.name]) == request.count
        for constraint in template.constraints:
            held = [device for name in constraint.requests for device in by_request[name]]
            assert len({device.attributes[constraint.match_attribute] for device in held}) == 1
        if isinstance(intent, Pairs | Groups):
            for index in {name.partition("-")[2] for name in by_request}:
                group = by_request[f"gpu-{index}"] + by_request[f"nic-{index}"]
                # Where no root is shared, a pair that the provider calls near is of one NUMA node at least.
                near = root_of if solution.machine.pcie_root_comparable else numa_of
                assert len({near(solution.machine, device.name) for device in group}) == 1
        if isinstance(intent, Numa):
            nodes = {numa_of(solution.machine, device.name) for device in allocation.all()}
            assert nodes == {nodes.copy().pop() if intent.node is None else intent.node}
        # No interface of the node's own stands for a rail.
        for name, devices in by_request.items():
            prefixes = ("gpu-",) if name.startswith("gpu") else ("rail-", "nic-")
            assert all(device.name.startswith(prefixes) for device in devices), (template.name, name)


@settings(max_examples=examples(200, 2000))
@given(rows, intents, targets)
def test_an_intent_is_proved_or_refused(row: Machine, intent: Intent, target: Target):
    """A refusal has a reason and a remedy, whatever the machine, the intent and the target."""
    try:
        solution = solve(row, intent, target)
    except Unsatisfiable as refusal:
        assert refusal.reason and refusal.remedy
        assert row.name in refusal.explain() and refusal.remedy in refusal.explain()
        return
    assert solution.alone
    assert solution.copies >= 1
    check(solution)


@pytest.mark.parametrize("row", machines(), ids=lambda row: row.name)
def test_a_remedy_works_on_every_machine(row: Machine):
    """What a refusal offers instead is satisfiable itself."""
    for target in (Target(driver_of(row)), Target(DRANET, GpuAllocation.DRA, (1, 37), "1.5.0", "0.5.0")):
        for intent in (Pairs(1), Pairs(8), Groups(1, 1, 4), Groups(2, 2, 1), Numa(), Whole(), Nics()):
            try:
                check(solve(row, intent, target))
            except Unsatisfiable as refusal:
                if shape := re.search(r"take groups of (\d+) GPUs? \+ (\d+) NICs?", refusal.remedy):
                    other = Groups(1, int(shape[1]), int(shape[2]))
                    assert other != intent and solve(row, other, target).copies >= 1
                if "claim the whole node" in refusal.remedy:
                    assert solve(row, Whole(), target).copies == 1
                if "(numa" in refusal.remedy:
                    nodes = refusal.remedy.rpartition("(numa ")[2].split(" or ")
                    assert solve(row, Numa(), target).copies == len(nodes)


@pytest.mark.parametrize(
    ("name", "intent", "pods"),
    [
        ("a3-ultragpu-8g", Pairs(1), 8),
        ("a4-highgpu-8g", Pairs(2), 4),
        ("a4-highgpu-8g", Pairs(3), 2),
        ("a4-highgpu-8g", Groups(1, 2, 2), 4),
        ("p4d.24xlarge", Pairs(4), 1),
        ("p4d.24xlarge", Groups(1, 2, 1), 4),
        ("p5.48xlarge", Groups(1, 1, 4), 8),
        ("p5.48xlarge", Groups(8, 1, 4), 1),
        ("p5.48xlarge", Whole(), 1),
        ("Standard_ND96isr_H100_v5", Numa(), 2),
        ("Standard_ND96isr_H100_v5", Pairs(1), 8),
        ("Standard_ND96asr_v4", Pairs(2), 4),
        ("Standard_ND128isr_GB300_v6", Pairs(2), 2),
        ("BM.GPU.H100.8", Groups(1, 1, 2), 8),
    ],
)
def test_a_node_holds_as_many_pods_as_its_roots_allow(name: str, intent: Intent, pods: int):
    """A person can check these numbers against the root table."""
    row = known_machine(name)
    assert solve(row, intent, Target(driver_of(row))).copies == pods


def test_a_pinned_claim_takes_its_rails_on_any_node():
    solution = solve(known_machine("a4-highgpu-8g"), Pairs(2, 2), Target())
    assert len(solution.alone) == 1
    assert [device.name for device in solution.alone[0].all()] == ["rail-2", "rail-3", "gpu-2", "gpu-3"]
