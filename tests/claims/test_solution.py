"""What is generated is satisfiable, and stays so until the node is full; what is refused says what works instead."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st
from rdma_cluster.catalog import Machine, find, machines
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
from rdma_cluster.claims.target import NUMA_NODE, PCIE_ROOT
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from rdma_cluster.fabrics.dranet import DRANET
from rdma_cluster.fabrics.efa import AWS_DRANET
from tests.examples import examples

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


def machine(name: str) -> Machine:
    """A row that must be there."""
    row = find(name)
    assert row is not None
    return row


def check(solution: Solution) -> None:
    """Nothing is given twice, every count is met, and every constraint holds over every copy."""
    for window in solution.windows:
        assert len({template.name for template in window.templates}) == len(window.templates)
    given: list[object] = []
    for window in solution.windows:
        for allocation in window.allocations:
            given += allocation.all()
            check_copy(solution, window.intent, allocation)
    assert len(given) == len(set(given))


def root_of(row: Machine, name: str) -> int | None:
    """Where the catalogue, not a claim's constraint, puts a device."""
    kind, _, index = name.partition("-")
    root = row.root_of_gpu(int(index)) if kind == "gpu" else row.root_of_nic(int(index))
    assert root is not None
    return root


def numa_of(row: Machine, name: str) -> int | None:
    """The NUMA node of that root."""
    assert row.roots
    return row.roots[root_of(row, name) or 0].numa


def check_copy(solution: Solution, intent: Intent, allocation: Allocation) -> None:
    """One pod's devices are what its claims ask."""
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
                # Where no root is shared, a pair is near by the provider's word: at the least, of one NUMA node.
                near = root_of if solution.machine.pcie_root_comparable else numa_of
                assert len({near(solution.machine, device.name) for device in group}) == 1
        if isinstance(intent, Numa):
            nodes = {numa_of(solution.machine, device.name) for device in allocation.all()}
            assert nodes == {nodes.copy().pop() if intent.node is None else intent.node}
        # Whoever is called rail is one: no eth0, no front-end NIC.
        for name, devices in by_request.items():
            prefixes = ("gpu-",) if name.startswith("gpu") else ("rail-", "nic-")
            assert all(device.name.startswith(prefixes) for device in devices), (template.name, name)


@settings(max_examples=examples(200, 2000))
@given(rows, intents, targets)
def test_proved_or_refused(row: Machine, intent: Intent, target: Target) -> None:
    """Every machine, intent and target: a proof whose allocations hold, or a reason and a remedy."""
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
def test_every_machine_with_its_own_driver(row: Machine) -> None:
    """The grid of usual intents; where `the whole node` is the remedy, the whole node is satisfiable."""
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
def test_pods_a_node(name: str, intent: Intent, pods: int) -> None:
    """Numbers that a person can check against the root table."""
    row = machine(name)
    assert solve(row, intent, Target(driver_of(row))).copies == pods


@pytest.mark.parametrize(
    ("name", "intent", "maximum", "words"),
    [
        ("a4-highgpu-8g", Pairs(9), 8, "ask for 8 or fewer"),
        ("p4d.24xlarge", Pairs(8), 4, "ask for 4 or fewer, or take groups of 2 GPUs + 1 NIC"),
        ("p5.48xlarge", Groups(1, 1, 5), 0, "take groups of 1 GPU + 4 NICs, or claim the whole node"),
        ("Standard_ND96isr_H100_v5", Pairs(9), 8, "ask for 8 or fewer"),
        ("Standard_ND128isr_NDR_GB200_v6", Pairs(1), 0, "claim the whole node"),
        ("BM.GPU.GB200-v3.4", Pairs(1), 0, "claim the whole node"),
        ("BM.GPU.B300.8", Pairs(1), None, "claim the whole node"),
        ("a3-megagpu-8g", Whole(), None, "annotations"),
        ("h4d-highmem-192-lssd", Whole(), None, "nics"),
        ("BM.GPU.MI300X.8", Whole(), None, "device-plugin"),
        ("Standard_HB176rs_v4", Nics(), None, "catalogue"),
    ],
)
def test_refusals(name: str, intent: Intent, maximum: int | None, words: str) -> None:
    """The known impossible cases: the most that fits, and the form that works instead."""
    row = machine(name)
    with pytest.raises(Unsatisfiable) as refused:
        solve(row, intent, Target(driver_of(row)))
    assert refused.value.maximum == maximum
    assert words in refused.value.remedy


