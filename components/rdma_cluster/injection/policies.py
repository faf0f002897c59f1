"""The policies as Kubernetes' own: for each machine one that changes pods and one that refuses what it cannot serve.

A last one refuses pods whose machine is not known. Whichever engine changes pods, those that refuse are Kubernetes' own
(ValidatingAdmissionPolicy, v1 since 1.30): no pod that asked for the fabric starts without it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_offline.frozen import frozen
from .expressions import (
    change_variables,
    has_devices,
    may_use_gpus,
    mutation,
    names_machine,
    question_variables,
    switched_on,
)
from .pattern import MACHINE_LABEL, VERSION_LABEL, Pattern

GROUP = "admissionregistration.k8s.io"
NAME = "rdma-injection"
"""Names of policies begin with it."""
SWITCH = "rdma-cluster/inject"
"""Annotation by which a pod asks for the fabric, with the value ``true``."""
NOT_GIVEN = "the pod asked for the fabric and was not given it: is the policy engine running?"
NEMO_SWITCHES = ("nmp.nvidia.com/enable-multi-node-networking", "nhx.nvidia.com/enable-multi-node-networking")
"""NeMo Platform's, before and after it was renamed."""


@frozen
class Scope:
    """Which pods the policies apply to."""

    switches: Sequence[str] = (SWITCH,)
    """Annotations that each turn injection on."""
    namespaces: Sequence[str] = field(default=("default",))
    every_pod: bool = False
    """Whether pods of these namespaces ask for the fabric by asking for GPUs, unless a switch is ``false``."""
    claims_alone: bool = False
    """Whether a pod without the fabric gets no GPU either: claims hand them out, to nobody who asks for a resource."""

    @property
    def way_out(self) -> tuple[str, ...]:
        """What else a pod can do that is refused, and did not ask by itself."""
        said = f'for a pod without the fabric, give it the annotation {self.switches[0]}: "false"'
        return (said,) if self.every_pod and not self.claims_alone else ()


def native(scope: Scope, patterns: Sequence[Pattern], version: str = "v1") -> list[dict[str, Any]]:
    """Policies that change pods, with their bindings. ``version`` of the API is ``v1beta1`` before Kubernetes 1.36."""
    policies = []
    for pattern in patterns:
        name = f"{NAME}-{pattern['name']}"
        policies += _bound("MutatingAdmissionPolicy", version, name, _changing(scope, pattern), {})
    return policies


def kyverno(scope: Scope, patterns: Sequence[Pattern]) -> list[dict[str, Any]]:
    """A MutatingPolicy for each machine, for clusters that are too old to change pods themselves."""
    return [
        {
            "apiVersion": "policies.kyverno.io/v1",
            "kind": "MutatingPolicy",
            "metadata": {"name": f"{NAME}-{pattern['name']}"},
            "spec": {
                **_changing(scope, pattern),
                # Only pods themselves are changed; templates of Jobs and the like stay as they are.
                "autogen": {"podControllers": {"controllers": []}},
                "evaluation": {"background": {"enabled": False}},
            },
        }
        for pattern in patterns
    ]


def _changing(scope: Scope, pattern: Pattern) -> dict[str, Any]:
    """The spec of a policy that changes pods, in either engine."""
    return {
        "matchConstraints": _pods(scope),
        # A pod is admitted anew after each change by any policy; what is injected already is skipped.
        "matchConditions": _condition(f"!({_has_label(pattern)})", *_asks(scope, [pattern]), names_machine(pattern)),
        "variables": _variables({**question_variables(pattern, scope.switches), **change_variables()}),
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": mutation()}}],
        "failurePolicy": "Fail",
        "reinvocationPolicy": "IfNeeded",
    }


