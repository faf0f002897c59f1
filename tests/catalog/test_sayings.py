"""What stacks rest on, beside what its sources say: entered by readers who had not seen our values."""

from collections.abc import Iterator

import pytest
from rdma_cluster.catalog.sayings import Saying, disagrees, sayings
from tests.machines import known_machine
from tools.sayings import asked

A4 = known_machine("a4-highgpu-8g")
RUN = {"collective": "all_gather", "nodes": 2, "gpus_per_node": 1, "size_bytes": 1 << 30, "gbytes": 36.67}


def readings() -> Iterator[tuple[Saying, bool]]:
    """Every reading of what a stack rests on, and whether ours is another value."""
    found = {(each.of, each.field): each for some in sayings().values() for each in some}
    for question in asked():
        if saying := found.get((question.of, question.field)):
            held = question.record
            other = saying.says != held.partition("@")[2] if isinstance(held, str) else disagrees(saying, held)
            yield saying, other and saying.says is not None


def test_whatever_a_stack_rests_on_was_read_in_its_source() -> None:
    known = {(each.of, each.field) for some in sayings().values() for each in some}
    missing = [f"{each.of} {each.field}" for each in asked() if (each.of, each.field) not in known]
    assert missing == [], "`python -m tools.sayings` asks for these"


def test_a_row_holds_what_its_source_says() -> None:
    """Where it holds another value, the reading says why; a source that says nothing has its reason too."""
    wrong = [f"{each.of} {each.field}: {each.says}" for each, other in readings() if other and not each.why]
    assert wrong == []
    assert [f"{each.of} {each.field}" for each, other in readings() if each.says is None and not each.why] == []
    assert [
        f"{each.of} {each.field}: agrees" for each, other in readings() if each.says and each.why and not other
    ] == []


@pytest.mark.parametrize(
    ("field", "says", "other"),
    [
        ("nics", 8, False),
        ("nics", 4, True),
        ("min_kubernetes.gpudirect", "1.32.2-gke.1475001", True),
        ("roots", [{"gpus": [0, 1]}, {"gpus": [2, 3]}, {"gpus": [4, 5]}, {"gpus": [6, 7]}], False),
        ("roots", [{"gpus": [0, 1]}, {"gpus": [2, 3]}], True),
        ("thresholds", [RUN], False),
        ("thresholds", [{**RUN, "gbytes": 21.0}], True),
        ("thresholds", [{**RUN, "nodes": 4, "gbytes": 21.0}], False),
    ],
)
def test_a_reading_is_compared_by_what_it_states(field: str, says: object, other: bool) -> None:
    """A source that is silent on a part of a record contradicts nothing there."""
    assert disagrees(Saying(A4.name, field, says, "a page", "1", "2026-11-28"), A4) == other
