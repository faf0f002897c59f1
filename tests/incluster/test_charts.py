"""A chart and its image come from their mirror or their lock, and a plan knows all that it will fetch."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.artifact import Certainty, Chart, Image
from rdma_cluster.catalog.machine import Source
from rdma_cluster.fabrics.nic_attachment import DriverChart, Install
from rdma_cluster.fabrics.rollout import one_by_one_seconds
from rdma_cluster.incluster.plan.artifacts import check_artifacts, planned
from rdma_cluster.incluster.plan.charts import Settings, chart_from, of_nics
from rdma_cluster.incluster.plan.pool import NodeSet

SOURCE = Source("-", "2026-01-01")
IMAGE = Image("quay.io/team/daemon:1.2", ("amd64",), Certainty.SURE, SOURCE)
OCI = Chart("a daemon", "daemon", "oci://quay.io/charts/daemon", "1.2.0", Certainty.SURE, IMAGE, SOURCE, tag="v1.2.0")
REPO = replace(OCI, chart="daemon", repo="https://charts.example/x")
LOCK = f"sha256:{'0' * 64}"

TO_MIRROR = {"quay.io": "m.example"}


def settings(chart: Chart = OCI, **values: Any) -> Settings:
    """Return a chart with values."""
    return Settings(chart, "ns", values, 600)


@pytest.mark.parametrize(
    ("registries", "image"),
    [
        ({}, None),
        (TO_MIRROR, {"repository": "m.example/team/daemon"}),
        # A lock names the image by its digest, which the chart's own tag has not.
        ({"quay.io/team/daemon:1.2": f"quay.io/team/daemon:1.2@{LOCK}"}, {"tag": f"1.2@{LOCK}"}),
        (
            {**TO_MIRROR, "m.example/team/daemon:1.2": f"m.example/team/daemon:1.2@{LOCK}"},
            {"repository": "m.example/team/daemon", "tag": f"1.2@{LOCK}"},
        ),
    ],
)
def test_the_image_of_a_chart_comes_from_its_mirror(registries: dict[str, str], image: dict[str, str] | None):
    """Where nothing differs from the chart's own values, none is written; a chart may have no image that we know."""
    assert settings(other=1).mirrored(registries).values == {"other": 1, **({"image": image} if image else {})}
    for chart in (replace(OCI, image=None), replace(OCI, image_in_pieces=True)):
        assert settings(chart).mirrored(registries).values == {}


def test_a_place_of_images_keeps_the_chart_of_a_helm_repository():
    made = [chart_from(REPO, {"charts.example": each}) for each in ("m.example/helm", "oci://m.example/helm")]

    assert [(each.chart, each.repo) for each in made] == [
        ("daemon", "https://m.example/helm/x"),
        ("oci://m.example/helm/x/daemon", ""),
    ]
    assert chart_from(replace(OCI, chart=f"{OCI.chart}@{LOCK}"), TO_MIRROR).chart.endswith(
        f"m.example/charts/daemon@{LOCK}"
    )


def test_a_chart_tolerates_the_gpus_taint_and_further_ones():
    """What its values tolerate already takes the place of the GPUs' taint."""
    own = {"key": "own", "operator": "Exists"}
    tolerated = [
        each.tolerating({"spot": "yes"}).values["tolerations"] for each in (settings(), settings(tolerations=[own]))
    ]

    assert [[each["key"] for each in some] for some in tolerated] == [["nvidia.com/gpu", "spot"], ["own", "spot"]]
    assert settings(a=1).tolerating({}).values == {"a": 1}


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


@dataclass
class Part:
    """A part of a plan, whose fields are called as the plans' own."""

    image: str = ""
    installer: str = ""
    judge_image: str = ""
    other: Any = None
    args: Any = None


def chart(of: Chart, **values: Any) -> Part:
    """Return a part with a chart."""
    return Part(other=Settings(of, "ns", values, 1))


PLACE = "oci://quay.io/charts/daemon"


@pytest.mark.parametrize(
    ("part", "references"),
    [
        # Each reference counts once, in the order of the alphabet, wherever it stands.
        (Part("b:1", "a:1", "b:1"), ["a:1", "b:1"]),
        (Part(other=[Part("b:1"), (Part("a:1"),), {"x": Part("c:1")}]), ["a:1", "b:1", "c:1"]),
        (Part(other={"image": "a:1", "containers": [{"image": "b:1"}], "name": "no"}), ["a:1", "b:1"]),
        # Words that are no references, records of the catalogue and what was asked for do not count.
        (Part(other=["word", OCI], args=Part("a:1")), []),
        # Nobody fetches a disk image of Google's here.
        (Part("projects/x/global/images/y", "a:1"), ["a:1"]),
        (chart(OCI), [PLACE, "quay.io/team/daemon:1.2"]),
        (chart(replace(REPO, image=None)), ["https://charts.example/x/daemon"]),
        # The values of a chart may name its image elsewhere, or in pieces.
        (chart(OCI, image={"repository": "m/daemon"}), ["m/daemon:1.2", PLACE]),
        (chart(OCI, image={"tag": f"1.2@{LOCK}"}), [PLACE, f"quay.io/team/daemon:1.2@{LOCK}"]),
        (
            chart(replace(OCI, image_in_pieces=True), x={"image": "a", "repository": "r", "tag": "2"}, y={"tag": "1"}),
            [PLACE, "r/a:2"],
        ),
    ],
)
def test_a_plan_names_every_reference_that_it_fetches(part: Part, references: list[str]):
    assert planned(part) == references


def refused(images: list[str], **args: Any) -> list[tuple[Any, str]]:
    """Return the path and the reason of what is refused of a plan with these images."""
    errors = ErrorList()
    check_artifacts([Part(each) for each in images], args, errors)
    return [(error.path[-1], error.reason) for error in errors.found()]


OF_LOCK = f"quay.io/b:1@{LOCK}"


@pytest.mark.parametrize(
    "image", ["m.example/x:1", "m.example", "m.example:1", f"m.example@{LOCK}", "oci://m.example/x", "held.example/x:1"]
)
def test_what_a_mirror_holds_comes_from_nowhere_else(image: str):
    """A place is a whole part of a name, and a line of a lock is no mirror."""
    registries = {"quay.io": "m.example", "charts.example": "oci://held.example", "quay.io/b:1": OF_LOCK}
    asked: Any = {"artifacts": {"mirrors_only": True}, "registries": registries}

    assert refused([image], **asked) == []
    ((path, reason),) = refused([image, "m.examples/x:1", OF_LOCK], **asked)
    assert path == "mirrors_only" and reason.startswith("2 of 3 ")
    assert "m.examples/x:1" in reason and OF_LOCK in reason


def test_nothing_is_named_by_a_tag_alone_where_digests_are_demanded():
    """Each demand stands alone, and by default there is none."""
    digests = {"mirrors_only": False, "digests_only": True}
    ((path, reason),) = refused([OF_LOCK, "quay.io/c:1"], artifacts=digests)

    assert path == "digests_only" and reason.startswith("1 of 2 ") and "quay.io/c:1" in reason
    assert refused([OF_LOCK], artifacts=digests) == refused(["quay.io/c:1"]) == []
    assert refused(["quay.io/c:1"], artifacts={"mirrors_only": False, "digests_only": False}) == []
