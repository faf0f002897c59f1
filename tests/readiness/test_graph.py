"""What readiness adds to a stack, and that it adds nothing where it is off."""

import base64
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from rdma_agent.names import STARTUP_TAINT
from tests.clouds import clouds
from tests.stacks import graph_of

STACKS = ["gke", "eks", "aks", "oke"]
HELD = "readiness.enabled=true"
LATER = "pools=[{name: later, machine: a4-highgpu-8g, nodes: 4, capacity: {flexStart: true}}]"


@pytest.mark.parametrize("stack", STACKS)
def test_a_stack_without_readiness_has_nothing_of_it(stack: str):
    """Its graph is the same byte for byte, but for the key itself among the inputs of the whole."""
    off = json.dumps(graph_of(stack, "readiness.enabled=false").to_dict(), sort_keys=True)
    bare = json.dumps(graph_of(stack).to_dict(), sort_keys=True)

    assert off.replace('"readiness": {"enabled": false}, ', "") == bare


@pytest.mark.parametrize(("stack", "holds"), [("gke", True), ("eks", True), ("aks", False)])
def test_nodes_register_with_the_taint(stack: str, holds: bool):
    """Each cloud has its own way; on AKS the prover sets the taint."""
    cloud = next(each for each in clouds() if each.name == stack)

    taints = [{_key(taint) for taint in pool.taints} for pool in cloud.pools(graph_of(stack, HELD))]

    assert taints
    assert all((STARTUP_TAINT in keys) == holds for keys in taints)


def test_okes_kubelet_registers_both_taints():
    """Both stand in one flag, since the last of two counts alone; a flag of the user's is taken up in it."""
    graph = graph_of("oke", HELD, "pools[0].kubeletArgs=[--register-with-taints=own=x:NoSchedule, --v=4]")
    texts = [gzip.decompress(base64.b64decode(data)).decode() for data in _user_data(graph.to_dict())]

    both = f"nvidia.com/gpu=present:NoSchedule,{STARTUP_TAINT}=unproven:NoSchedule"
    assert any(f"--v=4 --register-with-taints=own=x:NoSchedule,{both}'" in text for text in texts)
    assert all(text.count("--register-with-taints") < 2 for text in texts)


def test_the_login_is_there_before_any_test():
    """Where all nodes come later `up` makes no pod in the tests' namespace, and the prover logs in all the same."""
    login = 'rdma-cluster:pullSecret=\'{"auths": {"mirror.example": {"auth": "dTpw"}}}\''
    graph = graph_of("gke", HELD, login.partition(":")[2], LATER)
    (secret,) = [
        each
        for each in graph.of_type("kubernetes:core/v1:Secret")
        if each.inputs["metadata"]["namespace"] == "rdma-acceptance"
    ]

    assert secret.inputs["metadata"]["name"] == "rdma-cluster-pull"
    config = next(each.inputs["data"] for each in graph.resources if "config.json" in each.inputs.get("data", {}))
    assert {pool["pullSecret"] for pool in json.loads(config["config.json"])["pools"]} == {"rdma-cluster-pull"}


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
