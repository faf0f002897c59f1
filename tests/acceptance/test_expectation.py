"""From a catalogue row, and a user's own thresholds, to what a run must show."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import GIB, NVLINK, BadExpectationError, Neighbours, SizeThreshold, from_json
from rdma_cluster.catalog import Gpu, Machine, NicKind, Source, Threshold, Transport, machines
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.plan.acceptance.expectation import collective_of, expect, expect_test, parse_thresholds
from tests.machines import known_machine

SOURCE = Source("example", "2026-01-01")
FABRIC = FABRICS["gib"]
NETWORK = FABRIC.acceptance.network
MACHINE = Machine(
    cloud="gke",
    name="m",
    architecture="amd64",
    transport=Transport.GIB,
    gpu=Gpu("NVIDIA H200", 141, "Hopper"),
    gpus=2,
    vcpus=None,
    nics=2,
    nic_gbps=400,
    nic_kind=NicKind.NETDEV_RDMA,
    pcie_root_comparable=True,
    capacity=(),
    nvlink_domain=8,
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
    sources=(SOURCE,),
)


def notes(**more: Any) -> str:
    """The notes of an expectation, in one text."""
    return "\n".join(expect(MACHINE, **more).notes)


def test_whole_nodes_are_measured_by_the_thresholds_of_their_extent():
    """They come in rising size, with the published figures behind them and what lets them pass the wire."""
    want = expect(MACHINE, tests=3, nvlink=False, network=NETWORK)

    assert (want.nodes, want.gpus_per_node, want.nics, want.wire_gbytes, want.tests) == (2, 2, 2, 100.0, 3)
    assert want.thresholds == {
        "all_gather": (SizeThreshold(GIB, 250.0), SizeThreshold(8 * GIB, 300.0)),
        "all_reduce": (SizeThreshold(2 * GIB, 390.0),),
    }
    assert want.expected == {"all_gather": (SizeThreshold(GIB, 320.0), SizeThreshold(8 * GIB, 325.0))}
    assert (want.network, want.nvlink_domain, want.above_wire) == (NETWORK, 2, "NVLS; trees")
    assert want.neighbours_sure and not want.part_of_node
    assert all(word in "\n".join(want.notes) for word in ("250 GB/s", "390 GB/s", "NVLS", "example (2026-01-01)"))


def test_a_run_over_nvlink_is_measured_by_its_own_thresholds():
    """The domain is the rack's; a log of which the way is not known may have used it, too."""
    want = expect(MACHINE, nvlink=True, network=NETWORK)

    assert (want.network, want.nvlink_domain, want.above_wire) == (NVLINK, 8, "no wire")
    assert want.thresholds == {"all_reduce": (SizeThreshold(GIB, 700.0),)}
    assert want.expected == {"all_reduce": (SizeThreshold(GIB, 800.0),)}
    assert (expect(MACHINE).network, expect(MACHINE).nvlink_domain) == (NETWORK, 8)
    assert "all_gather" in expect(MACHINE).thresholds


def test_one_collective_has_its_thresholds_alone():
    want = expect(MACHINE, collective="all_reduce")

    assert (list(want.thresholds), want.above_wire) == (["all_reduce"], "NVLS")


def test_a_run_without_a_threshold_names_those_that_are_known():
    want = expect(MACHINE, nodes=8, collective="broadcast")

    assert (want.thresholds, want.expected, want.expected_from) == ({}, {}, "")
    assert all(word in notes(nodes=8) for word in ("all_gather on 4 x 2 GPUs", "all_reduce on 2 x 2 GPUs over NVLink"))


@pytest.mark.parametrize(
    ("change", "more", "nics", "wire", "noted"),
    [
        ({}, {"gpus_per_node": 1}, 1, 50.0, True),
        ({}, {"gpus_per_node": 2}, 2, 100.0, False),
        ({}, {"nics": 5}, 5, 250.0, True),
        ({"nics": 3}, {"gpus_per_node": 1}, None, None, True),
        ({"nic_gbps": None}, {}, 2, None, False),
    ],
    ids=["part", "whole", "given", "odd", "no-speed"],
)
def test_nics_are_in_proportion_to_the_gpus_or_given(
    change: dict[str, Any], more: dict[str, Any], nics: int | None, wire: float | None, noted: bool
):
    """Where they do not divide there is no count; a count that is not the catalogue's is noted."""
    want = expect(replace(MACHINE, **change), **more)

    assert (want.nics, want.wire_gbytes) == (nics, wire)
    assert want.part_of_node == (more.get("gpus_per_node") == 1)
    assert any(each.startswith("nics") for each in want.notes) is noted


def test_own_thresholds_take_the_place_of_the_catalogues():
    own = parse_thresholds(["all_reduce:1G=10"])
    want = expect(MACHINE, own_thresholds=own, collective="all_reduce")

    assert (dict(want.thresholds), want.thresholds_from, want.above_wire) == (own, "yours", "NVLS")
    assert "not the catalogue's" in notes(own_thresholds=own)


@pytest.mark.parametrize(
    ("change", "arguments", "word"),
    [
        ({}, {"gpus_per_node": 3}, "gpus_per_node: got 3"),
        ({}, {"gpus_per_node": -1}, "gpus_per_node: got -1"),
        ({}, {"nodes": 1}, "nodes: got 1"),
        ({}, {"collective": "all_gather", "own_thresholds": parse_thresholds(["reduce:1G=1"])}, "given for reduce"),
        ({"gpu": None, "gpus": 0}, {}, "no GPU"),
        ({"transport": Transport.FALCON}, {}, "Falcon leaves no proof"),
    ],
)
def test_a_run_that_cannot_be_judged_is_refused(change: dict[str, Any], arguments: dict[str, Any], word: str):
    with pytest.raises(BadExpectationError, match=word):
        expect(replace(MACHINE, **change), **arguments)