def test_refusal_in_words() -> None:
    """The whole text for 8 pairs on p4d."""
    with pytest.raises(Unsatisfiable) as refused:
        solve(machine("p4d.24xlarge"), Pairs(8), Target(AWS_DRANET))
    assert refused.value.explain().splitlines() == [
        "p4d.24xlarge: 8 aligned GPU+NIC pairs: not satisfiable",
        "  because a node holds 4 of 1 GPU + 1 NIC on one root, asked for 8 (4 roots of 2 GPUs + 1 NIC)",
        "  at most 4 on one node",
        "  root 0 (pci0000:10): GPUs 0 1, NIC 0, NUMA node 0",
        "  root 1 (pci0000:20): GPUs 2 3, NIC 1, NUMA node 0",
        "  root 2 (pci0000:90): GPUs 4 5, NIC 2, NUMA node 1",
        "  root 3 (pci0000:a0): GPUs 6 7, NIC 3, NUMA node 1",
        "  instead: ask for 4 or fewer, or take groups of 2 GPUs + 1 NIC, or claim the whole node",
    ]


def test_a_pinned_claim_takes_its_rails_on_any_node() -> None:
    """Rails 2 and 3 and no others, whatever else is free."""
    solution = solve(machine("a4-highgpu-8g"), Pairs(2, 2), Target())
    assert len(solution.alone) == 1
    assert [device.name for device in solution.alone[0].all()] == ["rail-2", "rail-3", "gpu-2", "gpu-3"]


def test_p5_needs_two_claims() -> None:
    """8 GPUs + 32 EFA are 40 devices: groups are split evenly, the whole node by kind."""
    target = Target(AWS_DRANET)
    groups = templates(machine("p5.48xlarge"), Groups(8, 1, 4), target)
    assert [(template.name, template.devices) for template in groups] == [
        ("p5.48xlarge-groups-1x4-8-part-0", 20),
        ("p5.48xlarge-groups-1x4-8-part-1", 20),
    ]
    whole = templates(machine("p5.48xlarge"), Whole(), target)
    assert [(template.name, template.devices) for template in whole] == [
        ("p5.48xlarge-whole-gpus", 8),
        ("p5.48xlarge-whole-nics", 32),
    ]


