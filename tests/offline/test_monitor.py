"""The engine's side of a run, asked request by request: what it answers, what it remembers, what it tells as wrong."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pytest
from pulumi.runtime.proto import engine_pb2, resource_pb2
from pulumi.runtime.proto.callback_pb2 import Callback
from pulumi_offline import Problem
from pulumi_offline.codec import SECRET, SIGNATURE, decode
from pulumi_offline.graph import Resource
from pulumi_offline.monitor import Monitor, Unanswered
from pulumi_offline.project import Settings

HOME = "urn:pulumi:lab::gpu::"
STACK = f"{HOME}pulumi:pulumi:Stack::gpu-lab"
TEAM, RAIL = "t:index:Team", "t:index:Rail"


def monitor(invokes: Mapping[str, Any] | None = None, **config: str) -> Monitor:
    """Of a stack with a configuration."""
    return Monitor(Settings("gpu", "lab", {key.replace("_", ":"): text for key, text in config.items()}), invokes or {})


def registered(of: Monitor, token: str, name: str, inputs: Mapping[str, Any] | None = None, **fields: Any) -> Any:
    """The answer to a registration."""
    request = resource_pb2.RegisterResourceRequest(type=token, name=name, **fields)
    request.object.update(inputs or {})
    return of.RegisterResource(request)


def read(of: Monitor, token: str, name: str, id_: str, **fields: Any) -> Any:
    """The answer to a look-up by an id."""
    return of.ReadResource(resource_pb2.ReadResourceRequest(type=token, name=name, id=id_, **fields))


def invoked(of: Monitor, token: str, **args: Any) -> dict[str, Any]:
    """The answer of a provider's function."""
    request = resource_pb2.ResourceInvokeRequest(tok=token)
    request.args.update(args)
    return decode(getattr(of.Invoke(request), "return"))


def told(of: Monitor, severity: Any, message: str, urn: str = "") -> None:
    """A message of the program."""
    of.Log(engine_pb2.LogRequest(severity=severity, message=message, urn=urn))


def test_the_stack_is_no_resource_of_its_graph():
    """It has a URN, and what stands below it has no parent."""
    lab = monitor()

    assert registered(lab, "pulumi:pulumi:Stack", "gpu-lab").urn == STACK
    assert registered(lab, TEAM, "a", parent=STACK).urn == f"{HOME}{TEAM}::a"
    assert registered(lab, RAIL, "b", parent=f"{HOME}{TEAM}::a").urn == f"{HOME}{TEAM}${RAIL}::b"
    assert registered(lab, RAIL, "c").urn == f"{HOME}{RAIL}::c"
    assert {each.name: each.parent for each in lab.graph().resources} == {"a": None, "b": f"{HOME}{TEAM}::a", "c": None}


def test_what_is_remembered_of_a_registration():
    """All of it by name; what it waits for is sorted, each once."""
    lab = monitor()
    registered(
        lab,
        RAIL,
        "rail",
        {"b": 1, "a": {SIGNATURE: SECRET, "value": "hush"}},
        custom=True,
        provider=f"{HOME}pulumi:providers:t::p::id",
        dependencies=["urn:b", "urn:d", "urn:a", "urn:c", "urn:b"],
        protect=True,
    )

    assert lab.graph().resources == (
        Resource(
            urn=f"{HOME}{RAIL}::rail",
            type=RAIL,
            name="rail",
            parent=None,
            provider=f"{HOME}pulumi:providers:t::p",
            inputs={"a": "[secret]", "b": 1},
            options={"protect": True},
            dependencies=("urn:a", "urn:b", "urn:c", "urn:d"),
        ),
    )


def test_a_graph_is_in_the_order_of_urns():
    """Whatever order the program has; outputs stand on their resource, and those of the stack on the graph."""
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
def test_ids(kind: dict[str, Any], id_: str):
    """A cloud gives one to what it makes, an imported resource has its own, a component has none."""
    answer = registered(monitor(), RAIL, "rail", {"mtu": 1}, **kind)

    assert answer.id == id_
    assert decode(answer.object) == ({"mtu": 1} if kind else {})


