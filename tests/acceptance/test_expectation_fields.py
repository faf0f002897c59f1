"""What a run must show, field by field, and what its reader is told of the figures."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import NVLINK, Expectation, Neighbours, SizeThreshold
from rdma_cluster.catalog import Threshold, Transport, find
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.plan.acceptance.expectation import collective_of, expect, expect_test, parse_thresholds
from tests.acceptance.test_expectation import MACHINE, SOURCE

GIB = 1 << 30
NETWORK = FABRICS["gib"].acceptance.network
FULL = replace(
    MACHINE,
    nvlink_domain=8,
    gpus=2,
    nics=2,
    gpu_pci=("0000:0f:00.0", "0000:10:00.0"),
    rdma_names=("mlx5_0", "mlx5_1"),
    roots=(PcieRoot("a", 0, (0,), (1,)), PcieRoot("b", 1, (1,), (0,))),
    thresholds=(
        Threshold("all_gather", 2, 2, 8 * GIB, 300.0, 325.0, SOURCE),
        Threshold("all_gather", 2, 2, GIB, 250.0, 320.0, SOURCE, above_wire="trees"),
        Threshold("all_reduce", 2, 2, 2 * GIB, 390.0, None, SOURCE, above_wire="NVLS"),
        Threshold("all_reduce", 2, 2, GIB, 700.0, 800.0, SOURCE, nvlink=True, above_wire="no wire"),
        Threshold("all_gather", 4, 2, GIB, 200.0, 210.0, SOURCE),
    ),
)


def test_every_field():
    """Of two whole nodes by their NICs; the thresholds of this extent, and the measured figures they came from."""
    assert expect(FULL, tests=3, nvlink=False, network=NETWORK) == Expectation(
        machine="m",
        network=NETWORK,
        nodes=2,
        gpus_per_node=2,
        gpu_model="NVIDIA H200",
        nics=2,
        wire_gbytes=100.0,
        nvlink_domain=2,
        collective=None,
        thresholds={
            "all_gather": (SizeThreshold(GIB, 250.0), SizeThreshold(8 * GIB, 300.0)),
            "all_reduce": (SizeThreshold(2 * GIB, 390.0),),
        },
        thresholds_from="the catalogue's",
        above_wire="NVLS; trees",
        neighbours=(Neighbours((0,), ("0000:0f:00",), ("mlx5_1",)), Neighbours((1,), ("0000:10:00",), ("mlx5_0",))),
        neighbours_sure=True,
        part_of_node=False,
        expected={"all_gather": (SizeThreshold(GIB, 320.0), SizeThreshold(8 * GIB, 325.0))},
        expected_from="the published run",
        tests=3,
        notes=(
            "threshold: all_gather on 2 x 2 GPUs 250 GB/s, from example (2026-01-01)",
            "threshold: above the wire because trees",
            "threshold: all_reduce on 2 x 2 GPUs 390 GB/s, from example (2026-01-01)",
            "threshold: above the wire because NVLS",
            "threshold: all_gather on 2 x 2 GPUs 300 GB/s, from example (2026-01-01)",
        ),
    )


def test_over_nvlink():
    """By its own thresholds; the domain is the rack's."""
    want = expect(FULL, nvlink=True, network=NETWORK)

    assert (want.network, want.nvlink_domain, want.above_wire) == (NVLINK, 8, "no wire")
    assert want.thresholds == {"all_reduce": (SizeThreshold(GIB, 700.0),)}
    assert want.expected == {"all_reduce": (SizeThreshold(GIB, 800.0),)}
    assert want.notes[0] == "threshold: all_reduce on 2 x 2 GPUs over NVLink 700 GB/s, from example (2026-01-01)"


def test_a_log_of_which_the_way_is_not_known():
    """Is measured by the NICs' thresholds, and may have used the whole domain."""
    want = expect(FULL)

    assert (want.network, want.nvlink_domain) == (NETWORK, 8)
    assert "all_gather" in want.thresholds
    assert expect(replace(FULL, nvlink_domain=1), nvlink=False).nvlink_domain == 1


def test_one_collective():
    """Its thresholds alone; without one all that are known are named."""
    assert expect(FULL, collective="all_reduce").thresholds.keys() == {"all_reduce"}
    assert expect(FULL, collective="all_reduce").above_wire == "NVLS"
    none = expect(FULL, nodes=8, collective="broadcast")
    bare = expect(replace(FULL, thresholds=()), nodes=8)

    assert none.notes == (
        "threshold: none is known for broadcast on 8 x 2 GPUs of m; known: all_gather on 2 x 2 GPUs, "
        "all_gather on 4 x 2 GPUs, all_reduce on 2 x 2 GPUs, all_reduce on 2 x 2 GPUs over NVLink",
    )
    assert bare.notes == ("threshold: none is known for any collective on 8 x 2 GPUs of m; known: none",)
    assert (none.expected, none.expected_from) == ({}, "")


