"""The policies as Kubernetes' own: one that changes pods, and two that refuse what cannot be served."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .expressions import change_variables, may_use_gpus, mutation, names_machine, pattern_variables, switched_on
from .pattern import MACHINE_LABEL, NAMESPACE, ONLY_LABEL, VERSION_LABEL

GROUP = "admissionregistration.k8s.io"
NAME = "rdma-injection"
"""Of the policy that changes pods."""
REFUSAL = "rdma-injection-refusal"
"""Of the policy that refuses pods which cannot be served by their machine."""
UNKNOWN = "rdma-injection-unknown"
"""Of the policy that refuses pods whose machine is not known."""
SWITCH = "rdma-cluster/inject"
"""Annotation by which a pod asks for the fabric, with the value ``true``."""
NEMO_SWITCHES = (
    "nmp.nvidia.com/enable-multi-node-networking",
    "nhx.nvidia.com/enable-multi-node-networking",
)
"""NeMo Platform's, before and after it was renamed."""


@dataclass(frozen=True)
class Scope:
    """Which pods are looked at."""

    switches: Sequence[str] = (SWITCH,)
    """Annotations that each turn injection on."""
    namespaces: Sequence[str] = field(default=("default",))


def native(scope: Scope, patterns: Sequence[Mapping[str, Any]], version: str = "v1") -> list[dict[str, Any]]:
    """The policies with their bindings; ``version`` of the API of mutating ones, ``v1beta1`` before Kubernetes 1.36."""
    mutating = {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": NAME},
        "spec": {
            **_of_machine(scope),
            "failurePolicy": "Fail",
            "reinvocationPolicy": "IfNeeded",
            "variables": as_variables({**pattern_variables("params"), **change_variables()}),
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": mutation()}}],
        },
    }
    binding = {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": NAME},
        "spec": {"policyName": NAME, "paramRef": _PARAMETERS},
    }
    return [mutating, binding, *refusing(scope, patterns)]


def refusing(scope: Scope, patterns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What stands beside either engine: no pod that asked for the fabric starts without it."""
    label = f"object.metadata.?labels[?{json.dumps(VERSION_LABEL)}].orValue('')"
    digest = f"params.template.metadata.labels[{json.dumps(VERSION_LABEL)}]"
    of_machine = {
        **_of_machine(scope),
        "failurePolicy": "Fail",
        "variables": as_variables(pattern_variables("params")),
        "validations": [
            {
                "expression": "size(variables.refusals) == 0",
                "messageExpression": "variables.refusals.join('; ')",
                "reason": "Invalid",
            },
            {
                "expression": f"size(variables.uses) == 0 || size(variables.refusals) > 0 || {label} == {digest}",
                "message": "the pod asked for the fabric and was not given it: is the policy engine running?",
            },
        ],
    }
    of_none = {
        "matchConstraints": pods(scope),
        "matchConditions": conditions(scope),
        "failurePolicy": "Fail",
        "validations": [
            {
                "expression": " || ".join(f"({_machine(each)})" for each in patterns),
                "message": unknown(patterns),
                "reason": "Invalid",
            }
        ],
    }
    return [
        *_validating(REFUSAL, of_machine, {"paramRef": _PARAMETERS}),
        *_validating(UNKNOWN, of_none, {}),
    ]


_PARAMETERS = {
    "selector": {"matchLabels": {VERSION_LABEL: "pattern"}},
    "namespace": NAMESPACE,
    "parameterNotFoundAction": "Deny",
}
_NATIVE_TERMS = (
    "params.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
)


def terms_of(pattern: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The labels by which pods name a machine, as the pattern has them."""
    affinity = pattern["template"]["spec"]["affinity"]["nodeAffinity"]
    return affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]


def is_only(pattern: Mapping[str, Any]) -> bool:
    """Whether pods that name no machine are the pattern's."""
    return pattern["metadata"]["labels"].get(ONLY_LABEL) == "true"


def marked_only(patterns: Sequence[Mapping[str, Any]], machine: str) -> tuple[dict[str, Any], ...]:
    """The patterns of one machine, of which the first is that of pods that name no machine."""
    found = [each for each in patterns if each["template"]["metadata"]["labels"][MACHINE_LABEL] == machine]
    return tuple(
        {**each, "metadata": {**each["metadata"], "labels": {**each["metadata"]["labels"], ONLY_LABEL: "true"}}}
        for each in found[:1]
    )


def _machine(pattern: Mapping[str, Any]) -> str:
    return names_machine(literal(terms_of(pattern)), "true" if is_only(pattern) else "false")


def unknown(patterns: Sequence[Mapping[str, Any]]) -> str:
    """What a pod may say that named no machine."""
    return (
        f"the pod asks for the fabric of no machine, or of several; say in its nodeSelector {unknown_names(patterns)}"
    )


def unknown_names(patterns: Sequence[Mapping[str, Any]]) -> str:
    """``a=b, or c=d``."""
    named = [
        f"{each['key']}={value}"
        for pattern in patterns
        for term in terms_of(pattern)
        for each in term["matchExpressions"]
        for value in each["values"]
    ]
    *most, last = named
    return f"{', '.join(most)} or {last}" if most else last


def pods(scope: Scope) -> dict[str, Any]:
    named = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(scope.namespaces)}
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    return {"namespaceSelector": {"matchExpressions": [named]}, "resourceRules": [rule]}


def conditions(scope: Scope) -> list[dict[str, str]]:
    return [
        {"name": "asks-for-the-fabric", "expression": switched_on(scope.switches)},
        {"name": "uses-gpus", "expression": may_use_gpus()},
    ]


def _of_machine(scope: Scope) -> dict[str, Any]:
    only = f"params.metadata.?labels[?{json.dumps(ONLY_LABEL)}].orValue('') == 'true'"
    names = {"name": "names-the-machine", "expression": names_machine(_NATIVE_TERMS, only)}
    return {
        "paramKind": {"apiVersion": "v1", "kind": "PodTemplate"},
        "matchConstraints": pods(scope),
        "matchConditions": [*conditions(scope), names],
    }


def as_variables(named: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "expression": expression} for name, expression in named.items()]


def _validating(name: str, spec: Mapping[str, Any], binding: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": dict(spec),
        },
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name},
            "spec": {"policyName": name, "validationActions": ["Deny"], **binding},
        },
    ]


def literal(value: Any) -> str:
    """Plain data in CEL, where the values of a set of keys, and the items of a list, must all be of one type."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)}: dyn({literal(of)})" for key, of in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(f"dyn({literal(of)})" for of in value) + "]"
    return json.dumps(value)
