"""What resources were called before, on graphs written by hand: whose alias counts, and what else has the old name."""

from typing import Any

import pytest
from pulumi_offline import Graph
from pulumi_offline.aliases import as_known, old_urns
from tests.offline.written import NETWORK, RAIL, SUBNET, TEAM, graph, made, urn

OLD, NEW = urn(RAIL, name="old"), urn(RAIL, name="new")


def child(whole: str, name: str, token: str = NETWORK) -> str:
    """The URN of what a rail has below it."""
    return urn(RAIL, token, name=f"{whole}{name}")


def whole(name: str, **options: Any) -> Graph:
    """A rail with a network, and a subnet in it, whose names begin with the rail's; one of its own does not."""
    rail = urn(RAIL, name=name)
    network, subnet = child(name, "-net"), child(name, "-sub", SUBNET)
    return graph(
        made(rail, options=options),
        made(network, parent=rail, inputs={"name": f"{name}-net"}),
        made(subnet, parent=rail, dependencies=(network,), inputs=inputs_of(name), options=options_of(network)),
        made(urn(RAIL, NETWORK, name="own"), parent=rail),
        links=[f"[selfLink of {NETWORK} {name}-net]", f"https://{name}.invalid", {"same": name}],
    )


def inputs_of(name: str) -> dict[str, Any]:
    """What names the network: outputs, its own name, made-up hosts, and texts that do not."""
    return {
        "network": f"[selfLink of {NETWORK} {name}-net]",
        "both": f"[id of {NETWORK} {name}-net] and [id of {NETWORK} {name}-other]",
        "name": f"{name}-net",
        "hosts": [f"{name}.invalid", {"host": f"a.{name}.invalid"}, 1],
        "text": f"{name}-sub",
    }


def options_of(network: str) -> dict[str, Any]:
    """The options that name resources, each in its form, and one that does not."""
    return {
        "deletedWith": network,
        "replaceWith": ["elsewhere", network],
        "providers": {"gcp": network, "aws": "elsewhere"},
        "ignoreChanges": [network],
    }


def test_a_renamed_whole_is_known_with_all_below_it():
    """A child whose name begins with its parent's was renamed with it; another child was not."""
    after = whole("new", aliases=[{"name": "old"}])

    assert old_urns({each.urn for each in whole("old").resources}, after) == {
        NEW: OLD,
        child("new", "-net"): child("old", "-net"),
        child("new", "-sub", SUBNET): child("old", "-sub", SUBNET),
    }


def test_every_mention_of_a_renamed_resource_follows():
    """Parents, dependencies, options, outputs and made-up hosts follow; a name that the cloud gave stays."""
    known = as_known(whole("old"), whole("new", aliases=[{"name": "old"}]))

    assert [each.urn for each in known.resources] == sorted(each.urn for each in known.resources)
    subnet = known.one(SUBNET)
    network = child("new", "-net")
    assert (subnet.name, subnet.parent, subnet.dependencies) == ("new-sub", NEW, (network,))
    assert subnet.inputs == {
        "network": f"[selfLink of {NETWORK} new-net]",
        "both": f"[id of {NETWORK} new-net] and [id of {NETWORK} old-other]",
        "name": "new-net",
        "hosts": ["new.invalid", {"host": "a.new.invalid"}, 1],
        "text": "old-sub",
    }
    assert subnet.options == {**options_of(network), "ignoreChanges": [child("old", "-net")]}
    assert known.outputs == {"links": [f"[selfLink of {NETWORK} new-net]", "https://new.invalid", {"same": "old"}]}
    assert known.one(NETWORK, "new-net").inputs == {"name": "old-net"}  # it waits for nobody
    assert known.stack == "lab"


def test_nothing_is_renamed_without_an_alias():
    """The graph is then the same object."""
    before = whole("old")

    assert as_known(before, whole("new")) is before
    assert as_known(before, before) is before
    assert old_urns({OLD, NEW}, whole("new", aliases=[{"name": "old"}])) == {}  # it is there under its new name


@pytest.mark.parametrize(
    ("alias", "before"),
    [
        ("urn:any", "urn:any"),
        ({"name": "x"}, urn(TEAM, RAIL, name="x")),
        ({"type": "t:index:Old"}, urn(TEAM, "t:index:Old", name="rail")),
        ({"parent": None}, urn(RAIL, name="rail")),
        ({"parent": "urn:pulumi:lab::gpu::pulumi:pulumi:Stack::s"}, urn(RAIL, name="rail")),
        ({"parent": urn("t:index:A", "t:index:B", name="b")}, urn("t:index:A", "t:index:B", RAIL, name="rail")),
        ({"stack": "prod"}, urn(TEAM, RAIL, name="rail").replace("lab", "prod")),
        ({"project": "cpu"}, urn(TEAM, RAIL, name="rail").replace("gpu", "cpu")),
    ],
)
def test_what_an_alias_does_not_say_is_as_it_is_now(alias: Any, before: str):
    """Of two aliases the first that names an existing resource counts."""
    team, rail = urn(TEAM, name="team"), urn(TEAM, RAIL, name="rail")
    aliases = [{"name": "never"}, alias, {"name": "later"}]
    after = graph(made(team), made(rail, parent=team, options={"aliases": aliases}))

    assert old_urns({before, urn(TEAM, RAIL, name="later")}, after) == {rail: before}