def test_problems_are_sorted_each_once():
    """An error of the program is one, as it fails a deployment."""
    lab = monitor()
    for message in ("c", "a", "d", "b", "c"):
        told(lab, engine_pb2.ERROR, message, "urn:x")

    assert lab.problems() == tuple(Problem("urn:x", "", message) for message in "abcd")


def test_messages_go_where_python_s_go(caplog: pytest.LogCaptureFixture):
    """Warnings and infos, and nothing of the SDK's own debugging; neither is a problem."""
    caplog.set_level(logging.DEBUG, "pulumi")
    lab = monitor()
    for severity in (engine_pb2.DEBUG, engine_pb2.INFO, engine_pb2.WARNING):
        told(lab, severity, "m")

    assert caplog.record_tuples == [("pulumi", logging.INFO, "m"), ("pulumi", logging.WARNING, "m")]
    assert lab.problems() == ()


def test_the_first_of_two_with_one_urn_stays():
    """The second is told, and nothing of it is kept."""
    lab = monitor()
    for mtu in (1, 2):
        registered(lab, RAIL, "twin", {"mtu": mtu})

    assert lab.problems() == (Problem(f"{HOME}{RAIL}::twin", "", "two resources have this URN; rename one or move it"),)
    assert [each.inputs for each in lab.graph().resources] == [{"mtu": 1}]


def test_a_resource_that_is_looked_up():
    """It has the id that it was looked up by, and a later look by its URN finds both."""
    lab = monitor({RAIL: {"mtu": 9}})
    answer = read(lab, RAIL, "there", "i-1", parent=STACK)

    assert (answer.urn, decode(answer.properties)) == (f"{HOME}{RAIL}::there", {"mtu": 9})
    assert [each.options for each in lab.graph().resources] == [{"get": "i-1"}]
    assert invoked(lab, "pulumi:pulumi:getResource", urn=answer.urn) == {
        "id": "i-1",
        "state": {"mtu": 9},
        "urn": f"{HOME}{RAIL}::there",
    }


def test_a_registered_resource_is_found_by_its_urn():
    """The SDK asks so for a resource that a value refers to."""
    lab = monitor()
    urn = registered(lab, RAIL, "rail", {"mtu": 1}, custom=True).urn

    assert invoked(lab, "pulumi:pulumi:getResource", urn=urn) == {
        "id": f"[id of {RAIL} rail]",
        "state": {"mtu": 1},
        "urn": urn,
    }


def test_functions_are_answered_by_their_token():
    """By a result, by what makes one, or by an error that says what to pass."""
    lab = monitor({"fixed": {"a": 1}, "made": lambda args: {"b": args["x"]}})

    assert invoked(lab, "fixed", x=1) == {"a": 1} and invoked(lab, "made", x=2) == {"b": 2}
    with pytest.raises(Unanswered) as nobody:
        invoked(lab, "other", y=1, x=2)
    assert str(nobody.value) == (
        "other: nobody answers this function, called with x, y; pass its result as invokes={'other': {...}}"
    )
    with pytest.raises(Unanswered, match="called with nothing; pass"):
        invoked(lab, "other")


def test_outputs_that_are_secret():
    """Those that an option names, where they are, each wrapped once."""
    lab = monitor()
    inputs = {"plain": 1, "key": "k", "hushed": {SIGNATURE: SECRET, "value": "h"}}
    answer = registered(lab, RAIL, "rail", inputs, custom=True, additionalSecretOutputs=["key", "hushed", "missing"])

    assert decode(answer.object) == {
        "plain": 1,
        "key": {SIGNATURE: SECRET, "value": "k"},
        "hushed": {SIGNATURE: SECRET, "value": "h"},
    }


