"""Graphs of the EKS stacks that break a policy each; those of all clouds are broken in `tests.policies.common`, too."""

import json

from tests.policies import claims, in_cluster, tree
from tests.policies.breaking import Data, put, the
from tests.policies.spoil import Broken, both, by_policy, gone, has, holds, inputs, lacks, resource
from . import policies


def pool(data: Data) -> Data:
    """The inputs of the GPU node group."""
    return the(data, ":NodeGroup", "eks-p5")["inputs"]


def template(data: Data) -> Data:
    """The inputs of its launch template."""
    return the(data, ":LaunchTemplate", "eks-p5")["inputs"]


def interfaces(data: Data) -> list[Data]:
    """The interfaces of the template."""
    return template(data)["networkInterfaces"]


def values(data: Data, name: str = "eks-nic") -> Data:
    """The values of a chart."""
    return the(data, ":Release", name)["inputs"]["values"]


def terms(data: Data, name: str) -> list[Data]:
    """The nodes that a chart with an affinity asks for."""
    told = values(data, name)
    affinity = told.get("kubeletPlugin", told)["affinity"]["nodeAffinity"]
    return affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]


def devices(data: Data) -> Data:
    """The devices of the template of two groups."""
    claim = the(data, ":ResourceClaimTemplate", "eks-default-p5.48xlarge-groups-1x4-2")
    return claim["inputs"]["spec"]["spec"]["devices"]


def endpoint(data: Data) -> Data:
    """The settings of how the API is reached."""
    return the(data, ":Cluster")["inputs"]["vpcConfig"]


def copy(data: Data, token: str, name: str, **inputs: str) -> None:
    """Add a second resource like one that is there, but for its name and these inputs."""
    first = the(data, token)
    data["resources"].append(
        {**first, "urn": f"{first['urn']}-{name}", "name": name, "inputs": {**first["inputs"], **inputs}}
    )


def rewrite(data: Data, old: str, new: str) -> None:
    """Change what the policy of the bucket's role says."""
    policy = the(data, ":RolePolicy")["inputs"]
    policy["policy"] = policy["policy"].replace(old, new)


def trust(data: Data, **changed: object) -> None:
    """Change who may take the nodes' role."""
    role = the(data, ":Role", "eks-nodes")["inputs"]
    policy = json.loads(role["assumeRolePolicy"])
    policy["Statement"][0].update(changed)
    role["assumeRolePolicy"] = json.dumps(policy)


