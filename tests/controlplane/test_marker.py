"""A real API server lets the account that marks nodes do what its script does, and nothing else to a node."""

import json
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import Any

import pytest
from rdma_agent.names import FABRIC_LABEL, TESTS_NAMESPACE as NAMESPACE
from rdma_cluster.incluster.plan.acceptance import marker_policy
from rdma_cluster.incluster.plan.acceptance.marker_policy import MARKER, MARKER_RULES
from .api import Api, Refused
from .cluster import Cluster

NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "marked", "labels": {"pool": "a"}},
    "spec": {"taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]},
}
GPU, OURS = NODE["spec"]["taints"][0], {"key": FABRIC_LABEL, "value": "failed", "effect": "NoSchedule"}
_RBAC, _ADMISSION = "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1"
_NAMED = {"name": marker_policy.NAME}
OBJECTS: list[dict[str, Any]] = [
    {"apiVersion": _RBAC, "kind": "ClusterRole", "metadata": _NAMED, "rules": MARKER_RULES},
    {
        "apiVersion": _RBAC,
        "kind": "ClusterRoleBinding",
        "metadata": _NAMED,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", **_NAMED},
        "subjects": [{"kind": "ServiceAccount", "name": MARKER, "namespace": NAMESPACE}],
    },
    {"apiVersion": _ADMISSION, "kind": "ValidatingAdmissionPolicy", "metadata": _NAMED, "spec": marker_policy.spec()},
    {
        "apiVersion": _ADMISSION,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": _NAMED,
        "spec": marker_policy.BINDING,
    },
]
Patch = Callable[[dict[str, Any]], Any]


def refused(as_marker: Patch) -> bool:
    """Whether the policy is in force."""
    try:
        as_marker({"metadata": {"annotations": {"in": "force"}}})
    except Refused as refusal:
        return "nothing else" in str(refusal)
    return False


@pytest.fixture(scope="module")
def patch(api: Api) -> Iterator[Patch]:
    """A merge patch of the node in the marker's name, once the policy is in force.

    Taints are added to those that the node has, which Kubernetes' own controllers have a hand in.
    """

    def as_marker(change: dict[str, Any]) -> Any:
        if "taints" in change.get("spec", {}):
            others = [
                each
                for each in (api.get(NODE) or {})["spec"]["taints"]
                if each["key"] not in (GPU["key"], FABRIC_LABEL)
            ]
            change = {**change, "spec": {"taints": [*change["spec"]["taints"], *others]}}
        headers = {
            "Impersonate-User": f"system:serviceaccount:{NAMESPACE}:{MARKER}",
            "Content-Type": "application/merge-patch+json",
        }
        return api.request("PATCH", api.path(NODE), headers=headers, content=json.dumps(change)).json()

    with Cluster(api) as cluster:
        cluster.create_all([*OBJECTS, NODE])
        # The server takes a new policy up within seconds, and tells nobody when.
        deadline = monotonic() + 30
        while not refused(as_marker) and monotonic() < deadline:
            sleep(0.1)
        api.merge(NODE, {"metadata": {"annotations": {"in": None}}})
        yield as_marker


def test_marker_marks_and_clears(patch: Patch):
    """Its taint and its label, beside what is there."""
    marked = patch({"metadata": {"labels": {FABRIC_LABEL: "failed"}}, "spec": {"taints": [GPU, OURS]}})
    assert OURS in marked["spec"]["taints"]
    assert marked["metadata"]["labels"][FABRIC_LABEL] == "failed"

    cleared = patch({"metadata": {"labels": {FABRIC_LABEL: None}}, "spec": {"taints": [GPU]}})
    assert OURS not in cleared["spec"]["taints"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spec": {"taints": [OURS]}}, "no other taint"),
        ({"spec": {"taints": [GPU, {"key": "other", "effect": "NoSchedule"}]}}, "no other taint"),
        ({"spec": {"taints": [{**GPU, "effect": "NoExecute"}]}}, "no other taint"),
        ({"spec": {"taints": [GPU, {**OURS, "effect": "NoExecute"}]}}, "no pod evicted"),
        ({"metadata": {"labels": {"pool": "b"}}}, "no other label"),
        ({"metadata": {"labels": {"pool": None}}}, "no other label"),
        ({"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}}}, "no other label"),
        ({"spec": {"unschedulable": True}}, "nothing else"),
        ({"metadata": {"finalizers": ["example.com/stay"]}}, "nothing else"),
    ],
)
def test_marker_changes_nothing_else(patch: Patch, change: dict[str, Any], message: str):
    """Each is refused by the rule that is about it."""
    with pytest.raises(Refused, match=message):
        patch(change)
