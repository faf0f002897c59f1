"""A device that is tainted keeps its node out of tests, whose pods would not get it.

tests/controlplane/test_faults.py asks a real API server.
"""

import io
import json
from email.message import Message
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError

import pytest
from rdma_agent import device_taints
from rdma_agent.prover import cluster_state, decide
from rdma_agent.prover.fleet import Start

DRIVER = "gpu.nvidia.com"
DAY = 86400
TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}


def slice_of(node: str, **device: Any) -> dict[str, Any]:
    """What a node's driver publishes: one device."""
    return {"driver": DRIVER, "pool": {"name": node}, "nodeName": node, "devices": [{"name": "gpu-0", **device}]}


def rule(selector: dict[str, str] | None, effect: str = "NoSchedule") -> dict[str, Any]:
    """A rule as the API server has it."""
    selects = {} if selector is None else {"deviceSelector": selector}
    return {"spec": {**selects, "taint": {**TAINT, "effect": effect}}}


class Server:
    """An API server with idle proven nodes whose proofs are old, their devices, and rules for them."""

    def __init__(self, names: tuple[str, ...], rules: list[dict[str, Any]] | None, now: int) -> None:
        self._names, self._rules, self._now = names, rules, now
        self.devices: dict[str, dict[str, Any]] = {}

    def get(self, path: str) -> Any:
        """The answer at a path."""
        where, _, query = path.partition("?")
        kind = where.rpartition("/")[2]
        if where == f"{device_taints.GROUP}/v1":
            return {"resources": [{"name": "resourceslices"}]}
        if where == f"{device_taints.GROUP}/v1beta2":
            if self._rules is None:
                raise HTTPError(path, 404, "none", Message(), io.BytesIO())
            return {"resources": [{"name": "devicetaintrules"}]}
        items: dict[str, list[Any]] = {
            "nodes": [self._node(name) for name in self._names],
            "devicetaintrules": self._rules or [],
            "resourceslices": [
                {"spec": slice_of(name, **self.devices.get(name, {}))} for name in self._names if f"%3D{name}&" in query
            ],
        }
        return {"items": items.get(kind, [])}

    def _node(self, name: str) -> dict[str, Any]:
        shown = {
            "at": self._now - 30 * DAY + int(name[1:]),
            "by": "up",
            "boot": "u-b",
            "fingerprint": "f",
            "busbw": 380.0,
        }
        return {
            "metadata": {
                "name": name,
                "uid": "u",
                "labels": {"pool": "a", "rdma-cluster/fabric": "f"},
                "annotations": {"rdma-cluster/proof": json.dumps(shown)},
            },
            "status": {
                "nodeInfo": {"bootID": "b"},
                "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-23T09:00:00Z"}],
            },
        }


POOL = {
    "name": "a",
    "short": "a",
    "fingerprint": "f",
    "holds": True,
    "renewSeconds": 7 * DAY,
    "resources": {},
    "slices": {DRIVER: 1},
    "template": {"test": {"kind": "Job"}},
}
NOW = 1_800_000_000


