"""The GPU pools of an EKS graph: where nodes come from, their template, and who hands out their devices."""

from typing import Any

import pytest
from tests.resources import one
from tests.stacks import graph_of

ON_DEMAND = "pools[0].capacity={onDemand: true}"
PLUGIN = "pools[0].gpuAllocation=device-plugin"
UNTESTED = "acceptance={enabled: false}"
BESIDE = "pools[1]={name: b200, machine: p6-b200.48xlarge, nodes: 4, capacity: {spot: true}}"
GB200 = "{name: gb200, machine: p6e-gb200.36xlarge, nodes: 18, capacity: {capacityBlock: {id: cr-0123456789abcdef0}}}"
RESERVED = "cr-0123456789abcdef0"
GROUP = "arn:aws:resource-groups:us-east-2:111122223333:group/g"
TOLERATED = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


def inputs(token: str, name: str, *overrides: str) -> dict[str, Any]:
    """The inputs of a resource of the stack."""
    return dict(one(graph_of("eks", *overrides), token, name).inputs)


def charts(*overrides: str) -> dict[str, dict[str, Any]]:
    """The inputs of each chart by its name."""
    releases = graph_of("eks", *overrides).of_type("kubernetes:helm.sh/v3:Release")
    return {each.name: dict(each.inputs) for each in releases}


def reservation(**named: str) -> dict[str, Any]:
    """The part of a launch template that names a reservation."""
    return {"capacityReservationSpecification": {"capacityReservationTarget": named}}


@pytest.mark.parametrize(
    ("capacity", "kind", "in_template", "in_group"),
    [
        (
            f"{{capacityBlock: {{id: {RESERVED}}}}}",
            "CAPACITY_BLOCK",
            {
                "instanceType": "p5.48xlarge",
                "instanceMarketOptions": {"marketType": "capacity-block"},
                **reservation(capacityReservationId=RESERVED),
            },
            None,
        ),
        (
            f"{{reservation: {{id: {RESERVED}}}}}",
            "ON_DEMAND",
            reservation(capacityReservationId=RESERVED),
            ["p5.48xlarge"],
        ),
        (
            f"{{reservation: {{group: '{GROUP}'}}}}",
            "ON_DEMAND",
            reservation(capacityReservationResourceGroupArn=GROUP),
            ["p5.48xlarge"],
        ),
        ("{onDemand: true}", "ON_DEMAND", {"placement": {"groupName": "eks-p5"}}, ["p5.48xlarge"]),
        ("{spot: true}", "SPOT", {}, ["p5.48xlarge"]),
    ],
    ids=["capacity block", "reservation", "group of reservations", "on demand", "spot"],
)
def test_each_source_says_its_own_and_nothing_of_the_others(
    capacity: str, kind: str, in_template: dict[str, Any], in_group: list[str] | None
):
    """It stands in the template or in the node group, where EKS reads it."""
    template, group = (
        inputs(token, "eks-p5", f"pools[0].capacity={capacity}") for token in ("LaunchTemplate", "NodeGroup")
    )
    of_capacity = {"instanceType", "instanceMarketOptions", "capacityReservationSpecification", "placement"}

    assert {key: template[key] for key in of_capacity & template.keys()} == in_template
    assert (group["capacityType"], group.get("instanceTypes")) == (kind, in_group)


def test_a_p5_node_has_32_efa_devices_and_one_address():
    """The cluster's group is on the interface with an address alone."""
    template = inputs("LaunchTemplate", "eks-p5")
    first, *others = template["networkInterfaces"]
    efa = "[id of aws:ec2/securityGroup:SecurityGroup eks-efa]"

    assert (first["networkCardIndex"], first["deviceIndex"], first["interfaceType"]) == (0, 0, "interface")
    assert first["securityGroups"] == ["[clusterSecurityGroupId of aws:eks/cluster:Cluster eks]", efa]
    assert first["associatePublicIpAddress"] == "false"
    assert others == [
        {
            "networkCardIndex": card,
            "deviceIndex": 0 if card else 1,
            "interfaceType": "efa-only",
            "securityGroups": [efa],
            "deleteOnTermination": "true",
        }
        for card in range(32)
    ]
    assert not template.keys() & {"vpcSecurityGroupIds", "imageId", "iamInstanceProfile"}


def test_a_node_has_an_encrypted_disk_and_keeps_its_credentials_from_pods():
    """What is billed has a name."""
    template = inputs("LaunchTemplate", "eks-p5")
    (disk,) = template["blockDeviceMappings"]

    assert (disk["ebs"]["encrypted"], disk["ebs"]["deleteOnTermination"]) == ("true", "true")
    assert template["metadataOptions"]["httpTokens"] == "required"
    assert template["metadataOptions"]["httpPutResponseHopLimit"] == 1
    assert {each["resourceType"] for each in template["tagSpecifications"]} == {
        "instance",
        "volume",
        "network-interface",
    }