def refusing(scope: Scope, patterns: Sequence[Pattern]) -> list[dict[str, Any]]:
    """Policies that refuse pods, with their bindings, for either engine."""
    deny = {"validationActions": ["Deny"]}
    policies = []
    for pattern in patterns:
        # Most pods were served. An API server turns the pod into a plain object for the conditions of each policy, and
        # three times more for what follows them (k8s.io/apiserver v0.36.3 pkg/admission/plugin/cel/condition.go).
        apart = " && !object.spec.?hostNetwork.orValue(false)" if pattern["noHostNetwork"] else ""
        served = f"({_has_label(pattern)} && {has_devices(pattern)}{apart})"
        spec = {
            "matchConstraints": _pods(scope),
            "matchConditions": _condition(f"!{served}", *_asks(scope, [pattern]), names_machine(pattern)),
            "failurePolicy": "Fail",
            "variables": _variables(question_variables(pattern, scope.switches)),
            "validations": [
                {
                    "expression": "size(variables.refusals) == 0",
                    "messageExpression": f"(variables.refusals + {json.dumps(scope.way_out)}).join('; ')",
                    "reason": "Invalid",
                },
                {
                    "expression": "size(variables.refusals) > 0 || size(variables.uses) == 0",
                    "message": NOT_GIVEN,
                    "reason": "Invalid",
                },
            ],
        }
        policies += _bound("ValidatingAdmissionPolicy", "v1", f"{NAME}-refusal-{pattern['name']}", spec, deny)
    known = " || ".join(f"({names_machine(pattern)})" for pattern in patterns)
    message = "; ".join((unknown(patterns), *scope.way_out))
    spec = {
        "matchConstraints": _pods(scope),
        "matchConditions": _condition(*_asks(scope, patterns), f"!({known})"),
        "failurePolicy": "Fail",
        "validations": [{"expression": "false", "message": message, "reason": "Invalid"}],
    }
    return [*policies, *_bound("ValidatingAdmissionPolicy", "v1", f"{NAME}-refusal", spec, deny)]


def _has_label(pattern: Pattern) -> str:
    """Whether the pod claims to be injected; the refusing policy checks that it is."""
    label, digest = json.dumps(VERSION_LABEL), json.dumps(pattern["labels"][VERSION_LABEL])
    return f"object.metadata.?labels[?{label}].orValue('') == {digest}"


def unknown(patterns: Sequence[Pattern]) -> str:
    """The refusal of a pod that names no machine."""
    names = (name for pattern in patterns for name in pattern["names"])
    *most, last = [f"{name['key']}={value}" for name in names for value in name["values"]]
    labels = f"{', '.join(most)} or {last}" if most else last
    return f"the pod asks for the fabric of no machine, or of several; say in its nodeSelector {labels}"


def marked_only(patterns: Sequence[Pattern], machine: str) -> tuple[Pattern, ...]:
    """The patterns of one machine, of which the first is that of pods that name no machine."""
    of_machine = [each for each in patterns if each["labels"][MACHINE_LABEL] == machine]
    return tuple({**each, "only": True} for each in of_machine[:1])


def _pods(scope: Scope) -> dict[str, Any]:
    namespaces = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(scope.namespaces)}
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    return {"namespaceSelector": {"matchExpressions": [namespaces]}, "resourceRules": [rule]}


def _asks(scope: Scope, patterns: Sequence[Pattern]) -> tuple[str, str]:
    """Whether a pod asks for the fabric, and whether it uses GPUs."""
    return switched_on(scope.switches, scope.every_pod), may_use_gpus(templates_of(patterns))


def _condition(*expressions: str) -> list[dict[str, str]]:
    """Which pods a policy looks at. One condition, for of several an API server evaluates each, whatever one said."""
    return [{"name": "is-concerned", "expression": " && ".join(f"({each})" for each in expressions)}]


def templates_of(patterns: Sequence[Pattern]) -> list[str]:
    """The claim templates that pods may name themselves."""
    return [each["resourceClaimTemplateName"] for pattern in patterns for each in pattern["resourceClaims"]]


def _variables(expressions: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "expression": expression} for name, expression in expressions.items()]


def _bound(
    kind: str, version: str, name: str, spec: Mapping[str, Any], binding: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """A policy, and the binding that puts it in force."""
    api = {"apiVersion": f"{GROUP}/{version}", "metadata": {"name": name}}
    return [
        {**api, "kind": kind, "spec": dict(spec)},
        {**api, "kind": f"{kind}Binding", "spec": {"policyName": name, **binding}},
    ]
