"""Our mocks for unit tests of programs answer what a cloud would compute."""

from typing import Any

import pytest
from pulumi.runtime import MockCallArgs, MockResourceArgs
from pulumi_offline.monitor import Unanswered
from pulumi_offline.testing import Mocks

pytestmark = pytest.mark.usefixtures("loop")

CONFIG, ZONES = "kubernetes:a.b/v1:Net", "gcp:compute/getZones:getZones"


def resource(name: str, token: str = CONFIG, id_: str | None = None, **fields: Any) -> MockResourceArgs:
    """A registration, as the SDK hands it to mocks."""
    return MockResourceArgs(typ=token, name=name, inputs={"kind": "Net", "spec": 1}, resource_id=id_, **fields)


def test_a_resource_comes_back_with_what_a_cloud_computes():
    """It has its inputs, what is made up beside them, and the id by which it was looked up or a made-up one."""
    metadata = {"name": "n", "namespace": "default", "uid": "[uid of kubernetes:a.b/v1:Net n]"}
    mocks = Mocks()
    calls = [resource("n", custom=True), resource("n", id_="there"), resource("x", "t:index:Other", custom=False)]
    made = [mocks.new_resource(call) for call in calls]

    assert made[0] == (f"[id of {CONFIG} n]", {"kind": "Net", "spec": 1, "metadata": metadata})
    assert made[1][0] == "there" and made[2][1] == {"kind": "Net", "spec": 1}
    assert mocks.resource_calls == calls and mocks.of_type(CONFIG) == calls[:2]


def test_a_program_runs_to_its_end():
    """All that it registers is seen, its settings are there, and what it returned is known."""
    import pulumi

    def program() -> dict[str, Any]:
        late = pulumi.Output.from_input("a").apply(lambda name: pulumi.ComponentResource("t:index:Other", name).urn)
        pulumi.ComponentResource("t:index:Other", "b", {"of": late})
        return {"place": pulumi.Config("p").require("zone"), "urn": late}

    mocks = Mocks()
    returned = mocks.run(program, project="p", stack="s", config={"p:zone": "z"})

    assert returned == {"place": "z", "urn": "urn:pulumi:s::p::pulumi:pulumi:Stack$t:index:Other::a"}
    assert {each.name for each in mocks.of_type("t:index:Other")} == {"a", "b"}
    with pytest.raises(LookupError, match=r"^t:index:Othr: .* made are .*t:index:Other"):
        mocks.of_type("t:index:Othr")


def test_functions_are_answered_by_the_test_before_what_is_known_of_our_own():
    """Any other has no answer, and is listed, too."""
    known = "gcp:compute/getReservation:getReservation"
    mocks = Mocks({ZONES: lambda args: {"names": [args["region"]]}, "fixed": {"a": 1}})

    assert mocks.call(MockCallArgs(ZONES, {"region": "r"}, "")) == {"names": ["r"]}
    assert mocks.call(MockCallArgs("fixed", {}, "")) == {"a": 1}
    assert mocks.call(MockCallArgs(known, {}, "")) == {}
    assert Mocks({known: {"b": 2}}).call(MockCallArgs(known, {}, "")) == {"b": 2}
    with pytest.raises(Unanswered, match=r"^other: .*Mocks\(\{'other': "):
        mocks.call(MockCallArgs("other", {}, ""))
    assert [each.token for each in mocks.function_calls] == [ZONES, "fixed", known, "other"]
