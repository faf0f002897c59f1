"""A registry is asked for each artifact of a graph once, by its name before the stack's lock."""

from typing import Any

from pulumi_offline import Graph, Resource
from rdma_cluster.catalog import charts, images
from rdma_cluster.catalog.artifact import Chart
from rdma_cluster.supply.fetched import Fetched, fetched

DIGEST = f"sha256:{'a' * 64}"
RELEASE = "kubernetes:helm.sh/v3:Release"


def resource(kind: str, name: str, inputs: dict[str, Any], parent: str | None = "urn:pulumi:lab::p::a:b:Root::root"):
    """A resource of a stack."""
    return Resource(f"urn:pulumi:lab::p::{kind}::{name}", kind, name, parent, None, inputs)


def graph(registries: dict[str, str], *references: str, released: tuple[Chart, ...] = ()) -> Graph:
    """A stack with these mirrors, and a pod for each reference."""
    pods = [
        resource("kubernetes:core/v1:Pod", f"pod-{i}", {"spec": {"containers": [{"name": "a", "image": each}]}})
        for i, each in enumerate(references)
    ]
    releases = [resource(RELEASE, each.name, {"chart": each.chart}) for each in released]
    root = resource("a:b:Root", "root", {"registries": registries}, None)
    return Graph("lab", (*pods, *releases, root))


def test_an_image_is_asked_for_once():
    """An image that is on the node already is not asked for, and of an unknown one no processor is known."""
    own, known = "own.example/a:1", images.KUEUE.image

    assert fetched(graph({}, known, own, images.COS_DRIVER_INSTALLER.image, known)) == [
        Fetched(own, "image"),
        Fetched(known, "image", images.KUEUE.architectures),
    ]


def test_a_locked_image_is_asked_for_by_its_tag():
    """The registry is to answer its digest again; a mirror stays, and so does the digest of another place."""
    known, other, host = images.KUEUE.image, f"own.example/a@{DIGEST}", "m.example"
    place = f"{host}/{known.partition('/')[2]}"
    mirrors = {known.partition("/")[0]: host, place: f"{place}@{DIGEST}", "quay.io/b": f"{host}/b"}

    assert fetched(graph(mirrors, f"{place}@{DIGEST}", other, f"{host}/b")) == [
        Fetched(f"{host}/b", "image"),
        Fetched(place, "image", images.KUEUE.architectures),
        Fetched(other, "image"),
    ]
    chart = f"{host}/jobset/charts/jobset"
    locked = {"registry.k8s.io": host, f"{chart}:{charts.JOBSET.tag}": f"{chart}:{charts.JOBSET.tag}@{DIGEST}"}
    release = resource(RELEASE, "jobset", {"chart": f"oci://{chart}@{DIGEST}"})
    root = resource("a:b:Root", "root", {"registries": locked}, None)
    assert Fetched(f"{chart}:{charts.JOBSET.tag}", "chart") in fetched(Graph("lab", (release, root)))


def test_a_tag_that_a_node_completes_stands_for_several():
    """There is one for each system or processor, and none can be held to a digest."""
    driver, doca, lustre = (each.image for each in (images.GPU_DRIVER, images.DOCA_DRIVER, images.AZURE_LUSTRE_DRIVER))

    assert fetched(graph({}, driver, doca, lustre)) == [
        Fetched(f"{lustre}-jammy", "image", ("amd64",), holds=False),
        Fetched(f"{lustre}-noble", "image", ("amd64",), holds=False),
        Fetched(f"{driver}-ubuntu24.04", "image", ("amd64",), holds=False),
        Fetched(f"{doca}-ubuntu24.04-amd64", "image", ("amd64",), holds=False),
        Fetched(f"{doca}-ubuntu24.04-arm64", "image", ("arm64",), holds=False),
    ]
