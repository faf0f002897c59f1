"""Every chart and image of every graph exists: it is a record of the catalogue, and the record agrees with what its
publisher says."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline import Graph
from rdma_cluster.catalog import Machine, charts, find, images
from rdma_cluster.catalog.artifact import Chart, Image, repository
from rdma_cluster.supply.artifacts import all_charts, all_images, artifacts, chart_of, image_of
from tests.artifacts.published import METADATA, PUBLISHED
from tests.clouds import CloudTests, clouds, each_graph
from tests.stacks import graph_of

# A host with a dot and a path: what a runtime or Helm would go out for.
_REFERENCE = re.compile(
    r"(?:oci://)?(?:[a-z0-9-]+\.)+[a-z]+(?::\d+)?(?:/[a-z0-9._-]+)+(?::[\w.-]+|@sha256:[0-9a-f]{64})+"
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def strangers(graph: Graph) -> Iterator[str]:
    """References that the catalogue knows nothing of, and that no user wrote."""
    asked = {each.inputs.get("inference", {}).get("image") for each in graph.resources if each.parent is None}
    for artifact in artifacts(graph):
        if artifact.record is None and artifact.reference not in asked:
            yield artifact.reference
    for resource in graph.resources:
        for text in _texts(resource.inputs):
            if _REFERENCE.fullmatch(text) and text not in asked and image_of(text) is None and chart_of(text) is None:
                yield text


def mismatched(graph: Graph) -> Iterator[str]:
    """Images that are not built for the processors of the graph's GPU machines, and charts at another version."""
    machines = {
        pool["name"]: machine
        for each in graph.resources
        for pool in each.inputs.get("pools", [])
        if each.type.endswith("RdmaCluster") and (machine := find(pool["machine"])) is not None
    }
    for artifact in artifacts(graph):
        record = artifact.record
        if isinstance(record, Image):
            for machine in _run_on(artifact.users, machines, graph):
                if machine.architecture not in record.architectures:
                    yield f"{record.image}: not for {machine.architecture}, which {machine.name} is"
        elif isinstance(record, Chart):
            for resource in graph.resources:
                if resource.urn in artifact.users and resource.inputs["version"] != record.version:
                    yield f"{record.chart}: {resource.inputs['version']}, pinned is {record.version}"


def _run_on(users: Collection[str], machines: Mapping[str, Machine], graph: Graph) -> list[Machine]:
    """The machines of the pools that users of an image name, or of all where one names none."""
    named: set[str] = set()
    for each in (each for each in graph.resources if each.urn in users):
        named |= (machines.keys() & set(_texts(each.inputs))) or machines.keys()
    return [machines[name] for name in sorted(named)]


def errors(record: Chart | Image) -> Iterator[str]:
    """What is wrong with a record in itself, or against its publisher's list."""
    reference = record.chart if isinstance(record, Chart) else record.image
    where, digest = repository(reference.removeprefix("oci://")), reference.partition("@")[2]
    tag = record.tag if isinstance(record, Chart) else reference.partition("@")[0].rpartition(":")[2]
    if digest and not _DIGEST.fullmatch(digest):
        yield f"{reference}: {digest} is no digest"
    if isinstance(record, Image) and not record.architectures:
        yield f"{reference}: for what processors is not said"
    if isinstance(record, Chart) and reference.startswith("oci://"):
        if not tag:
            yield f"{reference}: the tag it was published under is not said"
        if tag != record.version and not digest:
            yield f"{reference}: Pulumi will ask for tag {record.version}, published is {tag}; take it by its digest"
        if (known := METADATA.get(where, {}).get(tag)) != record.version:
            yield f"{reference}: {tag} holds version {known}, pinned is {record.version}"
    if (published := PUBLISHED.get(where)) is not None:
        if tag not in published:
            yield f"{reference}: no tag {tag} was published, but {', '.join(published)}"
        elif digest and published[tag] != digest:
            yield f"{reference}: {tag} is {published[tag]}"


@pytest.mark.parametrize(("cloud", "graph"), each_graph())
def test_nothing_is_fetched_that_is_no_record(cloud: CloudTests, graph: str):
    """No reference stands in a graph that nobody looked up."""
    assert list(strangers(graph_of(*cloud.graphs[graph]))) == []


@pytest.mark.parametrize(("cloud", "graph"), each_graph())
def test_what_is_fetched_runs_on_the_machines(cloud: CloudTests, graph: str):
    """Every image is built for the processors of the stack's machines, every chart is at the pinned version."""
    assert list(mismatched(graph_of(*cloud.graphs[graph]))) == []


@pytest.mark.parametrize("record", [*all_charts(), *all_images()], ids=lambda each: each.source.ref[:40])
def test_a_record_agrees_with_its_publisher(record: Chart | Image):
    """Tags and digests are those that the publisher's list gives."""
    assert list(errors(record)) == []


@pytest.mark.variant
def test_no_record_is_left_over():
    """A record that no graph uses is nobody's."""
    graphs = (graph_of(*graph) for cloud in clouds() for graph in cloud.graphs.values())
    used = {artifact.record for graph in graphs for artifact in artifacts(graph)}

    assert {each for each in (*all_charts(), *all_images()) if each not in used} == set()


@pytest.mark.parametrize(
    ("record", "says"),
    [
        # As it was pinned: it passes a preview and fails in `up`.
        (replace(charts.DRANET, chart="oci://registry.k8s.io/networking/charts/dranet"), "take it by its digest"),
        (
            replace(charts.DRANET, chart=charts.DRANET.chart.partition("@")[0], tag="1.4.0"),
            "no tag 1.4.0 was published",
        ),
        (replace(charts.DRANET, version="v1.4.0"), "v1.4.0 holds version 1.4.0"),
        (replace(charts.DRANET, tag="v1.3.0", version="1.3.0"), "v1.3.0 is sha256:762b"),
        (replace(charts.NVIDIA_DRA_DRIVER, tag=""), "is not said"),
        (replace(images.DRANET, image="registry.k8s.io/networking/dranet:1.4.0"), "no tag 1.4.0"),
        (replace(images.GIB_INSTALLER, image=images.GIB_INSTALLER.image[:-1]), "is no digest"),
        (replace(images.PAUSE, architectures=()), "what processors"),
    ],
)
def test_a_wrong_record_is_found(record: Chart | Image, says: str):
    """Each error that was seen, or could be, is one that the check names."""
    assert any(says in error for error in errors(record))


def test_images_of_aws_are_found_in_every_region():
    """EKS's own images are in a registry of the nodes' region."""
    found = image_of("918309763551.dkr.ecr.cn-north-1.amazonaws.com.cn/eks/dranet:v1.2.0-eksbuild.2")

    assert found == images.AWS_DRANET


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
