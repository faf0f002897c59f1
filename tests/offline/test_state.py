"""A stack's state as the graph that made it, on resources written by hand: what is filled in, brought, and a change."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.stack_export import read_before
from tests.offline.written import NETWORK, RAIL, SUBNET, graph, made, urn

RAIL_URN, NET, SUB = urn(RAIL, name="rail"), urn(RAIL, NETWORK, name="rail-net"), urn(RAIL, SUBNET, name="rail-sub")
PROVIDER = urn("pulumi:providers:gcp", name="west")
STACK = "urn:pulumi:prod::lab::pulumi:pulumi:Stack::lab-prod"
CERTIFICATE = b64encode(f"[certificate of {NETWORK} rail-net]".encode()).decode()
SIGNED = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "x"}


def there(of: str) -> str:
    """A URN as a state of another stack and project has it."""
    return of.replace("urn:pulumi:lab::gpu", "urn:pulumi:prod::lab")


def kept(of: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    """A resource of a state; the stack itself is above what has no parent."""
    token = of.rpartition("::")[0].rpartition("::")[2].rpartition("$")[2]
    return {"urn": there(of), "type": token, "parent": there(parent) if parent else STACK, **more}


def read(tmp_path: Path, after: Graph, *states: dict[str, Any]) -> Graph:
    """A state beside a preview."""
    file = tmp_path / "state.json"
    file.write_text(json.dumps({"deployment": {"resources": [{"urn": STACK, "type": "pulumi:pulumi:Stack"}, *states]}}))
    return read_before(file, after)


def one(tmp_path: Path, old: dict[str, Any], new: dict[str, Any], **states: Any) -> Resource:
    """A subnet that waits for a network, of whose inputs a state has ``old``, and a preview ``new``."""
    network = made(NET, inputs={"name": "rail-net"})
    after = graph(network, made(SUB, inputs=new, dependencies=(NET,), options=states.pop("options", {})))
    return read(tmp_path, after, kept(NET), kept(SUB, inputs=old, **states)).one(SUBNET)


def test_a_state_takes_the_preview_s_stack_and_project(tmp_path: Path):
    """The stack itself is no resource, and neither is what is about to be deleted."""
    after = graph(made(RAIL_URN), made(NET, parent=RAIL_URN, dependencies=(RAIL_URN,)), made(PROVIDER), out=1)
    gone = urn(NETWORK, name="gone")

    before = read(
        tmp_path,
        after,
        kept(RAIL_URN),
        kept(NET, RAIL_URN, provider=f"{there(PROVIDER)}::0f"),
        kept(gone, provider=f"{there(PROVIDER)}::0f", inputs={"name": "gone"}),
        kept(gone, delete=True),
        kept(PROVIDER),
    )

    assert before == graph(
        made(RAIL_URN),
        made(NET, parent=RAIL_URN, dependencies=(RAIL_URN,)),  # the provider is taken from the preview
        made(gone, provider=PROVIDER, inputs={"name": "gone"}),
        made(PROVIDER),
        out=1,
    )


def test_options_of_the_state_come_before_those_of_the_preview(tmp_path: Path):
    """An option without a value in the state is as the preview has it."""
    options = {
        "protect": True,
        "ignoreChanges": ["a"],
        "hooks": {},
        "replacementTrigger": f"[id of {NETWORK} rail-net]",
    }

    found = one(tmp_path, {}, {}, options=options, ignoreChanges=["b"], protect=False, retainOnDelete=True)
    assert found.options == {**options, "ignoreChanges": ["b"], "retainOnDelete": True}
    found = one(tmp_path, {}, {}, options=options, replacementTrigger="net-0a1b2c3", deletedWith="urn")
    assert found.options == {**options, "deletedWith": "urn"}
    assert one(tmp_path, {}, {}, replacementTrigger=0).options == {"replacementTrigger": 0}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 2}, {"a": 1}),
        ({"a": "x"}, {}, {"a": "x"}),
        ({"__defaults": ["a"], "a": "x", "b": "y"}, {}, {"b": "y"}),
        ({"__defaults": ["a"], "a": "x"}, {"a": "y"}, {"a": "x"}),
        ({"name": "rail-sub-0a1b2c3"}, {}, {}),
        ({"name": "rail-sub"}, {}, {"name": "rail-sub"}),
        ({"name": "rail-sub-0a1b2c3"}, {"name": "other"}, {"name": "rail-sub-0a1b2c3"}),
        ({"size": 1, "x": ["rail-sub-0a"]}, {}, {"size": 1, "x": ["rail-sub-0a"]}),
        ({"a": "projects/p/x"}, {"a": f"[id of {NETWORK} rail-net]"}, {"a": f"[id of {NETWORK} rail-net]"}),
        ({"a": "MIIC"}, {"a": CERTIFICATE}, {"a": CERTIFICATE}),
        ({"a": "rail-net-0a1b2c3"}, {"a": "rail-net"}, {"a": "rail-net"}),
        ({"a": "other-net"}, {"a": "rail-net"}, {"a": "other-net"}),
        ({"a": "rail-own-0a"}, {"a": "rail-own"}, {"a": "rail-own-0a"}),
        ({"a": SIGNED}, {"a": "[secret]"}, {"a": "[secret]"}),
        ({"a": "plain"}, {"a": "[secret]"}, {"a": "plain"}),
        ({"a": 1}, {"a": f"[id of {NETWORK} rail-net]"}, {"a": 1}),
        (
            {"a": ["x", {"b": 1, "c": "y"}, "z"]},
            {"a": [f"[id of {NETWORK} rail-net]", {"b": 2}]},
            {"a": [f"[id of {NETWORK} rail-net]", {"b": 1, "c": "y"}, "z"]},
        ),
        ({"a": {"b": "x"}}, {"a": "x"}, {"a": {"b": "x"}}),
    ],
)
def test_made_up_and_filled_in_values_are_no_change(tmp_path: Path, old: Any, new: Any, expected: Any):
    """What an engine made up, a provider filled in or another resource brought is no change; all else is one."""
    assert one(tmp_path, old, new).inputs == expected


def test_what_is_ignored_is_no_change(tmp_path: Path):
    """As what the cloud writes into a list, once the state has been refreshed."""
    options = {"ignoreChanges": ["pools", "scaling.size", "gateway"]}
    old = {"pools": [{"name": "a"}, {"name": "b"}], "scaling": {"size": 5, "max": 9}, "gateway": "x"}
    new = {"pools": [{"name": "b"}], "scaling": {"size": 3, "max": 7}}

    found = one(tmp_path, old, new, options=options, ignoreChanges=["pools[0].count"])

    assert found.inputs == {"pools": [{"name": "b"}], "scaling": {"size": 3, "max": 9}}


def test_what_the_engine_adds_is_no_change(tmp_path: Path):
    """A resource dies with what its parent dies with, and the engine notes versions in a provider."""
    component, life = made(RAIL_URN, options={"deletedWith": "urn"}), {"deletedWith": "urn"}
    after = graph(component, made(NET, parent=RAIL_URN), made(PROVIDER, inputs={"project": "p", "wait": True}))
    noted = {"project": "p", "wait": "true", "version": "10.2.0", "__internal": {}}

    assert (
        read(tmp_path, after, kept(RAIL_URN, **life), kept(NET, RAIL_URN, **life), kept(PROVIDER, inputs=noted))
        == after
    )


def test_names_made_up_from_an_old_name_are_known(tmp_path: Path):
    old = urn(NETWORK, name="old")
    network = made(urn(NETWORK, name="new"), options={"aliases": [{"name": "old"}]})
    subnet = made(urn(SUBNET, name="s"), inputs={"network": "new"}, dependencies=(network.urn,))
    after = graph(network, subnet)

    before = read(tmp_path, after, kept(old, inputs={"name": "old-0a"}), kept(subnet.urn, inputs={"network": "old-0a"}))

    assert [each.urn for each in before.resources] == [network.urn, subnet.urn]
    assert [each.inputs for each in before.resources] == [{}, {"network": "new"}]
