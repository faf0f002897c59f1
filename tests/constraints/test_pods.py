"""What the API server refuses of the containers of a pod, at the place of each."""

from typing import Any

import pytest
from tests.constraints.judged import LATER, paths

SPEC = "spec.template.spec"


def places(words: str, *containers: dict[str, Any], **spec: Any) -> list[str]:
    """Where a Job's pod breaks a constraint; the last of its containers runs first."""
    *own, first = containers
    pod = {f"{SPEC}.containers": own, f"{SPEC}.initContainers": [first], **{f"{SPEC}.{key}": spec[key] for key in spec}}
    return [each.removeprefix(f"{SPEC}.") for each in paths("kubernetes:batch/v1:Job", words, pod)]


def test_a_container_mounts_volumes_of_its_pod():
    mounts = [{"name": "a", "volumeMounts": [{"name": "v"}, {"name": "x"}]}, {"volumeMounts": [{"name": "w"}]}]

    assert places("Not found", *mounts, volumes=[{"name": "v"}, {"name": "w"}]) == [
        "containers[0].volumeMounts[1].name"
    ]
    assert len(places("Not found", *mounts, volumes=[{"name": "v"}])) == 2


@pytest.mark.parametrize(
    ("port", "fits"), [(0, False), (1, True), (65_535, True), (65_536, False), ("http", True), ("x", False)]
)
@pytest.mark.parametrize("probe", ["startupProbe.grpc", "readinessProbe.tcpSocket", "livenessProbe.httpGet"])
def test_a_probe_asks_a_number_or_a_named_port_of_its_container(probe: str, port: int | str, fits: bool):
    kind, way = probe.split(".")
    container = {
        "ports": [{"name": "http", "containerPort": 80}, {"containerPort": LATER}],
        kind: {way: {"port": port}},
    }

    assert places("65535", container, {}) == ([] if fits else [f"containers[0].{probe}.port"])


@pytest.mark.parametrize(
    ("resource", "request_", "limit", "fits"),
    [
        ("memory", "1", "1000m", True),
        ("memory", "1001m", "1", False),
        ("memory", "1Ki", "1024", True),
        ("memory", "1Ki", "1k", False),
        ("memory", "1Gi", "1025Mi", True),
        ("memory", "1Ti", "1T", False),
        ("memory", "1G", "1000M", True),
        ("memory", "1.5", "1500m", True),
        ("memory", "1 of another unit", "1", True),
        ("memory", "1", None, True),
        ("example.com/gpu", "8", "8", True),
        ("example.com/gpu", "7", "8", False),
        ("example.com/gpu", "8", None, False),
    ],
)
def test_a_request_is_within_its_limit(resource: str, request_: str, limit: str | None, fits: bool):
    """Quantities have any unit of Kubernetes; an extended resource is requested exactly as it is limited."""
    resources = {"requests": {resource: request_}, "limits": {} if limit is None else {resource: limit}}

    found = places("RESOURCE limit", {"name": "a"}, {"resources": resources})
    assert found == ([] if fits else [f"initContainers[0].resources.requests.{resource}"])