def test_numa_by_version() -> None:
    """Kubernetes 1.37 with newer drivers compares the standard attribute; before, the GPUs' addresses are listed."""
    row = machine("Standard_ND96isr_H100_v5")
    (old,) = templates(row, Numa(1), Target())
    assert not old.constraints
    assert "0009:00:00.0" in old.requests[0].selectors[0]
    for half in (
        Target(kubernetes=(1, 37), nvidia="0.5.0"),
        Target(kubernetes=(1, 37), nvidia="0.4.1", dranet="1.5.0"),
    ):
        assert not templates(row, Numa(1), half)[0].constraints
    both = Target(kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")
    (new,) = templates(row, Numa(1), both)
    assert [constraint.match_attribute for constraint in new.constraints] == [NUMA_NODE]
    assert not templates(row, Numa(1), replace(both, kubernetes=(1, 36)))[0].constraints


def test_gke_managed_names_no_rail() -> None:
    """Its slices are not known to name a NIC: all pairs of a node are provable, a window of them is not."""
    target = Target(NIC_DRIVERS["gke-managed"])
    row = machine("a4-highgpu-8g")
    assert solve(row, Pairs(8), target).copies == 1
    with pytest.raises(Unsatisfiable, match="names a rail"):
        solve(row, Pairs(2), target)


def test_device_plugin() -> None:
    """NIC claims only: a constraint cannot reach the device plugin's GPUs."""
    target = Target(gpus=GpuAllocation.DEVICE_PLUGIN)
    row = machine("a4-highgpu-8g")
    for intent in (Whole(), Nics()):
        (template,) = templates(row, intent, target)
        assert [request.device_class for request in template.requests] == ["dranet"]
    for intent in (Pairs(1), Groups(1, 2, 2), Numa()):
        with pytest.raises(Unsatisfiable, match="device plugin"):
            solve(row, intent, target)


def test_never_generated() -> None:
    """No All, no index, no minor, no unguarded attribute, no unknown constraint, and names that Kubernetes takes."""
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
                    for request in template.requests:
                        assert request.count is not None
                        for selector in request.selectors:
                            assert ".?" in selector and ".index" not in selector and ".minor" not in selector


def test_proof_in_words() -> None:
    """Pods, devices, what is left over, and what the catalogue is not sure of."""
    solution = solve(machine("p5.48xlarge"), Groups(3, 1, 4), Target(AWS_DRANET))
    lines = solution.explain().splitlines()
    assert lines[0] == "p5.48xlarge: 3 groups of 1 GPU + 4 NICs on one PCIe root: 2 pods a node"
    assert lines[1] == "  p5.48xlarge-groups-1x4-3: fits 2 times"
    assert lines[2].startswith("    pod 0: nic-0 = rail-0, rail-1, rail-2, rail-3; gpu-0 = gpu-0; nic-1 = rail-4,")
    assert lines[4].startswith("  left over on a full node: gpu-6, gpu-7, rail-24,")
    assert len(lines) == 5
    inferred = solve(machine("p5e.48xlarge"), Groups(3, 1, 4), Target(AWS_DRANET)).explain().splitlines()
    assert inferred[5].startswith("  not certain: roots: ")


def test_gpus_of_a_device_plugin_stand_beside_the_proof() -> None:
    """Claims of NICs alone say who hands out the GPUs; those of both have nothing to say of it."""
    nics, both = (
        solve(machine("p5.48xlarge"), Nics(), Target(AWS_DRANET, gpus=gpus)).explain()
        for gpus in (GpuAllocation.DEVICE_PLUGIN, GpuAllocation.DRA)
    )
    assert "  GPUs: from the device plugin, outside of these claims" in nics.splitlines()
    assert "device plugin" not in both


def test_doubts_are_data_too() -> None:
    """What is not certain of a machine stands in the JSON as in the words."""
    solution = solve(machine("p5e.48xlarge"), Groups(3, 1, 4), Target(AWS_DRANET))
    doubts = solution.to_json()["doubts"]

    assert "roots" in doubts
    assert [f"  not certain: {name}: {why}" for name, why in doubts.items()] == solution.explain().splitlines()[5:]


def test_proof_as_data() -> None:
    """The JSON form names every window's templates and each pod's devices."""
    data = solve(machine("a4-highgpu-8g"), Pairs(4), Target()).to_json()
    assert data["podsPerNode"] == 2
    assert [window["templates"] for window in data["windows"]] == [
        ["a4-highgpu-8g-pairs-4-rails-0-3"],
        ["a4-highgpu-8g-pairs-4-rails-4-7"],
    ]
    assert data["windows"][1]["pods"] == [
        {
            "a4-highgpu-8g-pairs-4-rails-4-7": {
                f"{request}-{i}": [f"{kind}-{4 + 2 * i}", f"{kind}-{5 + 2 * i}"]
                for i in range(2)
                for request, kind in (("gpu", "gpu"), ("nic", "rail"))
            }
        }
    ]
    assert [manifest["metadata"]["name"] for manifest in data["templates"]] == [
        "a4-highgpu-8g-pairs-4-rails-0-3",
        "a4-highgpu-8g-pairs-4-rails-4-7",
    ]
