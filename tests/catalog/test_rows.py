"""No wrong row passes: every row is checked, and every check is seen to fail on a row broken on purpose."""

from dataclasses import replace

import pytest
from rdma_cluster.catalog import Gpu, Known, Machine, NicKind, PcieRoot, Source, Threshold, Transport, find, machines
from rdma_cluster.catalog.aks import AksMachine, Bridge
from rdma_cluster.catalog.clouds import CLOUD_FACTS
from rdma_cluster.catalog.eks import Layout
from tests.catalog.checks import errors


def _row(name: str) -> Machine:
    row = find(name)
    assert row is not None
    return row


A4 = _row("a4-highgpu-8g")
SOURCE = Source("here", "2026-01-01")
WITHOUT_RDMA = [row for facts in CLOUD_FACTS.values() for row in facts.without_rdma]


@pytest.mark.parametrize("machine", machines(), ids=lambda machine: machine.name)
def test_row(machine: Machine) -> None:
    """Counts, roots, names, addresses, bandwidth, thresholds and trust marks agree."""
    assert errors(machine) == []


def test_names_are_unique() -> None:
    """A name finds one machine, whatever the cloud."""
    names = [machine.name for machine in machines()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("cloud", CLOUD_FACTS)
def test_rows_stand_with_their_cloud(cloud: str) -> None:
    """A module holds rows of its own cloud only."""
    assert {machine.cloud for machine in machines(cloud)} == {cloud}


def _threshold(**change: object) -> tuple[Threshold, ...]:
    good = Threshold("all_gather", 2, 8, 1 << 30, 198.0, 248.09, SOURCE)
    return (replace(good, **change),)


def _source(known: Known) -> Source:
    return replace(SOURCE, known=known)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"gpus": 0}, "gpu and gpus disagree"),
        ({"gpu": Gpu("NVIDIA GB300", 279, "Blackwell")}, "the Data Direct sub-interface's"),
        ({"gpu": Gpu("NVIDIA B300", 279, "Blackwell")}, "no doubt told"),
        ({"nics": 0}, "no rail"),
        ({"architecture": "x86_64"}, "architecture"),
        ({"capacity": ()}, "capacity"),
        ({"nvlink_domain": 12}, "nvlink_domain"),
        ({"nics": 7}, "nic_names: 8 for 7"),
        ({"rdma_names": ("mlx5_0",)}, "rdma_names: 1 for 8"),
        ({"nic_pci": ("0000:01:00.0",)}, "nic_pci: 1 for 8"),
        ({"gpu_pci": A4.gpu_pci[:4] if A4.gpu_pci else ()}, "gpu_pci: 4 for 8"),
        ({"nic_kind": NicKind.RDMA_ONLY}, "nic_names: these NICs"),
        ({"nic_kind": NicKind.NETDEV}, "rdma_names: these NICs"),
        ({"nic_gbps": 200}, "published_node_gbps: 3600"),
        ({"published_node_gbps": None}, "frontend_gbps"),
        ({"gpu_pci": tuple(f"0000:{i}:00.0" for i in range(8))}, "PCI address: 0000:0:00.0"),
        ({"gpu_pci": ("0000:8f:00.0",) * 8}, "PCI address twice"),
        ({"nic_names": ("gpu0rdma0",) * 8}, "nic_names twice"),
        ({"rdma_names": ("mlx5_0",) * 8}, "rdma_names twice"),
        ({"roots": (PcieRoot(None, 0, tuple(range(8)), tuple(range(7))),)}, "roots: nics are not"),
        ({"roots": (PcieRoot(None, 0, (0, *range(8)), tuple(range(8))),)}, "roots: gpus are not"),
        ({"roots": (PcieRoot("8f:00", 0, tuple(range(8)), tuple(range(8))),)}, "roots.name: 8f:00"),
        ({"roots": (PcieRoot("pci0001:8f", 0, tuple(range(8)), tuple(range(8))),)}, "another PCI domain"),
        (
            {"roots": (PcieRoot(None, 0, tuple(range(8)), ()), PcieRoot(None, 0, (), tuple(range(8))))},
            "no root has a GPU and a NIC",
        ),
        ({"nics_publish_root": False}, "the NICs publish no root"),
        ({"thresholds": _threshold() * 2}, "twice"),
        ({"thresholds": _threshold(nodes=1)}, "not a run of this machine"),
        ({"thresholds": _threshold(gpus_per_node=9)}, "not a run of this machine"),
        ({"thresholds": _threshold(busbw_gbytes=260.0)}, "above 0.8 x"),
        ({"thresholds": _threshold(busbw_gbytes=450.0, published_gbytes=600.0)}, "against a wire of 400"),
        ({"thresholds": _threshold(above_wire="for no reason")}, "against a wire of 400"),
        ({"thresholds": ()}, "thresholds: empty and not explained"),
        ({"driver": None}, "driver: empty and not explained"),
        ({"gpu": Gpu("NVIDIA B200", None, "Blackwell")}, "gpu.memory_gib: empty and not explained"),
        ({"evidence": {}}, "roots.name: empty and not explained"),
        ({"evidence": {"driver": _source(Known.NOT_PUBLISHED)}}, "driver: called absent, but it has a value"),
        ({"evidence": {"driver": _source(Known.NOT_APPLICABLE)}}, "driver: called absent, but it has a value"),
        ({"evidence": {"roots.name": _source(Known.MEASURED)}}, "roots.name: called settled, but it is empty"),
        ({"evidence": {"driver": _source(Known.INFERRED)}}, "driver: an open point is no evidence"),
        ({"evidence": {"driver": _source(Known.UNKNOWN)}}, "driver: an open point is no evidence"),
        ({"evidence": {"driver": Source("here", "August 2026")}}, "no ISO date"),
        ({"evidence": {"driver": SOURCE}, "unverified": {"driver": "?"}}, "driver: said of it twice"),
        ({"unknown": {**A4.unknown, "rails": "?"}}, "rails: no such field"),
        ({"unknown": {**A4.unknown, "driver": "?"}}, "driver: called unknown, but it has a value"),
        ({"unverified": {"roots.name": "?"}}, "roots.name: called unverified, but it is empty"),
        ({"unverified": {"roots": ""}}, "roots: no reason"),
        ({"sources": ()}, "sources"),
        ({"sources": (Source("here", "August 2026"),)}, "no ISO date"),
    ],
)
def test_a_broken_row_is_found(change: dict[str, object], error: str) -> None:
    """Each check fails on a row that breaks it."""
    assert any(error in each for each in errors(replace(A4, **change)))


