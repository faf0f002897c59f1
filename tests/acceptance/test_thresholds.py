"""A threshold of one's own: its sizes, its rows, and how long a test may take that runs more."""

import pytest
from nccl_verdict.expectation import GIB, SizeThreshold
from rdma_cluster.incluster.plan.acceptance.expectation import (
    BadThresholdError,
    largest_row,
    parse_thresholds,
    row_from,
)
from tests.acceptance.plans import args, only, pool


@pytest.mark.parametrize(
    ("size", "row"),
    [(1, GIB), (GIB, GIB), (GIB + 1, 2 * GIB), (2 * GIB, 2 * GIB), (3 * GIB, 4 * GIB), (16 * GIB, 16 * GIB)],
)
def test_rows_go_by_powers_of_two(size: int, row: int):
    """From 1 GiB on; the first that is as large is judged."""
    assert row_from(size) == row


@pytest.mark.parametrize(
    ("memory", "row"), [(40, 8 * GIB), (49, 16 * GIB), (48, 8 * GIB), (80, 16 * GIB), (192, 32 * GIB)]
)
def test_three_buffers_fit_beside_a_gib(memory: int, row: int):
    """The largest row that GPUs of some memory hold."""
    assert largest_row(memory) == row
    assert 3 * row + GIB <= memory * GIB < 3 * 2 * row + GIB


@pytest.mark.parametrize(
    ("word", "size"),
    [("1G", GIB), ("1024M", GIB), ("1048576K", GIB), ("1073741824", GIB), ("1T", 1024 * GIB), ("3G", 3 * GIB)],
)
def test_sizes_are_binary(word: str, size: int):
    """As nccl-tests reads them."""
    assert parse_thresholds([f"all_reduce:{word}=300.5"]) == {"all_reduce": (SizeThreshold(size, 300.5),)}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["all_reduce=300"], "write COLLECTIVE:SIZE=GBPS"),
        (["all_reduce:1G=300x"], "write COLLECTIVE:SIZE=GBPS"),
        (["all_red:1G=300"], "nccl-tests has"),
        (["all_reduce:1023M=300"], "sizes from 1G on"),
        (["all_reduce:1G=0"], "a threshold of 0 proves nothing"),
        (["all_reduce:1G=300", "all_reduce:1024M=200"], "has a threshold already"),
    ],
)
def test_what_is_none(words: list[str], says: str):
    """Each with what would be one."""
    with pytest.raises(BadThresholdError, match=says):
        parse_thresholds(words)


def test_sizes_come_in_their_order_and_collectives_apart():
    """However they are written."""
    read = parse_thresholds(["all_reduce:4G=3", "alltoall:1G=1", "all_reduce:1G=2"])

    assert [each.size_bytes // GIB for each in read["all_reduce"]] == [1, 4]
    assert [each.size_bytes // GIB for each in read["alltoall"]] == [1]


def deadline(nodes: int, also: list[str]) -> int:
    """Of the job of a test of so many nodes that runs further collectives."""
    return only(args(pool(nodes=nodes), also_run=also)).job["spec"]["activeDeadlineSeconds"]


def test_each_collective_has_its_time_in_each_round():
    """Two nodes are one round of pairs, four are two."""
    further = deadline(2, ["alltoall"]) - deadline(2, [])

    assert further > 60
    assert deadline(2, ["alltoall", "sendrecv"]) - deadline(2, []) == 2 * further
    assert deadline(4, ["alltoall"]) - deadline(4, []) == 2 * further
    assert deadline(4, ["alltoall"]) - deadline(2, ["alltoall"]) >= 2 * further
