"""Versions of Kubernetes are compared by the parts that are given."""

import pytest
from hypothesis import given, strategies as st
from rdma_cluster.base.versions import at_least, parse

NUMBERS = st.builds(
    lambda minor, rest: [1, minor, *rest], st.integers(0, 999), st.lists(st.integers(0, 3000000), max_size=2)
)


def spell(numbers: list[int]) -> str:
    """1.35, 1.35.2 or 1.35.2-gke.1842000."""
    text = ".".join(map(str, numbers[:3]))
    return f"{text}-gke.{numbers[3]}" if len(numbers) == 4 else text


@pytest.mark.parametrize(
    "text", ["", "1", "1.", "v1.35", "1.35.2.1", "1.35.2-gke", "1.35-gke.1", "latest", "1.35 ", "-1.2", "2.0", "1.3500"]
)
def test_other_forms_are_no_versions(text: str):
    """A minimum version must never be compared with half a version."""
    assert parse(text) is None
    with pytest.raises(ValueError, match="not versions"):
        at_least(text, "1.34")


@pytest.mark.parametrize(
    ("version", "minimum_version", "expected"),
    [
        ("1.35", "1.34.2", True),
        ("1.34", "1.34.2", True),  # the newest patch of its minor
        ("1.33", "1.34.2", False),
        ("1.34.1", "1.34.2", False),
        ("1.34.10", "1.34.9", True),
        ("1.34.1-gke.1829001", "1.34.1-gke.1829001", True),
        ("1.34.1-gke.1829000", "1.34.1-gke.1829001", False),
        ("1.34.1", "1.34.1-gke.1829001", True),
        ("1.34.2-gke.1", "1.34.1-gke.1829001", True),
        ("1.32", "1.32", True),
    ],
)
def test_a_version_reaches_a_minimum_by_the_parts_that_are_given(version: str, minimum_version: str, expected: bool):
    assert at_least(version, minimum_version) is expected


@given(NUMBERS, NUMBERS, NUMBERS)
def test_full_versions_are_ordered(a: list[int], b: list[int], c: list[int]):
    """A version reaches itself, and what a higher one reaches a lower one is reached by it, too."""
    assert at_least(spell(a), spell(a))
    high, low = max(a, b), min(a, b)
    if len(high) == len(low) == len(c) and at_least(spell(low), spell(c)):
        assert at_least(spell(high), spell(c))
