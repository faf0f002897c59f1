"""Whether a model fits, by numbers that stand here for themselves."""

import pytest
from hypothesis import given, strategies as st
from rdma_cluster.catalog import find
from rdma_cluster.catalog.machine import Machine
from rdma_cluster.catalog.models import LLAMA_70B, LLAMA_405B, MODELS, Model
from rdma_cluster.incluster.addons.inference.parallelism import Load, memory, room_gb


def machine(name: str) -> Machine:
    """One of the catalogue."""
    found = find(name)
    assert found is not None
    return found


H100, H200, B200 = map(machine, ("BM.GPU.H100.8", "a3-ultragpu-8g", "a4-highgpu-8g"))


def load(tokens: int = 32_768) -> Load:
    """Of the seed's model."""
    return Load(LLAMA_405B.weights_bytes, LLAMA_405B.token_bytes * tokens, tokens)


def test_sizes_are_the_published_ones():
    """810 GB as Oracle's page and everybody has it, and half a MiB of keys and values a token (126 layers, 8 heads)."""
    assert round(LLAMA_405B.weights_bytes / 1e9) == 812
    assert LLAMA_405B.token_bytes == 516_096
    assert LLAMA_70B.token_bytes == 327_680


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_rows_agree_with_themselves(model: Model):
    """Heads share the keys evenly, and the name says how many parameters there are, in thousands of millions."""
    assert model.heads % model.kv_heads == 0
    assert f"-{model.parameters // 10**9}B-" in model.name
    assert model.sources


@pytest.mark.parametrize(("size", "nodes"), [(H100, 2), (H200, 1), (B200, 1)], ids=["H100", "H200", "B200"])
def test_how_many_nodes_hold_405b(size: Machine, nodes: int):
    """Two with 8 x 80 GB, one with 8 x 141 or 8 x 180."""
    assert load().least_nodes(size) == nodes


def test_a_whole_context_still_fits_two_nodes():
    """128 Ki tokens take 68 GB more, and 1,237 GB are there."""
    assert load(131_072).least_nodes(H100) == 2
    assert load(1_000_000).least_nodes(H100) == 3


@given(weights=st.integers(1, 10**13), tokens=st.integers(0, 10**7))
def test_least_nodes_hold_it_and_one_less_does_not(weights: int, tokens: int):
    """The bound is exact, whatever the sizes."""
    asked = Load(weights, tokens * 1000, tokens)
    least = asked.least_nodes(H100)
    assert least is not None

    assert (memory(H100, least) or 0) >= asked.total - least
    assert least == 1 or (memory(H100, least - 1) or 0) < asked.total


@pytest.mark.parametrize(("disk", "room"), [(512, 420), (1024, 881), (12_000, 10_760), (30, -13)])
def test_room_on_a_disk(disk: int, room: int):
    """A tenth stays free and 40 GB are for images."""
    assert room_gb(disk) == room
