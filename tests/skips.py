"""What was not tested here, and what to install for it: the last line of a run but pytest's own."""

from collections import Counter
from collections.abc import Iterable

import pytest


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test was skipped, as its mark says it."""
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr).removeprefix("Skipped: ")


def told(reasons: Iterable[str]) -> str:
    """How many were skipped for each reason, the most frequent first; empty if none was."""
    counted = Counter(reasons)
    return (
        f"{counted.total()} skipped: " + "; ".join(f"{n} {why}" for why, n in counted.most_common()) if counted else ""
    )
