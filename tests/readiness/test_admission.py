"""What the prover, the watcher of faults and the marker of `up` may change, by the policies that hold them to it.

Their roles know no fields. tests/controlplane asks a real API server.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import pytest
from pulumi_offline.sdk import python_names
from rdma_agent import names
from rdma_agent.names import FABRIC_LABEL
from rdma_cluster.incluster.addons.readiness import policies, watcher
from rdma_cluster.incluster.plan.acceptance import marker_policy
from rdma_cluster.incluster.plan.acceptance.marker_policy import MARKER
from tests.policies.evaluated import concerns, patches, refusals, request_of

GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
START, FAULT = watcher.START_TAINT, {"key": names.FAULT_TAINT, "value": "GpuLost", "effect": "NoExecute"}
OURS = {"key": FABRIC_LABEL, "value": "failed", "effect": "NoSchedule"}
READY = {"type": "Ready", "status": "True"}
NODE: dict[str, Any] = {
    "metadata": {"name": "n", "labels": {"pool": "a", FABRIC_LABEL: "f00d"}, "annotations": {"else": "x"}},
    "spec": {"taints": [GPU]},
    "status": {"conditions": [READY], "phase": "Running"},
}
WATCHER = f"system:serviceaccount:{watcher.NAMESPACE}:{watcher.NAME}"
PROVER = f"system:serviceaccount:{names.PROVER_NAMESPACE}:{names.PROVER}"
UP = f"system:serviceaccount:rdma-acceptance:{MARKER}"
HERE = {"extra": {"authentication.kubernetes.io/node-name": ["n"]}}
POLICIES: Mapping[str, dict[str, Any]] = {
    **policies.watcher_policies(True),
    names.PROVER: marker_policy.spec(names.PROVER_NAMESPACE, names.PROVER, holds=True),
    "conditions": marker_policy.spec_of_status(names.PROVER_NAMESPACE, names.PROVER, names.CONDITION),
    "tests": policies.own_tests(names.PROVER_NAMESPACE, names.PROVER),
    "up": marker_policy.spec(),
    "up-holds": marker_policy.spec(holds=True),
}
Change = Callable[[dict[str, Any]], Any]


def refused(user: str, operation: str, resource: str, new: Any, old: Any, **who: Any) -> list[str]:
    """The last words of each refusal, by all policies together but the one of `up` where nodes are not held."""
    request = request_of(user, operation, resource, **who)
    told = [text for name, spec in POLICIES.items() if name != "up" for text in refusals(spec, request, new, old)]
    return [text.rpartition(": ")[2] for text in told]


def changed(change: Change, node: dict[str, Any] = NODE) -> dict[str, Any]:
    """The node with a change."""
    made = deepcopy(node)
    change(made)
    return made


def taints(*wanted: dict[str, str]) -> Change:
    return lambda node: node["spec"].update(taints=[*wanted])


def labels(**wanted: str | None) -> Change:
    """``None`` takes one away."""
    keys = {"proof": FABRIC_LABEL, "pool": "pool", "other": "other"}

    def change(node: dict[str, Any]) -> None:
        for name, value in wanted.items():
            if value is None:
                del node["metadata"]["labels"][keys[name]]
            else:
                node["metadata"]["labels"][keys[name]] = value

    return change


def annotated(name: str) -> Change:
    return lambda node: node["metadata"]["annotations"].update({name: "y"})


def cordoned(node: dict[str, Any]) -> None:
    node["spec"]["unschedulable"] = True


@pytest.mark.parametrize("user", [PROVER, UP])
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (taints(GPU, START), []),
        (taints(GPU, OURS), []),
        (labels(proof=None), []),
        (annotated("rdma-cluster/proof"), []),
        (annotated("rdma-cluster/prover"), []),
        (annotated("rdma-cluster/measured"), []),
        (taints(START), ["no other taint"]),
        (taints(GPU, FAULT), ["no other taint"]),
        (taints(GPU, {**START, "effect": "NoExecute"}), ["no pod evicted"]),
        (taints(GPU, {**OURS, "effect": "PreferNoSchedule"}), ["no pod evicted"]),
        (labels(pool=None), ["no other label"]),
        (labels(pool="b"), ["no other label"]),
        (labels(other="x"), ["no other label"]),
        (annotated("else"), ["nothing else"]),
        (annotated("more"), ["nothing else"]),
        (cordoned, ["nothing else"]),
    ],
)
def test_a_marker_writes_its_taints_its_label_and_the_record_of_a_proof_alone(
    user: str, change: Change, why: list[str]
):
    """The prover is one, and the judge of `up` is the other."""
    assert refused(user, "UPDATE", "nodes", changed(change), NODE) == why


@pytest.mark.parametrize("change", [taints(GPU, START), annotated("rdma-cluster/proof")], ids=["taint", "proof"])
def test_the_judge_of_up_writes_no_proof_where_nodes_are_not_held(change: Change):
    request = request_of(UP, "UPDATE", "nodes")

    assert refusals(POLICIES["up"], request, changed(labels(proof="failed")), NODE) == []
    assert refusals(POLICIES["up"], request, changed(change), NODE) != []


@pytest.mark.parametrize(
    ("user", "own", "other"), [(PROVER, names.CONDITION, "GpuLost"), (WATCHER, "GpuLost", names.CONDITION)]
)
def test_a_writer_of_conditions_writes_its_own_alone(user: str, own: str, other: str):
    """No condition of another writer and no other field of a node's status may change."""
    from pulumi_kubernetes.core.v1 import NodeStatusArgs

    def told(status: dict[str, Any]) -> list[str]:
        new = NODE | {"status": NODE["status"] | status}
        return refused(user, "UPDATE", "nodes/status", new, NODE, **HERE)

    assert told({"conditions": [READY, {"type": own, "status": "True"}]}) == []
    assert told({"conditions": [READY, {"type": other, "status": "True"}]})[0].endswith("other condition")
    assert told({"conditions": [{**READY, "status": "False"}]})[0].endswith("other condition")
    fields = set(python_names(NodeStatusArgs).values()) - {"conditions"}
    assert len(fields) > 10
    for field in fields:
        for value in ("x", [{"name": "x"}], {"x": "1"}):
            assert told({field: value})[0].startswith("nothing else"), field


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (taints(GPU, FAULT), []),
        (taints(GPU, START), []),
        (labels(proof=None), []),
        (taints(FAULT), ["another taint"]),
        (taints(GPU, OURS), ["another taint"]),
        (labels(proof="f"), ["another label"]),
        (labels(other="x"), ["another label"]),
        (labels(pool=None), ["another label"]),
        (annotated("rdma-cluster/proof"), ["nothing else of it"]),
        (cordoned, ["nothing else of it"]),
    ],
)
def test_the_watcher_takes_its_node_out_and_holds_it_for_its_proof(change: Change, why: list[str]):
    """It takes the label of a proof away, and sets none: the node would count as proven."""
    assert refused(WATCHER, "UPDATE", "nodes", changed(change), NODE, **HERE) == why
    bare = changed(labels(proof=None))
    assert refused(WATCHER, "UPDATE", "nodes", NODE, bare, **HERE) == ["another label"]


