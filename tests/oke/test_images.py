"""Which image fits which shape, and what is imported once."""

import re

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.catalog.oke import OkeMachine
from rdma_cluster.catalog.oke.images import IMAGES, OkeImage
from rdma_cluster.oke.plan.images import ImagePlan, imports, minimum_driver
from tests.oke.plans import BUILT, COMPARTMENT, DEDICATED, FABRIC, built, inputs, names, pool_plan, row


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.release)
def test_name_says_what_is_in_it(image):
    """Oracle writes system, driver, CUDA and architecture into an object's name; a slip in a row shows against it."""
    name = image.object_name.rpartition("/")[2]

    assert image.release.startswith("ubuntu-") and f"Ubuntu-{image.release.split('-')[1]}" in name
    assert ("aarch64" in name) is (image.architecture == "arm64")
    if image.cuda:
        assert re.search(rf"GPU-{image.driver}(-OPEN)?-CUDA-{re.escape(image.cuda)}-", name)
    else:
        assert f"ROCM-{image.driver.removeprefix('ROCm ').replace('.', '')}" in name


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.release)
def test_no_image_is_too_old_for_a_shape_it_is_made_for(image):
    """What Oracle lists beside a shape has the driver and CUDA that its GPUs need."""
    for shape in map(row, image.shapes):
        if (minimum_version := minimum_driver(shape)) is not None:
            assert int(image.driver) >= int(minimum_version), shape.name
            assert not image.cuda or not shape.cuda or float(image.cuda) >= float(shape.cuda), shape.name


def test_releases_are_distinct():
    """A release names one image."""
    assert len({image.release for image in IMAGES}) == len(IMAGES)


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.release)
def test_shapes_have_the_images_architecture(image):
    """A shape of the other architecture boots nothing."""
    assert {row(shape).architecture for shape in image.shapes} == {image.architecture}


@pytest.mark.parametrize("machine", [m for m in BUILT if m.image_listed], ids=lambda m: m.name)
def test_default_is_the_newest_that_names_the_shape(machine: OkeMachine):
    """As the catalogue's own flag says."""
    racks = {"memory_fabrics": [{"id": FABRIC.format(1), "nodes": 2}]} if machine.nvlink_domain > 8 else {}
    plan = pool_plan(machine=machine.name, capacity=DEDICATED, **racks).image

    assert plan.title == ("ubuntu-24.04-595-arm64" if machine.architecture == "arm64" else "ubuntu-24.04-595")


@pytest.mark.parametrize(
    ("image", "refused"),
    [
        (
            {"release": "ubuntu-22.04-560"},
            "B200 needs driver 570 or later and CUDA 12.8 or later, the image has driver 560 and CUDA 12.6; "
            "choose one of ubuntu-24.04-595, ",
        ),
        (
            {"id": "ocid1.image.oc1..a", "driver": "570", "cuda": "12.6"},
            "image.cuda: got 12.6; BM.GPU.B200.8 needs CUDA 12.8 or later; take a newer image",
        ),
        ({"id": "ocid1.image.oc1..a", "driver": "560"}, "the image has driver 560; take a newer image"),
        ({"release": "ubuntu-24.04-595-arm64"}, "is made for BM.GPU.GB200.4, BM.GPU.GB200-v3.4, BM.GPU.GB300.4, not"),
    ],
    ids=["of the catalogue", "own with an old CUDA", "own with an old driver", "of another architecture"],
)
def test_what_does_not_go_together(image: dict[str, str], refused: str):
    """Driver, CUDA and shape are seen to fit before anything is made."""
    with pytest.raises(Refused) as caught:
        pool_plan(machine="BM.GPU.B200.8", image=image)

    assert refused in str(caught.value)


@pytest.mark.parametrize("image", [row for row in IMAGES if "BM.GPU.H100.8" in row.shapes], ids=lambda row: row.release)
def test_an_image_that_oracle_lists_no_more_is_warned_of(image: OkeImage):
    """It boots, if its link still opens; the warning names one that is listed."""
    told = [w for w in pool_plan(image={"release": image.release}).warnings if "not on Oracle's list" in w]

    assert bool(told) is ("2025" in image.object_name)
    assert all(w.endswith("take ubuntu-24.04-595") for w in told)


def test_an_image_that_says_nothing_is_warned_of():
    """It may well fit; nobody can know."""
    (warning,) = [w for w in pool_plan(image={"id": "ocid1.image.oc1..a"}).warnings if "image" in w]

    assert warning.endswith("BM.GPU.H100.8 needs driver 550 or later: state it in image.driver")


LINK = "https://objectstorage.eu-frankfurt-1.oraclecloud.com/p/{}/n/x/b/images/o/Canonical-Ubuntu-24.04-mine.oci"


def test_a_link_that_changes_imports_nothing_anew():
    """The image goes by its object: another token in the link is the same resource with the same inputs but one, which
    is not looked at."""
    graphs = [
        built(
            "OkeImportedImage", {"compartment": COMPARTMENT, "machines": ["BM.GPU.H100.8"], "url": LINK.format(token)}
        )
        for token in ("one", "two")
    ]
    images = [graph.one("oci:Core/image:Image", "oke-Canonical-Ubuntu-24.04-mine") for graph in graphs]

    assert images[0].options["ignoreChanges"] == ["imageSourceDetails"]
    one, other = ({**image.inputs, "imageSourceDetails": None} for image in images)
    assert one == other
    assert images[0].inputs != images[1].inputs


def test_one_import_for_all_pools_that_boot_it():
    """20 GB and most of an hour, once; an entry for each shape."""
    image = ImagePlan("ubuntu-24.04-595", "https://x", "595", "13.2")
    (wanted,) = imports(COMPARTMENT, [(image, "BM.GPU.H100.8"), (image, "BM.GPU.B200.8"), (image, "BM.GPU.H100.8")])

    assert wanted.shapes == ("BM.GPU.H100.8", "BM.GPU.B200.8")


def test_each_shape_is_entered():
    """Imported images do not know the shapes that are newer than them (oci-hpc-oke#8)."""
    graph = built(
        "OkeImportedImage",
        {"compartment": COMPARTMENT, "machines": ["BM.GPU.H100.8", "BM.GPU.B200.8"], "release": "ubuntu-24.04-570"},
    )
    entries = {inputs(graph, "ShapeManagement", name)["shapeName"] for name in names(graph, "ShapeManagement")}

    assert entries == {"BM.GPU.H100.8", "BM.GPU.B200.8"}
