"""What a plan will fetch: every chart and image of it, and what its `artifacts` demand of them."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.artifact import Chart
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.plan.artifacts import check_artifacts, demanding, images_in, images_of_chart, planned
from rdma_cluster.incluster.plan.charts import Settings
from tests.incluster.test_charts import IMAGE, LOCK, OCI, REPO


@dataclass
class Part:
    """A part of a plan, with fields as the plans' own."""

    image: str = ""
    installer: str = ""
    pause: str = ""
    judge_image: str = ""
    other: Any = None
    args: Any = None
    machine: Any = None
    pinned: Any = None


@pytest.mark.parametrize(
    ("part", "references"),
    [
        (Part(), []),
        (Part("a:1", "b:1", "c:1", "d:1"), ["a:1", "b:1", "c:1", "d:1"]),
        # Each once, in the order of the alphabet, wherever it stands.
        (Part("b:1", "a:1", "b:1"), ["a:1", "b:1"]),
        (Part(other=[Part("b:1"), (Part("a:1"),), {"x": Part("c:1")}]), ["a:1", "b:1", "c:1"]),
        (Part(other={"image": "a:1", "containers": [{"image": "b:1"}], "name": "no"}), ["a:1", "b:1"]),
        # Words that are no references, what was asked for, and facts.
        (Part(other="word", args=Part("a:1"), machine=Part("b:1"), pinned=Part("c:1")), []),
        (Part(other=[IMAGE, OCI, FABRICS["gib"]]), []),
        # A disk image of Google's is fetched by nobody here.
        (Part("projects/x/global/images/y", "a:1"), ["a:1"]),
        (Part(other=Settings(replace(OCI, image=None), "ns", {}, 1)), ["oci://quay.io/charts/daemon"]),
        (Part(other=Settings(replace(REPO, image=None), "ns", {}, 1)), ["https://charts.example/x/daemon"]),
        (Part(other=Settings(OCI, "ns", {}, 1)), ["oci://quay.io/charts/daemon", "quay.io/team/daemon:1.2"]),
    ],
)
def test_every_reference_of_a_plan(part: Part, references: list[str]):
    """Fields that are called after what they hold, values of charts, and manifests."""
    assert planned(part) == references


@pytest.mark.parametrize(
    ("chart", "values", "images"),
    [
        (OCI, {}, ["quay.io/team/daemon:1.2"]),
        (OCI, {"image": {"repository": "m/daemon"}}, ["m/daemon:1.2"]),
        (OCI, {"image": {"tag": f"1.2@{LOCK}"}}, [f"quay.io/team/daemon:1.2@{LOCK}"]),
        (replace(OCI, image=None), {"image": {"repository": "a", "tag": "1"}}, []),
        (replace(OCI, image_in_pieces=True), {"image": {"repository": "a", "tag": "1"}}, ["a:1"]),
    ],
)
def test_images_of_a_chart(chart: Chart, values: dict[str, Any], images: list[str]):
    """Its own at the place that its values name; where we name all, those that the values have."""
    assert list(images_of_chart(chart, values)) == images


@pytest.mark.parametrize(
    ("values", "images"),
    [
        ({"image": "a:1"}, ["a:1"]),
        ({"image": "a", "repository": "r", "version": "1"}, ["r/a:1"]),
        ({"image": "a", "repository": "r", "tag": "2"}, ["r/a:2"]),
        ({"image": {"repository": "r", "tag": "3"}}, ["r:3"]),
        ({"repository": "r"}, []),
        ({"tag": "1"}, []),
        ([{"image": "a:1"}, ["x", {"deep": {"image": "b:1"}}]], ["a:1", "b:1"]),
        ("image", []),
    ],
)
def test_images_in_values(values: Any, images: list[str]):
    """In one value, in three as NVIDIA's operators take it, or in two; however deep."""
    assert list(images_in(values)) == images


def refused(images: list[str], **args: Any) -> list[str]:
    """What is told of a plan with these images."""
    errors = ErrorList()
    check_artifacts([Part(each) for each in images], args, errors)
    return [str(error) for error in errors.found()]


OF_LOCK = f"quay.io/b:1@{LOCK}"


@pytest.mark.parametrize(
    ("images", "outside"),
    [
        (["m.example/x:1"], []),
        (["m.example"], []),
        (["m.example:1"], []),
        ([f"m.example@{LOCK}"], []),
        (["oci://m.example/x"], []),
        (["held.example/x:1"], []),
        (["m.examples/x:1"], ["m.examples/x:1"]),
        (["m.example/x:1", "quay.io/b:1", OF_LOCK], ["quay.io/b:1", OF_LOCK]),
    ],
)
def test_nothing_comes_from_elsewhere(images: list[str], outside: list[str]):
    """Than from the mirrors; a line of a lock is none, and a place is a whole part of a name."""
    registries = {"quay.io": "m.example", "charts.example": "oci://held.example", "quay.io/b:1": OF_LOCK}
    told = refused(images, artifacts={"mirrors_only": True}, registries=registries)

    assert told == (
        [
            f"artifacts.mirrors_only: {len(outside)} of {len(images)} artifacts come from elsewhere: "
            f"{', '.join(outside)}; give registries a line for each host: "
            "`rdma-cluster artifacts STACK --mirror REGISTRY` prints them"
        ]
        * bool(outside)
    )


def test_nothing_is_named_by_a_tag_alone():
    """Which somebody can move; what has its digest is not told."""
    digests = {"artifacts": {"digests_only": True}}

    assert refused([OF_LOCK], **digests) == []
    (told,) = refused([OF_LOCK, "quay.io/c:1"], **digests)
    assert told.startswith(
        "artifacts.digests_only: 1 of 2 artifacts are named by a tag or a version alone: quay.io/c:1; run"
    )


@pytest.mark.parametrize("artifacts", [{}, {"mirrors_only": False, "digests_only": False}])
def test_nothing_is_demanded(artifacts: dict[str, bool]):
    """By default, or where both are off."""
    assert refused(["quay.io/c:1"]) == refused(["quay.io/c:1"], artifacts=artifacts) == []


@pytest.mark.parametrize(("key", "told"), [("mirrors_only", 1), ("digests_only", 1)])
def test_each_demand_stands_alone(key: str, told: int):
    """One that is on is held while the other is off."""
    assert len(refused(["quay.io/c:1"], artifacts={"mirrors_only": False, "digests_only": False, key: True})) == told


def test_a_plan_that_does_not_keep_to_its_artifacts_is_none():
    """A cloud's own function makes the plan; an error of its own is told alone."""

    def make(args: dict[str, Any], name: str, errors: ErrorList) -> Part | None:
        if name == "wrong":
            errors.add("no plan")
            return None
        return Part(name)

    plan, args = demanding(make), {"artifacts": {"digests_only": True}}
    found = {}
    for name in (OF_LOCK, "quay.io/c:1", "wrong"):
        errors = ErrorList()
        found[name] = plan(args, name, errors), len(errors.found())

    assert found == {OF_LOCK: (Part(OF_LOCK), 0), "quay.io/c:1": (None, 1), "wrong": (None, 1)}
