"""The report of a ring in which some nodes are bad, as the judge of a test would write it."""

from collections.abc import Collection, Sequence
from typing import Any

from tests.readiness.in_pod import load

fill, proof = load("fill"), load("proof")


def report_of(names: Sequence[str], bad: Collection[str], good: float, slow: float, floor: float) -> Any:
    """A pair with a bad node is slow, and a node that two good others blame is a suspect."""
    edges = [edge for each in fill.ring(len(names)) for edge in each]
    fine = {edge: not {names[i] for i in edge} & {*bad} for edge in edges}
    well = {i for edge in edges if fine[edge] for i in edge}
    others = {i: [one + two - i for one, two in edges if i in (one, two)] for i in range(len(names))}
    suspects = tuple(i for i in others if i not in well and len(others[i]) > 1 and {*others[i]} <= well)
    pairs = tuple((one, two, good + one if fine[one, two] else slow, fine[one, two]) for one, two in edges)
    return proof.Report(tuple(names), pairs, suspects, floor)
