"""What readiness adds to a stack, and that it adds nothing where it is off."""

import base64
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pulumi_offline.graph import Graph, Resource
from rdma_agent.names import STARTUP_TAINT
from rdma_cluster.incluster.addons.readiness import policies
from tests.clouds import clouds
from tests.stacks import graph_of

STACKS = ["gke", "eks", "aks", "oke"]
HELD = "readiness.enabled=true"
LATER = "pools=[{name: later, machine: a4-highgpu-8g, nodes: 4, capacity: {flexStart: true}}]"


@pytest.mark.parametrize("stack", STACKS)
def test_a_stack_that_switches_it_off_is_what_it_was(stack: str):
    """Byte for byte, but for the key itself among the inputs of the whole."""
    off = json.dumps(graph_of(stack, "readiness.enabled=false").to_dict(), sort_keys=True)
    bare = json.dumps(graph_of(stack).to_dict(), sort_keys=True)

    assert off.replace('"readiness": {"enabled": false}, ', "") == bare
    config_maps = graph_of(stack).of_type("kubernetes:core/v1:ConfigMap")
    scripts = [json.dumps(each.inputs["data"], sort_keys=True) for each in config_maps]
    assert bare.count(STARTUP_TAINT) == sum(each.count(STARTUP_TAINT) for each in scripts)


@pytest.mark.parametrize(("stack", "holds"), [("gke", True), ("eks", True), ("aks", False)])
def test_nodes_register_with_the_taint(stack: str, holds: bool):
    """Each cloud's own way; on AKS the prover sets it."""
    cloud = next(each for each in clouds() if each.name == stack)

    taints = [{_key(taint) for taint in pool.taints} for pool in cloud.pools(graph_of(stack, HELD))]

    assert taints
    assert all((STARTUP_TAINT in keys) == holds for keys in taints)


@pytest.mark.parametrize(
    ("stack", "version", "pool"),
    [("aks", "1.36", "gpu"), ("aks", "1.35", ""), ("gke", "1.36", ""), ("eks", "1.36", "")],
)
def test_a_policy_taints_where_no_pool_can(stack: str, version: str, pool: str):
    """AKS sets taints of pools again, which nobody could clear; so do older versions know no such policy."""
    graph = graph_of(stack, HELD, f"kubernetes.version='{version}'")
    found = [
        each
        for each in graph.resources
        if each.type.endswith(":MutatingAdmissionPolicy") and each.inputs["metadata"]["name"] == policies.REGISTRATION
    ]

    assert bool(found) == bool(pool)
    for each in found:
        (label, _) = each.inputs["spec"]["matchConditions"]
        assert "kubernetes.azure.com/agentpool" in label["expression"]
        assert each.inputs["spec"]["failurePolicy"] == "Ignore"


def test_okes_kubelet_registers_both_taints():
    """In one flag, since of two the last counts alone; a flag of the user's is taken up in it."""
    graph = graph_of("oke", HELD, "pools[0].kubeletArgs=[--register-with-taints=own=x:NoSchedule, --v=4]")
    texts = [gzip.decompress(base64.b64decode(data)).decode() for data in _user_data(graph.to_dict())]

    both = f"nvidia.com/gpu=present:NoSchedule,{STARTUP_TAINT}=unproven:NoSchedule"
    assert any(f"--v=4 --register-with-taints=own=x:NoSchedule,{both}'" in text for text in texts)
    assert all(text.count("--register-with-taints") < 2 for text in texts)


def test_a_pool_whose_nodes_come_later_is_held_and_prepared():
    """Flex-start begins hours after `up`: what its tests name is there by then."""
    graph = graph_of("gke", LATER, HELD)

    names = {each.name for each in graph.resources}
    config = next(each.inputs["data"] for each in graph.resources if "config.json" in each.inputs.get("data", {}))
    (pool,) = json.loads(config["config.json"])["pools"]

    assert pool["name"] == "later"
    claims = {each["resourceClaimTemplateName"] for each in _claims(pool["template"]["test"])}
    assert claims
    assert claims <= {each.inputs["metadata"]["name"] for each in graph.resources if _is_template(each.type)}
    assert "gke-rdma-prover" in names


