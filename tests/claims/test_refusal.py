"""What no node satisfies is refused with a reason, the most that fits and a remedy; its nearest neighbour is proved."""

from dataclasses import replace

import pytest
from rdma_cluster.catalog import Machine
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.claims import (
    Gpus,
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
from rdma_cluster.claims.solution import rests_on
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.fabrics.efa import AWS_DRANET
from tests.claims.nodes import A4, AZURE, H100_V5, NO_ROOTS, OF_GKE, P4D, P5
from tests.machines import known_machine

PLUGIN, MANAGED, IB = Target(gpus=GpuAllocation.DEVICE_PLUGIN), Target(OF_GKE), Target(AZURE)
AWS, NEWEST = Target(AWS_DRANET), Target(AWS_DRANET, kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")
WHOLE = "claim the whole node"
MI300X, CPUS, P5E = map(known_machine, ("BM.GPU.MI300X.8", "h4d-highmem-192-lssd", "p5e.48xlarge"))
GB200, HB = known_machine("Standard_ND128isr_NDR_GB200_v6"), known_machine("Standard_HB176rs_v4")
A3_MEGA, A3_ULTRA = known_machine("a3-megagpu-8g"), known_machine("a3-ultragpu-8g")

Asked = tuple[Machine, Intent] | tuple[Machine, Intent, Target]
CASES: list[tuple[Asked, str, int | None, str, Asked]] = [
    ((A4, Pairs(1), Target(kubernetes=(1, 33))), "1.34", None, "version", (A4, Pairs(1), Target(kubernetes=(1, 34)))),
    ((P5, Pairs(8), MANAGED), "exists on gke only", None, "dranet", (A4, Pairs(8), MANAGED)),
    ((A4, Pairs(1), IB), "InfiniBand", None, "use dranet", (H100_V5, Pairs(1), IB)),
    ((A3_MEGA, Whole()), "TCPXO", None, "by annotations", (A3_ULTRA, Whole())),
    ((HB, Nics()), "front-end NICs", None, "addresses to the catalogue", (H100_V5, Nics())),
    ((CPUS, Whole()), "no GPU", None, "(nics)", (CPUS, Nics())),
    ((A4, Pairs(1), PLUGIN), "device plugin", None, "by dra, or claim the NICs", (A4, Whole(), PLUGIN)),
    ((A4, Groups(1, 2, 2), PLUGIN), "device plugin", None, "by dra", (A4, Nics(), PLUGIN)),
    ((MI300X, Whole()), "AMD Instinct MI300X", None, "by device-plugin", (MI300X, Whole(), PLUGIN)),
    ((A4, Gpus(9)), "8 GPUs, asked for 9", 8, "ask for 8 or fewer", (A4, Gpus(8))),
    # Pairs that the provider calls near, on roots that no driver shows.
    ((H100_V5, Pairs(9), IB), "near, asked for 9", 8, f"ask for 8 or fewer, or {WHOLE}", (H100_V5, Pairs(8), IB)),
    ((H100_V5, Pairs(2, 7), IB), "asked for 2 from number 7", 8, WHOLE, (H100_V5, Pairs(2, 6), IB)),
    ((H100_V5, Groups(1, 1, 1), IB), "the same pcieRoot", 0, "(numa 0 or 1)", (H100_V5, Numa(1), IB)),
    ((GB200, Pairs(1), IB), "never show", 0, WHOLE, (GB200, Whole(), IB)),
    ((NO_ROOTS, Pairs(1)), "not published", None, WHOLE, (NO_ROOTS, Whole())),
    ((A4, Pairs(1), Target(nvidia="25.3.2")), "25.3.2", 0, "25.8.0 or later", (A4, Pairs(1), Target(nvidia="25.8.0"))),
    ((A4, Pairs(1), Target(dranet="0.5.0")), "DraNet 0.5.0", 0, "0.5.1", (A4, Pairs(1), Target(dranet="0.5.1"))),
    ((A4, Pairs(9)), "asked for 9 (4 roots of", 8, "8 or fewer, or take groups of 2 GPUs + 2 NICs", (A4, Pairs(8))),
    ((A4, Pairs(2, 7)), "asked for 2 from number 7", 8, "8 or fewer", (A4, Pairs(2, 6))),
    ((A4, Groups(5, 2, 2)), "4 of 2 GPUs + 2 NICs", 4, f"4 or fewer, or {WHOLE}", (A4, Groups(4, 2, 2))),
    ((P5, Groups(1, 1, 5), AWS), "0 of 1 GPU + 5 NICs", 0, "groups of 1 GPU + 4 NICs", (P5, Groups(1, 1, 4), AWS)),
    ((A4, Pairs(2), MANAGED), "names a rail", 8, "ask for all 8", (A4, Pairs(8), MANAGED)),
    ((A4, Numa(2)), "0 or 1", None, f"ask for 0 or 1, or {WHOLE}", (A4, Numa(1))),
    ((NO_ROOTS, Numa()), "none", None, WHOLE, (A4, Numa())),
    ((A4, Numa(), MANAGED), "gke-managed", None, "use dranet", (A4, Numa())),
    ((A4, Numa(), Target(nvidia="25.12.0")), "driver 0.4.0 on", None, "raise", (A4, Numa(), Target(nvidia="0.4.0"))),
    ((P5E, Numa(), AWS), "are not known", None, "raise", (P5E, Numa(), NEWEST)),
    ((replace(A4, nics_publish_root=False), Pairs(8)), "request nic-0", 0, WHOLE, (A4, Pairs(8))),
]
"""What is asked, words of the reason, the most that fits, words of the remedy, and the nearest that is proved."""


def answer(row: Machine, intent: Intent, target: Target | None = None) -> Solution:
    """Solve under the usual drivers unless a target is given."""
    return solve(row, intent, target or Target())


@pytest.mark.parametrize(
    ("asked", "reason", "maximum", "remedy", "allowed"),
    CASES,
    ids=[f"{each[0][0].name}: {each[0][1]}" for each in CASES],
)
def test_what_does_not_fit_is_refused_and_its_neighbour_proved(
    asked: Asked, reason: str, maximum: int | None, remedy: str, allowed: Asked
):
    with pytest.raises(Unsatisfiable) as refused:
        answer(*asked)

    told = refused.value
    assert reason in told.reason and told.maximum == maximum and remedy in told.remedy, told
    assert (told.machine, told.intent) == asked[:2]
    assert str(told) == f"{asked[0].name}: {asked[1]}: {told.reason}; {told.remedy}"
    assert answer(*allowed).copies >= 1


def test_a_group_without_gpus_or_nics_is_no_remedy():
    """The first root that holds both, and is not of the refused shape, is offered."""
    shapes = [((0,), ()), ((), (0,)), ((1,), (1,)), ((2, 3), (2, 3))]
    roots = tuple(PcieRoot(None, 0, gpus, nics) for gpus, nics in shapes)
    with pytest.raises(Unsatisfiable) as refused:
        templates(replace(A4, roots=roots), Pairs(9), Target())

    assert refused.value.remedy == "ask for 3 or fewer, or take groups of 2 GPUs + 2 NICs, or claim the whole node"


@pytest.mark.parametrize(("row", "intent", "most"), [(P4D, Pairs(8), 4), (NO_ROOTS, Pairs(1), None)])
def test_a_refusal_shows_the_roots(row: Machine, intent: Intent, most: int | None):
    """Where no number fits, none is told."""
    with pytest.raises(Unsatisfiable) as refused:
        solve(row, intent, Target())
    first, because, *rest, instead = refused.value.explain().splitlines()

    assert first.startswith(f"{row.name}: {intent}: ") and refused.value.reason in because
    assert instead == f"  instead: {refused.value.remedy}"
    assert any(f"at most {most}" in each for each in rest) == (most is not None)
    assert any("GPUs 4 5, NIC 2" in each for each in rest) == (row is P4D)


@pytest.mark.parametrize(
    ("row", "intent", "fields"),
    [
        (A4, Pairs(1), {"roots", "nic_names"}),
        (A4, Numa(), {"roots", "roots.numa", "gpu_pci", "nic_names"}),
        (A4, Whole(), set()),
        (A4, Gpus(2), set()),
        (P5, Pairs(1), {"roots"}),
        (H100_V5, Pairs(1), {"roots", "gpu_pci", "nic_pci"}),
    ],
)
def test_a_proof_rests_on_the_facts_that_it_uses(row: Machine, intent: Intent, fields: set[str]):
    """A claim of all devices rests on nothing but their number."""
    assert rests_on(row, intent, Target(driver_of(row))) == fields
