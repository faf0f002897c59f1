"""Requests, selectors and windows of each kind of intent, whole: on machines of the catalogue and on imaginary ones."""

from dataclasses import replace

import pytest
from rdma_cluster.catalog import Machine, find
from rdma_cluster.catalog.machine import NicKind, PcieRoot
from rdma_cluster.claims import (
    Constraint,
    Gpus,
    Groups,
    Intent,
    Nics,
    Numa,
    Pairs,
    Request,
    Target,
    Template,
    Whole,
    offers,
    templates,
)
from rdma_cluster.claims.target import NUMA_NODE, PCIE_ROOT, all_of, any_of, drivers_of, naming, pin
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from rdma_cluster.fabrics.efa import AWS_DRANET

AZURE, OF_GKE = NIC_DRIVERS["dranet-infiniband"], NIC_DRIVERS["gke-managed"]
NVIDIA, EFA = "gpu.nvidia.com", "efa.networking.k8s.aws"
RDMA = 'device.attributes["dra.net"].?rdma.orValue(false)'
BUS_ID = 'device.attributes["resource.kubernetes.io"].?pciBusID.orValue("")'
ADDRESS = 'device.attributes["dra.net"].?pciAddress.orValue("")'
NEWEST = Target(kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")


def machine(name: str) -> Machine:
    """A row that must be there."""
    row = find(name)
    assert row is not None
    return row


A4, P5, H100_V5 = machine("a4-highgpu-8g"), machine("p5.48xlarge"), machine("Standard_ND96isr_H100_v5")


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
        (machine("BM.GPU.B300.8"), Numa(), Target(), (Numa(),)),
        (A4, Whole(), Target(), (Whole(),)),
        (A4, Gpus(2), Target(), (Gpus(2),)),
    ],
)
def test_windows_of_an_intent(row: Machine, intent: Intent, target: Target, windows: tuple[Intent, ...]) -> None:
    """One a run of named rails or groups, one a NUMA node; the intent itself where nothing names a rail."""
    assert offers(row, intent, target) == windows


def numa(on: int, gpus: tuple[str, ...], constraints: tuple[Constraint, ...] = ()) -> Template:
    """The claim of one NUMA node of A4."""
    on_node = f'{RDMA} && device.attributes["dra.net"].?numaNode.orValue(-1) == {on}'
    requests = (Request("gpu", NVIDIA, 4, gpus), Request("nic", "dranet", 4, (on_node,)))
    return Template(f"a4-highgpu-8g-numa-{on}", requests, constraints, f"numa-{on}")


