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
def test_a_changed_input(token: str, old: Any, new: Any, options: Any, reasons: list[str]):
    """Where the catalogue says that it is fixed, but for blocks that grow and for what the engine leaves out."""
    others = [made(NETWORK, "other", {"name": "same"})]

    found = anew([made(token, "x", old, options=options), *others], [made(token, "x", new, options=options), *others])

    assert found == ({"x": reasons} if reasons else {})


def test_a_trigger_makes_anything_anew():
    """Whatever type it is of; another option does not."""
    old, new = ({"replacementTrigger": {"digest": digest}} for digest in "ab")

    assert anew([made("acme:index:Thing", "x", options=old)], [made("acme:index:Thing", "x", options=new)]) == {
        "x": ["options.replacementTrigger.digest"]
    }
    assert anew([made(NETWORK, "x", options={"protect": True})], [made(NETWORK, "x")]) == {}


def test_what_is_in_one_graph_alone_is_not_made_anew():
    """It comes or goes."""
    here, gone, new = made(NETWORK, "a", {"name": "a"}), made(NETWORK, "b"), made(NETWORK, "c")

    assert anew([here, gone], [here, new]) == {}


def chain(name: str, **cluster: Any) -> list[Resource]:
    """A network, a cluster in it by its name, a pool by an output of the cluster, and what stands beside them."""
    network, whole = urn(NETWORK, "net"), urn(CLUSTER, "c")
    return [
        made(NETWORK, "net", {"name": name}),
        made(CLUSTER, "c", {"network": f"[selfLink of {NETWORK} net]", **cluster}, network),
        made(POOL, "p", {"cluster": f"[id of {CLUSTER} c]", "nodeCount": 2}, whole, network),
        made(ACCOUNT, "free", {"displayName": f"[id of {CLUSTER} c]"}, whole),
    ]


def test_one_takes_others_with_it():
    """Those with a fixed input that names it, and those that these take; a description may change in place."""
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
    """The engine does not look at it."""
    before, after = ([made(NETWORK, "net", {"name": name}), cluster()] for name in "ab")

    assert anew(before, after) == {"net": ["inputs.name"]}


def cluster() -> Resource:
    """One whose network's changes are ignored."""
    network = urn(NETWORK, "net")
    return made(CLUSTER, "c", {"network": f"[id of {NETWORK} net]"}, network, options={"ignoreChanges": ["network"]})


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
def test_how_an_input_names_another(inputs: dict[str, Any], follows: bool):
    """By its name, or by what a preview shows of an output; only a fixed one, and only of what it waits for."""

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
def test_what_does_not_outlive_another(options: dict[str, Any], taken: list[str]):
    """Whatever its inputs: a provider, ``deletedWith``, which is handed down, and ``replaceWith``."""
    found = anew(provided("p", **options), provided("q", **options))

    assert found == {"net": ["inputs.project"], **{each: ["net"] for each in taken}}


def test_of_several_that_take_it_the_first_is_told():
    """One reason is enough; what is anew by itself has its own."""

    def stack(project: str) -> list[Resource]:
        nets = [made(NETWORK, name, {"project": project}) for name in ("n1", "n2")]
        names = [urn(NETWORK, "n1"), urn(NETWORK, "n2")]
        return [
            *nets,
            made(CONFIG, "x", options={"replaceWith": names}),
            made(CLUSTER, "c", {"project": project, "network": "n1"}, *names),
        ]

    assert anew(stack("p"), stack("q")) == {
        "n1": ["inputs.project"], "n2": ["inputs.project"], "c": ["inputs.project"], "x": ["n1"],
    }  # fmt: skip


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
def test_paths_of_options(path: str, paths: list[str], below: bool):
    """As the engine reads them: with an index, or a star for every index."""
    assert is_below(path, paths) is below


def test_changes_that_are_refused():
    """Of what stays: not of what is made anew, of what is new, or where the engine leaves the change out."""
    fresh = made(JOB, "new", NOT_INDEXED)
    before = [made(JOB, name, INDEXED) for name in ("stays", "anew", "ignored")]
    after = [made(JOB, name, NOT_INDEXED) for name in ("stays", "anew")]
    after.append(made(JOB, "ignored", NOT_INDEXED, options={"ignoreChanges": ["spec"]}))

    found = refusals(graph(*before), graph(*after, fresh), {urn(JOB, "anew"): ["inputs.x"]})

    assert [(resource.name, each.path, each.words) for resource, each in found] == [
        ("stays", "spec.completionMode", "field is immutable")
    ]


def test_constraints_are_asked_of_each_beside_the_others():
    """Two subnets of one network break it where their blocks overlap, and each is told."""

    def subnets(second: str) -> Graph:
        network = {"network": f"[id of {NETWORK} net]", "region": "r"}
        return graph(
            made(NETWORK, "net", {"name": "net", "autoCreateSubnetworks": False}),
            made(SUBNET, "a", {**network, "name": "a", "ipCidrRange": "10.0.0.0/24"}),
            made(SUBNET, "b", {**network, "name": "b", "ipCidrRange": second}),
        )

    assert broken_in(subnets("10.0.1.0/24")) == []
    assert sorted({resource.name for resource, _ in broken_in(subnets("10.0.0.128/25"))}) == ["a", "b"]
