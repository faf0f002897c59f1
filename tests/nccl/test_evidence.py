"""Who printed a line: the process in front of it, and the host where other text ran into its name."""

from types import SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.nccl.evidence import process_of
from rdma_cluster.nccl.run import Run


@pytest.mark.parametrize(
    ("head", "process"),
    [
        (b"worker-0:12:34 [0]", ("worker-0", 12)),
        (b"[1,0]<stdout>: worker-0:12:999 [0]", ("worker-0", 12)),
        (b"worker-0:12345678901:1 [0]", None),
        (b"worker-0:x:34 [0]", None),
        (b"worker-0:34 [0]", None),
    ],
)
def test_threads_are_of_one_process(head: bytes, process: tuple[str, int] | None):
    """The second number is the process; a number that no kernel gives is none."""
    assert process_of(head) == process


def test_a_name_that_text_ran_into_is_the_longest_that_is_known():
    """The end of one host's name may be another's."""
    run = Run("log")
    ranks: Any = {0: SimpleNamespace(host="gpu-1"), 1: SimpleNamespace(host="a-gpu-1")}
    run.ranks = ranks
    run.evidence.networks = {(("textgpu-1", 7), "IB"): 1, (("texta-gpu-1", 8), "IB"): 2, (("other", 9), "IB"): 3}

    run.settle()

    assert {host for (host, _), _ in run.evidence.networks} == {"gpu-1", "a-gpu-1", "other"}
