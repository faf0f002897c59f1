"""Graphs of the EKS stacks that break a policy each; those of all clouds are broken in `tests.policies.common`, too."""

import json

from tests.policies import claims, in_cluster, tree
from tests.policies.breaking import Break, Data, put, the
from . import policies


def pool(data: Data) -> Data:
    """The GPU node group's inputs."""
    return the(data, ":NodeGroup", "eks-p5")["inputs"]


def template(data: Data) -> Data:
    """Its launch template's."""
    return the(data, ":LaunchTemplate", "eks-p5")["inputs"]


def interfaces(data: Data) -> list[Data]:
    """The template's interfaces."""
    return template(data)["networkInterfaces"]


def values(data: Data, name: str = "eks-nic") -> Data:
    """What a chart is told."""
    return the(data, ":Release", name)["inputs"]["values"]


def terms(data: Data, name: str) -> list[Data]:
    """What a chart that takes an affinity asks of its nodes."""
    told = values(data, name)
    affinity = told.get("kubeletPlugin", told)["affinity"]["nodeAffinity"]
    return affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]


def worker(data: Data) -> Data:
    """The pod of the acceptance test's workers."""
    return the(data, ":MPIJob")["inputs"]["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]


def devices(data: Data) -> Data:
    """The devices of the template of two groups."""
    claim = the(data, ":ResourceClaimTemplate", "eks-default-p5.48xlarge-groups-1x4-2")
    return claim["inputs"]["spec"]["spec"]["devices"]


def endpoint(data: Data) -> Data:
    """How the API is reached."""
    return the(data, ":Cluster")["inputs"]["vpcConfig"]


def copy(data: Data, token: str, name: str, **inputs: str) -> None:
    """Add a second resource like one that is there, but for its name and these inputs."""
    first = the(data, token)
    data["resources"].append(
        {**first, "urn": f"{first['urn']}-{name}", "name": name, "inputs": {**first["inputs"], **inputs}}
    )


def trust(data: Data, **changed: object) -> None:
    """Change who may take the nodes' role."""
    role = the(data, ":Role", "eks-nodes")["inputs"]
    policy = json.loads(role["assumeRolePolicy"])
    policy["Statement"][0].update(changed)
    role["assumeRolePolicy"] = json.dumps(policy)


BREAKS: dict[str, list[Break]] = {
    "eks": [
        (policies.consoles_show_names, lambda data: put(the(data, ":Eip")["inputs"]["tags"], "Name", "other")),
        (policies.consoles_show_names, lambda data: the(data, ":RouteTable")["inputs"].pop("tags")),
        (in_cluster.gpu_nodes_are_tainted, lambda data: pool(data).pop("taints")),
        (in_cluster.gpu_nodes_are_tainted, lambda data: put(pool(data)["taints"][0], "effect", "NO_EXECUTE")),
        (in_cluster.drivers_reach_their_nodes, lambda data: values(data).pop("tolerations")),
        (
            in_cluster.drivers_reach_their_nodes,
            lambda data: put(values(data)["tolerations"][0], "effect", "NO_SCHEDULE"),
        ),
        (in_cluster.drivers_reach_their_nodes, lambda data: values(data).pop("supportedInstanceLabels")),
        (
            in_cluster.drivers_reach_their_nodes,
            lambda data: put(values(data)["supportedInstanceLabels"], "values", ["other"]),
        ),
        (in_cluster.drivers_reach_their_nodes, lambda data: put(pool(data), "nodeGroupName", "other")),
        (
            in_cluster.drivers_reach_their_nodes,
            lambda data: pool(data)["taints"].append({"key": "team", "value": "a", "effect": "NO_EXECUTE"}),
        ),
        (in_cluster.drivers_reach_their_nodes, lambda data: terms(data, "eks-gpu").clear()),
        (
            in_cluster.drivers_roll_in_waves,
            lambda data: (
                put(values(data)["updateStrategy"], "rollingUpdate", {"maxUnavailable": 4})
                or put(pool(data)["scalingConfig"], "maxSize", 50)
            ),
        ),
        (
            in_cluster.charts_wait_long_enough,
            lambda data: (
                values(data)["updateStrategy"].pop("rollingUpdate") and put(pool(data)["scalingConfig"], "maxSize", 100)
            ),
        ),
        (
            in_cluster.charts_wait_long_enough,
            lambda data: (
                put(the(data, ":Release", "eks-nic")["inputs"], "timeout", 900)
                or put(pool(data)["scalingConfig"], "maxSize", 100)
            ),
        ),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: put(the(data, ":SecurityGroupIngressRule")["inputs"], "cidrIpv4", "0.0.0.0/0"),
        ),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: copy(data, ":SecurityGroupIngressRule", "other", cidrIpv6="::/0", securityGroupId="sg-1"),
        ),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: put(
                the(data, ":SecurityGroup")["inputs"], "ingress", [{"protocol": "tcp", "cidrBlocks": ["0.0.0.0/0"]}]
            ),
        ),
        (tree.nothing_is_open_to_the_world, lambda data: endpoint(data)["publicAccessCidrs"].append("0.0.0.0/0")),
        (
            tree.subnets_are_disjoint,
            lambda data: put(the(data, ":Subnet", "eks-public")["inputs"], "cidrBlock", "10.0.63.0/28"),
        ),
        (
            tree.subnets_are_disjoint,
            lambda data: put(
                the(data, ":Cluster")["inputs"]["kubernetesNetworkConfig"], "serviceIpv4Cidr", "10.0.0.0/12"
            ),
        ),
        (claims.pairs_have_their_own_constraint, lambda data: devices(data)["constraints"].pop()),
        (claims.device_classes_exist, lambda data: data["resources"].remove(the(data, ":Release", "eks-nic"))),
        (policies.interfaces_are_the_machines, lambda data: interfaces(data).pop()),
        (policies.interfaces_are_the_machines, lambda data: interfaces(data).insert(0, interfaces(data).pop(1))),
        (policies.interfaces_are_the_machines, lambda data: put(interfaces(data)[0], "deviceIndex", 1)),
        (policies.interfaces_are_the_machines, lambda data: put(interfaces(data)[5], "interfaceType", "efa")),
        (policies.interfaces_are_the_machines, lambda data: template(data).pop("networkInterfaces")),
        (policies.interfaces_are_the_machines, lambda data: put(template(data), "instanceType", "p5en.48xlarge")),
        (policies.interfaces_are_the_machines, lambda data: template(data).pop("instanceType")),
        (policies.interfaces_are_the_machines, lambda data: pool(data).pop("launchTemplate")),
        (
            policies.nodes_have_no_public_address,
            lambda data: put(interfaces(data)[0], "associatePublicIpAddress", "true"),
        ),
        (policies.nodes_have_no_public_address, lambda data: interfaces(data)[0].pop("associatePublicIpAddress")),
        (
            policies.nodes_have_no_public_address,
            lambda data: put(interfaces(data)[1], "associatePublicIpAddress", "true"),
        ),
        (policies.nodes_have_no_public_address, lambda data: put(interfaces(data)[1], "ipv4AddressCount", 1)),
        (
            policies.nodes_have_no_public_address,
            lambda data: put(the(data, ":Subnet", "eks-gpu")["inputs"], "mapPublicIpOnLaunch", True),
        ),
        (
            policies.credentials_stay_on_the_node,
            lambda data: put(template(data)["metadataOptions"], "httpTokens", "optional"),
        ),
        (
            policies.credentials_stay_on_the_node,
            lambda data: put(template(data)["metadataOptions"], "httpPutResponseHopLimit", 2),
        ),
        (
            policies.gpus_are_in_one_zone,
            lambda data: pool(data)["subnetIds"].append("[id of aws:ec2/subnet:Subnet eks-cluster-us-east-2b]"),
        ),
        (policies.gpus_are_in_one_zone, lambda data: put(pool(data), "subnetIds", ["subnet-1"])),
        (
            policies.gpus_are_in_one_zone,
            lambda data: put(the(data, ":Subnet", "eks-gpu")["inputs"], "availabilityZone", "us-east-2c"),
        ),
        (
            policies.efa_has_one_closed_group,
            lambda data: data["resources"].remove(the(data, ":SecurityGroupEgressRule")),
        ),
        (
            policies.efa_has_one_closed_group,
            lambda data: data["resources"].remove(the(data, ":SecurityGroupIngressRule")),
        ),
        (
            policies.efa_has_one_closed_group,
            lambda data: (
                the(data, ":SecurityGroupEgressRule")["inputs"].pop("referencedSecurityGroupId")
                and put(the(data, ":SecurityGroupEgressRule")["inputs"], "cidrIpv4", "0.0.0.0/0")
            ),
        ),
        (
            policies.efa_has_one_closed_group,
            lambda data: put(the(data, ":SecurityGroupIngressRule")["inputs"], "ipProtocol", "tcp"),
        ),
        (
            policies.efa_has_one_closed_group,
            lambda data: copy(data, ":SecurityGroupIngressRule", "more", referencedSecurityGroupId="sg-1"),
        ),
        (policies.efa_has_one_closed_group, lambda data: put(the(data, ":SecurityGroup")["inputs"], "ingress", [])),
        (
            policies.efa_has_one_closed_group,
            lambda data: put(the(data, ":SecurityGroup")["inputs"]["tags"], "kubernetes.io/cluster/eks", "owned"),
        ),
        (policies.efa_has_one_closed_group, lambda data: interfaces(data)[0]["securityGroups"].pop()),
        (policies.efa_has_one_closed_group, lambda data: interfaces(data)[7].pop("securityGroups")),
        (policies.efa_has_one_closed_group, lambda data: interfaces(data)[7]["securityGroups"].append("sg-1")),
        (policies.capacity_has_one_source, lambda data: put(template(data), "placement", {"groupName": "mine"})),
        (policies.capacity_has_one_source, lambda data: put(pool(data), "instanceTypes", ["p5.48xlarge"])),
        (policies.capacity_has_one_source, lambda data: put(pool(data), "capacityType", "SPOT")),
        (policies.capacity_has_one_source, lambda data: template(data).pop("instanceMarketOptions")),
        (policies.capacity_has_one_source, lambda data: template(data).pop("capacityReservationSpecification")),
        (policies.devices_have_one_owner, lambda data: copy(data, ":Release", "beside", chart="nvidia-device-plugin")),
        (policies.devices_have_one_owner, lambda data: data["resources"].remove(the(data, ":Release", "eks-nic"))),
        (
            policies.devices_have_one_owner,
            lambda data: put(the(data, ":Release", "eks-nic")["inputs"], "chart", "aws-efa-k8s-device-plugin"),
        ),
        (
            policies.network_policies_are_enforced,
            lambda data: the(data, ":Addon", "eks-vpc-cni")["inputs"].pop("configurationValues"),
        ),
        (policies.public_endpoint_is_narrow, lambda data: endpoint(data).pop("publicAccessCidrs")),
        (policies.public_endpoint_is_narrow, lambda data: put(endpoint(data), "publicAccessCidrs", ["128.0.0.0/1"])),
        (policies.public_endpoint_is_narrow, lambda data: put(endpoint(data), "endpointPrivateAccess", False)),
        (
            policies.entry_is_explicit,
            lambda data: the(data, ":Cluster")["inputs"]["accessConfig"].pop("bootstrapClusterCreatorAdminPermissions"),
        ),
        (policies.entry_is_explicit, lambda data: data["resources"].remove(the(data, ":AccessEntry"))),
        (policies.subnets_hold_the_ceiling, lambda data: put(pool(data)["scalingConfig"], "maxSize", 251)),
        (
            policies.subnets_hold_the_ceiling,
            lambda data: put(the(data, ":Subnet", "eks-gpu")["inputs"], "cidrBlock", "10.0.0.0/19"),
        ),
        (
            policies.subnets_hold_the_ceiling,
            lambda data: put(the(data, ":Subnet", "eks-cluster-us-east-2b")["inputs"], "cidrBlock", "10.0.68.0/23"),
        ),
        (
            policies.subnets_hold_the_ceiling,
            lambda data: put(the(data, ":Subnet", "eks-public")["inputs"], "cidrBlock", "10.1.0.0/28"),
        ),
        (
            policies.fixed_names_are_freed_first,
            lambda data: the(data, ":Cluster")["options"].pop("deleteBeforeReplace"),
        ),
        (
            policies.system_nodes_are_replaced_one_by_one,
            lambda data: put(the(data, ":NodeGroup", "eks-system")["inputs"]["updateConfig"], "maxUnavailable", 0),
        ),
        (policies.names_are_found, lambda data: the(data, ":Vpc")["inputs"].pop("enableDnsHostnames")),
        (
            policies.roles_are_granted_what_is_listed,
            lambda data: copy(
                data, ":RolePolicyAttachment", "more", role="eks-nodes", policyArn="arn:aws:iam::aws:policy/A"
            ),
        ),
        (
            policies.roles_are_granted_what_is_listed,
            lambda data: data["resources"].remove(
                the(data, ":RolePolicyAttachment", "eks-vpc-cni-AmazonEKS_CNI_Policy")
            ),
        ),
        (
            policies.roles_are_granted_what_is_listed,
            lambda data: put(
                the(data, ":RolePolicyAttachment", "eks-vpc-cni-AmazonEKS_CNI_Policy")["inputs"],
                "policyArn",
                "arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy",
            ),
        ),
        (
            policies.roles_are_granted_what_is_listed,
            lambda data: put(the(data, ":Role")["inputs"], "inlinePolicies", [{"name": "mine"}]),
        ),
        (policies.roles_trust_one_service, lambda data: trust(data, Principal={"AWS": "111122223333"})),
        (
            policies.roles_trust_one_service,
            lambda data: trust(data, Principal={"Service": ["ec2.amazonaws.com", "eks.amazonaws.com"]}),
        ),
        (policies.statements_have_no_star, lambda data: trust(data, Action=["sts:*"])),
        (policies.statements_have_no_star, lambda data: trust(data, Principal={"AWS": "*"})),
        (policies.statements_have_no_star, lambda data: trust(data, NotAction=["iam:PassRole"])),
        (
            policies.statements_have_no_star,
            lambda data: put(
                the(data, ":Role")["inputs"],
                "inlinePolicies",
                [{"policy": json.dumps({"Statement": {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}})}],
            ),
        ),
    ],
    "on demand": [
        (
            policies.capacity_has_one_source,
            lambda data: put(
                template(data),
                "capacityReservationSpecification",
                {"capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}},
            ),
        ),
        (policies.capacity_has_one_source, lambda data: pool(data)["instanceTypes"].append("p5e.48xlarge")),
        (policies.capacity_has_one_source, lambda data: put(template(data), "instanceType", "p5.48xlarge")),
    ],
    "device plugin": [
        (in_cluster.drivers_reach_their_nodes, lambda data: put(values(data, "eks-gpu-plugin"), "tolerations", [])),
        (in_cluster.drivers_roll_in_waves, lambda data: values(data, "eks-nic-plugin").pop("updateStrategy")),
        (
            in_cluster.drivers_leave_before_their_nodes,
            lambda data: put(the(data, ":DevicePlugins"), "dependencies", []),
        ),
        (
            claims.workloads_name_templates_that_exist,
            lambda data: data["outputs"]["workloads"]["p5"]["resources"].clear(),
        ),
    ],
    "device plugin beside claims": [
        (
            policies.devices_have_one_owner,
            lambda data: values(data, "eks-nic-plugin")["supportedInstanceLabels"]["values"].append("b200"),
        ),
        (
            policies.devices_have_one_owner,
            lambda data: terms(data, "eks-gpu")[0]["matchExpressions"][0]["values"].append("p5"),
        ),
    ],
    "private endpoint": [
        # EKS's own default is an endpoint that is public, to everybody.
        (policies.public_endpoint_is_narrow, lambda data: endpoint(data).pop("endpointPublicAccess"))
    ],
    "405B from a bucket": [
        (
            policies.data_is_closed_and_kept,
            lambda data: put(the(data, ":BucketPublicAccessBlock")["inputs"], "blockPublicPolicy", False),
        ),
        (policies.data_is_closed_and_kept, lambda data: put(the(data, ":Bucket")["inputs"], "forceDestroy", True)),
        (policies.data_is_closed_and_kept, lambda data: the(data, ":Bucket")["options"].pop("protect")),
        (
            policies.roles_are_granted_what_is_listed,
            lambda data: put(
                the(data, ":RolePolicy")["inputs"],
                "policy",
                the(data, ":RolePolicy")["inputs"]["policy"].replace("eks-storage", "other"),
            ),
        ),
        (
            policies.statements_have_no_star,
            lambda data: put(
                the(data, ":RolePolicy")["inputs"],
                "policy",
                the(data, ":RolePolicy")["inputs"]["policy"].replace("s3:GetObject", "s3:*"),
            ),
        ),
        (
            in_cluster.volumes_have_a_claim_each,
            lambda data: data["resources"].remove(the(data, ":PersistentVolumeClaim")),
        ),
    ],
    "405B from Lustre": [
        (
            policies.data_is_closed_and_kept,
            lambda data: put(the(data, ":LustreFileSystem")["inputs"], "subnetIds", "elsewhere"),
        ),
        (policies.data_is_closed_and_kept, lambda data: the(data, ":LustreFileSystem")["options"].pop("protect")),
    ],
}
