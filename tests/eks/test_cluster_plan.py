"""What is decided of an EKS cluster: its plan in whole, who may enter, and what other resources are named by."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.eks.plan.cluster import (
    EksAddonPlan,
    EksClusterArgs,
    EksClusterPlan,
    EksEndpoint,
    check_name,
    plan_cluster,
)
from rdma_cluster.eks.plan.zones import check_group_name
from tests.eks.plans import ADMIN

SUBNETS = [{"subnet": f"subnet-0000000{zone}", "zone": f"us-east-2{zone}"} for zone in "ab"]
EXISTING = {
    "endpoint": "https://ID.gr7.us-east-2.eks.amazonaws.com",
    "ca_certificate": "eA==",
    "security_group": "sg-0123456789abcdef0",
    "node_role": "arn:aws:iam::111122223333:role/nodes",
}


def plan(called: str = "eks", **args: Any) -> EksClusterPlan:
    """The plan of a cluster in us-east-2."""
    base = {"region": "us-east-2", "subnets": SUBNETS, "admins": [ADMIN]}
    given = {key: value for key, value in {**base, **args}.items() if value is not None}
    return plan_from(EksClusterArgs, lambda read, errors: plan_cluster(read, called, errors), given)


def wrong(called: str = "eks", **args: Any) -> list[str]:
    """What is refused, by path and first words."""
    try:
        plan(called, **args)
    except Refused as refused:
        return [line.partition(";")[0] for line in refused.lines]
    return []


def test_default():
    """A private cluster of the component's name; the CNI enforces policies and has its permissions to itself."""
    assert plan() == EksClusterPlan(
        name="eks",
        region="us-east-2",
        partition="aws",
        version="1.35",
        endpoint=EksEndpoint.PRIVATE,
        public_cidrs=(),
        service_cidr="172.20.0.0/16",
        admins=(ADMIN,),
        addons_before_nodes=(
            EksAddonPlan(
                "vpc-cni",
                None,
                pod_identity=("aws-node", "AmazonEKS_CNI_Policy"),
                settings='{"enableNetworkPolicy": "true"}',
            ),
            EksAddonPlan("kube-proxy", None),
            EksAddonPlan("eks-pod-identity-agent", None),
        ),
        addons_on_nodes=(EksAddonPlan("coredns", None), EksAddonPlan("eks-node-monitoring-agent", None)),
        identifier="eks/us-east-2/eks",
        existing=None,
    )


def test_every_choice():
    """What the user says takes the place of each default; the ARNs are of the region's partition."""
    admins = ["arn:aws-us-gov:iam::111122223333:role/admin", "arn:aws-us-gov:iam::111122223333:user/path/somebody"]
    made = plan(
        region="us-gov-west-1",
        subnets=[{**each, "zone": f"us-gov-west-1{zone}"} for each, zone in zip(SUBNETS, "ab", strict=True)],
        name="mine",
        version="1.36",
        admins=admins,
        endpoint="public",
        public_cidrs=["203.0.113.7/32"],
        service_cidr="10.100.0.0/16",
        addon_versions={"vpc-cni": "v1.20.0-eksbuild.1", "coredns": "v1.12.1-eksbuild.2"},
        secrets_key="arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/ID",
    )

    assert (made.name, made.identifier, made.partition) == ("mine", "eks/us-gov-west-1/mine", "aws-us-gov")
    assert (made.version, made.endpoint, made.service_cidr) == ("1.36", EksEndpoint.PUBLIC, "10.100.0.0/16")
    assert (made.public_cidrs, made.admins) == (("203.0.113.7/32",), tuple(admins))
    assert [each.version for each in (*made.addons_before_nodes, *made.addons_on_nodes)] == [
        "v1.20.0-eksbuild.1",
        None,
        None,
        "v1.12.1-eksbuild.2",
        None,
    ]


def test_an_existing_cluster():
    """It has its own administrators and its own way in."""
    made = plan(existing=EXISTING, admins=None)

    assert (made.existing, made.admins, made.endpoint) == (EXISTING, (), EksEndpoint.PRIVATE)


@pytest.mark.parametrize(
    ("existing", "refused"),
    [
        ({}, []),
        ({"endpoint": "https://eks.example:443/"}, []),
        ({"endpoint": "eks.example"}, ["existing.endpoint: got 'eks.example'"]),
        ({"ca_certificate": "no base64"}, ["existing.ca_certificate: got 'no base64'"]),
        ({"security_group": "sg-1"}, ["existing.security_group: got 'sg-1'"]),
        ({"security_group": "sg-01234567"}, []),
        ({"node_role": "nodes"}, ["existing.node_role: got 'nodes'"]),
        ({"node_role": "arn:aws:iam::111122223333:role/a/nodes"}, []),
        ({"node_role": "arn:aws:iam::111122223333:user/nodes"}, ["existing.node_role: got"]),
        (
            {"node_role": "arn:aws-cn:iam::111122223333:role/nodes"},
            ["existing.node_role: got 'arn:aws-cn:iam::111122223333:role/nodes', of partition aws-cn"],
        ),
    ],
)
def test_what_names_an_existing_cluster(existing: dict[str, str], refused: list[str]):
    """A URL, a certificate, a security group and a role, each in AWS's own form."""
    found = wrong(existing={**EXISTING, **existing}, admins=None)

    assert [line.startswith(words) for line, words in zip(found, refused, strict=True)] == [True] * len(refused)


