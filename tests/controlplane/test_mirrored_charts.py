"""Helm itself renders our charts with the values of every graph that has a mirror: nothing else is named.

Charts whose source is a Go module are rendered at their pinned version. CHARTS names a folder with others by their
names; what a chart is not there for is held by its record of images (tests/artifacts/chart_images.yaml).
"""

import json
import os
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Resource
from rdma_cluster.supply.artifacts import all_charts
from tests.clouds import clouds
from tests.helm import different, rendered
from tests.mirrored import MIRROR, elsewhere, mirrored_graph
from tests.supply.charts import RENDERED
from . import build

MODULES = {
    # By chart: module, its sum as sum.golang.org has it, folder.
    "dra-driver-nvidia-gpu": (
        "sigs.k8s.io/dra-driver-nvidia-gpu@v0.5.0",
        "h1:CjUBJwemlt4kYy5AN+I7Ce4mMp9V4VKR97EBogSoDus=",
        "deployments/helm/dra-driver-nvidia-gpu",
    ),
    "dranet": (
        "sigs.k8s.io/dranet@v1.4.0",
        "h1:gYa3k2/nGtfdc+tSkl/nnDO1tE/Uvjz+mctcaexmAfE=",
        "deployments/helm/dranet",
    ),
    "jobset": ("sigs.k8s.io/jobset@v0.12.0", "h1:YYPuV0px8Ongq/RXmJg6V0w2UC67aiR+rCMD06vhQQQ=", "charts/jobset"),
    "kueue": ("sigs.k8s.io/kueue@v0.19.2", "h1:mPNzr37u0nwI7ikST5QQl5gg6EgtYOAvC9ZbTgywdN8=", "charts/kueue"),
    "nvidia-device-plugin": (
        "github.com/NVIDIA/k8s-device-plugin@v0.19.3",
        "h1:NE1ecj9oG/4MQfySHlPVW9EHtq7FqtL06vtydkdnX8E=",
        "deployments/helm/nvidia-device-plugin",
    ),
}


@cache
def source(chart: str) -> Path | None:
    """The folder of a chart's source, where it can be had here."""
    given = Path(os.environ.get("CHARTS", os.devnull)) / chart
    if given.is_dir():
        return given
    if chart not in MODULES:
        return None
    module, total, folder = MODULES[chart]
    command = ["go", "mod", "download", "-json", module]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, env=os.environ | build.ENVIRONMENT)
    said = json.loads(done.stdout or "{}")
    if done.returncode != 0:
        pytest.skip(f"{module}: {said.get('Error', done.stderr)}")
    assert said["Sum"] == total
    return Path(said["Dir"]) / folder


@cache
def releases() -> list[tuple[str, Resource]]:
    """Every release of every graph that has a mirror, each chart once for each set of values."""
    return different(mirrored_graph(*args) for cloud in clouds() for args in cloud.graphs.values())


def running(value: Any) -> Any:
    """An object without what its operator leaves alone: parts with ``enabled: false``.

    Of one part the GPU Operator's chart does not pass that on (templates/clusterpolicy.yaml, v26.3.3); it is for
    sandboxed workloads alone.
    """
    if not isinstance(value, Mapping):
        return [running(each) for each in value] if isinstance(value, list) else value
    off = {key for key, each in value.items() if isinstance(each, Mapping) and each.get("enabled") is False}
    if "sandboxWorkloads" in off:
        off.add("sandboxDevicePlugin")
    return {key: running(each) for key, each in value.items() if key not in off}


@pytest.mark.parametrize("chart", [each.name for each in all_charts()])
def test_a_rendered_chart_names_the_mirror_alone(chart: str):
    """Pods, hooks, init containers, what an operator is told to start, variables and arguments."""
    folder = source(chart)
    if folder is None:
        pytest.skip(f"{chart} is no part of a Go module; CHARTS can name a folder that holds it")
    helm = build.build("helm") / "helm"

    for release in (release for name, release in releases() if name == chart):
        objects = rendered(helm, folder, release)
        text = json.dumps(objects)
        for each in objects:
            assert list(elsewhere(running(each))) == [], (release.urn, each["kind"], each["metadata"]["name"])
        assert MIRROR in text or not any(record.image for record in all_charts() if record.name == chart)


@pytest.mark.parametrize("chart", MODULES)
def test_the_source_is_the_pinned_chart(chart: str):
    """Another version could have another image."""
    assert set(MODULES) == RENDERED
    (record,) = (each for each in all_charts() if each.name == chart)

    assert MODULES[chart][0].partition("@")[2].removeprefix("v") == record.version.removeprefix("v")
