"""A Python program has the keys of components in `help`, and writes `None` for no value."""

import re
from inspect import getdoc
from typing import Any

from pulumi_offline import Graph, preview
from rdma_cluster import gke
from rdma_cluster.base.key_docs import key_docs
from rdma_cluster.common import CLOUDS
from rdma_cluster.gke.plan.rdma_cluster import GkeRdmaClusterArgs
from rdma_cluster.hosting import components_of
from typing_extensions import get_type_hints


def test_help_of_a_constructor_shows_every_key_and_output():
    for component in components_of(*CLOUDS, "incluster"):
        page = getdoc(component.__init__) or ""
        args, _, shown = page.partition("\nOutputs:\n")
        keys = get_type_hints(component.__init__.__annotations__["args"])

        for text, names in ((args, keys), (shown, key_docs(component))):
            missing = [key for key in names if not re.search(rf"^{key} \(.+\)\n    \S", text, re.MULTILINE)]
            assert missing == [], component


def built(args: Any) -> Graph:
    """The graph of a GKE cluster."""
    return preview(lambda: gke.GkeRdmaCluster("train", args) and None, project="p", stack="s", config={})


def test_none_leaves_the_default_at_every_depth():
    """A program passes on what it may not have."""
    given: GkeRdmaClusterArgs = {
        "project": "my-project",
        "zone": "us-west8-c",
        "pools": [{"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}],
    }
    nothing: Any = {
        **given,
        **dict.fromkeys(("claims", "drivers", "acceptance")),
        "network": {"existing": None, "cidr": None, "max_nodes": None},
        "kubernetes": dict.fromkeys(("name", "version", "location", "endpoint", "existing")),
        "pools": [
            {
                **given["pools"][0],
                "capacity": {"spot": True, "reservation": None, "flex_start": None},
                **dict.fromkeys(("gpu_allocation", "auto_repair", "labels")),
            }
        ],
    }

    with_nones, without = built(nothing), built(given)

    assert [each.urn for each in with_nones.resources] == [each.urn for each in without.resources]
    assert [each.inputs for each in with_nones.resources if ":index:" not in each.type] == [
        each.inputs for each in without.resources if ":index:" not in each.type
    ]