_OF_GRAPHS: dict[str, Broken] = {
    "eks": {
        policies.consoles_show_names: [
            has("other", inputs(":Eip"), "tags", "Name"),
            lacks(inputs(":RouteTable"), "tags"),
        ],
        in_cluster.gpu_nodes_are_tainted: [lacks(pool, "taints"), has("NO_EXECUTE", pool, "taints", 0, "effect")],
        in_cluster.drivers_reach_their_nodes: [
            lacks(values, "tolerations"),
            has("NO_SCHEDULE", values, "tolerations", 0, "effect"),
            lacks(values, "supportedInstanceLabels"),
            has(["other"], values, "supportedInstanceLabels", "values"),
            has("other", pool, "nodeGroupName"),
            holds({"key": "team", "value": "a", "effect": "NO_EXECUTE"}, pool, "taints"),
            lambda data: terms(data, "eks-gpu").clear(),
        ],
        in_cluster.drivers_roll_in_waves: [
            both(
                has({"maxUnavailable": 4}, values, "updateStrategy", "rollingUpdate"),
                has(50, pool, "scalingConfig", "maxSize"),
            )
        ],
        in_cluster.charts_wait_long_enough: [
            both(has(900, inputs(":Release", "eks-nic"), "timeout"), has(100, pool, "scalingConfig", "maxSize"))
        ],
        tree.nothing_is_open_to_the_world: [
            has("0.0.0.0/0", inputs(":SecurityGroupIngressRule"), "cidrIpv4"),
            lambda data: copy(data, ":SecurityGroupIngressRule", "other", cidrIpv6="::/0", securityGroupId="sg-1"),
            has([{"protocol": "tcp", "cidrBlocks": ["0.0.0.0/0"]}], inputs(":SecurityGroup"), "ingress"),
            holds("0.0.0.0/0", endpoint, "publicAccessCidrs"),
        ],
        tree.subnets_are_disjoint: [
            has("10.0.63.0/28", inputs(":Subnet", "eks-public"), "cidrBlock"),
            has("10.0.0.0/12", inputs(":Cluster"), "kubernetesNetworkConfig", "serviceIpv4Cidr"),
        ],
        claims.pairs_have_their_own_constraint: [lacks(devices, "constraints", -1)],
        claims.device_classes_exist: [gone(":Release", "eks-nic")],
        policies.interfaces_are_the_machines: [
            lacks(interfaces, -1),
            lambda data: interfaces(data).insert(0, interfaces(data).pop(1)),
            has(1, interfaces, 0, "deviceIndex"),
            has("efa", interfaces, 5, "interfaceType"),
            lacks(template, "networkInterfaces"),
            has("p5en.48xlarge", template, "instanceType"),
            lacks(template, "instanceType"),
            lacks(pool, "launchTemplate"),
        ],
        policies.nodes_have_no_public_address: [
            has("true", interfaces, 0, "associatePublicIpAddress"),
            lacks(interfaces, 0, "associatePublicIpAddress"),
            has("true", interfaces, 1, "associatePublicIpAddress"),
            has(1, interfaces, 1, "ipv4AddressCount"),
            has(True, inputs(":Subnet", "eks-gpu"), "mapPublicIpOnLaunch"),
        ],
        policies.credentials_stay_on_the_node: [
            has("optional", template, "metadataOptions", "httpTokens"),
            has(2, template, "metadataOptions", "httpPutResponseHopLimit"),
        ],
        policies.gpus_are_in_one_zone: [
            holds("[id of aws:ec2/subnet:Subnet eks-cluster-us-east-2b]", pool, "subnetIds"),
            has(["subnet-1"], pool, "subnetIds"),
            has("us-east-2c", inputs(":Subnet", "eks-gpu"), "availabilityZone"),
        ],
        policies.efa_has_one_closed_group: [
            gone(":SecurityGroupEgressRule"),
            gone(":SecurityGroupIngressRule"),
            lacks(inputs(":SecurityGroupEgressRule"), "referencedSecurityGroupId"),
            has("tcp", inputs(":SecurityGroupIngressRule"), "ipProtocol"),
            lambda data: copy(data, ":SecurityGroupIngressRule", "more", referencedSecurityGroupId="sg-1"),
            has([], inputs(":SecurityGroup"), "ingress"),
            has("owned", inputs(":SecurityGroup"), "tags", "kubernetes.io/cluster/eks"),
            lacks(interfaces, 0, "securityGroups", -1),
            lacks(interfaces, 7, "securityGroups"),
            holds("sg-1", interfaces, 7, "securityGroups"),
        ],
        policies.capacity_has_one_source: [
            has({"groupName": "mine"}, template, "placement"),
            has(["p5.48xlarge"], pool, "instanceTypes"),
            has("SPOT", pool, "capacityType"),
            lacks(template, "instanceMarketOptions"),
            lacks(template, "capacityReservationSpecification"),
        ],
        policies.devices_have_one_owner: [
            lambda data: copy(data, ":Release", "beside", chart="nvidia-device-plugin"),
            gone(":Release", "eks-nic"),
            has("aws-efa-k8s-device-plugin", inputs(":Release", "eks-nic"), "chart"),
        ],
        policies.network_policies_are_enforced: [lacks(inputs(":Addon", "eks-vpc-cni"), "configurationValues")],
        policies.public_endpoint_is_narrow: [
            lacks(endpoint, "publicAccessCidrs"),
            has(["128.0.0.0/1"], endpoint, "publicAccessCidrs"),
            has(False, endpoint, "endpointPrivateAccess"),
        ],
        policies.entry_is_explicit: [
            lacks(inputs(":Cluster"), "accessConfig", "bootstrapClusterCreatorAdminPermissions"),
            gone(":AccessEntry"),
        ],
        policies.subnets_hold_the_ceiling: [
            has(251, pool, "scalingConfig", "maxSize"),
            has("10.0.0.0/19", inputs(":Subnet", "eks-gpu"), "cidrBlock"),
            has("10.0.68.0/23", inputs(":Subnet", "eks-cluster-us-east-2b"), "cidrBlock"),
            has("10.1.0.0/28", inputs(":Subnet", "eks-public"), "cidrBlock"),
        ],
        policies.fixed_names_are_freed_first: [lacks(resource(":Cluster"), "options", "deleteBeforeReplace")],
        policies.system_nodes_are_replaced_one_by_one: [
            has(0, inputs(":NodeGroup", "eks-system"), "updateConfig", "maxUnavailable")
        ],
        policies.names_are_found: [lacks(inputs(":Vpc"), "enableDnsHostnames")],
        policies.roles_are_granted_what_is_listed: [
            lambda data: copy(
                data, ":RolePolicyAttachment", "more", role="eks-nodes", policyArn="arn:aws:iam::aws:policy/A"
            ),
            gone(":RolePolicyAttachment", "eks-vpc-cni-AmazonEKS_CNI_Policy"),
            has(
                "arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy",
                inputs(":RolePolicyAttachment", "eks-vpc-cni-AmazonEKS_CNI_Policy"),
                "policyArn",
            ),
            has([{"name": "mine"}], inputs(":Role"), "inlinePolicies"),
        ],
        policies.roles_trust_one_service: [
            lambda data: trust(data, Principal={"AWS": "111122223333"}),
            lambda data: trust(data, Principal={"Service": ["ec2.amazonaws.com", "eks.amazonaws.com"]}),
        ],
        policies.statements_have_no_star: [
            lambda data: trust(data, Action=["sts:*"]),
            lambda data: trust(data, Principal={"AWS": "*"}),
            lambda data: trust(data, NotAction=["iam:PassRole"]),
            has(
                [{"policy": json.dumps({"Statement": {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}})}],
                inputs(":Role"),
                "inlinePolicies",
            ),
        ],
    },
    "on demand": {
        policies.capacity_has_one_source: [
            has(
                {"capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}},
                template,
                "capacityReservationSpecification",
            ),
            holds("p5e.48xlarge", pool, "instanceTypes"),
            has("p5.48xlarge", template, "instanceType"),
        ]
    },
    "device plugin": {
        in_cluster.drivers_reach_their_nodes: [lambda data: put(values(data, "eks-gpu-plugin"), "tolerations", [])],
        in_cluster.drivers_roll_in_waves: [lambda data: values(data, "eks-nic-plugin").pop("updateStrategy")],
        in_cluster.drivers_leave_before_their_nodes: [has([], resource(":DevicePlugins"), "dependencies")],
        claims.workloads_name_templates_that_exist: [
            lambda data: data["outputs"]["workloads"]["p5"]["resources"].clear()
        ],
    },
    "device plugin beside claims": {
        policies.devices_have_one_owner: [
            lambda data: values(data, "eks-nic-plugin")["supportedInstanceLabels"]["values"].append("b200"),
            lambda data: terms(data, "eks-gpu")[0]["matchExpressions"][0]["values"].append("p5"),
        ]
    },
    "private endpoint": {policies.public_endpoint_is_narrow: [lacks(endpoint, "endpointPublicAccess")]},
    "405B from a bucket": {
        policies.data_is_closed_and_kept: [
            has(False, inputs(":BucketPublicAccessBlock"), "blockPublicPolicy"),
            has(True, inputs(":Bucket"), "forceDestroy"),
            lacks(resource(":Bucket"), "options", "protect"),
        ],
        policies.roles_are_granted_what_is_listed: [lambda data: rewrite(data, "eks-storage", "other")],
        policies.statements_have_no_star: [lambda data: rewrite(data, "s3:GetObject", "s3:*")],
        in_cluster.volumes_have_a_claim_each: [gone(":PersistentVolumeClaim")],
    },
    "405B from Lustre": {
        policies.data_is_closed_and_kept: [
            has("elsewhere", inputs(":LustreFileSystem"), "subnetIds"),
            lacks(resource(":LustreFileSystem"), "options", "protect"),
        ]
    },
}

BREAKS = {graph: by_policy(breaks) for graph, breaks in _OF_GRAPHS.items()}
