"""An alert, in Prometheus' own form."""

from typing import Any


def alert(
    name: str, expression: str, summary: str, remedy: str, *, severity: str = "critical", after: str = ""
) -> dict[str, Any]:
    """``after`` is how long it must be so; by default it tells at once."""
    return {
        "alert": name,
        "expr": expression,
        **({"for": after} if after else {}),
        "labels": {"severity": severity},
        "annotations": {"summary": summary, "description": remedy},
    }