P5 = _row("p5.48xlarge")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"efa_per_card": (1,) * 31}, "efa_per_card: 31 in all for 32"),
        ({"efa_per_card": (2,) * 16}, "at most one EFA each"),
        ({"efa_per_card": (0, *(1,) * 31)}, "layout: A does not give"),
        ({"layout": Layout.B}, "layout: B does not give"),
        ({"efa_max": 16}, "efa_max: 16 for 32"),
        ({"interfaces_per_card": 1}, "interfaces_per_card: card 0"),
        ({"layout": Layout.D}, "class D is for one"),
        ({"max_pods": 198}, "max_pods: 198, but the interfaces give 100"),
        ({"ip_cards": (0, 32)}, "ip_cards"),
        ({"ami_type": "AL2023_ARM_64_NVIDIA"}, "ami_type: AL2023_ARM_64_NVIDIA on amd64"),
        ({"ami_type": "AL2023_x86_64_STANDARD"}, "with 8 GPUs"),
    ],
)
def test_a_broken_eks_row_is_found(change: dict[str, object], error: str) -> None:
    """Interfaces, cards, pods and images of an EKS row agree."""
    assert any(error in each for each in errors(replace(P5, **change)))


ND_A100 = _row("Standard_ND96asr_v4")
assert isinstance(ND_A100, AksMachine) and ND_A100.topology


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"nvlink_domain": 72}, "rack_nodes: 0 do not make"),
        ({"max_nodes": 0}, "max_nodes: 0"),
        ({"infiniband_feature": False}, "infiniband_feature"),
        ({"gpu_drivers": ("none",)}, "gpu_drivers"),
        ({"topology": replace(ND_A100.topology, bridges=ND_A100.topology.bridges[1:])}, "topology: gpus are not"),
        ({"topology": replace(ND_A100.topology, bridges=(Bridge(0, tuple(range(8)), tuple(range(8))),))}, "NUMA node"),
    ],
)
def test_a_broken_aks_row_is_found(change: dict[str, object], error: str) -> None:
    """Racks, the feature flag and the topology file of an AKS row agree with its devices."""
    assert any(error in each for each in errors(replace(ND_A100, **change)))


OCI_H100 = _row("BM.GPU.H100.8")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"frontend_hcas": ("mlx5_0",)}, "frontend_hcas: ['mlx5_0'] are rails"),
        ({"vfs": 8}, "vfs: 8 for 16"),
        ({"vfs": None}, "vf_policy_current"),
        ({"nvlink_domain": 72}, "pool_modes"),
        ({"nvlink_domain": 72, "max_nodes": 18}, "max_nodes: 18 do not make"),
        ({"pool_modes": ()}, "pool_modes"),
        ({"architecture": "arm64"}, "kernel_page_kib: 4 on arm64"),
        ({"nccl": {"NCCL_IB_HCA": "mlx5"}}, "nccl: the HCA list"),
        ({"nic_names": tuple(f"enp{i}s0f0" for i in range(16))}, "enp0s0f0: named for a place"),
    ],
)
def test_a_broken_oke_row_is_found(change: dict[str, object], error: str) -> None:
    """Front end, virtual functions, racks and names of an OKE row agree."""
    assert any(error in each for each in errors(replace(OCI_H100, **change)))


def test_a_rack_without_nvlink_is_found() -> None:
    """What a rack's NICs cannot carry is not demanded of them: a run over NICs would fail a gate of NVLink's."""
    rack = _row("BM.GPU.GB200-v3.4")
    over_nics = tuple(replace(each, nvlink=False) for each in rack.thresholds)
    assert any("16x4: nvlink False" in each for each in errors(replace(rack, thresholds=over_nics)))


def test_properties_answer_for_devices() -> None:
    """GPU 5 of an A4 and its rail are on the third root; a machine without a layout says so."""
    assert (A4.root_of_gpu(5), A4.root_of_nic(5)) == (2, 2)
    assert replace(A4, roots=None).root_of_gpu(0) is None


def test_only_published_transports_are_left_without_a_gpu() -> None:
    """Falcon serves CPU machines alone."""
    assert {machine.gpus for machine in machines() if machine.transport is Transport.FALCON} == {0}


def test_machines_without_a_fabric_are_none_of_the_catalogue() -> None:
    """A name stands in one of the two tables, once."""
    names = [name for row in WITHOUT_RDMA for name in row.names]

    assert len(set(names)) == len(names)
    assert not set(names) & {machine.name for machine in machines()}
    assert all(row.source.ref and row.source.seen for row in WITHOUT_RDMA)
