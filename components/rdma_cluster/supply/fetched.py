"""What of a graph has to come from a registry, as a registry is asked for it."""

from collections.abc import Mapping
from dataclasses import replace

from pulumi_offline.frozen import frozen
from pulumi_offline.graph import Graph
from ..catalog.artifact import Chart, Image
from ..incluster.plan.charts import chart_from
from ..incluster.plan.images import is_locked
from .artifacts import artifacts


@frozen
class Fetched:
    """One thing to ask for."""

    reference: str
    """As ``Locked`` names it."""
    kind: str
    """``image``, ``chart`` or ``helm``."""
    architectures: tuple[str, ...] = ()
    """Processors that an image must be built for; empty for a chart, and where nobody knows."""
    holds: bool = True
    """Whether what fetches it can be held to its digest."""


def fetched(graph: Graph) -> list[Fetched]:
    """Every artifact of a graph that is not on the node already, as it is called without this stack's lock; each once,
    sorted."""
    registries = registries_of(graph)
    mirrors = {key: place for key, place in registries.items() if not is_locked(key, place)}
    unlocked = {held: reference for reference, held in registries.items() if is_locked(reference, held)}
    found: list[Fetched] = []
    for artifact in artifacts(graph, registries):
        record = artifact.record
        if isinstance(record, Chart):
            found.append(_chart(chart_from(record, mirrors)))
        elif record is None or not record.preloaded:
            reference = unlocked.get(artifact.reference, artifact.reference)
            found += _images(reference.removeprefix("oci://"), record)
    return sorted({each.reference: each for each in found}.values(), key=lambda each: each.reference)


def registries_of(graph: Graph) -> Mapping[str, str]:
    """The mirrors and locked references that the whole of a graph was given."""
    return next((each.inputs.get("registries", {}) for each in graph.resources if each.parent is None), {})


def _chart(chart: Chart) -> Fetched:
    if chart.repo:
        return Fetched(f"{chart.repo} {chart.name} {chart.version}", "helm", holds=False)
    place = chart.chart.removeprefix("oci://")
    return Fetched(place if "@" in place else f"{place}:{chart.tag}", "chart")


def _images(reference: str, record: Image | None) -> list[Fetched]:
    """An image, or one for each end that a node's own program puts to its tag."""
    image = Fetched(reference, "image", record.architectures if record else ())
    if record is None or not record.suffixes:
        return [image]
    return [
        replace(image, reference=reference + end, architectures=_of(end, record), holds=False)
        for end in record.suffixes
    ]


def _of(suffix: str, record: Image) -> tuple[str, ...]:
    """The processors of one variant: a suffix may name its own."""
    named = tuple(each for each in record.architectures if suffix.endswith(f"-{each}"))
    return named or record.architectures[:1]
