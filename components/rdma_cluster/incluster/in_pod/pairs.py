"""The pairs of a test. Pure: the plan of `up`'s test and the prover's tests have them from here.

Runs inside the cluster: standard library of Python 3.10 and above.
"""


def ring(nodes: int) -> list[list[tuple[int, int]]]:
    """Each node beside its two neighbours, in rounds of disjoint pairs: ``[[(0, 1), (2, 3)], [(1, 2), (3, 0)]]``."""
    if nodes == 2:
        return [[(0, 1)]]
    edges = [(i, (i + 1) % nodes) for i in range(nodes)]
    last = edges[nodes - nodes % 2 :]
    rounds = [edges[0 : nodes - nodes % 2 : 2], edges[1 : nodes - nodes % 2 : 2]]
    return [*rounds, last] if last else rounds
