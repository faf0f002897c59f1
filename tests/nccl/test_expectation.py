"""The record that a log is measured against: which figure holds for a size, what is written of it, what is refused."""

import json
from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import (
    BadExpectationError,
    Expectation,
    Neighbours,
    Network,
    SizeThreshold,
    SizeTime,
    from_json,
    size_text,
)
from tests.nccl import render
from tests.nccl.judging import known, want
from tests.nccl.render import GIB

TWO = {"all_gather": (SizeThreshold(GIB, 100.0), SizeThreshold(4 * GIB, 200.0)), "reduce": ()}
LEAST: dict[str, Any] = {
    "machine": "m",
    "network": {"transport": "gIB", "names": ["gIB"]},
    "nodes": 2,
    "gpus_per_node": 8,
    "gpu_model": "NVIDIA H200",
    "nics": None,
    "thresholds": {},
}
FULL = Expectation(
    machine="m",
    network=Network(transport="t", names=("a", "b"), link_layer="IB", provider="p", where_to_look="w", claimable=False),
    nodes=3,
    gpus_per_node=4,
    gpu_model="g",
    nics=5,
    wire_gbytes=6.5,
    nvlink_domain=7,
    collective="all_gather",
    thresholds=TWO,
    thresholds_from="yours",
    above_wire="a source",
    neighbours=(Neighbours((0, 1), ("0000:01:00",), ("mlx5_0", "mlx5_1")),),
    neighbours_sure=True,
    part_of_node=True,
    also=("reduce", "sendrecv"),
    expected={"reduce": (SizeThreshold(2 * GIB, 50.0),)},
    expected_from="the last proof",
    expected_times={"reduce": (SizeTime(8, 20.5),)},
    without_gdr=True,
    largest_bytes=4 * GIB,
    tests=8,
    notes=("one", "two"),
)
"""Each key has a value of its own, and none its default."""


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (1 << 40, "1 TiB"), (1 << 50, "1024 TiB")],
)
def test_a_size_is_told_in_the_largest_unit_of_which_there_is_one(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("collective", "size", "figure"),
    [
        ("all_gather", GIB - 1, None),
        ("all_gather", GIB, 100.0),
        ("all_gather", 4 * GIB - 1, 100.0),
        ("all_gather", 4 * GIB, 200.0),
        ("reduce", GIB, None),
        ("scatter", GIB, None),
    ],
)
def test_a_figure_holds_from_its_size_up_to_the_next_ones(
    collective: str | None, size: int, figure: float | None
) -> None:
    """That of a threshold, and that of what was reached before."""
    assert replace(want(), thresholds=TWO).threshold_at(collective, size) == figure
    assert replace(want(), expected=TWO).expected_at(collective, size) == figure


@pytest.mark.parametrize(("domain", "wire"), [(0, True), (15, True), (16, False)])
def test_nodes_are_joined_by_their_nics_unless_nvlink_joins_all(domain: int, wire: bool) -> None:
    """Two nodes have eight GPUs each."""
    assert want(nvlink_domain=domain).uses_wire is wire


@pytest.mark.parametrize(
    ("name", "known"),
    [("IBext_v8", True), ("NCCL RDMA Plugin v10", True), ("IB", True), ("IBexternal", False), ("xIB", False)],
)
def test_a_network_has_its_names_and_those_with_a_version_behind(name: str, known: bool) -> None:
    assert Network(transport="InfiniBand", names=("IB", "IBext", "NCCL RDMA Plugin")).has(name) is known


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"nodes": 1}, "nodes"),
        ({"gpus_per_node": 0}, "gpus_per_node"),
        ({"network": Network(transport="x", names=())}, "network"),
    ],
)
def test_what_no_log_can_show_is_refused_by_its_key(change: dict[str, Any], key: str) -> None:
    with pytest.raises(BadExpectationError, match=f"^{key}: "):
        replace(render.want(), **change)


def test_a_record_is_written_and_read_as_a_whole() -> None:
    """Keys stand by name, so that one that is moved runs no test again."""
    assert from_json(FULL.to_json()) == FULL
    assert list(json.loads(FULL.to_json())) == sorted(Expectation.__dataclass_fields__)
    assert from_json(json.dumps(LEAST)).network == Network(transport="gIB", names=("gIB",))


def test_what_a_later_judge_has_learned_is_written_only_where_it_is_known() -> None:
    """A test runs again for none of it."""
    learned = {"neighbours", "neighbours_sure", "part_of_node", "also", "expected", "expected_from"}
    learned |= {"expected_times", "without_gdr", "largest_bytes"}
    empty: dict[str, Any] = {
        "neighbours": (),
        "neighbours_sure": False,
        "part_of_node": False,
        "also": (),
        "expected": {},
        "expected_times": {},
        "without_gdr": False,
        "largest_bytes": 0,
    }
    less = replace(FULL, **empty, expected_from="", notes=(), above_wire="", nvlink_domain=0)

    assert json.loads(FULL.to_json()).keys() - json.loads(less.to_json()).keys() == learned
    assert from_json(less.to_json()) == less


def test_what_words_a_verdict_or_only_warns_in_one_is_not_demanded_of_a_run() -> None:
    only_words = {"neighbours", "neighbours_sure", "part_of_node", "expected", "expected_from"}
    only_words |= {"expected_times", "largest_bytes"}
    demands, whole = json.loads(FULL.demands), json.loads(FULL.to_json())

    assert whole.keys() - demands.keys() == only_words
    assert {key for key in demands if demands[key] != whole[key]} == {"notes", "thresholds_from", "above_wire"}
    assert known(sure=True).demands == render.want().demands


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "expectation: "),
        (json.dumps({**LEAST, **dict.fromkeys("zyxwvutsrqponm", 1)}), "expectation: unknown key m"),
        (json.dumps({**LEAST, "notes": 3}), "expectation: "),
        (json.dumps({key: value for key, value in LEAST.items() if key != "network"}), "expectation: 'network'"),
        (json.dumps({**LEAST, "nodes": 1}), "nodes: got 1, "),
    ],
)
def test_a_record_is_refused_by_the_first_key_that_is_wrong(text: str, words: str) -> None:
    """Where several keys are unknown it is the first by name."""
    with pytest.raises(BadExpectationError) as refused:
        from_json(text)

    assert str(refused.value).startswith(words)
