"""Charts with their values: from where they come, what they tolerate, how long their rollout may take."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog.artifact import Certainty, Chart, Image
from rdma_cluster.catalog.machine import Source
from rdma_cluster.fabrics.nic_attachment import DriverChart, Install
from rdma_cluster.incluster.plan.charts import Settings, chart_from, nvidia_device_plugin, of_nics, pinned_image
from rdma_cluster.incluster.plan.pool import NodeSet

SOURCE = Source("-", "2026-01-01")
IMAGE = Image("quay.io/team/daemon:1.2", ("amd64",), Certainty.SURE, SOURCE)
OCI = Chart("a daemon", "daemon", "oci://quay.io/charts/daemon", "1.2.0", Certainty.SURE, IMAGE, SOURCE, tag="v1.2.0")
REPO = replace(OCI, chart="daemon", repo="https://charts.example/x")
LOCK = f"sha256:{'0' * 64}"


def settings(chart: Chart = OCI, **values: Any) -> Settings:
    """A chart with values."""
    return Settings(chart, "ns", values, 600)


@pytest.mark.parametrize(
    ("values", "registries", "image"),
    [
        ({}, {}, None),
        ({}, {"ghcr.io": "m"}, None),
        ({}, {"quay.io": "m.example"}, {"repository": "m.example/team/daemon"}),
        # A lock names the image by its digest, which the chart's own tag has not.
        ({}, {"quay.io/team/daemon:1.2": f"quay.io/team/daemon:1.2@{LOCK}"}, {"tag": f"1.2@{LOCK}"}),
        (
            {},
            {"quay.io": "m.example", "m.example/team/daemon:1.2": f"m.example/team/daemon:1.2@{LOCK}"},
            {"repository": "m.example/team/daemon", "tag": f"1.2@{LOCK}"},
        ),
        # What the values say already is mirrored, and what else they say of the image stays.
        (
            {"image": {"repository": "quay.io/eks/daemon", "pullPolicy": "Always"}},
            {"quay.io": "m.example"},
            {"repository": "m.example/eks/daemon", "pullPolicy": "Always"},
        ),
    ],
)
def test_the_image_of_a_chart_comes_from_its_mirror(
    values: dict[str, Any], registries: dict[str, str], image: dict[str, str] | None
):
    """By the chart's own value, with its own tag unless a lock has a digest; elsewhere no value is written."""
    made = settings(OCI, other=1, **values).mirrored(registries)

    assert made.values == {"other": 1, **values, **({"image": image} if image else {})}
    assert (made.namespace, made.timeout_seconds) == ("ns", 600)


@pytest.mark.parametrize("chart", [replace(OCI, image=None), replace(OCI, image_in_pieces=True)])
def test_values_that_name_images_themselves_stay(chart: Chart):
    """And a chart that runs no pod has no image."""
    made = settings(chart, a=1).mirrored({"quay.io": "m.example"})

    assert made.values == {"a": 1}
    assert made.chart.chart == "oci://m.example/charts/daemon"


@pytest.mark.parametrize(
    ("chart", "registries", "where"),
    [
        (OCI, {}, ("oci://quay.io/charts/daemon", "")),
        (OCI, {"quay.io": "m.example"}, ("oci://m.example/charts/daemon", "")),
        # By the tag under which it was published, which is not its version.
        (
            OCI,
            {"quay.io/charts/daemon:v1.2.0": f"quay.io/charts/daemon:v1.2.0@{LOCK}"},
            (f"oci://quay.io/charts/daemon@{LOCK}", ""),
        ),
        (
            replace(OCI, chart=f"{OCI.chart}@{LOCK}"),
            {"quay.io": "m.example"},
            (f"oci://m.example/charts/daemon@{LOCK}", ""),
        ),
        (REPO, {}, ("daemon", "https://charts.example/x")),
        (REPO, {"charts.example": "m.example/helm"}, ("daemon", "https://m.example/helm/x")),
        # A place of images keeps it as a chart of its version.
        (REPO, {"charts.example": "oci://m.example/helm"}, ("oci://m.example/helm/x/daemon", "")),
        (
            REPO,
            {
                "charts.example": "oci://m.example/helm",
                "m.example/helm/x/daemon:1.2.0": f"m.example/helm/x/daemon:1.2.0@{LOCK}",
            },
            (f"oci://m.example/helm/x/daemon@{LOCK}", ""),
        ),
    ],
)
def test_where_a_chart_comes_from(chart: Chart, registries: dict[str, str], where: tuple[str, str]):
    """From its publisher or a mirror, by its digest where one is known."""
    made = chart_from(chart, registries)

    assert (made.chart, made.repo) == where
    assert (made.name, made.version) == (chart.name, chart.version)


def test_a_chart_tolerates_further_taints():
    """Beside what its values tolerate, which is the GPU taint where they say nothing; without taints it stays."""
    gpu = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    spot = {"key": "spot", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}
    own = {"key": "own", "operator": "Exists"}

    assert settings(a=1).tolerating({"spot": "yes"}).values == {"a": 1, "tolerations": [gpu, spot]}
    assert settings(tolerations=[own]).tolerating({"spot": "yes"}).values == {"tolerations": [own, spot]}
    assert settings(a=1).tolerating({}).values == {"a": 1}


def test_an_image_that_a_chart_would_let_float_is_pinned():
    """By repository and tag; a node does not ask again for what it has."""
    assert pinned_image(IMAGE, {}) == {"repository": "quay.io/team/daemon", "tag": "1.2", "pullPolicy": "IfNotPresent"}
    assert pinned_image(IMAGE, {"quay.io": "m"})["repository"] == "m/team/daemon"


NODES = NodeSet(label="pool", values=["a"], nodes=100)


@pytest.mark.parametrize(("one_by_one", "seconds"), [(False, 1200), (True, 600 + 15 * 128)])
def test_how_long_a_nic_drivers_rollout_may_take(one_by_one: bool, seconds: int):
    """Four waves of 5 minutes, or 15 seconds a node where its chart rolls one at a time."""
    driver = DriverChart(OCI, "nics", lambda install: {"for": install.nodes["values"]}, one_by_one)

    assert of_nics(driver, Install(NODES, "", "")) == Settings(OCI, "nics", {"for": ["a"]}, seconds)


def test_nvidias_device_plugin():
    """On exactly these nodes, a quarter at a time, and without other devices than GPUs."""
    term = {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]}
    made = nvidia_device_plugin(NODES, "plugins")

    assert made.values == {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}},
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}},
        "mofedEnabled": False,
    }
    assert (made.chart.name, made.namespace, made.timeout_seconds) == ("nvidia-device-plugin", "plugins", 1200)
