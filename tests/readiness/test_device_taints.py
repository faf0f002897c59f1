"""A device that is tainted keeps its node out of tests, whose pods would not get it.

tests/controlplane/test_faults.py asks a real API server.
"""

import json
from typing import Any
from urllib.error import HTTPError

import pytest
from rdma_agent import device_taints
from rdma_agent.prover import cluster_state, decide
from rdma_agent.prover.fleet import Start
from tests.readiness.server import SLICES, Server

DRIVER = "gpu.nvidia.com"
DAY = 86400
NOW = 1_800_000_000
TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}
RULES = "/apis/resource.k8s.io/v1beta2/devicetaintrules"
NAMED = {"name": "a", "short": "a", "fingerprint": "f", "holds": True, "template": {"test": {"kind": "Job"}}}
POOL = {**NAMED, "renewSeconds": 7 * DAY, "resources": {}, "slices": {DRIVER: 1}}


def slice_of(node: str, *devices: dict[str, Any]) -> dict[str, Any]:
    """The devices that a node's driver publishes."""
    return {"driver": DRIVER, "pool": {"name": node}, "nodeName": node, "devices": list(devices)}


def rule(selector: dict[str, str] | None, effect: str = "NoSchedule") -> dict[str, Any]:
    """A rule as the API server has it."""
    selects = {} if selector is None else {"deviceSelector": selector}
    return {"spec": {**selects, "taint": {**TAINT, "effect": effect}}}


def cluster(*names: str) -> Server:
    """Idle proven nodes whose proofs are old, the first one's the oldest."""
    server = Server()
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-23T09:00:00Z"}
    for age, name in enumerate(names):
        shown = {"at": NOW - 30 * DAY + age, "by": "up", "boot": "u-b", "fingerprint": "f", "busbw": 380.0}
        labels = {"pool": "a", "rdma-cluster/fabric": "f"}
        annotations = {"rdma-cluster/proof": json.dumps(shown)}
        metadata = {"uid": "u", "labels": labels, "annotations": annotations}
        status = {"nodeInfo": {"bootID": "b"}, "conditions": [ready]}
        server.put("/api/v1/nodes", name, metadata=metadata, status=status)
        server.put(SLICES, name, spec=slice_of(name, {"name": "gpu-0"}))
    return server


@pytest.mark.parametrize("by_driver", [False, True])
def test_a_renewal_leaves_out_a_node_with_a_tainted_device(by_driver: bool):
    """Of four idle nodes the oldest is tainted, and the next two are tested: a taint of one of these only informs."""
    server, taint = cluster("n0", "n1", "n2", "n3"), {**TAINT, "effect": "NoExecute"}
    if by_driver:
        server.put(SLICES, "n0", spec=slice_of("n0", {"name": "gpu-0", "taints": [taint]}))
    else:
        server.put(RULES, "r", **rule({"driver": DRIVER, "pool": "n0", "device": "gpu-0"}, "NoExecute"))
    server.put(SLICES, "n1", spec=slice_of("n1", {"name": "gpu-0", "taints": [{**TAINT, "effect": "None"}]}))
    seen, _ = cluster_state.read(
        server, {"poolLabel": "pool", "pools": [POOL, {**POOL, "name": "b", "slices": {}}]}, NOW
    )
    actions, conditions = decide.decide(seen)

    assert [{*each.nodes} for each in actions if isinstance(each, Start)] == [{"n1", "n2"}]
    assert conditions["n0"].reason == ("FabricProven" if by_driver else "ProvenDeviceTainted")
    assert conditions["n3"].reason == "FabricProven"


@pytest.mark.parametrize(
    ("selector", "effect", "tainted"),
    [
        ({}, "NoSchedule", True),
        ({"pool": "n0", "device": "gpu-0"}, "NoSchedule", True),
        ({"driver": DRIVER, "pool": "n0", "device": "gpu-1"}, "NoSchedule", False),
        ({"pool": "n1"}, "NoSchedule", False),
        (None, "NoSchedule", False),
        ({}, "None", False),
    ],
)
def test_a_rule_taints_what_all_its_fields_name(selector: dict[str, str] | None, effect: str, tainted: bool):
    """As k8s.io/api says of DeviceTaintSelector: an empty one is every device, and none is no device."""
    server = Server()
    server.put(RULES, "r", **rule(selector, effect))

    told = device_taints.of_slice(device_taints.rules_of(server), slice_of("n0", {"name": "gpu-0"}))

    assert bool(told) == tainted


def test_the_newer_version_of_rules_is_taken():
    """A group that the server does not know has none; a server that refuses is not one without rules."""
    server = Server()
    assert device_taints.rules_version(server) == "v1beta2"
    server.groups["/apis/resource.k8s.io/v1"]["resources"].append({"name": "devicetaintrules"})
    assert device_taints.rules_version(server) == "v1"
    server.groups.clear()
    assert device_taints.rules_version(server) is None
    server.fails = {"GET /apis/resource.k8s.io/v1": 403}
    with pytest.raises(HTTPError):
        device_taints.rules_of(server)


@pytest.mark.parametrize(
    ("selector", "named"),
    [
        ({"pool": "n0", "driver": DRIVER, "device": "gpu-0"}, f"gpu-0 of {DRIVER}"),
        ({"pool": "n0"}, "every device of every driver"),
        ({"pool": "n0", "driver": "another"}, ""),
        ({"pool": "n1", "driver": DRIVER}, ""),
        ({"driver": DRIVER}, ""),
    ],
)
def test_the_first_rule_that_names_a_node_counts(selector: dict[str, str], named: str):
    """It is of a driver whose devices the pool counts; rules of others before it hide nothing."""
    rules = [rule({"pool": "other"})["spec"], rule(selector)["spec"], rule({"pool": "n0", "device": "later"})["spec"]]

    assert device_taints.named_by(rules[:2], "n0", {DRIVER: 8}).partition(" is tainted")[0] == named
    assert device_taints.named_by(rules, "n0", [DRIVER]).startswith(named or "later of every driver")