@pytest.mark.parametrize(
    ("admins", "refused"),
    [
        ([ADMIN], []),
        (["arn:aws:iam::111122223333:user/somebody"], []),
        ([], ["admins: missing"]),
        ([ADMIN, ADMIN], [f"admins[1]: {ADMIN} is listed twice"]),
        ([ADMIN, f"{ADMIN}-2", ADMIN], [f"admins[2]: {ADMIN} is listed twice"]),
        (
            ["arn:aws:sts::111122223333:assumed-role/admin/me"],
            ["admins[0]: got 'arn:aws:sts::111122223333:assumed-role/admin/me', a session"],
        ),
        (["arn:aws:iam::111122223333:group/admins"], ["admins[0]: got 'arn:aws:iam::111122223333:group/admins'"]),
        (
            [ADMIN, "arn:aws-cn:iam::111122223333:role/admin"],
            ["admins[1]: got 'arn:aws-cn:iam::111122223333:role/admin', of partition aws-cn"],
        ),
    ],
)
def test_administrators(admins: list[str], refused: list[str]):
    """Roles and users of the region's partition, each once; a session is not one of them."""
    assert wrong(admins=admins) == refused


def test_the_role_of_a_session_is_named():
    """What must be written in its place is told."""
    with pytest.raises(Refused, match=r"a session; name its role, arn:aws:iam::111122223333:role/admin, with the path"):
        plan(admins=["arn:aws:sts::111122223333:assumed-role/admin/me"])


@pytest.mark.parametrize(
    ("versions", "refused"),
    [
        ({"kube-proxy": "v1.35.0-eksbuild.1"}, []),
        ({"kube-proxy": "v1.32.0-eksbuild.1"}, []),
        ({"kube-proxy": "v1.31.0-eksbuild.1"}, ["kube-proxy: got kube-proxy of 1.31, the control plane is 1.35"]),
        ({"kube-proxy": "v1.36.0-eksbuild.1"}, ["kube-proxy: got kube-proxy of 1.36, the control plane is 1.35"]),
        ({"vpc-cni": "v1.18.5-eksbuild.1"}, []),
        ({"vpc-cni": "v1.18.4-eksbuild.1"}, ["vpc-cni: got v1.18.4-eksbuild.1"]),
        ({"coredns": "v1.0.0-eksbuild.1", "eks-node-monitoring-agent": "v1.0.0-eksbuild.1"}, []),
        ({"coredns": "1.12.1"}, ["coredns: got '1.12.1'"]),
        ({"aws-ebs-csi-driver": "v1.0.0-eksbuild.1"}, ["aws-ebs-csi-driver: unknown add-on"]),
    ],
)
def test_versions_of_add_ons(versions: dict[str, str], refused: list[str]):
    """In EKS's own form, of add-ons that the cluster has; the CNI knows EFA's interfaces, kube-proxy the version."""
    assert wrong(addon_versions=versions) == [f"addon_versions.{each}" for each in refused]


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"subnets": SUBNETS[:1]}, ["subnets: in one zone or none"]),
        ({"subnets": [SUBNETS[0], {**SUBNETS[1], "zone": "us-east-2a"}]}, ["subnets: in one zone or none"]),
        ({"subnets": [*SUBNETS, SUBNETS[0]]}, ["subnets[2].subnet: subnet-0000000a is subnet [0] already"]),
        ({"subnets": [*SUBNETS, {"subnet": "s", "zone": "us-west-2a"}]}, ["subnets[2].zone: got us-west-2a"]),
        ({"system_subnets": SUBNETS[:1]}, []),
        ({"system_subnets": [{"subnet": "s", "zone": "west"}]}, ["system_subnets[0].zone: got 'west'"]),
        ({"version": "1.35.1"}, ["version: got '1.35.1'"]),
        ({"version": "1.30"}, ["version: got 1.30"]),
        ({"version": "1.31"}, []),
        ({"region": "west"}, ["region: got 'west', which has no region's form"]),
        ({"public_cidrs": ["203.0.113.7/32"]}, ["public_cidrs: not allowed with a private endpoint"]),
        ({"endpoint": "public"}, ["public_cidrs: missing"]),
        ({"endpoint": "public", "public_cidrs": [f"203.0.113.{i}/32" for i in range(40)]}, []),
        (
            {"endpoint": "public", "public_cidrs": [f"203.0.113.{i}/32" for i in range(41)]},
            ["public_cidrs: got 41 blocks"],
        ),
        ({"secrets_key": "key/ID"}, ["secrets_key: got 'key/ID'"]),
        ({"secrets_key": "arn:aws:kms:us-east-2:111122223333:alias/ID"}, []),
        (
            {"secrets_key": "arn:aws:kms:us-west-2:111122223333:key/ID"},
            ["secrets_key: got 'arn:aws:kms:us-west-2:111122223333:key/ID', which is in us-west-2"],
        ),
    ],
)
def test_what_eks_refuses(more: dict[str, Any], refused: list[str]):
    """At the key that is wrong, and nothing else; the nearest that works is let in."""
    found = [line for line in wrong(**more) if more.get("region") is None or line.startswith("region")]

    assert [line.startswith(words) for line, words in zip(found, refused, strict=True)] == [True] * len(refused)


@pytest.mark.parametrize(
    ("name", "of_cluster", "of_group"),
    [
        ("a", True, True),
        ("0_A-b", True, True),
        ("a" * 100, True, False),
        ("a" * 101, False, False),
        ("a" * 63, True, True),
        ("a" * 64, True, False),
        ("a-", True, False),
        ("a_", True, False),
        ("-a", False, False),
        ("a.b", False, False),
    ],
)
def test_names(name: str, of_cluster: bool, of_group: bool):
    """A node group's name is also the value of a label, which is shorter and ends with a letter or digit."""
    cluster, group = ErrorList(), ErrorList()
    check_name(name, 100, cluster)
    check_group_name(name, group)

    assert (not cluster, not group) == (of_cluster, of_group)
    assert bool(wrong(name)) is not of_cluster
    assert bool(wrong(name, name="named")) is False
