"""The image of an OKE pool: of Oracle's list, by its OCID or from a link, and whether it fits its shape."""

import re
from typing import Any

import pytest
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.oke import OkeMachine
from rdma_cluster.catalog.oke.images import IMAGES, OkeImage
from rdma_cluster.oke.plan.images import ImagePlan, ImportPlan, OkeImportedImageArgs, minimum_driver, plan_import
from tests.oke.plans import (
    BUILT,
    COMPARTMENT,
    DEDICATED,
    FABRIC,
    STACK_POOL,
    built,
    inputs,
    names,
    places,
    pool_plan,
    refused,
    row,
    whole_plan,
)

ID = "ocid1.image.oc1..a"
LINK = "https://objectstorage.eu-frankfurt-1.oraclecloud.com/p/{}/n/y/b/images/o/a/mine-1.oci"
B200, RTX, UNLISTED = "BM.GPU.B200.8", "BM.GPU.RTXPRO.8", "BM.GPU.H100T.8"


def errors_of(machine: str, **image: str) -> list[str]:
    """What is refused of an image of a shape."""
    return refused(pool_plan, machine=machine, image=image)


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.release)
def test_an_image_s_name_says_what_is_in_it(image: OkeImage):
    """Oracle writes system, driver, CUDA and architecture into an object's name; a slip in a row shows against it."""
    name = image.object_name.rpartition("/")[2]

    assert image.release.startswith("ubuntu-") and f"Ubuntu-{image.release.split('-')[1]}" in name
    assert ("aarch64" in name) is (image.architecture == "arm64")
    if image.cuda:
        assert re.search(rf"GPU-{image.driver}(-OPEN)?-CUDA-{re.escape(image.cuda)}-", name)
    else:
        assert f"ROCM-{image.driver.removeprefix('ROCm ').replace('.', '')}" in name


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.release)
def test_an_image_fits_the_shapes_that_oracle_lists_beside_it(image: OkeImage):
    """It has their architecture, and the driver and CUDA that their GPUs need."""
    for shape in map(row, image.shapes):
        assert shape.architecture == image.architecture
        if (minimum_version := minimum_driver(shape)) is not None:
            assert int(image.driver) >= int(minimum_version), shape.name
            assert not image.cuda or not shape.cuda or float(image.cuda) >= float(shape.cuda), shape.name


@pytest.mark.parametrize("machine", [m for m in BUILT if m.image_listed], ids=lambda m: m.name)
def test_the_default_image_is_the_newest_that_names_the_shape(machine: OkeMachine):
    racks = {"memory_fabrics": [{"id": FABRIC.format(1), "nodes": 2}]} if machine.nvlink_domain > 8 else {}
    plan = pool_plan(machine=machine.name, capacity=DEDICATED, **racks).image

    newest = max((image for image in IMAGES if machine.name in image.shapes), key=lambda image: image.driver)
    assert plan.title == newest.release


def test_an_image_of_one_s_own_is_called_as_its_object_and_holds_what_its_owner_says():
    by_link = pool_plan(image={"url": LINK.format("x"), "driver": "570.1"}).image

    assert pool_plan(image={"id": ID}).image == ImagePlan("", None, None, None, ID)
    assert by_link == ImagePlan("mine-1", LINK.format("x"), "570.1", None)


def test_a_link_is_to_an_object_by_its_name():
    for link in (LINK.removesuffix("a/mine-1.oci"), LINK + "?a=b", "oci://images/mine"):
        assert places(errors_of("BM.GPU.H100.8", url=link)) == ["image.url"]


@pytest.mark.parametrize(
    ("machine", "image", "place"),
    [
        (B200, {"driver": "570", "cuda": "12.8"}, ""),
        (B200, {"driver": "569", "cuda": "12.8"}, "image.driver"),
        (B200, {"driver": "570", "cuda": "12.7"}, "image.cuda"),
        (B200, {"driver": "1000", "cuda": "100.0"}, ""),
        ("BM.GPU.H100.8", {"driver": "549"}, "image.driver"),
        (RTX, {"driver": "1", "cuda": "1"}, ""),
    ],
)
def test_driver_and_cuda_are_new_enough_for_the_shape(machine: str, image: dict[str, str], place: str):
    """They are compared as numbers; what is not said is not judged, and of RTX PRO Oracle states none."""
    assert places(errors_of(machine, id=ID, **image)) == ([place] if place else [])


@pytest.mark.parametrize(
    ("machine", "release", "words"),
    [
        (B200, "ubuntu-22.04-560", ["driver 570", "CUDA 12.8", "choose one of ubuntu-24.04-595"]),
        ("BM.GPU.H100.8", "ubuntu-24.04-595-arm64", ["is made for", "choose one of ubuntu-24.04-595"]),
        (UNLISTED, "ubuntu-24.04-595", ["image of your own"]),
    ],
)
def test_a_refused_release_names_what_to_take(machine: str, release: str, words: list[str]):
    (error,) = errors_of(machine, release=release)

    assert [word for word in words if word not in error] == []


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ({"id": ID}, "state it in image.driver"),
        ({"id": ID, "driver": "550"}, ""),
        ({"release": "ubuntu-24.04-570"}, "not on Oracle's list"),
        ({"release": "ubuntu-24.04-595"}, ""),
    ],
)
def test_an_image_that_nobody_knows_or_lists_any_more_is_warned_of(image: dict[str, str], words: str):
    warnings = [each for each in pool_plan(image=image).warnings if "image" in each]

    assert len(warnings) == bool(words) and all(words in each for each in warnings)


def test_pools_share_one_import_of_an_image():
    """An image takes 20 GB and most of an hour; one that is there already is not imported."""
    pools = [{"name": "b200", "machine": B200}, {"name": "own", "image": {"id": ID, "cuda": "12.8"}}, {}]
    plan = whole_plan([{**STACK_POOL, **pool} for pool in pools])

    assert [(image.title, image.shapes) for image in plan.images] == [("ubuntu-24.04-595", (B200, "BM.GPU.H100.8"))]


def imported(**args: Any) -> ImportPlan:
    """The plan of an image that is imported on its own."""
    return plan_from(OkeImportedImageArgs, plan_import, {"compartment": COMPARTMENT, **args})


def test_an_image_is_imported_for_all_shapes_that_boot_it():
    both = ["BM.GPU.H100.8", B200]

    assert imported(machines=[*both, *both]).shapes == tuple(both)
    assert imported(machines=both, release="ubuntu-24.04-570").title == "ubuntu-24.04-570"
    assert imported(machines=both, url=LINK).title == "mine-1"
    assert places(refused(imported, machines=["BM.GPU.H100.8", "BM.GPU.GB200-v3.4"])) == ["release"]


def test_a_link_that_changes_imports_nothing_again():
    """The image goes by its object; each shape that is newer than the image is entered (oci-hpc-oke#8)."""
    args = {"compartment": COMPARTMENT, "machines": ["BM.GPU.H100.8", B200]}
    graphs = [built("OkeImportedImage", {**args, "url": LINK.format(token)}) for token in ("one", "two")]
    images = [graph.one("oci:Core/image:Image", "oke-mine-1") for graph in graphs]

    assert images[0].options["ignoreChanges"] == ["imageSourceDetails"]
    assert images[0].options["customTimeouts"]["create"] == "3h"
    assert images[0].inputs["imageSourceDetails"] != images[1].inputs["imageSourceDetails"]
    shapes = {inputs(graphs[0], "ShapeManagement", name)["shapeName"] for name in names(graphs[0], "ShapeManagement")}
    assert shapes == {"BM.GPU.H100.8", B200}