RULE = {
    "spec": {
        "deviceSelector": {"driver": "gpu.nvidia.com", "pool": "n", "device": "gpu-0"},
        "taint": {"key": names.FAULT_TAINT, "effect": "NoSchedule"},
    }
}


@pytest.mark.parametrize(
    ("selector", "key", "why"),
    [
        ({}, names.FAULT_TAINT, []),
        ({"pool": "m"}, names.FAULT_TAINT, ["another node's device"]),
        ({"pool": None}, names.FAULT_TAINT, ["another node's device"]),
        ({"device": None}, names.FAULT_TAINT, ["more than one device"]),
        ({"driver": None}, names.FAULT_TAINT, ["more than one device"]),
        ({}, "other", ["another taint"]),
    ],
)
@pytest.mark.parametrize("operation", ["CREATE", "DELETE"])
def test_the_watcher_taints_one_device_of_its_own_node(
    operation: str, selector: dict[str, Any], key: str, why: list[str]
):
    """It takes no other taint away."""
    rule = deepcopy(RULE)
    chosen = {**rule["spec"]["deviceSelector"], **selector}
    rule["spec"]["deviceSelector"] = {name: value for name, value in chosen.items() if value is not None}
    rule["spec"]["taint"]["key"] = key
    new, old = (rule, None) if operation == "CREATE" else (None, rule)

    assert refused(WATCHER, operation, "resource.k8s.io.devicetaintrules", new, old, **HERE) == why


