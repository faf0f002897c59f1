"""A condition is found among others, whatever they say: of a pod, and of a kind that is not served yet."""

from typing import Any

import pytest
from rdma_agent import await_definitions, serving_check

OTHERS = [{"type": "PodScheduled", "status": "True"}, {"type": "NamesAccepted", "status": "False"}]


class Kinds:
    """An API server that has one object."""

    def __init__(self, conditions: list[dict[str, str]]):
        self._conditions = conditions

    def get(self, path: str) -> dict[str, Any]:
        return {"status": {"conditions": self._conditions}}


@pytest.mark.parametrize("status", ["True", "False", "Unknown"])
@pytest.mark.parametrize("first", [True, False])
def test_one_condition_decides(status: str, first: bool):
    """Others beside it do not, before it or after."""

    def beside(kind: str) -> list[dict[str, str]]:
        own = [{"type": kind, "status": status}]
        return [*own, *OTHERS] if first else [*OTHERS, *own]

    kinds: Any = Kinds(beside("Established"))
    assert serving_check._is_ready({"status": {"conditions": beside("Ready")}}) is (status == "True")
    assert await_definitions.established(kinds, "queues.example") is (status == "True")


def test_no_condition_is_a_no():
    """As of a pod that nobody has looked at."""
    nothing: Any = Kinds([])
    assert not serving_check._is_ready({}) and not await_definitions.established(nothing, "queues.example")
