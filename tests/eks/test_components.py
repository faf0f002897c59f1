"""What the components of an EKS stack are given, as the engine shows it: each could be made alone from the same."""

from typing import Any

import pytest
from rdma_cluster.offline import Graph

from tests.eks.plans import ADMIN, BLOCK, BUILDABLE
from tests.eks.variants import CLUSTER, NETWORK, VARIANTS
from tests.stacks import graph_of

PLACE = {"region": "us-east-2", "zone": "us-east-2a"}
POOL = {"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"capacityBlock": BLOCK["capacity_block"]}}
ZONES = [{"zone": "us-east-2a"}, {"zone": "us-east-2b"}]
LISTED = [{"subnet": f"subnet-0000000{zone}", "zone": f"us-east-2{zone}"} for zone in "ab"]


def given(graph: Graph, component: str, name: str = "eks") -> dict[str, Any]:
    """The args of a component; outputs of others are not shown."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{component}") and each.name == name]
    return dict(found.inputs)


def test_new():
    """The cluster has the VPC's subnets and is made anew with its block; pools are in the GPUs' subnet."""
    graph = graph_of("eks")

    assert given(graph, "EksHpcNetwork") == {**PLACE, "machines": ["p5.48xlarge"], "controlPlaneZones": ["us-east-2b"]}
    assert given(graph, "EksCluster") == {
        "region": "us-east-2",
        "name": "eks",
        "admins": [ADMIN],
        "endpoint": "public",
        "publicCidrs": ["203.0.113.7/32"],
        "serviceCidr": "172.20.0.0/16",
        "subnets": ZONES,
        "systemSubnets": ZONES,
        "vpcBlock": "10.0.0.0/16",
    }
    assert given(graph, "EksGpuNodePool", "eks-p5") == {**PLACE, **POOL, "subnets": ZONES[:1]}


@pytest.mark.variant
def test_what_exists():
    """The user's network and cluster in the place of ours."""
    graph, role = graph_of("eks", NETWORK, CLUSTER), "arn:aws:iam::111122223333:role/nodes"

    assert given(graph, "EksCluster") == {
        "region": "us-east-2",
        "name": "mine",
        "existing": {
            "endpoint": "https://eks.example",
            "caCertificate": "eA==",
            "securityGroup": "sg-0000000f",
            "nodeRole": "arn:aws:iam::111122223333:role/nodes",
        },
        "serviceCidr": "172.20.0.0/16",
        "subnets": LISTED,
        "systemSubnets": LISTED,
    }
    assert given(graph, "EksGpuNodePool", "eks-p5") == {
        **PLACE,
        **POOL,
        "efaSecurityGroup": "sg-0000000e",
        "subnets": [{"subnet": "subnet-0000000c", "zone": "us-east-2a"}],
    }
    (group,) = graph.of_type("aws:eks/nodeGroup:NodeGroup")
    assert (group.inputs["clusterName"], group.inputs["nodeRoleArn"]) == ("mine", role)
    assert graph.outputs["clusterName"] == "mine"


@pytest.mark.variant
def test_a_network_that_exists():
    """The system's nodes are where the user says, or with the control plane."""
    own = NETWORK.replace("gpuSubnets", "systemSubnets: [{subnet: subnet-0000000d, zone: us-east-2b}], gpuSubnets")

    assert given(graph_of("eks", NETWORK), "EksCluster")["systemSubnets"] == LISTED
    assert given(graph_of("eks", own), "EksCluster")["systemSubnets"] == [
        {"subnet": "subnet-0000000d", "zone": "us-east-2b"}
    ]
    assert "vpcBlock" not in given(graph_of("eks", own), "EksCluster")
    (system,) = [each for each in graph_of("eks", own).of_type("aws:eks/nodeGroup:NodeGroup") if "sys" in each.name]
    assert system.inputs["subnetIds"] == ["subnet-0000000d"]


@pytest.mark.variant
def test_machines_are_listed_once_and_in_order():
    """So that the same stack shows the same, whichever way its pools are listed."""
    told = given(graph_of(*VARIANTS["every machine"]), "EksHpcNetwork")["machines"]

    assert told == sorted(machine.name for machine in BUILDABLE if machine.gdr)


@pytest.mark.variant
@pytest.mark.parametrize(
    ("overrides", "args"),
    [
        (("storage={objectStore: {}}",), {"objectStore": {}, "addon": True}),
        (("storage={lustre: {capacityGib: 4800}}",), {"lustre": {"capacityGib": 4800}, "addon": True}),
        (
            ("storage={lustre: {capacityGib: 4800}}", NETWORK, CLUSTER),
            {"lustre": {"capacityGib": 4800}, "addon": False, "subnet": "subnet-0000000c"},
        ),
    ],
    ids=["bucket", "Lustre", "Lustre on what exists"],
)
def test_storage(overrides: tuple[str, ...], args: dict[str, Any]):
    """It is for the claims' namespaces, beside the GPUs; the driver of a cluster that exists is the user's."""
    told = given(graph_of("eks", *overrides), "EksStorage")

    assert told == {"region": "us-east-2", "namespaces": ["default"], **args}


def test_providers():
    """Amazon's in the stack's region, and one of the cluster, which is replaced with it alone."""
    graph = graph_of("eks")

    assert graph.one("pulumi:providers:aws").inputs["region"] == "us-east-2"
    assert graph.one("pulumi:providers:kubernetes").inputs == {
        "clusterIdentifier": "eks/us-east-2/eks",
        "kubeconfig": "[secret]",
    }
