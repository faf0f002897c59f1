"""Artifacts of a graph of a few resources: which references are found, whose they are, and what record each has."""

from typing import Any

from pulumi_offline import Graph, Resource
from rdma_cluster.catalog import charts, images
from rdma_cluster.catalog.gce_image import CONTAINER_IMAGES
from rdma_cluster.supply.artifacts import Artifact, artifacts, chart_of, image_of

RELEASE, DAEMONS, MACHINE = (
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:apps/v1:DaemonSet",
    "gcp:compute/instance:Instance",
)
DRANET, IMAGE, PAUSE = charts.DRANET, images.DRANET, images.PAUSE


def made(token: str, name: str, **inputs: Any) -> Resource:
    """A resource, whose URN is its name."""
    return Resource(name, token, name, None, None, inputs)


def found(*resources: Resource) -> list[Artifact]:
    """Of a graph of them."""
    return artifacts(Graph("lab", resources, {}))


def test_charts_come_first_each_reference_once():
    """With all that name it, in order; one that nobody looked up has no record."""
    users = [made(DAEMONS, name, spec={"image": PAUSE.image}) for name in ("d", "b", "e", "c")]
    strange = [made(RELEASE, "z", chart="oci://x/strange"), made(DAEMONS, "y", spec=[{"image": "a.example/own:1"}])]
    listed = found(*users, *strange, made(DAEMONS, "none", spec={"text": "a.example/x:1"}))

    assert listed == [
        Artifact("oci://x/strange", None, ("z",)),
        Artifact("a.example/own:1", None, ("y",)),
        Artifact(PAUSE.image, PAUSE, ("b", "c", "d", "e")),
    ]


def test_a_chart_brings_its_image():
    """As its values name it; of a chart that nobody looked up no image is known."""
    (chart, own) = found(made(RELEASE, "r", chart=DRANET.chart))
    assert (chart, own) == (Artifact(DRANET.chart, DRANET, ("r",)), Artifact(IMAGE.image, IMAGE, ("r",)))

    values = {"image": {"repository": "m.example/dranet", "tag": "v9"}}
    assert [each.reference for each in found(made(RELEASE, "r", chart=DRANET.chart, values=values))] == [
        DRANET.chart,
        "m.example/dranet:v9",
    ]
    assert [each.reference for each in found(made(RELEASE, "s", chart="strange", values=values))] == ["strange"]


def test_a_machine_names_what_it_runs():
    """In its metadata, apart by spaces; the image of its disk is none of a registry."""
    inputs = {"metadata": {CONTAINER_IMAGES: f"{PAUSE.image} a.example/b:1"}, "boot": {"image": "projects/p"}}

    assert [each.reference for each in found(made(MACHINE, "m", **inputs))] == sorted(["a.example/b:1", PAUSE.image])
    assert found(made(MACHINE, "m", metadata={}, boot={"image": "projects/p"})) == []


def test_references_at_a_mirror_have_the_same_records():
    """There, and there alone, while it is in use."""
    chart, image = (each.replace("registry.k8s.io", "m.example/k8s") for each in (DRANET.chart, IMAGE.image))
    mirrors = {"registry.k8s.io": "m.example/k8s"}

    assert (chart_of(chart, mirrors), image_of(image, mirrors)) == (DRANET, IMAGE)
    assert (chart_of(DRANET.chart, mirrors), image_of(IMAGE.image, mirrors)) == (None, None)
    assert (chart_of(chart), image_of(image)) == (None, None)
    assert (chart_of(DRANET.chart), image_of(IMAGE.image)) == (DRANET, IMAGE)
    listed = artifacts(Graph("lab", (made(DAEMONS, "d", image=image), made(RELEASE, "r", chart=chart)), {}), mirrors)
    assert [each.record for each in listed] == [DRANET, IMAGE, None]
    assert listed[2].reference == IMAGE.image


def test_images_of_amazon_have_a_home_in_each_region():
    """Each in that region's own registry, and there alone."""
    host, _, path = images.AWS_DRANET.image.partition("/")

    assert image_of(f"602401143452.dkr.ecr.eu-west-1.amazonaws.com/{path}") == images.AWS_DRANET
    assert image_of(f"{host}/{path}") == images.AWS_DRANET
    assert image_of(f"602401143452.dkr.ecr.cn-north-1.amazonaws.com/{path}") is None
    assert image_of(f"602401143452.dkr.ecr.eu-west-1.amazonaws.com/{PAUSE.image.partition('/')[2]}") is None
