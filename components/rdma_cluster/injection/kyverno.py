"""The policies for Kyverno's engine, which changes pods on clusters that are too old to do it themselves."""

from collections.abc import Sequence
from typing import Any

from .pattern import Pattern
from .policies import NAME, Scope, changing

API_VERSION = "policies.kyverno.io/v1"


def kyverno(scope: Scope, patterns: Sequence[Pattern]) -> list[dict[str, Any]]:
    """A MutatingPolicy for each machine; ``refusing`` stands beside them."""
    return [
        {
            "apiVersion": API_VERSION,
            "kind": "MutatingPolicy",
            "metadata": {"name": f"{NAME}-{pattern['name']}"},
            "spec": {
                **changing(scope, pattern),
                "failurePolicy": "Fail",
                "reinvocationPolicy": "IfNeeded",
                # Pods themselves are changed, whoever makes them: templates of Jobs and the like stay as they are.
                "autogen": {"podControllers": {"controllers": []}},
                "evaluation": {"background": {"enabled": False}},
            },
        }
        for pattern in patterns
    ]