def decided(server: Server) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The nodes that are tested now, and what is told of each."""
    seen, _ = cluster_state.read(server, {"poolLabel": "pool", "pools": [POOL]}, NOW)  # ty: ignore[invalid-argument-type]
    actions, conditions = decide.decide(seen)
    tested = tuple(name for each in actions if isinstance(each, Start) for name in each.nodes)
    return tested, {name: (each.reason, each.message) for name, each in conditions.items()}


def test_a_renewal_leaves_out_who_has_a_tainted_device():
    """Of four idle nodes with old proofs, the oldest is tainted: the two next are tested, and it is told why not."""
    mine = rule({"driver": DRIVER, "pool": "n0", "device": "gpu-0"}, "NoExecute")
    tested, told = decided(Server(("n0", "n1", "n2", "n3"), [mine], NOW))

    assert set(tested) == {"n1", "n2"}
    reason, message = told["n0"]
    assert reason == "ProvenDeviceTainted"
    assert message.endswith("not tested again while gpu-0 of gpu.nvidia.com is tainted: k=v:NoExecute")
    assert told["n3"][0] == "FabricProven"


def test_what_a_driver_taints_counts_too():
    """Where the cluster has no rules at all."""
    server = Server(("n0", "n1", "n2"), None, NOW)
    server.devices["n0"] = {"taints": [TAINT]}

    assert set(decided(server)[0]) == {"n1", "n2"}


@pytest.mark.parametrize(
    ("selector", "effect", "tainted"),
    [
        ({}, "NoSchedule", True),
        ({"driver": DRIVER}, "NoExecute", True),
        ({"pool": "n0"}, "NoSchedule", True),
        ({"device": "gpu-0"}, "NoSchedule", True),
        ({"driver": DRIVER, "pool": "n0", "device": "gpu-1"}, "NoSchedule", False),
        ({"driver": "dra.net"}, "NoSchedule", False),
        ({"pool": "n1"}, "NoSchedule", False),
        (None, "NoSchedule", False),
        ({}, "None", False),
    ],
)
def test_a_rule_is_about_what_all_its_fields_name(selector: dict[str, str] | None, effect: str, tainted: bool):
    """As k8s.io/api says of DeviceTaintSelector: an empty one is every device, and none is no device."""
    server = Server(("n0",), [rule(selector, effect)], NOW)

    told = device_taints.of_slice(device_taints.rules_of(server), slice_of("n0"))  # ty: ignore[invalid-argument-type]

    assert bool(told) == tainted


def test_all_tainted_asks_for_little():
    """Nothing can be tested then: a look ends after the nodes, the tests and the rules."""
    server = Server(("n0", "n1"), [rule({"pool": "n0"}), rule({"pool": "n1"})], NOW)
    asked: list[str] = []
    get = server.get
    server.get = lambda path: asked.append(path) or get(path)

    assert decided(server)[0] == ()
    assert len(asked) == 5


@pytest.mark.parametrize(
    ("selector", "named"),
    [
        ({"pool": "n0", "driver": DRIVER, "device": "gpu-0"}, f"gpu-0 of {DRIVER} is tainted: k=v:NoSchedule"),
        ({"pool": "n0", "driver": DRIVER}, f"every device of {DRIVER} is tainted: k=v:NoSchedule"),
        ({"pool": "n0"}, "every device of every driver is tainted: k=v:NoSchedule"),
        ({"pool": "n0", "driver": ""}, "every device of  is tainted: k=v:NoSchedule"),
        ({"pool": "n0", "driver": "another"}, ""),
        ({"pool": "n1", "driver": DRIVER}, ""),
        ({"driver": DRIVER}, ""),
        ({}, ""),
    ],
)
def test_rules_that_name_a_node(selector: dict[str, str], named: str):
    """Of drivers whose devices its pool counts; the first that does, whatever stands before it."""
    rules = [rule({"pool": "other"})["spec"], rule(selector)["spec"], rule({"pool": "n0", "device": "later"})["spec"]]
    told = device_taints.named_by(rules[:2], "n0", {DRIVER: 8})

    assert told == named
    assert device_taints.named_by(rules, "n0", [DRIVER]) == (
        named or "later of every driver is tainted: k=v:NoSchedule"
    )


@pytest.mark.parametrize(
    ("groups", "version"),
    [
        ({"v1": ["resourceslices", "devicetaintrules"], "v1beta2": ["devicetaintrules"]}, "v1"),
        ({"v1": ["resourceslices"], "v1beta2": ["other", "devicetaintrules"]}, "v1beta2"),
        ({"v1beta2": ["devicetaintrules"]}, "v1beta2"),
        ({"v1": ["resourceslices"]}, None),
        ({}, None),
    ],
)
def test_the_version_that_an_api_server_has(groups: dict[str, list[str]], version: str | None):
    """The newer one where it has both."""

    def get(path: str) -> dict[str, Any]:
        found = groups.get(path.rpartition("/")[2])
        if found is None:
            raise HTTPError(path, 404, "none", Message(), io.BytesIO())
        return {"resources": [{"name": name} for name in found]}

    api: Any = SimpleNamespace(get=get)
    assert device_taints.rules_version(api) == version


def test_a_server_that_refuses_is_not_one_without_rules():
    """A device that is tainted would be tested."""

    def get(path: str) -> Any:
        raise HTTPError(path, 403, "no", Message(), io.BytesIO())

    api: Any = SimpleNamespace(get=get)
    with pytest.raises(HTTPError):
        device_taints.rules_of(api)


def test_the_first_tainted_device_is_told_with_its_first_taint():
    """By a rule before by its driver; a taint that only informs keeps nobody away."""
    informs = {**TAINT, "key": "informs", "effect": "None"}
    devices = [
        {"name": "a", "taints": [informs]},
        {"name": "b", "taints": [informs, {"key": "d", "effect": "NoExecute"}]},
    ]
    spec = {"driver": DRIVER, "pool": {"name": "n0"}, "devices": devices}

    assert device_taints.of_slice([], spec) == f"b of {DRIVER} is tainted: d=:NoExecute"
    assert device_taints.of_slice([rule({"device": "b"})["spec"]], spec) == f"b of {DRIVER} is tainted: k=v:NoSchedule"
    assert device_taints.of_slice([], {**spec, "devices": None}) == ""