ADDRESSES = f'{BUS_ID} in ["0000:c4:00.0", "0000:c5:00.0", "0000:cb:00.0", "0000:cc:00.0"]'
RAILS = ", ".join(f'"010{rail}:00:00.0"' for rail in range(1, 9))
WHOLE = {
    "the GPUs of a NUMA node by address": (A4, Numa(1), Target(), (numa(1, (ADDRESSES,)),)),
    "by the standard attribute": (
        A4, Numa(), NEWEST, (numa(0, (), (Constraint(NUMA_NODE, ("gpu", "nic")),)),),
    ),
    "a whole node": (
        A4, Whole(), Target(),
        (Template("a4-highgpu-8g-whole", (Request("gpu", NVIDIA, 8), Request("nic", "dranet", 8, (RDMA,)))),),
    ),
    "its NICs where a device plugin has the GPUs": (
        A4, Whole(), Target(gpus=GpuAllocation.DEVICE_PLUGIN),
        (Template("a4-highgpu-8g-whole", (Request("nic", "dranet", 8, (RDMA,)),)),),
    ),
    "its NICs by address where others are RDMA devices too": (
        H100_V5, Nics(), Target(AZURE),
        (Template("standard-nd96isr-h100-v5-nics", (
            Request("nic", "dranet", 8, (f"{ADDRESS} in [{RAILS}] && {RDMA}",)),
        )),),
    ),
    "more devices than a claim holds": (
        P5, Whole(), Target(AWS_DRANET),
        (
            Template("p5.48xlarge-whole-gpus", (Request("gpu", NVIDIA, 8),)),
            Template("p5.48xlarge-whole-nics", (Request("nic", EFA, 32),)),
        ),
    ),
    "GPUs alone": (A4, Gpus(3), Target(), (Template("a4-highgpu-8g-gpus-3", (Request("gpu", NVIDIA, 3),)),)),
    "pairs by address": (
        H100_V5, Pairs(2, 6), Target(AZURE),
        (Template("standard-nd96isr-h100-v5-pairs-2-rails-6-7", tuple(
            request for index, (gpu, nic) in enumerate((("000b", "0107"), ("000c", "0108"))) for request in (
                Request(f"gpu-{index}", NVIDIA, 1, (f'{BUS_ID} == "{gpu}:00:00.0"',)),
                Request(f"nic-{index}", "dranet", 1, (f'{ADDRESS} == "{nic}:00:00.0" && {RDMA}',)),
            )
        ), (), "rails-6-7"),),
    ),
    "a group behind each root": (
        P5, Groups(2, 1, 4), Target(AWS_DRANET),
        (Template("p5.48xlarge-groups-1x4-2", tuple(
            request for index in (0, 1) for request in (
                Request(f"nic-{index}", EFA, 4), Request(f"gpu-{index}", NVIDIA, 1),
            )
        ), tuple(Constraint(PCIE_ROOT, (f"gpu-{index}", f"nic-{index}")) for index in (0, 1))),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_claims(name: str) -> None:
    """Names, counts, selectors, constraints and windows."""
    row, intent, target, claims = WHOLE[name]
    assert templates(row, intent, target) == claims


def test_32_devices_fit_into_one_claim() -> None:
    """One more does not."""
    for nics, claims in ((24, ["x-whole"]), (25, ["x-whole-gpus", "x-whole-nics"])):
        row = replace(P5, name="X", nics=nics)
        assert [each.name for each in templates(row, Whole(), Target(AWS_DRANET))] == claims


def test_claims_are_split_by_their_largest_group() -> None:
    """Roots of 20, 5, 5, 5 and 5 devices take five claims: two of the largest would not fit into one."""
    small = [PcieRoot(None, 0, (gpu,), tuple(range(4 * gpu, 4 * gpu + 4))) for gpu in range(4, 8)]
    large = PcieRoot(None, 0, (0, 1, 2, 3), tuple(range(16)))
    made = templates(replace(P5, name="X", roots=(large, *small)), Groups(8, 1, 4), Target(AWS_DRANET))

    assert [(each.name, each.devices) for each in made] == [
        (f"x-groups-1x4-8-part-{part}", 5 if part else 20) for part in range(5)
    ]
    assert [len(each.constraints) for each in made] == [1] * 5


def test_pairs_of_one_root_are_one_request_where_all_are_asked_for() -> None:
    """Though nothing names a rail: there is one choice of roots."""
    (made,) = templates(A4, Pairs(8), Target(OF_GKE))
    assert [(request.name, request.count) for request in made.requests] == [
        (f"{kind}-{index}", 2) for index in range(4) for kind in ("nic", "gpu")
    ]
    assert made.window == ""


@pytest.mark.parametrize(
    ("changed", "named_by"),
    [
        ({}, ("nic_names", "ifName", A4.nic_names)),
        ({"nic_kind": NicKind.RDMA_ONLY}, ("nic_pci", "pciAddress", A4.nic_pci)),
        ({"nic_names": None}, ("nic_pci", "pciAddress", A4.nic_pci)),
        ({"nic_names": None, "nic_pci": None}, ("rdma_names", "rdmaDevice", A4.rdma_names)),
        ({"nic_names": None, "nic_pci": None, "rdma_names": None}, None),
    ],
)
def test_what_names_a_rail(changed: dict[str, object], named_by: tuple[str, str, tuple[str, ...]] | None) -> None:
    """The interface where it has one, else its address, else its RDMA device."""
    row = replace(A4, **changed)
    assert naming(row, Target()) == named_by
    assert naming(row, Target(OF_GKE)) is None
    if named_by is None:
        assert pin(row, Target(), (1, 3)) is None
    else:
        _, attribute, values = named_by
        read = f'device.attributes["dra.net"].?{attribute}.orValue("")'
        assert pin(row, Target(), (3, 1)) == f'{read} in ["{values[3]}", "{values[1]}"]'
        assert pin(row, Target(), (1,)) == f'{read} == "{values[1]}"'


def test_selectors() -> None:
    """Of several conditions one expression, of none no selector."""
    assert (all_of(), all_of("a"), all_of("a", "b")) == ((), ("a",), ("a && b",))
    assert any_of("d", "a", ("x", "y")) == 'device.attributes["d"].?a.orValue("") in ["x", "y"]'


def test_whose_drivers() -> None:
    """Those that hand out a machine's NICs; the usual one of its cloud where no fabric is built for it."""
    names = [[each.driver for each in drivers_of(row)] for row in (A4, H100_V5, P5, machine("h4d-highmem-192-lssd"))]
    assert names == [["dranet", "gke-managed"], ["dranet-infiniband", "aks-managed"], ["aws-dranet"], ["dranet"]]
