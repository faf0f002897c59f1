"""What two graphs differ in and what the change destroys: `graph diff`, `drift` and `plan --since`."""

import json
from pathlib import Path

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.losses import Losses
from rdma_cluster.cli.losses import in_words
from tests.cli.commands import command
from tests.cli.small_project import CLUSTER, NETWORK, POD, POOL, SUBNET, resource, urn
from tests.stacks import graph_of

LAB, NET, SUB = urn(CLUSTER, "lab"), urn(NETWORK, "net"), urn(SUBNET, "sub")
A, B, ONE = urn(POOL, "a"), urn(POOL, "b"), urn(POD, "one")
GRAPH = Graph("lab", tuple(resource(*each.split("::")[2:]) for each in (LAB, NET, A, B, ONE, SUB)))
TEMPLATE = "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate"


def saved(folder: Path, name: str, *resources: Resource) -> str:
    """A graph in a file."""
    (folder / name).write_text(Graph("lab", tuple(sorted(resources, key=lambda each: each.urn))).to_json())
    return str(folder / name)


def kept(folder: Path, *overrides: str) -> str:
    """The graph of the stack gke in a file."""
    file = folder / f"{len(overrides)}.json"
    file.write_text(graph_of("gke", *overrides).to_json())
    return str(file)


@pytest.mark.parametrize(
    ("anew", "told"),
    [
        ({LAB: ["inputs.name"], A: [LAB]}, "replaces the cluster lab and 1 object on it: inputs.name"),
        ({LAB: ["inputs.a"], A: [LAB], ONE: [A]}, "replaces the cluster lab and 2 objects on it: inputs.a"),
        ({LAB: ["1", "2", "3", "4"]}, "replaces the cluster lab: 1, 2, 3, ..."),
        ({LAB: [NET, "2"], NET: ["1"]}, "replaces the cluster lab: with the network net, 2"),
        ({LAB: [SUB], SUB: ["1"]}, f"replaces the cluster lab: with {SUBNET} sub"),
    ],
    ids=["one with it", "two with it", "four reasons", "with another", "with a nameless"],
)
def test_a_replacement_says_its_reasons_and_how_much_goes_with_it(anew: dict[str, list[str]], told: str):
    assert in_words(Losses({}, anew, {}, {}), GRAPH, GRAPH)["replaces"][0] == told


def test_only_what_people_have_a_name_for_is_felt():
    anew = {ONE: ["inputs.spec"], A: ["inputs.zone"], B: [NET], NET: ["inputs.name"], SUB: [NET]}
    told = in_words(Losses({ONE: [A], A: []}, anew, {}, {}), GRAPH, GRAPH)

    assert told["deletes"] == ["deletes the pool a and 1 object on it"]
    assert [line.split(":")[0] for line in told["replaces"]] == [
        "replaces the pool a", "replaces the pool b", "replaces the network net and 2 objects on it",
    ]  # fmt: skip


def test_a_difference_is_each_resource_each_property_and_what_is_replaced(tmp_path: Path):
    cluster = resource(CLUSTER, "lab", NET, network=NET)
    one = saved(tmp_path, "one", resource(NETWORK, "net", name="net", mtu=1460), resource(POD, "one"), cluster)
    two = saved(tmp_path, "two", resource(NETWORK, "net", name="net2", mtu=1460), resource(POD, "two"), cluster)

    code, out, err = command("graph", "diff", one, two)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        f"- {POD} one", f"+ {POD} two", f"~ {NETWORK} net", '    ~ inputs.name: "net" -> "net2"',
        "! replaces the network net: inputs.name", "",
    ]  # fmt: skip
    code, out, _ = command("graph", "diff", one, two, "--json")
    assert (code, json.loads(out)["replaced"], json.loads(out)["refused"]) == (1, {NET: ["inputs.name"]}, [])
    assert command("graph", "diff", one, one) == (0, "\n", "")
    assert command("graph", "diff", one, one, "--json")[0] == 0


def test_what_the_cloud_refuses_is_told_once_for_all_objects(tmp_path: Path):
    """As data each object has its own entry, with the source of the rule."""
    one, two = (
        saved(tmp_path, spec, *(
            resource(TEMPLATE, name, spec={"spec": {"devices": {"requests": [{"name": spec}]}}}) for name in "tu"))
        for spec in ("one", "two")
    )  # fmt: skip

    refused = json.loads(command("graph", "diff", one, two, "--json")[1])["refused"]
    assert [each["urn"] for each in refused] == [urn(TEMPLATE, "t"), urn(TEMPLATE, "u")]
    assert all(each["path"].startswith("spec.") and each["source"] for each in refused)
    (line,) = [line for line in command("graph", "diff", one, two)[1].splitlines() if line.startswith("!")]
    assert line.startswith(f"! {TEMPLATE} t and 1 other: spec.spec") and "refused: field is immutable" in line


@pytest.mark.parametrize("text", ["[]", "{", "{}", '{"stack": "a", "outputs": {}, "resources": [3]}', "\0"])
def test_a_file_without_a_graph_is_refused_by_its_name(tmp_path: Path, text: str):
    (tmp_path / "x").write_text(text)
    one = saved(tmp_path, "one")

    for other in ("x", "y"):  # there is no y
        code, out, err = command("graph", "diff", one, str(tmp_path / other))
        assert (code, out, err.count("\n")) == (2, "", 1) and err.startswith(f"{tmp_path}/{other}: ")
    assert command("plan", "gke", "--since", str(tmp_path / "x"))[:2] == (2, "")


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("kubernetes.name=other", ["replaces the cluster gke and ", "replaces the pool gke-a4"]),
        ("zone=us-west8-b", ["replaces the network gke-rails and 9 objects", "gke-a4: with the network gke-rails"]),
        ("pools[0].name=gpu", ["deletes the pool gke-a4 and", "gke-gpu is made before it", "my-reservation at once"]),
        ("pools[0].nodes=3", ["no cluster, network, pool or store is lost"]),
    ],
)
def test_a_plan_says_what_is_lost_since_a_graph(override: str, says: list[str], tmp_path: Path):
    """The sentences stand below the plan, or alone where the plan is a page."""
    before = kept(tmp_path)
    words = ("plan", "gke", "--set", override)
    code, out, err = command(*words, "--since", before)
    plan = command(*words)[1]

    assert (code, err, out.startswith(plan)) == (0, "", True)
    lost = out.removeprefix(plan)
    assert all(line.startswith(f"since {before}: ") for line in lost.splitlines())
    assert all(each in lost for each in says)
    assert command(*words, "--since", before, "--html", str(tmp_path / "plan.html"))[1] == lost
    data = json.loads(command(*words, "--since", before, "--json")[1])
    assert any(data[verb] for verb in ("deletes", "replaces")) == ("no cluster" not in says[0])
    assert data["refused"] == []


def test_drift_is_nothing_or_the_difference_and_what_it_destroys(tmp_path: Path):
    file = kept(tmp_path)

    code, out, _ = command("drift", "gke", "--state", file)
    assert code == 0 and out.count("\n") == 1
    assert json.loads(command("drift", "gke", "--state", file, "--json")[1])["changed"] == {}
    code, out, _ = command("drift", "gke", "--state", file, "--set", "zone=us-east4-b")
    assert code == 1 and "! replaces the cluster gke" in out and not out.endswith("\n\n")
    code, out, err = command("drift", "gke", "--state", str(tmp_path / "none.json"))
    assert (code, out) == (2, "") and "none.json: " in err
