"""The plugin that an image must hold for the variables that pods get."""

import re

from rdma_cluster.base import versions
from rdma_cluster.catalog.images import EFA_NCCL_TESTS
from rdma_cluster.fabrics.efa import EFA
from rdma_cluster.fabrics.plugin import ImagePlugin

# The library of a plain build, by the version that begins to make it: github.com/aws/aws-ofi-nccl src/Makefile.am at
# v1.12.1-aws, v1.13.2-aws, v1.14.2 and v1.15.0, and its release notes, 2026-11-23.
LIBRARIES = {"1.12": "libnccl-net.so", "1.15": "libnccl-net-ofi.so"}


def test_the_least_plugin_has_the_library_that_nccl_is_told_of():
    """`NCCL_NET_PLUGIN=ofi` is libnccl-net-ofi.so; where it is missing, NCCL runs over TCP or not at all."""
    assert isinstance(EFA.plugin, ImagePlugin)
    begun = [library for since, library in LIBRARIES.items() if versions.at_least(EFA.plugin.least, since)]

    assert begun[-1] == f"libnccl-net-{EFA.pod_patch.env['NCCL_NET_PLUGIN']}.so"


def test_the_tag_of_our_own_image_names_a_plugin_that_new():
    found = re.search(r"-ofiv([\d.]+)-", EFA_NCCL_TESTS.image)

    assert found is not None and isinstance(EFA.plugin, ImagePlugin)
    assert versions.at_least(found[1], EFA.plugin.least)
