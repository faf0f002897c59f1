"""Every chart and image that a plan will fetch is known, and keeps to what its ``artifacts`` demand."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.artifact import Chart
from rdma_cluster.incluster.plan.artifacts import LockedImages, check_artifacts, demanding, planned
from rdma_cluster.incluster.plan.charts import Settings
from tests.incluster.plans import planned as planned_cluster
from tests.incluster.pools import GIB
from tests.incluster.sources import LOCK, OCI, REPO


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


NO_IMAGE, PIECES = replace(OCI, image=None), replace(OCI, image_in_pieces=True)
PLACE = "oci://quay.io/charts/daemon"


@pytest.mark.parametrize(
    ("part", "references"),
    [
        (Part(), []),
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
        (chart(NO_IMAGE, image={"repository": "a", "tag": "1"}), [PLACE]),
        (chart(PIECES, image={"repository": "a", "tag": "1"}), ["a:1", PLACE]),
        (chart(PIECES, x=[{"image": "a", "repository": "r", "version": "1"}]), [PLACE, "r/a:1"]),
        (chart(PIECES, x={"image": "a", "repository": "r", "tag": "2"}, y={"tag": "1"}), [PLACE, "r/a:2"]),
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


def test_a_plan_that_does_not_keep_to_its_artifacts_is_none():
    """An error of the cloud's own function is told alone."""

    def make(args: dict[str, Any], name: str, errors: ErrorList) -> Part | None:
        if name == "wrong":
            errors.add("no plan")
            return None
        return Part(name)

    found = {}
    for name in (OF_LOCK, "quay.io/c:1", "wrong"):
        errors = ErrorList()
        found[name] = demanding(make)({"artifacts": {"digests_only": True}}, name, errors), len(errors.found())

    assert found == {OF_LOCK: (Part(OF_LOCK), 0), "quay.io/c:1": (None, 1), "wrong": (None, 1)}


def test_only_locked_images_run_where_digests_are_demanded():
    """The policy looks at every container of a pod in namespaces of ours, at those of debuggers too."""
    made = planned_cluster(GIB, digests_only=True).locked_images
    locked = LockedImages(("a@sha256:0", "b@sha256:1"), ("ours",))
    (rule,) = locked.spec["matchConstraints"]["resourceRules"]
    (selected,) = locked.binding["matchResources"]["namespaceSelector"]["matchExpressions"]
    images, strange = (each["expression"] for each in locked.spec["variables"])

    assert planned_cluster(GIB).locked_images is None
    assert made is not None and any("dranet" in image for image in made.images)
    assert {"rdma-acceptance", "kueue-system", "rdma-readiness"} <= {
        *made.namespaces
    } and "default" not in made.namespaces
    assert (rule["resources"], rule["operations"]) == (["pods", "pods/ephemeralcontainers"], ["CREATE", "UPDATE"])
    assert images == "['a@sha256:0', 'b@sha256:1']"
    assert all(each in strange for each in (".containers", "initContainers", "ephemeralContainers", "!(i in "))
    assert locked.spec["failurePolicy"] == "Fail" and locked.binding["validationActions"] == ["Deny"]
    assert (selected["operator"], selected["values"]) == ("In", ["ours"])
