"""The image of an OKE pool: of Oracle's list, by its OCID or from a link, and whether it fits its shape."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.oke import OkeMachine
from rdma_cluster.catalog.oke.images import IMAGES
from rdma_cluster.oke.plan.images import (
    ImagePlan,
    ImportPlan,
    OkeImportedImageArgs,
    image_warnings,
    imports,
    minimum_driver,
    plan_image,
    plan_import,
)
from tests.oke.plans import COMPARTMENT, refused, row

H100, B200, RTX, UNLISTED = (
    row(name) for name in ("BM.GPU.H100.8", "BM.GPU.B200.8", "BM.GPU.RTXPRO.8", "BM.GPU.H100T.8")
)
ID = "ocid1.image.oc1..a"
LINK = "https://objectstorage.eu-frankfurt-1.oraclecloud.com/p/x/n/y/b/images/o/{}"


def planned(machine: OkeMachine = H100, /, **choice: Any) -> tuple[ImagePlan | None, list[str]]:
    """The image of a choice, and what is refused of it."""
    errors = ErrorList()
    plan = plan_image(choice, machine, errors)  # ty: ignore[invalid-argument-type]
    return plan, [str(error) for error in errors.found()]


@pytest.mark.parametrize(
    ("choice", "image"),
    [
        ({"id": ID}, ImagePlan("", None, None, None, ID)),
        ({"id": ID, "driver": "550", "cuda": "12.4"}, ImagePlan("", None, "550", "12.4", ID)),
        ({"url": LINK.format("a/mine-1.oci")}, ImagePlan("mine-1", LINK.format("a/mine-1.oci"), None, None)),
        ({"url": LINK.format("mine"), "driver": "570.1"}, ImagePlan("mine", LINK.format("mine"), "570.1", None)),
    ],
)
def test_image_of_ones_own(choice: dict[str, str], image: ImagePlan):
    """It is called as its object, and what is in it is what its owner says."""
    assert planned(**choice) == (image, [])


@pytest.mark.parametrize(
    ("choice", "errors"),
    [
        ({"id": ID, "url": LINK.format("a")}, ["got id and url; name exactly one of release, id and url"]),
        (
            {"release": "ubuntu-24.04-595", "id": ID, "url": LINK.format("a")},
            ["got release and id and url; name exactly one of release, id and url"],
        ),
        ({"driver": "595"}, ["driver: not allowed with an image of the catalogue, which states its own; remove it"]),
        (
            {"release": "ubuntu-24.04-595", "cuda": "13.2"},
            ["cuda: not allowed with an image of the catalogue, which states its own; remove it"],
        ),
        ({"id": ID, "driver": "r570"}, ["driver: got 'r570'; write numbers alone, e.g. 570"]),
        ({"id": ID, "cuda": "12.x"}, ["cuda: got '12.x'; write numbers alone, e.g. 12.8"]),
        (
            {"id": ID, "driver": "549"},
            ["driver: H100 needs driver 550 or later, the image has driver 549; take a newer image"],
        ),
    ],
)
def test_what_an_image_may_not_be(choice: dict[str, str], errors: list[str]):
    """Two at once, facts beside those of the list, and a driver that is too old."""
    assert planned(**choice) == (None, errors)


@pytest.mark.parametrize(
    ("link", "fits"),
    [
        (LINK.format("mine.oci"), True),
        (LINK.format("mine.oci").replace("https", "http"), True),
        (LINK.format(""), False),
        (LINK.format("mine.oci") + "?a=b", False),
        ("oci://images/mine", False),
    ],
)
def test_links(link: str, fits: bool):
    """To an object of object storage, by its name."""
    plan, errors = planned(url=link)

    assert (plan is not None) is fits
    assert [each.partition(";")[0] for each in errors] == ([] if fits else [f"url: got {link!r}"])


@pytest.mark.parametrize(
    ("driver", "cuda", "place"),
    [
        ("570", "12.8", ""),
        ("569", "12.8", "driver"),
        ("570", "12.7", "cuda"),
        ("569", "12.7", "driver"),
        (None, "12.8", ""),
        (None, "12.7", "cuda"),
        ("570", None, ""),
        ("1000", "100.0", ""),
    ],
)
def test_driver_and_cuda_of_a_shape(driver: str | None, cuda: str | None, place: str):
    """B200 needs driver 570 and CUDA 12.8, compared as numbers; what is not said is not judged."""
    said = {key: value for key, value in (("driver", driver), ("cuda", cuda)) if value is not None}
    plan, errors = planned(B200, id=ID, **said)

    assert (plan is None) is bool(place)
    assert (errors[0].partition(":")[0] if errors else "") == place


def test_shapes_that_need_no_driver_of_which_is_known():
    """Oracle states none of RTX PRO."""
    assert planned(RTX, id=ID, driver="1", cuda="1") == (ImagePlan("", None, "1", "1", ID), [])
    assert [minimum_driver(machine) for machine in (H100, B200, RTX)] == ["550", "570", None]


@pytest.mark.parametrize(
    ("machine", "release", "words"),
    [
        (
            B200,
            "ubuntu-22.04-560",
            ": B200 needs driver 570 or later and CUDA 12.8 or later, the image has driver 560 and CUDA 12.6; choose",
        ),
        (H100, "ubuntu-24.04-595-arm64", ", not for BM.GPU.H100.8; choose one of ubuntu-24.04-595, "),
        (UNLISTED, "ubuntu-24.04-595", ", not for BM.GPU.H100T.8; name an image of your own by id or url"),
    ],
)
def test_a_release_of_another_shape(machine: OkeMachine, release: str, words: str):
    """Told with what is missing in it, where that is known, and with what to take."""
    plan, (error,) = planned(machine, release=release)

    assert plan is None and error.startswith(f"release: {release} is made for ") and words in error


def test_a_release_that_runs_amds_gpus():
    """Has none of NVIDIA's drivers."""
    release = next(image.release for image in IMAGES if not image.cuda)
    plan, (error,) = planned(release=release)

    assert plan is None and "BM.GPU.H100.8 needs NVIDIA's driver, the image has ROCm" in error