@pytest.mark.parametrize(
    ("more", "nics", "wire", "note"),
    [
        ({"gpus_per_node": 1}, 1, 50.0, "nics: 1 of 2, in proportion to 1 of 2 GPUs; pods claim as many"),
        ({"nics": 5}, 5, 250.0, "nics: 5 a node was given, it is not the catalogue's figure"),
        ({"gpus_per_node": 2}, 2, 100.0, ""),
    ],
)
def test_nics_of_a_node(more: dict[str, Any], nics: int, wire: float, note: str):
    """The catalogue's, in proportion to the GPUs, or those that are given."""
    want = expect(FULL, **more)

    assert (want.nics, want.wire_gbytes) == (nics, wire)
    assert want.part_of_node == ("gpus_per_node" in more and more["gpus_per_node"] == 1)
    assert [each for each in want.notes if each.startswith("nics")] == [note] * bool(note)


@pytest.mark.parametrize(
    ("change", "more", "wire"),
    [({"nic_gbps": None}, {}, None), ({"nics": 3}, {"gpus_per_node": 1}, None), ({"nic_gbps": 100}, {}, 25.0)],
)
def test_the_wire_of_a_node(change: dict[str, Any], more: dict[str, Any], wire: float | None):
    """Gb/s of all NICs in GB/s, where both are known."""
    assert expect(replace(FULL, **change), **more).wire_gbytes == wire


@pytest.mark.parametrize(("gpus", "allowed"), [(1, True), (2, True), (3, False), (-1, False)])
def test_how_many_gpus_of_a_node(gpus: int, allowed: bool):
    """From one to all that the machine has."""
    if allowed:
        assert expect(FULL, gpus_per_node=gpus).gpus_per_node == gpus
    else:
        with pytest.raises(ValueError, match=f"gpus_per_node: got {gpus}, m has 2"):
            expect(FULL, gpus_per_node=gpus)


def test_thresholds_of_ones_own():
    """Take the place of the catalogue's, and are said to be; one of another collective judges nothing."""
    own = parse_thresholds(["all_reduce:1G=10"])
    want = expect(FULL, own_thresholds=own, collective="all_reduce")

    assert (dict(want.thresholds), want.thresholds_from) == (own, "yours")
    assert want.notes == ("threshold: yours, it is not the catalogue's figure",)
    assert want.above_wire == "NVLS"
    assert expect(FULL, own_thresholds=own).collective is None
    with pytest.raises(ValueError, match="threshold: given for all_reduce, and all_gather is to be judged"):
        expect(FULL, own_thresholds=own, collective="all_gather")


def test_thresholds_that_are_not_certain():
    """Say so, where they are used."""
    doubted = replace(FULL, unverified={"thresholds": "one source"})

    assert expect(doubted).notes[-1] == "threshold: unverified, one source"
    assert not [each for each in expect(doubted, nodes=8).notes if "unverified" in each]
    assert not [each for each in expect(replace(FULL, unverified={"nics": "x"})).notes if "unverified" in each]


@pytest.mark.parametrize(
    ("change", "sure"),
    [
        ({}, True),
        ({"pcie_root_comparable": False}, False),
        ({"unverified": {"roots": "x"}}, False),
        ({"unverified": {"rdma_names": "x"}}, False),
        ({"unverified": {"vcpus": "x"}}, True),
    ],
)
def test_whether_neighbours_are_sure(change: dict[str, Any], sure: bool):
    """Where drivers pair by the root, and nobody doubts roots or names."""
    assert expect(replace(FULL, **change)).neighbours_sure == sure


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"rdma_names": None}, ()),
        ({"roots": None}, ()),
        # A root with GPUs or NICs alone leaves it open who is beside whom.
        ({"roots": (PcieRoot("a", 0, (0, 1), (0, 1)), PcieRoot("b", 1, (), ()))}, ()),
        ({"roots": (PcieRoot("a", 0, (0,), ()), PcieRoot("b", 1, (1,), (0, 1)))}, ()),
        ({"roots": (PcieRoot("a", 0, (), (0,)), PcieRoot("b", 1, (0, 1), (1,)))}, ()),
        ({"gpu_pci": None}, (Neighbours((0,), (), ("mlx5_1",)), Neighbours((1,), (), ("mlx5_0",)))),
        (
            {"roots": (PcieRoot("a", 0, (0, 1), (1, 0)),)},
            (Neighbours((0, 1), ("0000:0f:00", "0000:10:00"), ("mlx5_1", "mlx5_0")),),
        ),
    ],
)
def test_who_is_beside_whom(change: dict[str, Any], found: tuple[Neighbours, ...]):
    """By root, where names are known and every root has both."""
    assert expect(replace(FULL, **change)).neighbours == found


