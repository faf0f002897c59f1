"""An admission policy that lets only a plan's own images, each by its digest, run in the namespaces that are ours."""

from collections.abc import Sequence
from typing import Any

from ...frozen import frozen

NAME = "rdma-locked-images"
_ALL = " + ".join(
    (
        "object.spec.containers.map(c, c.image)",
        "object.spec.?initContainers.orValue([]).map(c, c.image)",
        "object.spec.?ephemeralContainers.orValue([]).map(c, c.image)",
    )
)


@frozen
class LockedImages:
    """The images of a plan, and the namespaces in which nothing else runs."""

    images: tuple[str, ...]
    namespaces: tuple[str, ...]

    @property
    def spec(self) -> dict[str, Any]:
        """Of a ValidatingAdmissionPolicy, v1 since Kubernetes 1.30."""
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"]}
        strange = "variables.strange"
        return {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": [{**rule, "resources": ["pods", "pods/ephemeralcontainers"]}]},
            "variables": [
                {"name": "locked", "expression": _list(self.images)},
                {"name": "strange", "expression": f"({_ALL}).filter(i, !(i in variables.locked))"},
            ],
            "validations": [
                {
                    "expression": f"{strange}.size() == 0",
                    "messageExpression": f"'not among the locked images of this cluster: ' + {strange}.join(', ')",
                }
            ],
        }

    @property
    def binding(self) -> dict[str, Any]:
        """Of its binding. Each namespace bears its name as a label, which the API server sets."""
        named = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(self.namespaces)}
        return {
            "policyName": NAME,
            "validationActions": ["Deny"],
            "matchResources": {"namespaceSelector": {"matchExpressions": [named]}},
        }


def _list(words: Sequence[str]) -> str:
    """References hold no quote: their grammar has none (images.py)."""
    return "[" + ", ".join(f"'{word}'" for word in words) + "]"
