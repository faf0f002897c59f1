"""The record that a log is measured against: which figure holds for a size, what is written of it, what is refused."""

import json
from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import (
    NVLINK,
    BadExpectationError,
    Expectation,
    Neighbours,
    Network,
    SizeThreshold,
    from_json,
    size_text,
)
from tests.nccl import render
from tests.nccl.render import GIB

TWO = {"all_gather": (SizeThreshold(GIB, 100.0), SizeThreshold(4 * GIB, 200.0)), "reduce": ()}
LEAST: dict[str, Any] = {
    "machine": "m", "network": {"transport": "gIB", "names": ["gIB"]}, "nodes": 2, "gpus_per_node": 8,
    "gpu_model": "NVIDIA H200", "nics": None, "thresholds": {},
}  # fmt: skip
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
    tests=8,
    notes=("one", "two"),
)
"""Each key has a value of its own, and none its default."""


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (1 << 20, "1 MiB"),
        (8 << 30, "8 GiB"), (1023 << 30, "1023 GiB"), (1 << 40, "1 TiB"), (1 << 50, "1024 TiB"),
    ],
)  # fmt: skip
def test_sizes_in_words(size: int, text: str) -> None:
    """The largest unit of which there is one; beyond TiB there is none."""
    assert size_text(size) == text


@pytest.mark.parametrize("name", ["thresholds", "expected"])
@pytest.mark.parametrize(
    ("collective", "size", "figure"),
    [
        ("all_gather", GIB - 1, None), ("all_gather", GIB, 100.0), ("all_gather", 4 * GIB - 1, 100.0),
        ("all_gather", 4 * GIB, 200.0), ("all_gather", 8 * GIB, 200.0), ("reduce", GIB, None), ("scatter", GIB, None),
        (None, GIB, None),
    ],
)  # fmt: skip
def test_the_figure_that_holds_for_a_size(name: str, collective: str | None, size: int, figure: float | None) -> None:
    """Each holds from its own size up to the next one's; of what was reached before as of thresholds."""
    of = "threshold_at" if name == "thresholds" else "expected_at"
    want = replace(render.want(), thresholds={}, expected={})

    assert getattr(replace(want, **{name: TWO}), of)(collective, size) == figure
    assert getattr(want, of)(collective, size) is None


@pytest.mark.parametrize(("domain", "wire"), [(0, True), (8, True), (15, True), (16, False), (72, False)])
def test_nodes_are_joined_by_their_nics_unless_nvlink_joins_all(domain: int, wire: bool) -> None:
    """Of two nodes of eight GPUs each."""
    want = replace(render.want(), nvlink_domain=domain)

    assert (want.ranks, want.uses_wire) == (16, wire)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("IB", True), ("IBext", True), ("IBext_v8", True), ("NCCL RDMA Plugin v10", True), ("IB_v8", True),
        ("IBexternal", False), ("NCCL RDMA Plugins", False), ("xIB", False), ("Socket", False), ("", False),
    ],
)  # fmt: skip
def test_names_of_a_network(name: str, known: bool) -> None:
    """As they are, or with the version of a plugin's interface behind; nothing else that begins so."""
    assert Network(transport="InfiniBand", names=("IB", "IBext", "NCCL RDMA Plugin")).has(name) is known


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nodes": 1}, "nodes: got 1, a fabric is proved between 2 nodes or more"),
        ({"gpus_per_node": 0}, "gpus_per_node: got 0, want 1 or more"),
        ({"network": Network(transport="x", names=())}, "network: NCCL's names for x are missing"),
    ],
)
def test_what_no_log_can_show_is_refused(change: dict[str, Any], words: str) -> None:
    """One node, no GPU, or a network without a name."""
    with pytest.raises(BadExpectationError) as refused:
        replace(render.want(), **change)

    assert str(refused.value) == words


@pytest.mark.parametrize("change", [{"nodes": 2}, {"gpus_per_node": 1}, {"network": NVLINK}])
def test_the_least_that_a_log_can_show(change: dict[str, Any]) -> None:
    """Two nodes, one GPU each; NVLink between nodes has no name in NCCL."""
    want = replace(render.want(), **change)
    assert {key: getattr(want, key) for key in change} == change


def test_all_of_a_record_is_written_and_read() -> None:
    """Lists come back as what they were; keys stand by name, so that one that is moved runs no test again."""
    assert from_json(FULL.to_json()) == FULL
    assert list(json.loads(FULL.to_json())) == sorted(Expectation.__dataclass_fields__)


def test_what_is_empty_is_not_written() -> None:
    """Of what a later judge has learned: a test runs again for none of it."""
    learned = {"neighbours": (), "neighbours_sure": False, "part_of_node": False, "also": (), "expected": {},
               "expected_from": ""}  # fmt: skip
    less = replace(FULL, **learned, notes=(), above_wire="", nvlink_domain=0)

    assert json.loads(FULL.to_json()).keys() - json.loads(less.to_json()).keys() == learned.keys()
    assert from_json(less.to_json()) == less


def test_what_may_be_left_out() -> None:
    """All that has a default."""
    assert from_json(json.dumps(LEAST)) == Expectation(
        machine="m", network=Network(transport="gIB", names=("gIB",)), nodes=2, gpus_per_node=8,
        gpu_model="NVIDIA H200", nics=None, thresholds={},
    )  # fmt: skip


def test_what_is_demanded_of_a_run() -> None:
    """All but what words a verdict, or only warns in one."""
    demands = json.loads(FULL.demands)
    only_words = {"neighbours", "neighbours_sure", "part_of_node", "expected", "expected_from"}

    assert demands == {
        **{key: value for key, value in json.loads(FULL.to_json()).items() if key not in only_words},
        "notes": [],
        "thresholds_from": "",
        "above_wire": "",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "expectation: not JSON: "),
        ("[]", "expectation: want a JSON object"),
        (json.dumps({**LEAST, **dict.fromkeys("zyxwvutsrqponm", 1)}), "expectation: unknown key m"),
        (json.dumps({**LEAST, "notes": 3}), "expectation: 'int' object is not iterable"),
        (json.dumps({**LEAST, "network": []}), "expectation: "),
        (json.dumps({key: value for key, value in LEAST.items() if key != "network"}), "expectation: 'network'"),
        (json.dumps({**LEAST, "nodes": 1}), "nodes: got 1, "),
    ],
)
def test_why_a_record_is_refused(text: str, words: str) -> None:
    """The first key by name, of several that nobody knows."""
    with pytest.raises(BadExpectationError) as refused:
        from_json(text)

    assert str(refused.value).startswith(words)
