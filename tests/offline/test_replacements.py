"""What a change makes anew, and what goes and comes with it: on graphs of a few resources, written by hand."""

from typing import Any

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.replacements import broken_in, is_below, refusals, replacements, roots, taken_along

HOME = "urn:pulumi:lab::gpu::"
NETWORK, SUBNET = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"
CLUSTER, POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
JOB, CONFIG, WHOLE = "kubernetes:batch/v1:Job", "kubernetes:core/v1:ConfigMap", "rdma-cluster:index:GkeRdmaCluster"
OLD, NEW = {"name": "a", "project": "p"}, {"name": "b", "project": "q"}
INDEXED, NOT_INDEXED = {"spec": {"completionMode": "Indexed"}}, {"spec": {"completionMode": "NonIndexed"}}
"""What an API server refuses to change, and the provider asks for in place."""
ACCOUNT = "gcp:serviceaccount/account:Account"


def urn(token: str, name: str) -> str:
    """At the root of the stack."""
    return f"{HOME}{token}::{name}"


def made(token: str, name: str, inputs: dict[str, Any] | None = None, *after: str, **more: Any) -> Resource:
    """A resource that waits for others."""
    own: dict[str, Any] = {"parent": None, "provider": None, "dependencies": tuple(sorted(after)), **more}
    return Resource(urn(token, name), token, name, inputs=inputs or {}, **own)


def graph(*resources: Resource) -> Graph:
    """A stack of them."""
    return Graph("lab", tuple(sorted(resources, key=lambda each: each.urn)))


def anew(before: list[Resource], after: list[Resource]) -> dict[str, list[str]]:
    """Why each is made anew, by name."""
    found = replacements(graph(*before), graph(*after))
    assert list(found) == sorted(found)
    return {each.rpartition("::")[2]: [why.rpartition("::")[2] for why in reasons] for each, reasons in found.items()}


@pytest.mark.parametrize(
    ("token", "old", "new", "options", "reasons"),
    [
        (NETWORK, {"project": "p", "mtu": 1}, {"project": "q", "mtu": 1}, {}, ["inputs.project"]),
        (NETWORK, {"mtu": 1460}, {"mtu": 8896}, {}, []),
        (NETWORK, {"name": "a"}, {}, {}, ["inputs.name"]),
        ("acme:index:Thing", {"name": "a"}, {"name": "b"}, {}, []),
        (NETWORK, OLD, NEW, {}, ["inputs.name", "inputs.project"]),
        (NETWORK, OLD, NEW, {"ignoreChanges": ["name"]}, ["inputs.project"]),
        (SUBNET, {"ipCidrRange": "10.0.0.0/24"}, {"ipCidrRange": "10.0.0.0/20"}, {}, []),  # it grows
        (SUBNET, {"ipCidrRange": "10.0.0.0/20"}, {"ipCidrRange": "10.0.0.0/24"}, {}, ["inputs.ipCidrRange"]),
        (SUBNET, {"ipCidrRange": "[x of y]"}, {"ipCidrRange": "10.0.0.0/24"}, {}, ["inputs.ipCidrRange"]),
        (SUBNET, {"region": "10.0.0.0/24"}, {"region": "10.0.0.0/20"}, {}, ["inputs.region"]),
        (JOB, INDEXED, NOT_INDEXED, {}, []),
        (JOB, INDEXED, NOT_INDEXED, {"replaceOnChanges": ["spec"]}, ["inputs.spec.completionMode"]),
        (POOL, {"nodeConfig": {"spot": True}}, {"nodeConfig": {"spot": False}}, {}, ["inputs.nodeConfig.spot"]),
    ],
)  # fmt: skip
def test_a_changed_fixed_input_makes_a_resource_anew(token: str, old: Any, new: Any, options: Any, reasons: list[str]):
    """Blocks may grow, and the engine does not look at ignored inputs."""
    others = [made(NETWORK, "other", {"name": "same"})]

    found = anew([made(token, "x", old, options=options), *others], [made(token, "x", new, options=options), *others])

    assert found == ({"x": reasons} if reasons else {})


def test_a_trigger_makes_anything_anew():
    """A trigger works for resources of every type, and other options do not; one that is first set does nothing."""
    old, new = ({"replacementTrigger": {"digest": digest}} for digest in "ab")
    assert anew([made("acme:index:Thing", "x")], [made("acme:index:Thing", "x", options=new)]) == {}

    assert anew([made("acme:index:Thing", "x", options=old)], [made("acme:index:Thing", "x", options=new)]) == {
        "x": ["options.replacementTrigger.digest"]
    }
    assert anew([made(NETWORK, "x", options={"protect": True})], [made(NETWORK, "x")]) == {}


def chain(name: str, **cluster: Any) -> list[Resource]:
    """A network, a cluster in it by its name, a pool by an output of the cluster, and what stands beside them."""
    network, whole = urn(NETWORK, "net"), urn(CLUSTER, "c")
    return [
        made(NETWORK, "net", {"name": name}),
        made(CLUSTER, "c", {"network": f"[selfLink of {NETWORK} net]", **cluster}, network),
        made(POOL, "p", {"cluster": f"[id of {CLUSTER} c]", "nodeCount": 2}, whole, network),
        made(ACCOUNT, "free", {"displayName": f"[id of {CLUSTER} c]"}, whole),
    ]


def test_a_resource_made_anew_takes_others_with_it():
    """It takes those whose fixed inputs name it, and those that these take; a description may change in place."""
    found = replacements(graph(*chain("a")), graph(*chain("b")))

    assert found == {
        urn(CLUSTER, "c"): [urn(NETWORK, "net")],
        urn(NETWORK, "net"): ["inputs.name"],
        urn(POOL, "p"): [urn(CLUSTER, "c")],
    }
    assert roots(found) == [urn(NETWORK, "net")]
    assert taken_along(urn(NETWORK, "net"), found) == {urn(CLUSTER, "c"), urn(POOL, "p")}
    assert taken_along(urn(CLUSTER, "c"), found) == {urn(POOL, "p")}
    assert taken_along(urn(POOL, "p"), found) == set()


