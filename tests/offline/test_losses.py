"""What a change takes away: on graphs of a few resources, written by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.losses import losses
from pulumi_offline.replacements import replacements
from pulumi_offline.stack_export import read_before
from tests.offline.test_replacements import CLUSTER, CONFIG, HOME, NETWORK, POOL, graph, made, urn

TEMPLATE, GROUP = "aws:ec2/launchTemplate:LaunchTemplate", "aws:eks/nodeGroup:NodeGroup"
NODES, SHAPE = "oci:Core/clusterNetwork:ClusterNetwork", "oci:Core/instanceConfiguration:InstanceConfiguration"
ACCESS = "pulumi:providers:kubernetes"
LATEST = {"launchTemplate": {"id": f"[id of {TEMPLATE} t]", "version": "0"}}
"""As a preview shows a version that it cannot know."""
PINNED = {"launchTemplate": {"id": f"[id of {TEMPLATE} t]", "version": "3"}}


@pytest.mark.parametrize(
    ("group", "change", "options", "rolls"),
    [
        (LATEST, {"imageId": "b"}, {}, True),
        (LATEST, {"tags": {"team": "b"}}, {}, False),
        (LATEST, {"imageId": "b"}, {"ignoreChanges": ["imageId"]}, False),
        (PINNED, {"imageId": "b"}, {}, False),
    ],
    ids=["latest", "its own tags", "ignored", "pinned"],
)
def test_nodes_follow_the_latest_version_of_their_template(group: Any, change: Any, options: Any, rolls: bool):
    before, after = (
        graph(made(TEMPLATE, "t", inputs, options=options), made(GROUP, "g", group, urn(TEMPLATE, "t")))
        for inputs in ({"imageId": "a"}, {"imageId": "a"} | change)
    )

    assert losses(before, after).rolled == ({urn(GROUP, "g"): [urn(TEMPLATE, "t")]} if rolls else {})


def oci(name: str, image: str, **options: Any) -> list[Any]:
    """A cluster network and its instance configuration, which says the shape."""
    shape = {"instanceDetails": {"launchDetails": {"shape": "BM.GPU.H100.8", "sourceDetails": {"imageId": image}}}}
    follows = {"instancePools": [{"instanceConfigurationId": f"[id of {SHAPE} s]"}]}
    place = {"placementConfiguration": {"availabilityDomain": image}}
    return [made(SHAPE, "s", shape), made(NODES, name, follows | place, urn(SHAPE, "s"), options=options)]


def test_what_has_another_urn_or_is_made_first_needs_its_capacity_twice():
    renamed = losses(graph(*oci("a", "x")), graph(*oci("b", "x"))).first[urn(NODES, "a")]
    anew = losses(graph(*oci("a", "x")), graph(*oci("a", "y"))).first[urn(NODES, "a")]
    room = losses(graph(*oci("a", "x", deleteBeforeReplace=True)), graph(*oci("a", "y", deleteBeforeReplace=True)))

    assert (renamed.made, renamed.capacity, renamed.moved) == ((urn(NODES, "b"),), "BM.GPU.H100.8", False)
    assert (anew.made, anew.capacity) == ((urn(NODES, "a"),), "BM.GPU.H100.8")
    assert urn(NODES, "a") in room.replaced and room.first == {}


def test_what_is_read_or_retained_is_not_deleted():
    """What hangs on another is listed with it."""
    there = [
        made(CLUSTER, "c"),
        made(POOL, "p", {"cluster": f"[id of {CLUSTER} c]"}, urn(CLUSTER, "c")),
        made(NETWORK, "read", options={"get": "id"}),
        made(NETWORK, "kept", options={"retainOnDelete": True}),
    ]

    assert losses(graph(*there), graph()).deleted == {urn(CLUSTER, "c"): [], urn(POOL, "p"): [urn(CLUSTER, "c")]}


def test_a_trigger_an_own_option_and_another_cluster_s_provider_make_anew():
    """An output of what is made anew is another, also where no text changes."""
    cluster, first, second = urn(CLUSTER, "c"), urn(ACCESS, "one"), urn(ACCESS, "two")

    def stack(name: str, to: str) -> Any:
        own = {"network": f"[id of {CLUSTER} c]"}
        return graph(
            made(CLUSTER, "c", {"name": name}),
            made("acme:index:Thing", "own", own, cluster, options={"replaceOnChanges": ["network"]}),
            made("acme:index:Thing", "trigger", options={"replacementTrigger": f"[id of {CLUSTER} c]"}),
            made(ACCESS, "one", {"clusterIdentifier": "one"}),
            made(ACCESS, "two", {"clusterIdentifier": "two"}),
            made(ACCESS, "again", {"clusterIdentifier": "one"}),
            made(CONFIG, "map", {"metadata": {"name": "map"}}, provider=to),
        )

    found = replacements(stack("a", first), stack("b", second))
    assert found == {
        cluster: ["inputs.name"],
        urn("acme:index:Thing", "own"): [cluster],
        urn("acme:index:Thing", "trigger"): [cluster],
        urn(CONFIG, "map"): ["provider"],
    }
    assert replacements(stack("a", first), stack("a", urn(ACCESS, "again"))) == {}


def test_replacements_know_aliases_by_themselves():
    before = graph(made(NETWORK, "old", {"name": "a"}))
    after = graph(made(NETWORK, "new", {"name": "b"}, options={"aliases": [{"name": "old"}]}))

    assert replacements(before, after) == {urn(NETWORK, "new"): ["inputs.name"]}
    assert losses(before, after).deleted == {}


def test_a_state_tells_providers_and_what_is_read_and_not_versions_of_templates(tmp_path: Path):
    """A provider of the engine's own is no change."""
    after = graph(
        made(TEMPLATE, "t"),
        made(GROUP, "g", LATEST, urn(TEMPLATE, "t")),
        *(made(ACCESS, name, {"clusterIdentifier": name}) for name in ("one", "two")),
        made(CONFIG, "map", provider=urn(ACCESS, "two")),
        made(CONFIG, "other", provider=urn(ACCESS, "two")),
    )
    states = [
        {**each.to_dict(), "provider": f"{each.provider}::0f" if each.provider else ""} for each in after.resources
    ]
    changes = {
        "g": {"inputs": {"launchTemplate": {"id": "lt-0a", "version": "7"}}},
        "map": {"provider": f"{urn(ACCESS, 'one')}::0f"},
        "other": {"provider": f"{HOME}{ACCESS}::default_4_0_0::0f"},
    }
    states = [{**each, **changes.get(each["name"], {})} for each in states]
    states.append({"urn": urn(NETWORK, "read"), "type": NETWORK, "external": True, "id": "n"})
    (tmp_path / "state.json").write_text(json.dumps({"deployment": {"resources": states}}))

    found = losses(read_before(tmp_path / "state.json", after), after)
    assert found.to_dict() == {
        "deleted": {},
        "replaced": {urn(CONFIG, "map"): ["provider"]},
        "rolled": {},
        "madeFirst": {},
    }
