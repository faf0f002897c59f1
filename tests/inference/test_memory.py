"""Whether a model fits, by numbers that stand here for themselves."""

import pytest
from hypothesis import given, strategies as st
from rdma_cluster.catalog.machine import Machine
from rdma_cluster.catalog.models import LLAMA_70B, LLAMA_405B
from rdma_cluster.incluster.addons.inference.parallelism import Load, memory, room_gb
from tests.machines import known_machine

H100, H200, B200 = map(known_machine, ("BM.GPU.H100.8", "a3-ultragpu-8g", "a4-highgpu-8g"))


def load(tokens: int = 32_768) -> Load:
    """The load of Llama 405B."""
    return Load(LLAMA_405B.weights_bytes, LLAMA_405B.token_bytes * tokens, tokens)


def test_sizes_are_the_published_ones():
    """The weights are 810 GB, as Oracle's page has it, and a token takes half a MiB of keys and values."""
    assert round(LLAMA_405B.weights_bytes / 1e9) == 812
    assert LLAMA_405B.token_bytes == 516_096
    assert LLAMA_70B.token_bytes == 327_680


@pytest.mark.parametrize(("size", "nodes"), [(H100, 2), (H200, 1), (B200, 1)], ids=["H100", "H200", "B200"])
def test_405b_takes_two_nodes_of_h100_and_one_of_newer_gpus(size: Machine, nodes: int):
    assert load().least_nodes(size) == nodes


def test_a_whole_context_still_fits_two_nodes():
    """128 Ki tokens take 68 GB more, and 1,237 GB are there."""
    assert load(131_072).least_nodes(H100) == 2
    assert load(1_000_000).least_nodes(H100) == 3


@given(weights=st.integers(1, 10**13), tokens=st.integers(0, 10**7))
def test_the_least_nodes_hold_a_model_and_one_less_does_not(weights: int, tokens: int):
    asked = Load(weights, tokens * 1000, tokens)
    least = asked.least_nodes(H100)
    assert least is not None

    assert (memory(H100, least) or 0) >= asked.total - least
    assert least == 1 or (memory(H100, least - 1) or 0) < asked.total


@pytest.mark.parametrize(("disk", "room"), [(512, 420), (1024, 881), (12_000, 10_760), (30, -13)])
def test_a_tenth_of_a_disk_and_room_for_images_stay_free(disk: int, room: int):
    assert room_gb(disk) == room
