"""Admission policies: the taint of nodes that register, the prover's tests, and what a watcher of faults may change."""

from collections.abc import Mapping, Sequence
from typing import Any

from rdma_agent.names import FABRIC_LABEL, FAULT_TAINT, PROVES, STARTUP_TAINT, UNPROVEN
from ...plan.acceptance.marker_policy import SAME_STATUS, unchanged
from ...plan.rights import holding, requests
from .watcher import CONDITIONS, NAME, NAMESPACE

REGISTRATION = "rdma-unproven-nodes"
"""Name of the policy by which nodes have the start-up taint from their registration on, whoever makes them."""
SINCE = "1.36"
"""The Kubernetes version with MutatingAdmissionPolicy v1 (kubernetes/enhancements KEP-3962, kep.yaml, 2026-11-23)."""
_JOBS = {"batch": "jobs", "kubeflow.org": "mpijobs"}
_CLAIM = "authentication.kubernetes.io/node-name"
_NODE = f"request.userInfo.?extra['{_CLAIM}'].orValue(['?'])[0]"
_OURS = [*CONDITIONS, "FaultsWatched"]
_META, _SPEC = {"annotations": "{}", "finalizers": "[]"}, {"unschedulable": "false"}
_KEYS = [FAULT_TAINT, STARTUP_TAINT]


def registration_policy(pool_label: str, pools: Sequence[str]) -> dict[str, Any]:
    """Spec of a MutatingAdmissionPolicy.

    A kubelet registers its node by a request as any other, with the labels that it is started with; its pool's is among
    them (of AKS: KUBELET_NODE_LABELS of a node's /etc/default/kubelet has kubernetes.azure.com/agentpool, 2026-11-23).
    """
    taint = f"Object.spec.taints{{key: '{STARTUP_TAINT}', value: '{UNPROVEN}', effect: 'NoSchedule'}}"
    # The list is atomic: what an apply configuration names would take the place of the others.
    whole = f"JSONPatch{{op: 'add', path: '/spec/taints', value: [{taint}]}}"
    one_more = f"JSONPatch{{op: 'add', path: '/spec/taints/-', value: {taint}}}"
    return {
        # A policy that goes wrong must keep no node from joining: the prover taints it when it sees it.
        "failurePolicy": "Ignore",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [requests("", "nodes", "CREATE")]},
        "matchConditions": [
            {
                "name": "of-a-pool-that-is-proved",
                "expression": f"object.metadata.?labels['{pool_label}'].orValue('') in {list(pools)}",
            },
            {
                "name": "not-tainted-yet",
                "expression": f"!object.spec.?taints.orValue([]).exists(t, t.key == '{STARTUP_TAINT}')",
            },
        ],
        "mutations": [
            {
                "patchType": "JSONPatch",
                "jsonPatch": {"expression": f"has(object.spec.taints) ? [{one_more}] : [{whole}]"},
            }
        ],
    }


def own_tests(namespace: str, account: str) -> dict[str, Any]:
    """Spec of the policy that holds the prover's right to make and delete tests to its own, whose pods have no account.

    Where it may make Jobs `up` has its tests, and the account that marks nodes: a role knows neither.
    """
    bare = "{of}.template.spec.?serviceAccountName.orValue('') == ''"
    replicas = f"object.spec.mpiReplicaSpecs.all(each, {bare.format(of='object.spec.mpiReplicaSpecs[each]')})"
    of_pods = f"object.kind == 'Job' ? {bare.format(of='object.spec')} : {replicas}"
    labelled = f"'{PROVES}' in (request.operation == 'DELETE' ? oldObject : object).metadata.?labels.orValue({{}})"
    rules = {"its own tests": labelled, "without an account": f"request.operation == 'DELETE' || ({of_pods})"}
    of_jobs = [requests(group, kind, "CREATE", "DELETE", version="*") for group, kind in _JOBS.items()]
    return holding((account, namespace), of_jobs, f"{account} makes and deletes tests", rules)


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


def watcher_policies(acts: bool) -> dict[str, dict[str, Any]]:
    """Specs of policies by name: a watcher of faults changes its own node alone, and there our conditions and taints.

    A role knows neither. A token that is bound to a pod names the pod's node (Kubernetes 1.30 and above), and policies
    read it. ``acts``: the watcher may taint.
    """
    about = "object.involvedObject"
    of_node = f"{about}.?kind.orValue('') == 'Node'"
    made = {
        f"{NAME}-status": _of_watcher(
            requests("", "nodes/status", "UPDATE"),
            {
                "another node": _own(),
                "another condition": f"{_other_conditions('object')} == {_other_conditions('oldObject')}",
                "nothing else of it": SAME_STATUS,
            },
        ),
        f"{NAME}-events": _of_watcher(
            requests("", "events", "CREATE"), {"another node": f"{of_node} && {_own(f'{about}.name')}"}
        ),
    }
    if acts:
        selector = "(request.operation == 'DELETE' ? oldObject : object).spec"
        made[f"{NAME}-taints"] = _of_watcher(
            requests("", "nodes", "UPDATE"),
            {
                "another node": _own(),
                "another taint": f"{_other_taints('object')} == {_other_taints('oldObject')}",
                # It may take the label of the proof away, and set none.
                "another label": f"{_kept('object', 'oldObject')} && {_kept('oldObject', 'object', FABRIC_LABEL)}",
                "nothing else of it": f"{unchanged('metadata', _META)} && {unchanged('spec', _SPEC)}",
            },
        )
        made[f"{NAME}-devices"] = _of_watcher(
            requests("resource.k8s.io", "devicetaintrules", "CREATE", "DELETE", version="*"),
            {
                # Drivers of devices that are in a node call their pool as the node is called.
                "another node's device": _own(f"{selector}.deviceSelector.?pool.orValue('')"),
                "more than one device": f"{selector}.deviceSelector.?device.orValue('') != '' && "
                f"{selector}.deviceSelector.?driver.orValue('') != ''",
                "another taint": f"{selector}.taint.key == '{FAULT_TAINT}'",
            },
        )
    return made


def _of_watcher(looks_at: Mapping[str, Any], checks: Mapping[str, str]) -> dict[str, Any]:
    return holding((NAME, NAMESPACE), [looks_at], f"{NAME} tells of its own node's faults alone", checks)