def test_settings_that_a_resource_takes_over():
    """From its provider, but for secrets; else from the configuration of its own package."""
    lab = monitor(t_project="p", t_region="r", u_project="q")
    hush = {SIGNATURE: SECRET, "value": "hush"}
    provider = registered(lab, "pulumi:providers:t", "west", {"project": "w", "token": hush}, custom=True)
    ask = resource_pb2.RegisterResourceRequest

    assert lab._defaults(ask(type=RAIL)) == {"project": "p", "region": "r"}
    assert lab._defaults(ask(type="u:index:Rail")) == {"project": "q"}
    assert lab._defaults(ask(type="v:index:Rail")) == {}
    assert lab._defaults(ask(type=RAIL, provider=f"{provider.urn}::{provider.id}")) == {"project": "w"}
    assert lab._defaults(ask(type=RAIL, provider="urn:unknown::id")) == {"project": "p", "region": "r"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"automountServiceAccountToken": "yes"},
        {"metadata": {"labels": {"a": 1}}},
        {"imagePullSecrets": [{"name": "a"}, {"nme": "b"}]},
        {"imagePullSecrets": ["a"]},
    ],
)
def test_a_wrong_property_is_not_answered(wrong: dict[str, Any]):
    """The SDK would stumble over it at whatever depth it is wrong; the graph and the problems have it."""
    import pulumi_kubernetes as k8s

    lab = monitor()
    inputs = {**wrong, "kind": "ServiceAccount"}
    assert k8s.core.v1.ServiceAccount
    answer = decode(registered(lab, "kubernetes:core/v1:ServiceAccount", "a", inputs, custom=True).object)

    assert [answer[key] == value for key, value in inputs.items()] == [False, True]
    assert lab.problems() and lab.graph().resources[0].inputs == inputs


def test_what_is_checked_is_what_a_provider_gets():
    """A component of the program has inputs that nobody but itself reads."""
    import pulumi_kubernetes as k8s

    assert k8s.core.v1.ConfigMap
    for kind, is_checked in (({}, False), ({"custom": True}, True), ({"remote": True}, True)):
        lab = monitor()
        registered(lab, "kubernetes:core/v1:ConfigMap", "a", {"dta": {}}, **kind)
        assert bool(lab.problems()) is is_checked


def test_transforms_from_a_resource_up_to_the_stack():
    """Its own, then those of its parents, the nearest first, then the stack's; one beside it has none."""
    lab = monitor()

    def adding(word: str) -> Any:
        async def answer(data: bytes) -> Any:
            asked = resource_pb2.TransformRequest.FromString(data)
            changed = resource_pb2.TransformResponse()
            changed.properties.update({"seen": [*decode(asked.properties).get("seen", []), word]})
            return changed

        return answer

    def made(token: str, name: str, **fields: Any) -> str:
        answer = registered(lab, token, name, **fields)
        if not asyncio.iscoroutine(answer):
            return answer.urn
        with closing(asyncio.new_event_loop()) as loop:
            return loop.run_until_complete(answer).urn

    lab.callbacks._callbacks = {word: adding(word) for word in ("top", "own", "also", "stack")}
    top = made(TEAM, "top", transforms=[Callback(token="top")])
    between = made(TEAM, "between", parent=top)
    made(RAIL, "beside", parent=STACK)
    lab.RegisterStackTransform(Callback(token="stack"))
    made(RAIL, "own", parent=between, transforms=[Callback(token="own"), Callback(token="also")])

    assert {each.name: each.inputs.get("seen") for each in lab.graph().resources} == {
        "top": ["top"],
        "between": ["top"],
        "beside": None,
        "own": ["own", "also", "top", "stack"],
    }


def test_features_of_this_engine():
    """Those that a program may use; outputs do not travel as such."""
    lab = monitor()
    features = {
        resource_pb2.ResourceMonitorFeature.Name(each).removeprefix("RESOURCE_MONITOR_FEATURE_")
        for each in lab.GetDeploymentInfo(None).supportedFeatures
    }

    assert {"SECRETS", "RESOURCE_REFERENCES", "ALIAS_SPECS", "TRANSFORMS", "INVOKE_TRANSFORMS"} <= features
    assert {"DELETED_WITH", "REPLACE_WITH", "RESOURCE_HOOKS", "ERROR_HOOKS", "STATE_MIGRATIONS"} <= features
    assert "OUTPUT_VALUES" not in features
    for name, has in (("outputValues", False), ("secrets", True), ("transforms", True)):
        assert lab.SupportsFeature(resource_pb2.SupportsFeatureRequest(id=name)).hasSupport is has


def test_packages_are_known_by_their_name():
    """One that is made from another by parameters has its own."""
    ask: Any = resource_pb2.RegisterPackageRequest
    lab = monitor()

    assert lab.RegisterPackage(ask(name="terraform")).ref == "terraform"
    assert lab.RegisterPackage(ask(name="terraform", parameterization={"name": "vast"})).ref == "vast"
