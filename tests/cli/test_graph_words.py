"""What two graphs of a few resources differ in, and what that destroys: whole sentences."""

import json
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.constraints import Broken
from rdma_cluster.catalog.machine import Source
from rdma_cluster.cli.graph import felt, refused_in_words, replaced
from tests.cli.commands import command

CLUSTER, POOL, NETWORK, SUBNET, POD = (
    "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool", "gcp:compute/network:Network",
    "gcp:compute/subnetwork:Subnetwork", "kubernetes:core/v1:Pod",
)  # fmt: skip


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:lab::p::{token}::{name}"


def resource(token: str, name: str, /, *after: str, **inputs: Any) -> Resource:
    return Resource(urn(token, name), token, name, None, None, inputs, dependencies=after)


LAB, NET, A, B, POD_1, POD_2 = (
    urn(*of) for of in ((CLUSTER, "lab"), (NETWORK, "net"), (POOL, "a"), (POOL, "b"), (POD, "one"), (POD, "two"))
)
GRAPH = Graph(
    "lab", tuple(resource(*each.split("::")[2:]) for each in (LAB, NET, A, B, POD_1, POD_2, urn(SUBNET, "sub")))
)


@pytest.mark.parametrize(
    ("anew", "told"),
    [
        ({LAB: ["inputs.name"]}, "replaces the cluster lab: inputs.name"),
        ({LAB: ["inputs.name"], A: [LAB]}, "replaces the cluster lab and 1 object on it: inputs.name"),
        ({LAB: ["inputs.a", "inputs.b"], A: [LAB], POD_1: [A]},
         "replaces the cluster lab and 2 objects on it: inputs.a, inputs.b"),
        ({LAB: ["1", "2", "3"]}, "replaces the cluster lab: 1, 2, 3"),
        ({LAB: ["1", "2", "3", "4"]}, "replaces the cluster lab: 1, 2, 3, ..."),
        ({LAB: [NET, "2"], NET: ["1"]}, "replaces the cluster lab: with the network net, 2"),
        ({LAB: [urn(SUBNET, "sub")], urn(SUBNET, "sub"): ["1"]}, f"replaces the cluster lab: with {SUBNET} sub"),
    ],
)  # fmt: skip
def test_what_is_made_anew(anew: dict[str, list[str]], told: str):
    """By the name that people have for it, with three reasons at the most and how much goes with it."""
    assert replaced([LAB], anew, GRAPH) == [told]


def test_what_has_no_name_for_people():
    """Is called by its type; among what is felt it is left out."""
    anew = {POD_1: ["inputs.spec"], A: ["inputs.zone"], B: [NET], NET: ["inputs.name"], urn(SUBNET, "sub"): [NET]}

    assert replaced([POD_1], anew, GRAPH) == [f"replaces {POD} one: inputs.spec"]
    assert felt(anew, GRAPH) == [
        "replaces the pool a: inputs.zone",
        "replaces the pool b: with the network net",
        "replaces the network net and 2 objects on it: inputs.name",
    ]


def test_what_is_refused():
    """Once for all objects that break the same rule."""
    rule = Broken("spec.devices", "field is immutable", Source("apps/v1", "2026-11"))
    pods = [resource(POD, name) for name in ("one", "two")]

    assert refused_in_words([(each, rule) for each in pods]) == [
        f"{POD} one and 1 other: spec.devices: refused: field is immutable (apps/v1)"
    ]


def saved(folder: Path, name: str, *resources: Resource) -> str:
    """A graph in a file."""
    (folder / name).write_text(Graph("lab", tuple(sorted(resources, key=lambda each: each.urn))).to_json())
    return str(folder / name)


def test_a_difference(tmp_path: Path):
    """Each resource and property, then what is made anew by the change itself; as data all that is made anew."""
    net = resource(NETWORK, "net", name="net", mtu=1460)
    one = saved(tmp_path, "one", net, resource(POD, "one", spec={}), resource(CLUSTER, "lab", NET, network=NET))
    two = saved(tmp_path, "two", resource(NETWORK, "net", name="net2", mtu=1460), resource(POD, "two", spec={}),
                resource(CLUSTER, "lab", NET, network=NET))  # fmt: skip

    code, out, err = command("graph", "diff", one, two)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        f"- {POD} one", f"+ {POD} two", f"~ {NETWORK} net", '    ~ inputs.name: "net" -> "net2"',
        "! replaces the network net: inputs.name", "",
    ]  # fmt: skip
    code, out, _ = command("graph", "diff", one, two, "--json")
    data = json.loads(out)
    assert (code, data["replaced"], data["refused"]) == (1, {NET: ["inputs.name"]}, [])
    assert command("graph", "diff", one, one) == (0, "\n", "")
    assert command("graph", "diff", one, one, "--json")[0] == 0


def test_what_the_cloud_refuses(tmp_path: Path):
    """As data with the object and the source of the rule."""
    template = "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate"
    one, two = (
        saved(tmp_path, name, resource(template, "t", spec={"spec": {"devices": {"requests": [{"name": name}]}}}))
        for name in ("one", "two")
    )

    refused = json.loads(command("graph", "diff", one, two, "--json")[1])["refused"]
    assert [(each["urn"], each["words"]) for each in refused] == [(urn(template, "t"), "field is immutable")]
    assert all(each["path"].startswith("spec.") and each["source"] for each in refused)
    assert "! " + f"{template} t: spec.spec" in command("graph", "diff", one, two)[1]


@pytest.mark.parametrize("text", ["[]", "{", "{}", '{"stack": "a", "outputs": {}, "resources": [3]}', "\0"])
def test_a_file_without_a_graph(tmp_path: Path, text: str):
    """Says how to make one; a file that is not there says that."""
    (tmp_path / "x").write_text(text)
    one = saved(tmp_path, "one")
    reason = "holds no graph; make one with `rdma-cluster preview STACK --json`"

    assert command("graph", "diff", one, str(tmp_path / "x")) == (2, "", f"{tmp_path}/x: {reason}\n")
    assert command("graph", "diff", str(tmp_path / "y"), one) == (
        2, "", f"{tmp_path}/y: No such file or directory\n",
    )  # fmt: skip