@pytest.mark.parametrize("machine", [H100, UNLISTED])
def test_a_release_that_there_is_not(machine: OkeMachine):
    """Those of the shape are offered, or all where there is none."""
    _, (error,) = planned(machine, release="ubuntu-1")

    assert error.startswith("release: unknown image 'ubuntu-1'; choose one of ubuntu-24.04-595, ")
    assert ("arm64" in error) is (machine is UNLISTED)


def test_a_shape_without_an_image():
    """No list of Oracle's names one: the user does."""
    assert planned(UNLISTED) == (
        None,
        ["missing; no list of Oracle's names an image for BM.GPU.H100T.8: name one of your own by id or url"],
    )
    assert planned(UNLISTED, id=ID)[1] == []


@pytest.mark.parametrize(
    ("image", "machine", "told"),
    [
        (ImagePlan("ubuntu-24.04-595", "u", "595", "13.2"), H100, False),
        (ImagePlan("mine", "u", "570", None), H100, False),
        (ImagePlan("mine", "u", None, "12.8"), H100, True),
        (ImagePlan("", None, None, None), RTX, False),
        (ImagePlan("", None, None, None), UNLISTED, True),
    ],
)
def test_a_driver_that_is_not_said(image: ImagePlan, machine: OkeMachine, told: bool):
    """Is asked for where the shape needs one."""
    warnings = image_warnings(image, machine, "p")

    assert bool(warnings) is told
    assert all(f"{machine.name} needs driver 550 or later: state it in image.driver" in each for each in warnings)


def test_imports_go_by_their_objects():
    """One for each that has a link, with each shape once and the last link that was told."""
    one, other, own = (
        ImagePlan("one", "https://1", None, None),
        ImagePlan("other", "https://2", None, None),
        ImagePlan("", None, None, None),
    )
    moved = ImagePlan("one", "https://3", None, None)

    assert imports(COMPARTMENT, [(one, "a"), (own, "a"), (other, "a"), (moved, "b"), (one, "a")]) == [
        ImportPlan(COMPARTMENT, "one", "https://1", ("a", "b")),
        ImportPlan(COMPARTMENT, "other", "https://2", ("a",)),
    ]


def test_an_import_alone():
    """The newest image of the first shape, or the one that is named; all shapes must boot it."""

    def made(**args: Any) -> ImportPlan:
        return plan_from(OkeImportedImageArgs, plan_import, {"compartment": COMPARTMENT, **args})

    newest = made(machines=["BM.GPU.H100.8", "BM.GPU.B200.8", "BM.GPU.H100.8"])
    assert (newest.compartment, newest.title, newest.shapes) == (
        COMPARTMENT,
        "ubuntu-24.04-595",
        ("BM.GPU.H100.8", "BM.GPU.B200.8"),
    )
    assert made(machines=["BM.GPU.H100.8"], release="ubuntu-24.04-570").title == "ubuntu-24.04-570"
    link = LINK.format("mine.oci")
    assert made(machines=["BM.GPU.H100.8"], url=link) == ImportPlan(COMPARTMENT, "mine", link, ("BM.GPU.H100.8",))
    (error,) = refused(made, machines=["BM.GPU.H100.8", "BM.GPU.GB200-v3.4"])
    assert error.startswith("release: ubuntu-24.04-595 is made for ") and "not for BM.GPU.GB200-v3.4" in error
    assert [each.partition(":")[0] for each in refused(made, machines=["BM.GPU.H100.8", "x"], release="y")] == [
        "machines[1]",
        "release",
    ]
    assert refused(made, machines=[]) == ["machines: empty; name at least one machine type, e.g. BM.GPU.H100.8"]
    assert [each.partition(":")[0] for each in refused(made, machines=["BM.GPU.H100.8"], compartment="x")] == [
        "compartment"
    ]