def test_an_ignored_input_takes_nothing_with_it():
    """What is ignored and triggers all the same does: the new network has another id."""
    before, after = ([made(NETWORK, "net", {"name": name}), cluster()] for name in "ab")
    assert anew(before, after) == {"net": ["inputs.name"]}

    triggered = cluster(replacementTrigger=["x", f"[id of {NETWORK} net]"])
    assert anew([before[0], triggered], [after[0], triggered]) == {"c": ["net"], "net": ["inputs.name"]}


def cluster(**options: Any) -> Resource:
    """One whose network's changes are ignored."""
    network, ignored = urn(NETWORK, "net"), {"ignoreChanges": ["network"], **options}
    return made(CLUSTER, "c", {"network": f"[id of {NETWORK} net]"}, network, options=ignored)


@pytest.mark.parametrize(
    ("inputs", "follows"),
    [
        ({"network": "net-name"}, True),
        ({"network": "net"}, True),
        ({"network": f"projects/p/[name of {NETWORK} net]"}, True),
        ({"network": f"[name of {NETWORK} net-2]"}, False),
        ({"network": "other"}, False),
        ({"ipAllocationPolicy": {"blocks": ["x", "net"]}}, True),
        ({"description": "net"}, False),
    ],
)
def test_a_fixed_input_names_another_by_name_or_output(inputs: dict[str, Any], follows: bool):
    """Only what the resource waits for counts."""

    def stack(project: str, *after: str) -> list[Resource]:
        return [made(NETWORK, "net", {"name": "net-name", "project": project}), made(CLUSTER, "c", inputs, *after)]

    own = urn(NETWORK, "net")
    assert ("c" in anew(stack("p", own), stack("q", own))) is follows
    assert "c" not in anew(stack("p"), stack("q"))


def provided(project: str, **options: Any) -> list[Resource]:
    """What hangs on another by its provider, or by an option, itself or above it."""
    network, whole = urn(NETWORK, "net"), urn(WHOLE, "w")
    return [
        made(NETWORK, "net", {"project": project}),
        made(WHOLE, "w", options={"deletedWith": network} if "above" in options else {}),
        made(CONFIG, "inside", parent=whole),
        made(CONFIG, "with", options={key: of for key, of in options.items() if key != "above"}),
        made(CONFIG, "by", provider=network if "above" not in options else None),
    ]


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ({}, ["by"]),
        ({"deletedWith": urn(NETWORK, "net")}, ["by", "with"]),
        ({"replaceWith": [urn(NETWORK, "net")]}, ["by", "with"]),
        ({"deletedWith": urn(NETWORK, "other")}, ["by"]),
        ({"above": True}, ["inside", "w"]),
    ],
)
def test_providers_and_options_take_others_with_them(options: dict[str, Any], taken: list[str]):
    """Inputs do not matter here; ``deletedWith`` is handed down to children."""
    found = anew(provided("p", **options), provided("q", **options))

    assert found == {"net": ["inputs.project"], **{each: ["net"] for each in taken}}


@pytest.mark.parametrize(
    ("path", "paths", "below"),
    [
        ("spec", ["spec"], True),
        ("spec.a", ["spec"], True),
        ("spec[0]", ["spec"], True),
        ("spec", ["spec.a"], False),
        ("specs", ["spec"], False),
        ("pools[3].zones", ["pools[*].zones"], True),
        ("pools[3].zones[0]", ["pools[*].zones"], True),
        ("pools[3].zones", ["pools[3]"], True),
        ("pools[3].zones", ["pools[4]"], False),
        ("pools[3]", ["pools[*].zones"], False),
        ("a", ["b", "a"], True),
        ("a", ["b", "*"], True),
        ("a", [], False),
    ],
)
def test_paths_in_options_are_read_as_the_engine_reads_them(path: str, paths: list[str], below: bool):
    """They may hold an index, or a star for every index."""
    assert is_below(path, paths) is below


def test_a_change_that_an_api_refuses_is_found():
    """Nothing is refused of a resource that is new or made anew, or where the engine ignores the change."""
    fresh = made(JOB, "new", NOT_INDEXED)
    before = [made(JOB, name, INDEXED) for name in ("stays", "anew", "ignored")]
    after = [made(JOB, name, NOT_INDEXED) for name in ("stays", "anew")]
    after.append(made(JOB, "ignored", NOT_INDEXED, options={"ignoreChanges": ["spec"]}))

    found = refusals(graph(*before), graph(*after, fresh), {urn(JOB, "anew"): ["inputs.x"]})

    assert [(resource.name, each.path, each.words) for resource, each in found] == [
        ("stays", "spec.completionMode", "field is immutable")
    ]


def test_constraints_see_the_other_resources():
    """Two subnets of one network break a constraint where their blocks overlap."""

    def subnets(second: str) -> Graph:
        network = {"network": f"[id of {NETWORK} net]", "region": "r"}
        return graph(
            made(NETWORK, "net", {"name": "net", "autoCreateSubnetworks": False}),
            made(SUBNET, "a", {**network, "name": "a", "ipCidrRange": "10.0.0.0/24"}),
            made(SUBNET, "b", {**network, "name": "b", "ipCidrRange": second}),
        )

    assert broken_in(subnets("10.0.1.0/24")) == []
    assert sorted({resource.name for resource, _ in broken_in(subnets("10.0.0.128/25"))}) == ["a", "b"]
