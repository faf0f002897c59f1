"""Who is tested beside whom: each node beside its two neighbours in a ring, and beside one at a time."""

from collections import Counter
from itertools import chain

import pytest
from tests.readiness.in_pod import load

ring = load("fill").ring


@pytest.mark.parametrize(
    ("nodes", "rounds"),
    [
        (2, [[(0, 1)]]),
        (3, [[(0, 1)], [(1, 2)], [(2, 0)]]),
        (4, [[(0, 1), (2, 3)], [(1, 2), (3, 0)]]),
        (5, [[(0, 1), (2, 3)], [(1, 2), (3, 4)], [(4, 0)]]),
    ],
)
def test_the_rounds_of_a_ring(nodes: int, rounds: list[list[tuple[int, int]]]):
    """Two for an even number of nodes, three for an odd one; two nodes are one pair."""
    assert ring(nodes) == rounds


@pytest.mark.parametrize("nodes", range(3, 18))
def test_every_node_is_beside_two_and_in_a_round_once(nodes: int):
    """Pairs of a round run at the same time."""
    rounds = ring(nodes)

    assert Counter(chain(*chain(*rounds))) == dict.fromkeys(range(nodes), 2)
    assert all(max(Counter(chain(*each)).values()) == 1 for each in rounds)
