"""From a catalogue row to what its run must show."""

from dataclasses import replace

import pytest
from nccl_verdict.expectation import BadExpectationError, SizeThreshold, from_json
from rdma_cluster.catalog import Gpu, Machine, NicKind, Source, Threshold, Transport, machines
from rdma_cluster.incluster.plan.acceptance.expectation import BadThresholdError, expect, parse_thresholds

SOURCE = Source("example", "2026-01-01")
MACHINE = Machine(
    cloud="gke",
    name="m",
    architecture="amd64",
    transport=Transport.GIB,
    gpu=Gpu("NVIDIA H200", 141, "Hopper"),
    gpus=8,
    vcpus=None,
    nics=8,
    nic_gbps=400,
    nic_kind=NicKind.NETDEV_RDMA,
    pcie_root_comparable=True,
    capacity=(),
    thresholds=(
        Threshold("all_gather", 2, 8, 8 << 30, 300.0, 325.0, SOURCE),
        Threshold("all_gather", 2, 8, 1 << 30, 250.0, 320.0, SOURCE),
        Threshold("all_reduce", 2, 8, 1 << 30, 390.0, 480.0, SOURCE, above_wire="switches reduce inside the node"),
    ),
    sources=(SOURCE,),
)


def test_whole_nodes() -> None:
    """Counts and thresholds are the row's, thresholds in rising size."""
    want = expect(MACHINE)
    assert (want.nodes, want.gpus_per_node, want.nics, want.wire_gbytes) == (2, 8, 8, 400.0)
    assert want.thresholds["all_gather"] == (SizeThreshold(1 << 30, 250.0), SizeThreshold(8 << 30, 300.0))
    assert want.threshold_at("all_gather", 4 << 30) == 250.0
    assert want.threshold_at("all_gather", 8 << 30) == 300.0
    assert want.threshold_at("all_gather", 1 << 20) is None
    assert any("switches reduce" in note for note in want.notes)


def test_a_part_of_a_node_scales_nics_and_has_no_threshold() -> None:
    """Both are said: the count is in proportion, and thresholds are not scaled."""
    want = expect(MACHINE, gpus_per_node=1, collective="all_gather")
    assert want.nics == 1
    assert want.thresholds == {}
    assert any(note.startswith("nics: 1 of 8") for note in want.notes)
    assert any("none is known for all_gather on 2 x 1 GPUs" in note for note in want.notes)


def test_nics_that_do_not_divide() -> None:
    """No count is better than a wrong one."""
    want = expect(replace(MACHINE, nics=4), gpus_per_node=1)
    assert want.nics is None
    assert any("do not divide" in note for note in want.notes)


def test_given_figures_are_noted() -> None:
    """A threshold or a count from outside is never taken for the catalogue's."""
    want = expect(MACHINE, nodes=16, own_thresholds=parse_thresholds(["all_reduce:1G=350"]), nics=9)
    assert want.thresholds == {"all_reduce": (SizeThreshold(1 << 30, 350.0),)}
    assert want.thresholds_from == "yours"
    assert sum("not the catalogue's figure" in note for note in want.notes) == 2


@pytest.mark.parametrize(
    ("change", "arguments", "word"),
    [
        ({}, {"nodes": 1}, "nodes: got 1"),
        ({}, {"gpus_per_node": 9}, "gpus_per_node: got 9"),
        ({}, {"collective": "all_gather", "own_thresholds": parse_thresholds(["reduce:1G=1"])}, "given for reduce"),
        ({"gpu": None, "gpus": 0}, {}, "has no GPU"),
        ({"transport": Transport.FALCON}, {}, "Falcon leaves no proof"),
    ],
)
def test_what_cannot_be_judged_is_refused(change: dict, arguments: dict, word: str) -> None:
    """In the user's words."""
    with pytest.raises(BadExpectationError, match=word):
        expect(replace(MACHINE, **change), **arguments)


@pytest.mark.parametrize("machine", [m for m in machines() if m.gpu], ids=lambda m: m.name)
def test_every_gpu_machine_of_the_catalogue(machine: Machine) -> None:
    """Each gives an expectation that survives the way into the cluster."""
    want = expect(machine)
    assert from_json(want.to_json()) == want


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"thresholds": 3}', '{"thresholds": {"a": [{"x": 1}]}}', expect(MACHINE).to_json()[:-1]]
)
def test_bad_records_are_refused(text: str) -> None:
    """Whatever is wrong with them."""
    with pytest.raises(BadExpectationError):
        from_json(text)


def test_own_thresholds() -> None:
    """By collective, in rising size, sizes as nccl-tests writes them."""
    assert parse_thresholds(["all_reduce:8G=300", "all_reduce:1G=250.5", "sendrecv:2147483648=40"]) == {
        "all_reduce": (SizeThreshold(1 << 30, 250.5), SizeThreshold(8 << 30, 300.0)),
        "sendrecv": (SizeThreshold(2 << 30, 40.0),),
    }


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("300", "write COLLECTIVE:SIZE=GBPS"),
        ("all_reduce=300", "write COLLECTIVE:SIZE=GBPS"),
        ("all_reduce:1G", "write COLLECTIVE:SIZE=GBPS"),
        ("all_reduce:1G=fast", "write COLLECTIVE:SIZE=GBPS"),
        ("allreduce:1G=300", "nccl-tests has all_reduce"),
        ("all_reduce:1M=300", "sizes from 1G on are judged"),
        ("all_reduce:1G=0", "a threshold of 0 proves nothing"),
    ],
)
def test_words_that_are_no_threshold(word: str, told: str) -> None:
    """Each with what is got and what would be right."""
    with pytest.raises(BadThresholdError, match=told) as caught:
        parse_thresholds([word])

    assert str(caught.value).startswith(f"got {word!r}; ")


def test_one_threshold_a_size() -> None:
    """Two of the same size contradict each other."""
    with pytest.raises(BadThresholdError, match="has a threshold already"):
        parse_thresholds(["all_reduce:1G=300", "all_reduce:1024M=200"])