def test_the_provers_tests_log_in_where_the_stack_does():
    """To a private mirror: nobody changes the pods that it makes."""
    login = 'rdma-cluster:pullSecret=\'{"auths": {"mirror.example": {"auth": "dTpw"}}}\''
    graph = graph_of("gke", HELD, login.partition(":")[2])
    config = next(each.inputs["data"] for each in graph.resources if "config.json" in each.inputs.get("data", {}))

    assert {pool["pullSecret"] for pool in json.loads(config["config.json"])["pools"]} == {"rdma-cluster-pull"}


def test_the_login_is_there_before_any_test():
    """Where all nodes come later `up` makes no pod in the tests' namespace, and the prover does."""
    login = 'rdma-cluster:pullSecret=\'{"auths": {"mirror.example": {"auth": "dTpw"}}}\''
    graph = graph_of("gke", HELD, login.partition(":")[2], LATER)
    (secret,) = [
        each
        for each in graph.of_type("kubernetes:core/v1:Secret")
        if each.inputs["metadata"]["namespace"] == "rdma-acceptance"
    ]

    assert secret.inputs["metadata"]["name"] == "rdma-cluster-pull"
    assert list(secret.dependencies) == [_namespace(graph, "rdma-acceptance").urn]
    assert not [each for each in graph.of_type("kubernetes:batch/v1:Job") if "nccl" in each.inputs["metadata"]["name"]]


@pytest.mark.parametrize(
    ("readiness", "of_proofs"),
    [
        (HELD, {"ProofTooOld", "ProverGone"}),
        ("readiness={enabled: true, renew: {when: never}}", {"ProverGone"}),
        ("", set()),
    ],
)
def test_monitoring_watches_the_proofs(readiness: str, of_proofs: set[str]):
    """Of a stack that has both."""
    graph = graph_of("gke", "monitoring={enabled: true}", *([readiness] if readiness else []))
    (rules,) = [each for each in graph.resources if each.type.endswith(":PrometheusRule")]
    told = {rule.get("alert") for group in rules.inputs["spec"]["groups"] for rule in group["rules"]}
    monitors = {each.inputs["metadata"]["name"] for each in graph.resources if each.type.endswith(":PodMonitor")}

    assert told & {"ProofTooOld", "ProverGone"} == of_proofs
    assert ("rdma-cluster-proofs" in monitors) == bool(of_proofs)


def test_up_marks_nodes_by_the_provers_own_functions():
    """The judge of `up`'s test has the marker's account and the pool's fingerprint."""
    graph = graph_of("gke", HELD)
    job = next(each for each in graph.of_type("kubernetes:batch/v1:Job") if "nccl" in each.inputs["metadata"]["name"])
    spec = job.inputs["spec"]["template"]["spec"]
    verdict = next(each for each in spec["containers"] if each["name"] == "verdict")
    told = {each["name"]: each.get("value") for each in verdict["env"]}
    config = next(each.inputs["data"] for each in graph.resources if "config.json" in each.inputs.get("data", {}))

    assert spec["serviceAccountName"] == "nccl-marker"
    assert told["FINGERPRINT"] in [pool["fingerprint"] for pool in json.loads(config["config.json"])["pools"]]
    assert any(each["key"] == STARTUP_TAINT for each in spec["tolerations"])


def _key(taint: Any) -> str:
    return taint["key"] if isinstance(taint, dict) else taint.partition("=")[0]


def _user_data(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key in ("user_data", "userData") and isinstance(each, str):
                yield each
            else:
                yield from _user_data(each)
    elif isinstance(value, list):
        for each in value:
            yield from _user_data(each)


def _claims(test: dict[str, Any]) -> list[dict[str, Any]]:
    return test["spec"]["template"]["spec"].get("resourceClaims", [])


def _namespace(graph: Graph, name: str) -> Resource:
    found = graph.of_type("kubernetes:core/v1:Namespace")
    return next(each for each in found if each.inputs["metadata"]["name"] == name)


def _is_template(kind: str) -> bool:
    return kind.endswith(":ResourceClaimTemplate")


def test_a_priority_that_changes_is_made_anew():
    """The API refuses another value under its name (Kubernetes 1.36, `ValidatePriorityClassUpdate`)."""
    (priority,) = graph_of("gke", HELD).of_type("kubernetes:scheduling.k8s.io/v1:PriorityClass")

    assert priority.options["replaceOnChanges"] == ["value"]
    assert priority.options["deleteBeforeReplace"] is True
