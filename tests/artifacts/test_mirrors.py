"""A private registry in the place of the public ones, and the list of what it must hold."""

import json

import pytest
from rdma_cluster.artifacts import artifacts
from rdma_cluster.catalog.artifact import mirrored

from tests.cli.test_words import command
from tests.stacks import graph_of

PUBLIC = (
    "registry.k8s.io",
    "docker.io",
    "us-docker.pkg.dev",
    "gke.gcr.io",
    "gcr.io",
    "nvcr.io",
    "public.ecr.aws",
    "602401143452.dkr.ecr.us-east-2.amazonaws.com",
    "aws.github.io",
    "nvidia.github.io",
    "helm.ngc.nvidia.com",
    "ghcr.io",
)
MIRRORS = {host: f"mirror.example/{host}" for host in PUBLIC}
REGISTRIES = "registries=" + json.dumps(MIRRORS)
VARIANTS = [
    ("gke",),
    ("gke", "network.mode=managed"),
    ("gke-a3-mega",),
    ("eks",),
    ("eks", "pools[0].gpuAllocation=device-plugin"),
    ("aks", "drivers.memoryLock=node"),
    ("aks-gb300",),
]


@pytest.mark.parametrize("graph", VARIANTS, ids=" ".join)
def test_everything_comes_from_the_mirror(graph: tuple[str, ...]):
    """Charts, the images of their pods, installers, tests: nothing but what is on the node is fetched elsewhere."""
    made = graph_of(*graph, REGISTRIES)
    found = artifacts(made, MIRRORS)
    repos = [
        each.inputs.get("repositoryOpts", {}).get("repo", "") for each in made.of_type("kubernetes:helm.sh/v3:Release")
    ]

    assert {each.record for each in found} == {each.record for each in artifacts(graph_of(*graph))}
    assert all(repo.startswith("https://mirror.example/") for repo in repos if repo)
    for artifact in found:
        elsewhere = "/" in artifact.reference
        assert not elsewhere or artifact.reference.removeprefix("oci://").startswith("mirror.example/")


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