def test_thresholds_that_are_not_certain_say_so_where_they_are_used():
    doubted = replace(MACHINE, unverified={"thresholds": "one source"})

    assert "unverified, one source" in expect(doubted).notes[-1]
    assert not [each for each in expect(doubted, nodes=8).notes if "unverified" in each]


@pytest.mark.parametrize(
    ("change", "found", "sure"),
    [
        ({}, [((0,), ("0000:0f:00",), ("mlx5_1",)), ((1,), ("0000:10:00",), ("mlx5_0",))], True),
        ({"gpu_pci": None}, [((0,), (), ("mlx5_1",)), ((1,), (), ("mlx5_0",))], True),
        ({"rdma_names": None}, [], True),
        ({"roots": (PcieRoot("a", 0, (0,), ()), PcieRoot("b", 1, (1,), (0, 1)))}, [], True),
        ({"roots": (PcieRoot("a", 0, (), (0,)), PcieRoot("b", 1, (0, 1), (1,)))}, [], True),
        ({"roots": None, "pcie_root_comparable": False}, [], False),
        ({"roots": None, "unverified": {"roots": "x"}}, [], False),
        ({"roots": None, "unverified": {"rdma_names": "x"}}, [], False),
        ({"roots": None, "unverified": {"vcpus": "x"}}, [], True),
    ],
)
def test_neighbours_are_known_by_root_where_every_root_has_gpus_and_nics(
    change: dict[str, Any], found: list[Any], sure: bool
):
    """They are sure where drivers pair by the root, and nobody doubts roots or names."""
    want = expect(replace(MACHINE, **change))

    assert (want.neighbours, want.neighbours_sure) == (tuple(Neighbours(*each) for each in found), sure)


def test_neighbours_are_the_providers_own_pairs_where_no_root_shows_them():
    azure = known_machine("Standard_ND96isr_H100_v5")

    found = expect(azure).neighbours
    assert [(each.gpus, each.nics) for each in found][:2] == [((0,), ("mlx5_0",)), ((1,), ("mlx5_1",))]
    assert len(found) == 8


def test_every_gpu_machines_expectation_survives_the_way_into_the_cluster():
    for want in (expect(machine) for machine in machines() if machine.gpu):
        assert from_json(want.to_json()) == want


FOUR = Threshold("broadcast", 4, 2, GIB, 1.0, None, SOURCE)


@pytest.mark.parametrize(
    ("thresholds", "nvlink", "collective"),
    [
        (MACHINE.thresholds, False, "all_gather"),
        (MACHINE.thresholds, True, "all_reduce"),
        ((), False, "all_reduce"),
        ((FOUR, Threshold("sendrecv", 2, 1, GIB, 1.0, None, SOURCE), MACHINE.thresholds[0]), False, "all_gather"),
        ((replace(FOUR, size_bytes=8 * GIB), replace(FOUR, collective="sendrecv")), False, "sendrecv"),
        ((replace(FOUR, nvlink=True),), False, "all_reduce"),
    ],
    ids=["nics", "nvlink", "none", "two-whole-nodes-first", "more-rows-first", "of-nvlink-alone"],
)
def test_the_collective_with_a_threshold_from_the_smallest_size_is_run(
    thresholds: tuple[Threshold, ...], nvlink: bool, collective: str
):
    machine = replace(MACHINE, thresholds=thresholds)

    assert collective_of(machine, nvlink=nvlink) == collective
    assert collective_of(machine, parse_thresholds(["alltoall:1G=1", "reduce:1G=1"])) == "alltoall"


def test_a_test_runs_further_collectives_beside_that_of_its_thresholds():
    """A user's thresholds are of the one that is run, or of those besides; none is run twice."""
    plain = expect_test(MACHINE, FABRIC, [])
    also = expect_test(MACHINE, FABRIC, ["all_reduce:1G=10", "alltoall:1G=5"], 3, ["alltoall", "all_reduce"])
    own = expect_test(MACHINE, FABRIC, ["reduce:1G=10"], 2, ["alltoall"])
    twice = expect_test(MACHINE, FABRIC, [], 3, ["all_gather", "alltoall"])

    assert (plain.collective, plain.also, plain.tests, list(plain.thresholds)) == ("all_gather", (), 1, ["all_gather"])
    assert (also.collective, also.also, also.tests) == ("all_gather", ("alltoall", "all_reduce"), 9)
    assert also.thresholds["alltoall"] == (SizeThreshold(GIB, 5.0),)
    assert also.thresholds["all_gather"] == plain.thresholds["all_gather"]
    assert (own.collective, own.also, own.tests, own.thresholds_from) == ("reduce", ("alltoall",), 4, "yours")
    assert (twice.also, twice.tests) == (("alltoall",), 6)


def test_a_test_over_nvlink_runs_its_own_collective_alone():
    """Further collectives and a user's thresholds are of the NICs."""
    want = expect_test(MACHINE, FABRIC, ["reduce:1G=10"], 3, ["alltoall"], nvlink=True)

    assert (want.collective, want.also, want.tests, want.network) == ("all_reduce", (), 3, NVLINK)
    assert want.thresholds == {"all_reduce": (SizeThreshold(GIB, 700.0),)}