def test_reserved_nodes_do_not_surge_and_a_pool_may_be_emptied():
    """An update takes the old node first; what EKS refuses beside a launch template is not there."""
    group = one(graph_of("eks"), "NodeGroup", "eks-p5")

    assert group.inputs["updateConfig"] == {"maxUnavailable": 1, "updateStrategy": "MINIMAL"}
    assert group.inputs["scalingConfig"] == {"desiredSize": 2, "minSize": 0, "maxSize": 2}
    assert group.inputs["subnetIds"] == ["[id of aws:ec2/subnet:Subnet eks-gpu]"]
    assert group.inputs["launchTemplate"]["version"] == "0"
    assert not group.inputs.keys() & {"diskSize", "remoteAccess", "version"}
    assert group.options == {
        "customTimeouts": {"create": "61m", "update": "120m", "delete": "60m"},
        "deleteBeforeReplace": True,
    }


@pytest.mark.variant
def test_the_placement_group_of_a_pool_is_told():
    """A reservation can be made in it; its name is free when it is gone."""
    graph = graph_of("eks", ON_DEMAND)
    group = one(graph, "PlacementGroup", "eks-p5")

    assert (group.inputs, group.options) == ({"strategy": "cluster"}, {"deleteBeforeReplace": True})
    assert graph.outputs["placementGroups"] == {"p5": "eks-p5"}
    assert graph_of("eks").outputs["placementGroups"] == {}


def test_no_node_starts_without_its_way_out_and_the_rules_of_efa():
    graph = graph_of("eks")
    after = {
        (token, name): {urn.rpartition("$")[2].rpartition("::")[0] for urn in one(graph, token, name).dependencies}
        for token, name in (("NodeGroup", "eks-system"), ("NodeGroup", "eks-p5"), ("LaunchTemplate", "eks-p5"))
    }
    routed = "aws:ec2/routeTableAssociation:RouteTableAssociation"
    rules = {f"aws:vpc/securityGroup{way}Rule:SecurityGroup{way}Rule" for way in ("Ingress", "Egress")}

    assert routed in after["NodeGroup", "eks-system"] and routed in after["NodeGroup", "eks-p5"]
    assert rules <= after["LaunchTemplate", "eks-p5"]


def test_claims_have_dra_drivers_alone():
    """AWS's build of DraNet runs on exactly the pool's nodes, past the GPU taint, and brings its own class."""
    made = charts()
    nic = made["eks-nic"]["values"]

    assert made.keys() == {"eks-gpu", "eks-nic"} and not graph_of("eks").of_type(
        "kubernetes:resource.k8s.io/v1:DeviceClass"
    )
    assert made["eks-nic"]["repositoryOpts"] == {"repo": "https://aws.github.io/eks-charts"}
    assert nic["tolerations"] == TOLERATED
    assert nic["supportedInstanceLabels"] == {"keys": ["eks.amazonaws.com/nodegroup"], "values": ["p5"]}
    assert nic["image"] == {"repository": "602401143452.dkr.ecr.us-east-2.amazonaws.com/eks/dranet"}
    assert made["eks-gpu"]["values"]["nvidiaDriverRoot"] == "/"


def test_device_plugins_have_no_dra_driver_and_no_claim_beside_them():
    """A pod then asks for the whole node by its limits, and says what keeps NCCL from TCP."""
    graph, made = graph_of("eks", PLUGIN), charts(PLUGIN)
    work = graph.outputs["workloads"]["p5"]

    assert made.keys() == {"eks-gpu-plugin", "eks-nic-plugin"}
    assert made["eks-gpu-plugin"]["values"]["mofedEnabled"] is False
    assert made["eks-nic-plugin"]["chart"] == "aws-efa-k8s-device-plugin"
    assert made["eks-nic-plugin"]["values"]["tolerations"] == TOLERATED
    assert work["resources"] == {"limits": {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}}
    assert (work["claimTemplates"], work["nodeSelector"]) == ([], {"eks.amazonaws.com/nodegroup": "p5"})
    assert work["env"] == [{"name": "NCCL_NET", "value": "Libfabric"}, {"name": "NCCL_NET_PLUGIN", "value": "ofi"}]
    assert work["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}


def test_drivers_of_both_kinds_share_no_node():
    made = {name: each["values"] for name, each in charts(PLUGIN, BESIDE, UNTESTED).items()}
    of_labels = {name: made[name]["supportedInstanceLabels"]["values"] for name in ("eks-nic", "eks-nic-plugin")}

    assert of_labels == {"eks-nic": ["b200"], "eks-nic-plugin": ["p5"]}
    assert "'p5'" not in str(made["eks-gpu"]) and "'b200'" not in str(made["eks-gpu-plugin"])


def test_gb200_has_imex_channels_and_no_image_for_x86():
    graph = graph_of("eks", f"pools=[{GB200}]", UNTESTED)

    assert one(graph, "Release", "eks-gpu").inputs["values"]["resources"]["computeDomains"] == {"enabled": True}
    assert one(graph, "NodeGroup", "eks-gb200").inputs["amiType"] == "AL2023_ARM_64_NVIDIA"
    assert graph.outputs["workloads"]["gb200"]["imageHint"] == ""
