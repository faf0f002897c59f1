"""References at a private registry, and the list of what it must hold."""

import json

import pytest
from rdma_cluster.catalog.artifact import mirrored
from tests.cli.commands import command
from tests.stacks import graph_of


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("oci://a.example/b/c", "oci://m/c"),
        ("a.example/x:1", "n/x:1"),
        ("a.example/b:1@sha256:0", "m:1@sha256:0"),
        ("a.example/bc:1", "n/bc:1"),
        ("aa.example/b:1", "aa.example/b:1"),
    ],
)
def test_the_longest_whole_prefix_gives_way(reference: str, expected: str):
    """Parts of a name are not prefixes."""
    assert mirrored(reference, {"a.example": "n", "a.example/b": "m"}) == expected


def test_the_list():
    """By people and by programs; one line a reference, with the evidence."""
    code, out, _ = command("artifacts", "gke", "--json")
    rows = {row["reference"]: row for row in json.loads(out)}

    assert code == 0
    assert rows["cos-nvidia-installer:fixed"]["preloaded"]
    assert {row["kind"] for row in rows.values()} == {"chart", "image"}
    assert all(row["evidence"] and row["date"] and row["usedBy"] for row in rows.values())
    assert "dranet@sha256" in "".join(command("artifacts", "gke")[1].split())


def test_a_strange_image_is_told():
    """What a user brings is listed, and the answer is no: nobody has looked it up."""
    code, out, _ = command("artifacts", "gke", "--set", "acceptance.images.test=me.example/tests:1")

    assert code == 1 and "me.example/tests:1" in "".join(out.split())


def test_a_helm_repository_may_be_mirrored_as_one():
    """Where its mirror is no registry, Helm still takes its charts by name and version."""
    graph = graph_of("eks", 'registries={"aws.github.io": "m.example/x"}')

    repos = [each.inputs.get("repositoryOpts", {}) for each in graph.of_type("kubernetes:helm.sh/v3:Release")]

    assert {"repo": "https://m.example/x/eks-charts"} in repos
