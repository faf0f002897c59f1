"""A user's own threshold: its form, its sizes, and the rows that nccl-tests runs."""

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
    """The first row that is as large as the size is judged; there is none below 1 GiB."""
    assert row_from(size) == row


@pytest.mark.parametrize(
    ("memory", "row"), [(40, 8 * GIB), (49, 16 * GIB), (48, 8 * GIB), (80, 16 * GIB), (192, 32 * GIB)]
)
def test_three_buffers_fit_beside_a_gib(memory: int, row: int):
    """The largest row is the last that GPUs of some memory hold."""
    assert largest_row(memory) == row
    assert 3 * row + GIB <= memory * GIB < 3 * 2 * row + GIB


@pytest.mark.parametrize(
    ("word", "size"),
    [("1G", GIB), ("1024M", GIB), ("1048576K", GIB), ("1073741824", GIB), ("1T", 1024 * GIB), ("3G", 3 * GIB)],
)
def test_sizes_are_binary(word: str, size: int):
    """nccl-tests reads them so."""
    assert parse_thresholds([f"all_reduce:{word}=300.5"]) == {"all_reduce": (SizeThreshold(size, 300.5),)}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["300"], "COLLECTIVE:SIZE=GBPS"),
        (["all_reduce=300"], "COLLECTIVE:SIZE=GBPS"),
        (["all_reduce:1G"], "COLLECTIVE:SIZE=GBPS"),
        (["all_reduce:1G=300x"], "COLLECTIVE:SIZE=GBPS"),
        (["allreduce:1G=300"], "nccl-tests has all_reduce"),
        (["all_reduce:1023M=300"], "from 1G on"),
        (["all_reduce:1G=0"], "waive"),
        (["all_reduce:1G=300", "all_reduce:1024M=200"], "already"),
    ],
)
def test_a_word_that_is_no_threshold_is_refused_with_what_would_be_one(words: list[str], says: str):
    with pytest.raises(BadThresholdError, match=says) as caught:
        parse_thresholds(words)

    assert repr(words[-1]) in str(caught.value)


def test_thresholds_are_ordered_by_size_within_their_collective():
    read = parse_thresholds(["all_reduce:4G=3", "alltoall:1G=1", "all_reduce:1G=2.5"])

    assert read == {
        "all_reduce": (SizeThreshold(GIB, 2.5), SizeThreshold(4 * GIB, 3.0)),
        "alltoall": (SizeThreshold(GIB, 1.0),),
    }


def test_each_further_collective_has_its_time_in_each_round():
    """Two nodes are one round of pairs, and four are two."""

    def deadline(nodes: int, *also: str) -> int:
        return only(args(pool(nodes=nodes), also_run=[*also])).test["spec"]["activeDeadlineSeconds"]

    further = deadline(2, "alltoall") - deadline(2)

    assert further > 60
    assert deadline(2, "alltoall", "sendrecv") - deadline(2) == 2 * further
    assert deadline(4, "alltoall") - deadline(4) == 2 * further
