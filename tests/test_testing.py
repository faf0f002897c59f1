"""Our mocks for unit tests of programs, call by call."""

from typing import Any

import pytest
from pulumi.runtime import MockCallArgs, MockResourceArgs
from pulumi_offline.monitor import Unanswered
from pulumi_offline.testing import Mocks

CONFIG, ZONES = "kubernetes:a.b/v1:Net", "gcp:compute/getZones:getZones"


def resource(name: str, token: str = CONFIG, id_: str | None = None, **fields: Any) -> MockResourceArgs:
    """A registration, as the SDK hands it to mocks."""
    return MockResourceArgs(typ=token, name=name, inputs={"kind": "Net", "spec": 1}, resource_id=id_, **fields)


def test_a_resource_comes_back_with_what_a_cloud_computes():
    """Its inputs, what is made up beside them, and an id: its own where it was looked up by one."""
    metadata = {"name": "n", "namespace": "default", "uid": "[uid of Net n]"}
    mocks = Mocks()

    for custom in (True, None):
        made = mocks.new_resource(resource("n", custom=custom))
        assert made == (f"[id of {CONFIG} n]", {"kind": "Net", "spec": 1, "metadata": metadata})
    assert mocks.new_resource(resource("n", id_="there"))[0] == "there"
    component = mocks.new_resource(resource("n", custom=False))
    assert component == (f"[id of {CONFIG} n]", {"kind": "Net", "spec": 1})


def test_what_was_registered_is_there_in_order():
    """All of it, and that of a type."""
    mocks = Mocks()
    calls = [resource("b"), resource("x", "t:index:Other"), resource("a")]
    for call in calls:
        mocks.new_resource(call)

    assert mocks.resource_calls == calls
    assert mocks.of_type(CONFIG) == [calls[0], calls[2]] and mocks.of_type("t:index:None") == []


def test_functions_are_answered():
    """By what a test gives, before what is known of our own; the rest has no answer, and is listed, too."""
    known = "gcp:compute/getReservation:getReservation"
    mocks = Mocks({ZONES: lambda args: {"names": [args["region"]]}, "fixed": {"a": 1}})

    assert mocks.call(MockCallArgs(ZONES, {"region": "r"}, "")) == {"names": ["r"]}
    assert mocks.call(MockCallArgs("fixed", {}, "")) == {"a": 1}
    assert mocks.call(MockCallArgs(known, {}, "")) == {}
    assert Mocks({known: {"b": 2}}).call(MockCallArgs(known, {}, "")) == {"b": 2}
    with pytest.raises(Unanswered) as nobody:
        mocks.call(MockCallArgs("other", {}, ""))
    assert str(nobody.value) == "other: nobody answers this function; pass its result as Mocks({'other': {...}})"
    assert [each.token for each in mocks.function_calls] == [ZONES, "fixed", known, "other"]