@pytest.mark.parametrize("who", [{}, {"extra": {"authentication.kubernetes.io/node-name": ["m"]}}])
def test_a_watcher_of_another_node_may_do_nothing_here(who: dict[str, Any]):
    """Nor may one whose token is bound to no pod, and none makes an event of a pod that is called as the node is."""
    event, of_pod = ({"involvedObject": {"kind": kind, "name": "n"}} for kind in ("Node", "Pod"))

    for resource in ("nodes", "nodes/status"):
        assert refused(WATCHER, "UPDATE", resource, NODE, NODE, **who) == ["another node"]
    assert refused(WATCHER, "CREATE", "events", event, None, **who) == ["another node"]
    assert refused(WATCHER, "CREATE", "events", event, None, **HERE) == []
    assert refused(WATCHER, "CREATE", "events", of_pod, None, **HERE) == ["another node"]
    assert refused(WATCHER, "CREATE", "resource.k8s.io.devicetaintrules", RULE, None, **who) != []


@pytest.mark.parametrize("user", ["system:node:n", "system:serviceaccount:default:rdma-prover", "admin"])
def test_the_policies_leave_other_users_alone(user: str):
    """These are a kubelet, an administrator, and an account of the same name elsewhere."""
    mine = changed(taints(FAULT))

    assert refused(user, "UPDATE", "nodes", mine, NODE) == []
    assert refused(user, "DELETE", "batch.jobs", None, {"metadata": {}}) == []


def job(*, label: bool = True, account: str = "", kind: str = "Job") -> dict[str, Any]:
    """A test."""
    template = {"template": {"spec": {"serviceAccountName": account} if account else {}}}
    spec = (
        template if kind == "Job" else {"mpiReplicaSpecs": {"Worker": {"template": {"spec": {}}}, "Launcher": template}}
    )
    metadata = {"labels": {names.PROVES: "a"}} if label else {}
    return {"kind": kind, "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(("kind", "resource"), [("Job", "batch.jobs"), ("MPIJob", "kubeflow.org.mpijobs")])
def test_the_prover_makes_and_deletes_its_own_tests(kind: str, resource: str):
    """It touches no other's, and makes none with an account's rights in any of its pods."""

    def told(operation: str, made: dict[str, Any]) -> list[str]:
        new, old = (made, None) if operation == "CREATE" else (None, made)
        return [text.removeprefix("without") for text in refused(PROVER, operation, resource, new, old)]

    for operation in ("CREATE", "DELETE"):
        assert told(operation, job(kind=kind)) == []
        assert told(operation, job(kind=kind, label=False)) == ["its own tests"]
    assert told("CREATE", job(kind=kind, account=MARKER)) == [" an account"]


@pytest.mark.parametrize(
    ("pool", "held", "joins_with"),
    [
        ("b", [GPU], [GPU, START]),
        ("a", [GPU, {**START, "value": "failed"}], None),
        ("c", [GPU], None),
        (None, None, None),
    ],
)
def test_a_node_of_a_pool_that_is_proved_joins_with_the_taint(pool: Any, held: Any, joins_with: Any):
    """A node that has the taint already keeps its value, and other nodes are left alone."""
    spec = policies.registration_policy("pool", ["a", "b"])
    node: dict[str, Any] = {"metadata": {"labels": {"pool": pool}} if pool else {}, "spec": {}}
    if held:
        node["spec"]["taints"] = held
    request = request_of("system:node:n", "CREATE", "nodes")

    assert concerns(spec, request, node) is (joins_with is not None)
    if joins_with is not None:
        (patch,) = patches(spec, node)
        assert patch["op"] == "add"
        added = {"/spec/taints": lambda: patch["value"], "/spec/taints/-": lambda: [*held, patch["value"]]}
        assert added[patch["path"]]() == joins_with
    assert not concerns(spec, request_of("system:node:n", "UPDATE", "nodes"), node)
