"""What an image has to bring: the plugin where hosts have none, and a build for the machine's processor."""

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.catalog.workload_images import WITHOUT_PLUGIN
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.injection.image_needs import image_needs, unfit_images


@pytest.mark.parametrize(
    ("name", "fabric", "needs"),
    [
        ("a4-highgpu-8g", "gib", ""),
        ("p5.48xlarge", "efa", "aws-ofi-nccl 1.15 or later"),
        ("a4x-highgpu-4g", "gib-arm64-managed", "a build for arm64"),
        (
            "a4x-maxgpu-4g-metal",
            "gib-metal",
            "gib-metal NCCL/gIB v1.1.1 with NCCL 2.28.9 and doca-ofed-userspace or later and a build for arm64",
        ),
    ],
)
def test_in_words(name: str, fabric: str, needs: str) -> None:
    """Nothing where any image will do."""
    machine = find(name)
    assert machine is not None

    assert image_needs(machine, FABRICS[fabric]) == needs


@pytest.mark.parametrize("fabric", FABRICS)
def test_images_that_lack_the_plugin(fabric: str) -> None:
    """Are known of EFA alone; what hosts bring, or NCCL does by itself, no image lacks."""
    lacking = WITHOUT_PLUGIN if fabric.startswith("efa") else ()

    assert unfit_images(FABRICS[fabric]) == lacking
    assert {each.plugin for each in WITHOUT_PLUGIN} == {"aws-ofi-nccl"}
