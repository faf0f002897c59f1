"""The policies for Kyverno's engine, which older clusters run: one for each machine, for it takes no parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

from .expressions import change_variables, mutation, names_machine, pattern_variables
from .policies import NAME, Scope, as_variables, conditions, is_only, literal, pods, terms_of

API_VERSION = "policies.kyverno.io/v1"


def kyverno(scope: Scope, patterns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """MutatingPolicies; ``refusing`` stands beside them."""
    return [_policy(scope, each) for each in patterns]


def _policy(scope: Scope, pattern: Mapping[str, Any]) -> dict[str, Any]:
    names = names_machine(literal(terms_of(pattern)), "true" if is_only(pattern) else "false")
    return {
        "apiVersion": API_VERSION,
        "kind": "MutatingPolicy",
        "metadata": {"name": f"{NAME}-{pattern['metadata']['name']}"},
        "spec": {
            "matchConstraints": pods(scope),
            "matchConditions": [*conditions(scope), {"name": "names-the-machine", "expression": names}],
            "failurePolicy": "Fail",
            "reinvocationPolicy": "IfNeeded",
            # Pods themselves are changed, whoever makes them: templates of Jobs and the like stay as they are.
            "autogen": {"podControllers": {"controllers": []}},
            "evaluation": {"background": {"enabled": False}},
            "variables": as_variables({**pattern_variables(literal(pattern)), **change_variables()}),
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": mutation()}}],
        },
    }
