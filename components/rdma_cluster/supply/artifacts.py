"""The artifacts that a stack fetches: every chart and image of its graph, with its record in the catalogue."""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from pulumi_offline.frozen import frozen
from pulumi_offline.graph import Graph, Resource
from ..catalog import charts, images
from ..catalog.artifact import Chart, Image, mirrored, records_of
from ..catalog.eks.registries import registries as eks_registries
from ..catalog.gce_image import CONTAINER_IMAGES
from ..incluster.plan.artifacts import images_in, images_of_chart
from ..incluster.plan.charts import chart_from

_RELEASE = "kubernetes:helm.sh/v3:Release"
_MACHINE = "gcp:compute/instance:Instance"


@frozen
class Artifact:
    """One reference as a graph holds it."""

    reference: str
    """As Helm, Pulumi or the container runtime gets it."""
    record: Chart | Image | None
    """``None`` where the catalogue does not know it."""
    users: tuple[str, ...]
    """URNs of the resources that name it, sorted."""


def artifacts(graph: Graph, registries: Mapping[str, str] | None = None) -> list[Artifact]:
    """Every chart and image of a graph, charts first, each once; ``registries`` are the mirrors in use."""
    mirrors = registries or {}
    users: dict[tuple[bool, str], set[str]] = {}
    for resource in graph.resources:
        for is_image, reference in _references(resource, mirrors):
            users.setdefault((is_image, reference), set()).add(resource.urn)
    return [
        Artifact(reference, (image_of if is_image else chart_of)(reference, mirrors), tuple(sorted(urns)))
        for (is_image, reference), urns in sorted(users.items())
    ]


def chart_of(reference: str, registries: Mapping[str, str] | None = None) -> Chart | None:
    """The record of a chart as a ``Release`` names it."""
    return next((each for each in all_charts() if chart_from(each, registries or {}).chart == reference), None)


def image_of(reference: str, registries: Mapping[str, str] | None = None) -> Image | None:
    """The record of an image; AWS keeps its own in a registry of every region."""
    return _by_reference(tuple(sorted((registries or {}).items()))).get(reference)


@lru_cache(maxsize=4)
def _by_reference(registries: tuple[tuple[str, str], ...]) -> dict[str, Image]:
    mirrors = dict(registries)
    records = {}
    for record in all_images():
        host, _slash, path = record.image.partition("/")
        regions = eks_registries()
        homes = [f"{region}/{path}" for region in regions] if host in regions else [record.image]
        records |= {mirrored(home, mirrors): record for home in homes}
    return records


@cache
def all_charts() -> tuple[Chart, ...]:
    """Every chart of the catalogue."""
    return records_of(charts, Chart)


@cache
def all_images() -> tuple[Image, ...]:
    """Every image of the catalogue."""
    return records_of(images, Image)


def _references(resource: Resource, registries: Mapping[str, str]) -> Iterator[tuple[bool, str]]:
    if resource.type == _MACHINE:  # its own image is a disk's, and what it runs stands in its metadata
        yield from ((True, each) for each in resource.inputs["metadata"].get(CONTAINER_IMAGES, "").split())
        return
    if resource.type != _RELEASE:
        yield from ((True, each) for each in images_in(resource.inputs))
        return
    chart = resource.inputs["chart"]
    yield False, chart
    record = chart_of(chart, registries)
    if record is not None:
        yield from ((True, each) for each in images_of_chart(record, resource.inputs.get("values", {})))
