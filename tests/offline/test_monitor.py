"""The engine's side of a run, asked request by request."""

from collections.abc import Mapping
from typing import Any

import pytest
from pulumi.runtime.proto import engine_pb2, resource_pb2
from pulumi_offline import Problem
from pulumi_offline.codec import SECRET, SIGNATURE, decode
from pulumi_offline.monitor import Monitor
from pulumi_offline.project import Settings

HOME = "urn:pulumi:lab::gpu::"
STACK = f"{HOME}pulumi:pulumi:Stack::gpu-lab"
RAIL = "t:index:Rail"


def monitor() -> Monitor:
    """The monitor of a stack without configuration."""
    return Monitor(Settings("gpu", "lab", {}), {})


def registered(of: Monitor, token: str, name: str, inputs: Mapping[str, Any] | None = None, **fields: Any) -> Any:
    """The answer to a registration."""
    request = resource_pb2.RegisterResourceRequest(type=token, name=name, **fields)
    request.object.update(inputs or {})
    return of.RegisterResource(request)


def test_what_a_resource_waits_for_is_sorted_and_stands_once():
    lab = monitor()
    registered(lab, RAIL, "rail", dependencies=["urn:b", "urn:d", "urn:a", "urn:c", "urn:b"])

    assert lab.graph().resources[0].dependencies == ("urn:a", "urn:b", "urn:c", "urn:d")


def test_a_graph_is_in_the_order_of_urns():
    """The order of the program leaves no trace; the stack's own outputs are the graph's."""
    lab = monitor()
    for name in ("b", "d", "a", "c"):
        registered(lab, RAIL, name)
    for urn, value in ((f"{HOME}{RAIL}::c", 3), (STACK, 9)):
        request = resource_pb2.RegisterResourceOutputsRequest(urn=urn)
        request.outputs.update({"value": value, "hidden": {SIGNATURE: SECRET, "value": "hush"}})
        lab.RegisterResourceOutputs(request)
    graph = lab.graph()

    assert [each.name for each in graph.resources] == ["a", "b", "c", "d"]
    assert [each.outputs for each in graph.resources] == [{}, {}, {"value": 3, "hidden": "[secret]"}, {}]
    assert (graph.stack, graph.outputs) == ("lab", {"value": 9, "hidden": "[secret]"})


@pytest.mark.parametrize(
    ("kind", "id_"),
    [
        ({}, ""),
        ({"remote": True}, ""),
        ({"custom": True}, f"[id of {RAIL} rail]"),
        ({"custom": True, "importId": "there"}, "there"),
    ],
)
def test_only_what_a_cloud_makes_has_an_id(kind: dict[str, Any], id_: str):
    """An imported resource has the id that was given, and a component has none."""
    answer = registered(monitor(), RAIL, "rail", {"mtu": 1}, **kind)

    assert answer.id == id_
    assert decode(answer.object) == ({"mtu": 1} if kind else {})


def test_problems_are_sorted_and_stand_once():
    lab = monitor()
    for message in ("c", "a", "d", "b", "c"):
        lab.Log(engine_pb2.LogRequest(severity=engine_pb2.ERROR, message=message, urn="urn:x"))

    assert lab.problems() == tuple(Problem("urn:x", "", message) for message in "abcd")


def test_inputs_that_a_provider_gets_are_checked():
    """A component of the program has inputs that only the component itself reads."""
    import pulumi_kubernetes as k8s

    assert k8s.core.v1.ConfigMap
    for kind, is_checked in (({}, False), ({"custom": True}, True), ({"remote": True}, True)):
        lab = monitor()
        registered(lab, "kubernetes:core/v1:ConfigMap", "a", {"dta": {}}, **kind)
        assert bool(lab.problems()) is is_checked
