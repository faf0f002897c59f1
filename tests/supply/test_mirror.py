"""Lists for a mirror: every artifact once, where its stack then looks for it."""

import json
import shlex

import pytest
import yaml
from rdma_cluster.supply.fetched import fetched
from rdma_cluster.supply.mirror import FORMS, place_of, registries
from tests.cli.commands import command
from tests.stacks import ROOT, graph_of, one_of_each_cloud

pytestmark = pytest.mark.variant

MIRROR = "mirror.example:5000/gpu"


@pytest.mark.parametrize("stack", one_of_each_cloud())
def test_the_stack_looks_where_the_copies_are(stack: str):
    """With the printed ``registries``, each reference of the graph is a place of the list, and nothing else.

    An image that the stack's file names itself is taken from where that says.
    """
    named = (ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text()
    before = [each for each in fetched(graph_of(stack)) if each.reference not in named]

    graph = graph_of(stack, "registries=" + json.dumps(registries(before, MIRROR)))
    after = [each for each in fetched(graph) if each.reference not in named]

    places = {place_of(each, MIRROR).removeprefix("oci://").partition("@")[0] for each in before}
    assert {each.reference.partition("@")[0] for each in after} == places
    assert all(each.kind != "helm" for each in after)


@pytest.mark.parametrize("tool", FORMS)
def test_every_artifact_is_copied_once(tool: str):
    """Whichever tool copies: charts of Helm repositories by Helm, all else by the tool."""
    wanted = fetched(graph_of("aks"))

    text = FORMS[tool](wanted, MIRROR)

    lines = [line.removeprefix("# ") for line in text.splitlines()]
    pulled = [shlex.split(line) for line in lines if line.startswith("helm pull")]
    helm = [each for each in wanted if each.kind == "helm"]
    if tool == "plain":
        assert [line.rpartition(" ")[2] for line in lines] == [place_of(each, MIRROR) for each in wanted]
        return
    assert [(words[2], words[4], words[6]) for words in pulled] == [
        (name, repo, version) for repo, name, version in (each.reference.split(" ") for each in helm)
    ]
    if tool == "skopeo":
        # The form of skopeo-sync(1): host, `images`, repository, tags or digests.
        hosts = yaml.safe_load(text)
        copied = [
            (f"{host}/{path}", version)
            for host, of in hosts.items()
            for path, versions in of["images"].items()
            for version in versions
        ]
    else:
        copied = [(shlex.split(line)[-2], shlex.split(line)[-1]) for line in lines if not line.startswith("helm")]
        assert all(place.startswith(MIRROR) for _, place in copied)
    assert len(copied) == len(set(copied)) == len(wanted) - len(helm)


def test_a_mirror_that_is_no_place_is_refused():
    """As in ``registries``."""
    code, _, error = command("artifacts", "gke", "--mirror", "https://mirror.example")

    assert code == 2 and "--mirror: got 'https://mirror.example', no place of a registry" in error


def test_the_command():
    """The list, and below it what the stack's file then says."""
    code, out, _ = command("artifacts", "eks", "--mirror", MIRROR, "--for", "oras")

    assert code == 0
    assert f"#     aws.github.io/eks-charts: oci://{MIRROR}/aws.github.io/eks-charts" in out
    data = json.loads(command("artifacts", "eks", "--mirror", MIRROR, "--json")[1])
    assert (
        set(data) == {"copies", "registries"} and data["registries"]["registry.k8s.io"] == f"{MIRROR}/registry.k8s.io"
    )
