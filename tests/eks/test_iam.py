"""Who may do what: AWS managed policies by name, nothing written by hand, and nothing for everybody."""

import json
from collections.abc import Iterator

import pytest
from rdma_cluster.offline import Graph

from tests.stacks import graph_of

GRAPHS = {
    "capacity block": ("eks",),
    "reservation": ("eks-b200",),
    "device plugin": ("eks", "pools[0].gpuAllocation=device-plugin"),
    "government": (
        "eks",
        "aws:region=us-gov-west-1",
        "zone=us-gov-west-1a",
        "network.controlPlaneZones=[us-gov-west-1b]",
    ),
}

# All that is granted, each with its reason.
GRANTED = {
    # The control plane makes the interfaces it reaches nodes by.
    "cluster": {"AmazonEKSClusterPolicy"},
    # A node describes itself to join, takes pod identities, and pulls images. EFA needs no permission.
    "nodes": {"AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"},
    # The CNI's pods, and no others on the node, attach interfaces and addresses.
    "vpc-cni": {"AmazonEKS_CNI_Policy"},
}
TRUSTED = {"cluster": "eks.amazonaws.com", "nodes": "ec2.amazonaws.com", "vpc-cni": "pods.eks.amazonaws.com"}


def wildcards(text: str) -> Iterator[str]:
    """Actions, resources and principals of a policy that hold a star."""
    for statement in json.loads(text)["Statement"]:
        for key in ("Action", "Resource", "Principal", "NotAction", "NotResource"):
            if "*" in json.dumps(statement.get(key, "")):
                yield f"{key}: {statement[key]}"


def granted(graph: Graph, stack: str) -> dict[str, set[str]]:
    """Names of the attached policies by role."""
    found: dict[str, set[str]] = {}
    for each in graph.of_type("aws:iam/rolePolicyAttachment:RolePolicyAttachment"):
        role = each.inputs["role"].removeprefix(f"{stack}-")
        found.setdefault(role, set()).add(each.inputs["policyArn"].rpartition("/")[2])
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_granted(name: str):
    """Exactly these managed policies, on exactly these roles; no policy of our own."""
    graph = graph_of(*GRAPHS[name])

    assert granted(graph, GRAPHS[name][0]) == GRANTED
    own = ("aws:iam/rolePolicy:", "aws:iam/policy:", "aws:iam/userPolicy:")
    assert [each.type for each in graph.resources if each.type.startswith(own)] == []
    assert not any(each.inputs.get("inlinePolicies") for each in graph.of_type("aws:iam/role:Role"))


@pytest.mark.parametrize("name", GRAPHS)
def test_who_is_trusted(name: str):
    """One service a role, and no star."""
    graph = graph_of(*GRAPHS[name])

    for role in graph.of_type("aws:iam/role:Role"):
        text = role.inputs["assumeRolePolicy"]
        (statement,) = json.loads(text)["Statement"]
        assert list(wildcards(text)) == []
        assert statement["Principal"] == {"Service": TRUSTED[role.name.partition(f"{GRAPHS[name][0]}-")[2]]}


def test_partition_of_the_policies():
    """Government regions have policies of their own partition."""
    graph = graph_of(*GRAPHS["government"])
    arns = [each.inputs["policyArn"] for each in graph.resources if "policyArn" in each.inputs]

    assert arns and all(arn.startswith("arn:aws-us-gov:") for arn in arns)


def test_a_star_is_found():
    """The search above finds what it looks for."""
    statement = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": ["ec2:*"], "Resource": "x"}

    assert len(list(wildcards(json.dumps({"Statement": [statement]})))) == 2
