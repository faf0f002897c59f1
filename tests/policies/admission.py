"""What every admission policy of a graph must keep to: whom it matches, and that it is in force at all."""

from collections.abc import Iterator

from pulumi_offline import Graph

GROUP = "kubernetes:admissionregistration.k8s.io/"
VERBS = {"CREATE", "UPDATE", "DELETE", "CONNECT"}


def admission_policies_match_something(graph: Graph) -> Iterator[str]:
    """Rules of groups, versions, verbs and kinds, and an answer to what cannot be evaluated."""
    for policy in (each for each in graph.resources if each.type.startswith(GROUP) and each.type.endswith("Policy")):
        spec = policy.inputs["spec"]
        rules = (spec.get("matchConstraints") or {}).get("resourceRules") or []
        if not rules or spec.get("failurePolicy") not in ("Fail", "Ignore"):
            yield f"{policy.name}: matches {rules}, and fails by {spec.get('failurePolicy')}"
        for rule in rules:
            lacking = [key for key in ("apiGroups", "apiVersions", "resources") if not rule.get(key)]
            if lacking or not rule.get("operations") or not set(rule["operations"]) <= VERBS:
                yield f"{policy.name}: a rule of {rule}"
        if not any(spec.get(key) for key in ("mutations", "validations")):
            yield f"{policy.name}: does nothing"


def admission_policies_are_bound(graph: Graph) -> Iterator[str]:
    """Without a binding of its name a policy does nothing, and a binding of another name is nobody's."""
    for kind in ("MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"):
        of_kind = [each for each in graph.resources if each.type.startswith(GROUP)]
        policies = {each.inputs["metadata"]["name"] for each in of_kind if each.type.endswith(f":{kind}")}
        bindings = [each.inputs["spec"] for each in of_kind if each.type.endswith(f":{kind}Binding")]
        if policies != {each.get("policyName") for each in bindings}:
            yield f"{kind}: {sorted(policies)}, bound are {[each.get('policyName') for each in bindings]}"
        if kind.startswith("Validating") and not all(each.get("validationActions") for each in bindings):
            yield f"{kind}: a binding has no action"