def test_pairs_that_no_root_shows():
    """Are the provider's own, whatever its roots are."""
    azure = find("Standard_ND96isr_H100_v5")
    assert azure is not None

    found = expect(azure).neighbours
    assert [(each.gpus, each.nics) for each in found][:2] == [((0,), ("mlx5_0",)), ((1,), ("mlx5_1",))]
    assert len(found) == 8


def test_what_leaves_no_proof():
    """Names what does."""
    with pytest.raises(
        ValueError, match="transport: Falcon leaves no proof in an NCCL log, known: EFA, GPUDirect-TCPX"
    ):
        expect(replace(FULL, transport=Transport.FALCON))


@pytest.mark.parametrize(
    ("thresholds", "nvlink", "collective"),
    [
        (FULL.thresholds, False, "all_gather"),
        (FULL.thresholds, True, "all_reduce"),
        ((), False, "all_reduce"),
        # Of two whole nodes, before the smaller one of others.
        (
            (
                Threshold("broadcast", 4, 2, GIB, 1.0, None, SOURCE),
                Threshold("all_gather", 2, 2, 8 * GIB, 1.0, None, SOURCE),
                Threshold("sendrecv", 2, 1, GIB, 1.0, None, SOURCE),
            ),
            False,
            "all_gather",
        ),
        (
            (
                Threshold("broadcast", 4, 2, 8 * GIB, 1.0, None, SOURCE),
                Threshold("sendrecv", 4, 2, GIB, 1.0, None, SOURCE),
            ),
            False,
            "sendrecv",
        ),
        ((Threshold("broadcast", 2, 2, GIB, 1.0, None, SOURCE, nvlink=True),), False, "all_reduce"),
    ],
)
def test_which_collective_is_run(thresholds: tuple[Threshold, ...], nvlink: bool, collective: str):
    """The one with the threshold from the smallest size on."""
    machine = replace(FULL, thresholds=thresholds)

    assert collective_of(machine, nvlink=nvlink) == collective
    assert collective_of(machine, parse_thresholds(["alltoall:1G=1", "reduce:1G=1"])) == "alltoall"


GIB_FABRIC = FABRICS["gib"]


def test_a_test_of_two_nodes():
    """Of each pair all collectives; thresholds of one's own are of the one that is run, or of those besides."""
    plain = expect_test(FULL, GIB_FABRIC, [])
    also = expect_test(FULL, GIB_FABRIC, ["all_reduce:1G=10", "alltoall:1G=5"], 3, ["alltoall", "all_reduce"])

    assert (plain.collective, plain.also, plain.tests, plain.nodes) == ("all_gather", (), 1, 2)
    assert plain.network == NETWORK and plain.nvlink_domain == 2
    assert plain.thresholds.keys() == {"all_gather"}
    # Both are run besides the catalogue's own.
    assert (also.collective, also.also, also.tests) == ("all_gather", ("alltoall", "all_reduce"), 9)
    assert also.thresholds == {
        "all_gather": (SizeThreshold(GIB, 250.0), SizeThreshold(8 * GIB, 300.0)),
        "all_reduce": (SizeThreshold(GIB, 10.0),),
        "alltoall": (SizeThreshold(GIB, 5.0),),
    }
    own = expect_test(FULL, GIB_FABRIC, ["reduce:1G=10"], 2, ["alltoall"])
    assert (own.collective, own.also, own.tests, own.thresholds_from) == ("reduce", ("alltoall",), 4, "yours")


def test_what_is_run_already_is_not_run_besides():
    """Once is enough."""
    both = expect_test(FULL, GIB_FABRIC, [], 3, ["all_gather", "alltoall"])

    assert (both.also, both.tests) == (("alltoall",), 6)


def test_a_test_over_nvlink():
    """By its own collective; what is run besides, and thresholds of one's own, are of the NICs."""
    want = expect_test(FULL, GIB_FABRIC, ["reduce:1G=10"], 3, ["alltoall"], nvlink=True)

    assert (want.collective, want.also, want.tests, want.network) == ("all_reduce", (), 3, NVLINK)
    assert want.thresholds == {"all_reduce": (SizeThreshold(GIB, 700.0),)}
