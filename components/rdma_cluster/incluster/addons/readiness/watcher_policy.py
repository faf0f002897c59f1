"""What a watcher of faults may change: its own node alone, and there our conditions and taints alone.

A role knows neither; a token that is bound to a pod names the pod's node (Kubernetes 1.30 and above), and admission
policies read it.
"""

from collections.abc import Mapping
from typing import Any

from ...plan.acceptance.marker_policy import SAME_STATUS, unchanged
from .watcher import CONDITIONS, KEY, NAME, NAMESPACE, PROOF_LABEL, START_TAINT

_CLAIM = "authentication.kubernetes.io/node-name"
_NODE = f"request.userInfo.?extra['{_CLAIM}'].orValue(['?'])[0]"
_OURS = [*CONDITIONS, "FaultsWatched"]
_META, _SPEC = {"annotations": "{}", "finalizers": "[]"}, {"unschedulable": "false"}
_KEYS = [KEY, START_TAINT["key"]]


def _own(of: str = "object.metadata.name") -> str:
    return f"{of} == {_NODE}"


def _other_conditions(of: str) -> str:
    return f"{of}.status.?conditions.orValue([]).filter(c, !(c.type in {_OURS}))"


def _other_taints(of: str) -> str:
    return f"{of}.spec.?taints.orValue([]).filter(t, !(t.key in {_KEYS}))"


def _labels(of: str) -> str:
    return f"{of}.metadata.?labels.orValue({{}})"


def _kept(one: str, other: str, but: str = "") -> str:
    """Whether ``other`` has every label of ``one``, with its value."""
    passed = f"k == '{but}' || " if but else ""
    return f"{_labels(one)}.all(k, {passed}k in {_labels(other)} && {_labels(other)}[k] == {_labels(one)}[k])"


def _policy(rule: Mapping[str, Any], checks: Mapping[str, str]) -> dict[str, Any]:
    user = f"request.userInfo.username == 'system:serviceaccount:{NAMESPACE}:{NAME}'"
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": [dict(rule)]},
        "matchConditions": [{"name": NAME, "expression": user}],
        "validations": [
            {"expression": check, "message": f"{NAME} tells of its own node's faults alone: {what}"}
            for what, check in checks.items()
        ],
    }


def policies(acts: bool) -> dict[str, dict[str, Any]]:
    """Specs of ValidatingAdmissionPolicies by name; ``acts``: the watcher may taint."""
    core = {"apiGroups": [""], "apiVersions": ["v1"]}
    made = {
        f"{NAME}-status": _policy(
            {**core, "operations": ["UPDATE"], "resources": ["nodes/status"]},
            {
                "another node": _own(),
                "another condition": f"{_other_conditions('object')} == {_other_conditions('oldObject')}",
                "nothing else of it": SAME_STATUS,
            },
        ),
        f"{NAME}-events": _policy(
            {**core, "operations": ["CREATE"], "resources": ["events"]},
            {
                "another node": f"object.involvedObject.?kind.orValue('') == 'Node' && "
                f"{_own('object.involvedObject.name')}"
            },
        ),
    }
    if acts:
        selector = "(request.operation == 'DELETE' ? oldObject : object).spec"
        made[f"{NAME}-taints"] = _policy(
            {**core, "operations": ["UPDATE"], "resources": ["nodes"]},
            {
                "another node": _own(),
                "another taint": f"{_other_taints('object')} == {_other_taints('oldObject')}",
                # It may take the label of the proof away, and set none.
                "another label": f"{_kept('object', 'oldObject')} && {_kept('oldObject', 'object', PROOF_LABEL)}",
                "nothing else of it": f"{unchanged('metadata', _META)} && {unchanged('spec', _SPEC)}",
            },
        )
        made[f"{NAME}-devices"] = _policy(
            {
                "apiGroups": ["resource.k8s.io"],
                "apiVersions": ["*"],
                "operations": ["CREATE", "DELETE"],
                "resources": ["devicetaintrules"],
            },
            {
                # Drivers of devices that are in a node call their pool as the node is called.
                "another node's device": _own(f"{selector}.deviceSelector.?pool.orValue('')"),
                "more than one device": f"{selector}.deviceSelector.?device.orValue('') != '' && "
                f"{selector}.deviceSelector.?driver.orValue('') != ''",
                "another taint": f"{selector}.taint.key == '{KEY}'",
            },
        )
    return made


def binding(policy: str) -> dict[str, Any]:
    """Spec of the binding that puts a policy in force."""
    return {"policyName": policy, "validationActions": ["Deny"]}
