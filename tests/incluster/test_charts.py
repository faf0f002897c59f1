"""A chart comes from its mirror or its lock, reaches its nodes, and has the time that its rollout needs."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog.artifact import Chart
from rdma_cluster.fabrics.nic_attachment import DriverChart, Install
from rdma_cluster.fabrics.rollout import one_by_one_seconds
from rdma_cluster.incluster.plan.charts import Settings, chart_from, nvidia_device_plugin, of_nics, pinned_image
from rdma_cluster.incluster.plan.pool import NodeSet
from tests.incluster.sources import IMAGE, LOCK, OCI, REPO

TO_MIRROR = {"quay.io": "m.example"}


def settings(chart: Chart = OCI, **values: Any) -> Settings:
    """Return a chart with values."""
    return Settings(chart, "ns", values, 600)


@pytest.mark.parametrize(
    ("chart", "values", "registries", "image"),
    [
        (OCI, {}, {}, None),
        (OCI, {}, {"ghcr.io": "m"}, None),
        (OCI, {}, TO_MIRROR, {"repository": "m.example/team/daemon"}),
        # A lock names the image by its digest, which the chart's own tag has not.
        (OCI, {}, {"quay.io/team/daemon:1.2": f"quay.io/team/daemon:1.2@{LOCK}"}, {"tag": f"1.2@{LOCK}"}),
        (
            OCI,
            {},
            {**TO_MIRROR, "m.example/team/daemon:1.2": f"m.example/team/daemon:1.2@{LOCK}"},
            {"repository": "m.example/team/daemon", "tag": f"1.2@{LOCK}"},
        ),
        # An image that the values name already is mirrored, and what else they say of it stays.
        (
            OCI,
            {"image": {"repository": "quay.io/eks/daemon", "pullPolicy": "Always"}},
            TO_MIRROR,
            {"repository": "m.example/eks/daemon", "pullPolicy": "Always"},
        ),
        (replace(OCI, image=None), {}, TO_MIRROR, None),
        (replace(OCI, image_in_pieces=True), {}, TO_MIRROR, None),
    ],
)
def test_the_image_of_a_chart_comes_from_its_mirror(
    chart: Chart, values: dict[str, Any], registries: dict[str, str], image: dict[str, str] | None
):
    """Where nothing differs from the chart's own values, none is written."""
    made = settings(chart, other=1, **values).mirrored(registries)

    assert made.values == {"other": 1, **values, **({"image": image} if image else {})}


@pytest.mark.parametrize(
    ("chart", "registries", "where"),
    [
        (OCI, {}, ("oci://quay.io/charts/daemon", "")),
        (OCI, TO_MIRROR, ("oci://m.example/charts/daemon", "")),
        # A lock knows a chart by the tag under which it was published, which is not its version.
        (
            OCI,
            {"quay.io/charts/daemon:v1.2.0": f"quay.io/charts/daemon:v1.2.0@{LOCK}"},
            (f"oci://quay.io/charts/daemon@{LOCK}", ""),
        ),
        (replace(OCI, chart=f"{OCI.chart}@{LOCK}"), TO_MIRROR, (f"oci://m.example/charts/daemon@{LOCK}", "")),
        (REPO, {}, ("daemon", "https://charts.example/x")),
        (REPO, {"charts.example": "m.example/helm"}, ("daemon", "https://m.example/helm/x")),
        # A place of images keeps a chart of a Helm repository as one of its own.
        (REPO, {"charts.example": "oci://m.example/helm"}, ("oci://m.example/helm/x/daemon", "")),
    ],
)
def test_a_chart_comes_from_its_mirror(chart: Chart, registries: dict[str, str], where: tuple[str, str]):
    made = chart_from(chart, registries)

    assert (made.chart, made.repo) == where
    assert (made.name, made.version) == (chart.name, chart.version)


def test_a_chart_tolerates_the_gpus_taint_and_further_ones():
    """What its values tolerate already takes the place of the GPUs' taint."""
    own = {"key": "own", "operator": "Exists"}
    tolerated = [
        each.tolerating({"spot": "yes"}).values["tolerations"] for each in (settings(), settings(tolerations=[own]))
    ]

    assert [[each["key"] for each in some] for some in tolerated] == [["nvidia.com/gpu", "spot"], ["own", "spot"]]
    assert settings(a=1).tolerating({}).values == {"a": 1}


def test_an_image_that_a_chart_would_let_float_is_pinned():
    """A node does not ask again for an image that it has."""
    assert pinned_image(IMAGE, {}) == {"repository": "quay.io/team/daemon", "tag": "1.2", "pullPolicy": "IfNotPresent"}
    assert pinned_image(IMAGE, TO_MIRROR)["repository"] == "m.example/team/daemon"


def test_a_rollout_has_time_for_its_nodes():
    """A chart that rolls one node at a time needs more with each: 180 nodes were seen to take 45 minutes."""
    seconds = {}
    for nodes in (3, 300):
        install = Install(NodeSet(label="pool", values=["a"], nodes=nodes), "", "")
        waves, one_by_one = (
            of_nics(DriverChart(OCI, "nics", lambda _: {}, single), install) for single in (False, True)
        )
        assert waves and one_by_one
        seconds[nodes] = waves.timeout_seconds, one_by_one.timeout_seconds

    assert seconds[3][0] == seconds[300][0] and seconds[3][1] < seconds[300][1]
    assert one_by_one_seconds(180) >= 45 * 60


def test_nvidias_device_plugin_runs_on_its_nodes_a_quarter_at_a_time():
    """It hands out GPUs and no NICs."""
    made = nvidia_device_plugin(NodeSet(label="pool", values=["a"], nodes=100), "plugins")
    required = made.values["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = required["nodeSelectorTerms"][0]["matchExpressions"]

    assert term == {"key": "pool", "operator": "In", "values": ["a"]}
    assert made.values["updateStrategy"]["rollingUpdate"] == {"maxUnavailable": "25%"}
    assert made.values["mofedEnabled"] is False and made.namespace == "plugins"
