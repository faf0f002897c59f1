"""What the prover's right to make and delete tests is held to: its own, whose pods have no account of anybody's.

Where it may make Jobs `up` has its tests, and the account that marks nodes: a role knows neither.
"""

from typing import Any

LABEL = "rdma-cluster/proves"
"""Of a test of the prover's, as in ``in_pod/fill.py``."""


def own_tests(namespace: str, account: str) -> dict[str, Any]:
    """Spec of a ValidatingAdmissionPolicy."""
    api = {"apiVersions": ["*"], "operations": ["CREATE", "DELETE"]}
    bare = "{of}.template.spec.?serviceAccountName.orValue('') == ''"
    replicas = f"object.spec.mpiReplicaSpecs.all(each, {bare.format(of='object.spec.mpiReplicaSpecs[each]')})"
    of_pods = f"object.kind == 'Job' ? {bare.format(of='object.spec')} : {replicas}"
    labelled = f"'{LABEL}' in (request.operation == 'DELETE' ? oldObject : object).metadata.?labels.orValue({{}})"
    rules = {"its own tests": labelled, "without an account": f"request.operation == 'DELETE' || ({of_pods})"}
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {**api, "apiGroups": ["batch"], "resources": ["jobs"]},
                {**api, "apiGroups": ["kubeflow.org"], "resources": ["mpijobs"]},
            ]
        },
        "matchConditions": [
            {
                "name": account,
                "expression": f"request.userInfo.username == 'system:serviceaccount:{namespace}:{account}'",
            }
        ],
        "validations": [
            {"expression": rule, "message": f"{account} makes and deletes tests: {what}"}
            for what, rule in rules.items()
        ],
    }
