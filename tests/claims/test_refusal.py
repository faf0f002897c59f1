"""What no node satisfies: the whole reason, the most that fits, what works instead, and the nearest that is proved."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog import Machine, find
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.claims import Gpus, Groups, Intent, Nics, Numa, Pairs, Target, Unsatisfiable, Whole, solve, templates
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from rdma_cluster.fabrics.efa import AWS_DRANET

AZURE, OF_GKE = NIC_DRIVERS["dranet-infiniband"], NIC_DRIVERS["gke-managed"]
NEWEST: dict[str, Any] = {"kubernetes": (1, 37), "dranet": "1.5.0", "nvidia": "0.5.0"}
PLUGIN = GpuAllocation.DEVICE_PLUGIN
WHOLE = "claim the whole node"
ROOTS = "4 roots of 2 GPUs + 2 NICs"
FEWER = "ask for 8 or fewer, or take groups of 2 GPUs + 2 NICs, or claim the whole node"
NO_NODE = (
    "no attribute shows the NUMA node of its GPUs: the standard numaNode needs Kubernetes 1.37, NVIDIA's driver 0.5.0 "
    "and a DraNet later than 1.4.0, and the GPUs' PCI addresses are "
)


def machine(name: str) -> Machine:
    """A row that must be there."""
    row = find(name)
    assert row is not None
    return row


A4, P5, H100_V5 = machine("a4-highgpu-8g"), machine("p5.48xlarge"), machine("Standard_ND96isr_H100_v5")
MI300X, CPUS = machine("BM.GPU.MI300X.8"), machine("h4d-highmem-192-lssd")

CASES: list[tuple[tuple[Machine, Intent, Target], str, int | None, str, tuple[Machine, Intent, Target] | None]] = [
    (
        (A4, Pairs(1), Target(kubernetes=(1, 33))),
        "resource.k8s.io/v1 is served from Kubernetes 1.34 on, got 1.33", None, "raise the version",
        (A4, Pairs(1), Target(kubernetes=(1, 34))),
    ),
    (
        (P5, Pairs(8), Target(OF_GKE)),
        "the NIC driver gke-managed exists on gke only, got a machine of eks", None, "use dranet",
        (A4, Pairs(8), Target(OF_GKE)),
    ),
    (
        (A4, Pairs(1), Target(AZURE)), "dranet-infiniband publishes InfiniBand devices only", None, "use dranet",
        (H100_V5, Pairs(1), Target(AZURE)),
    ),
    (
        (machine("a3-megagpu-8g"), Whole(), Target()),
        "its NICs are gVNICs that GPUDirect-TCPXO drives through Network annotations, not RDMA devices", None,
        "give pods all GPUs of a node by the device plugin and its NICs by annotations",
        (machine("a3-ultragpu-8g"), Whole(), Target()),
    ),
    (
        (machine("Standard_HB176rs_v4"), Nics(), Target()),
        "neither name nor address of its rails is known, and its front-end NICs are RDMA devices too", None,
        "add the rails' addresses to the catalogue",
        (H100_V5, Nics(), Target()),
    ),
    (
        (CPUS, Whole(), Target()), "the machine has no GPU", None, "claim its NICs alone (nics)",
        (CPUS, Nics(), Target()),
    ),
    (
        (A4, Pairs(1), Target(gpus=PLUGIN)),
        "the device plugin hands out the GPUs, and no constraint reaches from a NIC claim to them", None,
        "hand out the GPUs by dra, or claim the NICs of a whole node (nics)",
        (A4, Whole(), Target(gpus=PLUGIN)),
    ),
    (
        (MI300X, Whole(), Target()),
        "the driver gpu.nvidia.com does not serve AMD Instinct MI300X", None,
        "hand out the GPUs by device-plugin and claim the NICs of a whole node (nics)",
        (MI300X, Whole(), Target(gpus=PLUGIN)),
    ),
    (
        (A4, Gpus(9), Target()), "a node holds 8 GPUs, asked for 9", 8, "ask for 8 or fewer",
        (A4, Gpus(8), Target()),
    ),
    (
        (H100_V5, Pairs(9), Target(AZURE)),
        "a node holds 8 pairs that its provider calls near, asked for 9", 8, f"ask for 8 or fewer, or {WHOLE}",
        (H100_V5, Pairs(8), Target(AZURE)),
    ),
    (
        (H100_V5, Pairs(2, 7), Target(AZURE)),
        "a node holds 8 pairs that its provider calls near, asked for 2 from number 7 on", 8,
        f"ask for 8 or fewer, or {WHOLE}",
        (H100_V5, Pairs(2, 6), Target(AZURE)),
    ),
    (
        (H100_V5, Groups(1, 1, 1), Target(AZURE)),
        "GPUs and NICs never show the same pcieRoot on this machine", 0,
        f"{WHOLE}, or the GPUs and NICs of one NUMA node (numa 0 or 1)",
        (H100_V5, Numa(1), Target(AZURE)),
    ),
    (
        (machine("Standard_ND128isr_NDR_GB200_v6"), Pairs(1), Target(AZURE)),
        "GPUs and NICs never show the same pcieRoot on this machine", 0, WHOLE, None,
    ),
    (
        (machine("BM.GPU.B300.8"), Pairs(1), Target()),
        "its PCIe roots are not published, so that nothing can be proved of them", None, WHOLE,
        (machine("BM.GPU.B300.8"), Whole(), Target()),
    ),
    (
        (A4, Pairs(1), Target(nvidia="25.3.2")),
        "NVIDIA's driver 25.3.2 and DraNet 1.4.0 publish no common pcieRoot", 0,
        "use NVIDIA's driver 25.8.0 or later with DraNet 1.0.1 or later",
        (A4, Pairs(1), Target(nvidia="25.8.0", dranet="1.0.1")),
    ),
    (
        (A4, Pairs(9), Target()),
        f"a node holds 8 of 1 GPU + 1 NIC on one root, asked for 9 ({ROOTS})", 8, FEWER, (A4, Pairs(8), Target()),
    ),
    (
        (A4, Pairs(2, 7), Target()),
        f"a node holds 8 of 1 GPU + 1 NIC on one root, asked for 2 from number 7 on ({ROOTS})", 8, FEWER,
        (A4, Pairs(2, 6), Target()),
    ),
    (
        (A4, Groups(5, 2, 2), Target()),
        f"a node holds 4 of 2 GPUs + 2 NICs on one root, asked for 5 ({ROOTS})", 4, f"ask for 4 or fewer, or {WHOLE}",
        (A4, Groups(4, 2, 2), Target()),
    ),
    (
        (P5, Groups(1, 1, 5), Target(AWS_DRANET)),
        "a node holds 0 of 1 GPU + 5 NICs on one root, asked for 1 (8 roots of 1 GPU + 4 NICs)", 0,
        f"take groups of 1 GPU + 4 NICs, or {WHOLE}",
        (P5, Groups(1, 1, 4), Target(AWS_DRANET)),
    ),
    (
        (A4, Pairs(2), Target(OF_GKE)),
        "gke-managed publishes nothing that names a rail, so pods could hold different rails on different nodes", 8,
        f"ask for all 8, {WHOLE}, or use dranet",
        (A4, Pairs(8), Target(OF_GKE)),
    ),
    (
        (A4, Numa(2), Target()),
        "NUMA nodes known to hold both GPUs and NICs: 0 or 1", None, f"ask for 0 or 1, or {WHOLE}",
        (A4, Numa(1), Target()),
    ),
    (
        (machine("BM.GPU.B300.8"), Numa(), Target()),
        "NUMA nodes known to hold both GPUs and NICs: none", None, WHOLE, (A4, Numa(), Target()),
    ),
    (
        (A4, Numa(), Target(OF_GKE)),
        "gke-managed is not known to publish a NUMA node", None, f"{WHOLE}, or use dranet", (A4, Numa(), Target()),
    ),
    (
        (A4, Numa(), Target(nvidia="25.12.0")),
        f"{NO_NODE}published from NVIDIA's driver 0.4.0 on", None, f"raise the versions, or {WHOLE}",
        (A4, Numa(), Target(nvidia="0.4.0")),
    ),
    (
        (machine("p5e.48xlarge"), Numa(), Target(AWS_DRANET)),
        f"{NO_NODE}not known", None, f"raise the versions, or {WHOLE}",
        (machine("p5e.48xlarge"), Numa(), Target(AWS_DRANET, **NEWEST)),
    ),
    (
        (replace(A4, nics_publish_root=False), Pairs(8), Target()),
        "a4-highgpu-8g-pairs-8, request nic-0: no free device meets the constraints, whatever is taken before it", 0,
        WHOLE, (A4, Pairs(8), Target()),
    ),
]  # fmt: skip
"""What is refused, its reason, the most that fits, what works instead, and the nearest that is proved."""


@pytest.mark.parametrize(
    ("asked", "reason", "maximum", "remedy", "allowed"), CASES, ids=[reason for _, reason, *_ in CASES]
)
def test_refused(
    asked: tuple[Machine, Intent, Target],
    reason: str,
    maximum: int | None,
    remedy: str,
    allowed: tuple[Machine, Intent, Target] | None,
) -> None:
    """The refusal says this and no more; its nearest neighbour has a proof."""
    with pytest.raises(Unsatisfiable) as refused:
        solve(*asked)

    told = refused.value
    assert (told.reason, told.maximum, told.remedy) == (reason, maximum, remedy)
    assert (told.machine, told.intent) == asked[:2]
    assert str(told) == f"{asked[0].name}: {asked[1]}: {reason}; {remedy}"
    assert allowed is None or solve(*allowed).copies >= 1


def test_a_group_without_gpus_or_nics_is_no_remedy() -> None:
    """Of roots of several shapes, the first that holds both and is not the refused one is offered."""
    roots = (
        PcieRoot(None, 0, (0,), ()), PcieRoot(None, 0, (), (0,)), PcieRoot(None, 0, (1,), (1,)),
        PcieRoot(None, 0, (2, 3), (2, 3)),
    )  # fmt: skip
    with pytest.raises(Unsatisfiable) as refused:
        templates(replace(A4, roots=roots), Pairs(9), Target())

    assert refused.value.remedy == "ask for 3 or fewer, or take groups of 2 GPUs + 2 NICs, or claim the whole node"


def test_a_refusal_on_paper() -> None:
    """Where no number fits none is told, and roots that nobody published are said to be unknown."""
    with pytest.raises(Unsatisfiable) as refused:
        solve(machine("BM.GPU.B300.8"), Pairs(1), Target())

    assert refused.value.explain().splitlines() == [
        "BM.GPU.B300.8: 1 aligned GPU+NIC pair: not satisfiable",
        "  because its PCIe roots are not published, so that nothing can be proved of them",
        "  its PCIe roots are not published",
        "  instead: claim the whole node",
    ]
