"""A user's tags stand on every resource that takes some, and nothing else of a graph changes."""

import re
from typing import Any, cast

import pytest
from pulumi_offline import diff, preview, sdk
from pulumi_offline.graph import Resource
from tests.clouds import CloudTests, clouds
from tests.stacks import graph_of

TAGS = {"team": "research", "cost-center": "4711"}
TAG_PATH = re.compile(r"\.(tags|freeformTags|labels|resourceLabels)($|[.\[])")
INPUTS = ("resourceLabels", "labels", "freeformTags", "tags")
"""What the SDKs of the clouds call them; Google's `tags` are of networks."""


def takes(resource: Resource) -> str | None:
    """The input of a resource that holds its tags, by the SDK's own list of inputs."""
    package, cls = sdk.package(resource.type), sdk.resource_class(resource.type)
    args = sdk.args_class(cls) if cls and package in ("gcp", "aws", "azure-native", "oci") else None
    known = [key for key in INPUTS if args and key in sdk.properties(args) and not (package == "gcp" and key == "tags")]
    # A node group's labels are of Kubernetes; groups of an identity domain have tags of another form.
    return (
        "tags"
        if "tags" in known and package == "aws"
        else next((key for key in known if package != "oci" or key != "tags"), None)
    )


@pytest.mark.parametrize("each", clouds(), ids=str)
def test_every_resource_that_takes_tags_has_them(each: CloudTests):
    graph = graph_of(*each.variants[f"tags of {each.name}"])
    tagged = [(resource, key) for resource in graph.resources if (key := takes(resource))]

    assert tagged
    for resource, key in tagged:
        assert TAGS.items() <= cast("dict[str, Any]", resource.inputs.get(key, {})).items(), resource.urn
    for nodes in graph.of_type("gcp:container/nodePool:NodePool"):  # what its VMs cost stands on the bill, too
        assert TAGS.items() <= nodes.inputs["nodeConfig"]["resourceLabels"].items()


@pytest.mark.parametrize("each", clouds(), ids=str)
def test_tags_change_nothing_else(each: CloudTests):
    stack, *overrides = each.variants[f"tags of {each.name}"]
    changes = diff(graph_of(stack), graph_of(stack, *overrides))

    # On EKS tags of nodes are in their launch template: the nodes are others, and are proved again.
    anew = {urn for urn in changes.changed if "NcclAcceptance" in urn or "::kubernetes:" in urn.replace("$", "::")}
    assert not changes.added and not changes.removed and (not anew or each.name == "eks")
    every = [change for urn, of in changes.changed.items() if urn not in anew for change in of]
    assert every and all(change.kind == "add" for change in every)
    assert [change.path for change in every if not TAG_PATH.search(change.path)] == []


def test_a_resources_own_tag_stays():
    """Something reads it."""
    import pulumi
    import pulumi_gcp as gcp
    from rdma_cluster.common.google.names import GOOGLE
    from rdma_cluster.component.tagging import tagged

    def program() -> None:
        team = pulumi.ComponentResource("t:index:Team", "team", None, tagged(None, TAGS, GOOGLE))
        gcp.storage.Bucket("b", location="US", labels={"team": "own"}, opts=pulumi.ResourceOptions(parent=team))

    assert preview(program).one("gcp:storage/bucket:Bucket").inputs["labels"] == {**TAGS, "team": "own"}
