"""The policy by which nodes have the start-up taint from their registration on, whoever makes them."""

from collections.abc import Sequence
from typing import Any

from ....fabrics.rollout import STARTUP_KEY, STARTUP_VALUE

NAME = "rdma-unproven-nodes"
SINCE = "1.36"
"""The Kubernetes version with MutatingAdmissionPolicy v1 (kubernetes/enhancements KEP-3962, kep.yaml, 2026-11-23)."""


def registration_policy(pool_label: str, pools: Sequence[str]) -> dict[str, Any]:
    """Spec of a MutatingAdmissionPolicy.

    A kubelet registers its node by a request as any other, with the labels that it is started with; its pool's is among
    them (of AKS: KUBELET_NODE_LABELS of a node's /etc/default/kubelet has kubernetes.azure.com/agentpool, 2026-11-23).
    """
    taint = f"Object.spec.taints{{key: '{STARTUP_KEY}', value: '{STARTUP_VALUE}', effect: 'NoSchedule'}}"
    # The list is atomic: what an apply configuration names would take the place of the others.
    whole = f"JSONPatch{{op: 'add', path: '/spec/taints', value: [{taint}]}}"
    one_more = f"JSONPatch{{op: 'add', path: '/spec/taints/-', value: {taint}}}"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nodes"]}
    return {
        # A policy that goes wrong must keep no node from joining: the prover taints it when it sees it.
        "failurePolicy": "Ignore",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [rule]},
        "matchConditions": [
            {
                "name": "of-a-pool-that-is-proved",
                "expression": f"object.metadata.?labels['{pool_label}'].orValue('') in {list(pools)}",
            },
            {
                "name": "not-tainted-yet",
                "expression": f"!object.spec.?taints.orValue([]).exists(t, t.key == '{STARTUP_KEY}')",
            },
        ],
        "mutations": [
            {
                "patchType": "JSONPatch",
                "jsonPatch": {"expression": f"has(object.spec.taints) ? [{one_more}] : [{whole}]"},
            }
        ],
    }
