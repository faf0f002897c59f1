"""What a proof says once a Job has ended, by the status that Kubernetes writes."""

from types import SimpleNamespace
from typing import Any

import pytest


def condition(kind: str, status: str) -> Any:
    """One condition of a Job."""
    return SimpleNamespace(type=kind, status=status)


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        (None, "not proven"),
        ([], "not proven"),
        ([condition("Complete", "True")], "proven"),
        ([condition("Complete", "False")], "not proven"),
        ([condition("Failed", "True")], "not proven"),
        # Beside others, before or behind it.
        ([condition("SuccessCriteriaMet", "True"), condition("Complete", "True")], "proven"),
        ([condition("Complete", "True"), condition("Suspended", "False")], "proven"),
        ([condition("Failed", "True"), condition("Complete", "False")], "not proven"),
    ],
)
def test_a_job_that_has_succeeded(conditions: Any, said: str):
    """Says so by one condition that is true; nothing else is a proof."""
    from rdma_cluster.incluster.nccl_acceptance import status_of

    status: Any = SimpleNamespace(conditions=conditions)
    assert status_of(status) == said
    assert status_of(None) == "not proven"


@pytest.mark.parametrize(
    ("began", "ended", "took"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z", {"seconds": 90}),
        ("2026-01-01T00:00:00+00:00", "2026-01-01T01:00:00+01:00", {"seconds": 0}),
        ("2026-01-01T00:00:00Z", None, {}),
        (None, "2026-01-01T00:00:00Z", {}),
        (None, None, {}),
    ],
)
def test_how_long_it_took(began: str | None, ended: str | None, took: dict[str, int]):
    """From its start to its end, once it has both."""
    from rdma_cluster.incluster.nccl_acceptance import _took

    status: Any = SimpleNamespace(start_time=began, completion_time=ended)
    assert _took(status) == took
    assert _took(None) == {}
