"""What network, node groups, roles and endpoints of an EKS graph must keep to."""

import json
from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network
from typing import Any

from pulumi_offline import Graph
from rdma_cluster.catalog.eks import EksMachine
from tests.eks.readers import CLUSTER, GROUP, SUBNET, TEMPLATE, WHOLE, gpu_groups, ranges
from tests.policies.readers import chart_of, chart_pods, chosen

NETWORK = "rdma-cluster:index:EksHpcNetwork"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"

# All that is granted, by role, each with its reason. AWS's managed policies hold stars of their own; we write none.
GRANTED = {
    # The control plane makes the interfaces it reaches nodes by.
    "cluster": {"AmazonEKSClusterPolicy"},
    # A node describes itself to join, takes pod identities, and pulls images. EFA needs no permission.
    "nodes": {"AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"},
    # The CNI's pods, and no others on the node, attach interfaces and addresses.
    "vpc-cni": {"AmazonEKS_CNI_Policy"},
    # The driver of buckets has one bucket alone, by a policy of our own.
    "storage": set(),
}
BUCKET = "aws:s3/bucket:Bucket"
OPENED = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
FILES = "aws:fsx/lustreFileSystem:LustreFileSystem"
STORAGE = "rdma-cluster:index:EksStorage"
# What is kept in a bucket, by the driver's pods: of AWS's policies none, and of ours one, below.
TRUSTED = {
    "cluster": "eks.amazonaws.com",
    "nodes": "ec2.amazonaws.com",
    "vpc-cni": "pods.eks.amazonaws.com",
    "storage": "pods.eks.amazonaws.com",
}

_BROADEST = 8
_RESERVED = 5
_SYSTEM_NODES, _SYSTEM_ADDRESSES = 10, 60
_UNKNOWN_PLACES, _UNKNOWN_ADDRESSES = 3, 50
# Who hands out which devices, and how.
_OWNERS = {
    "dra-driver-nvidia-gpu": ("gpu", "claims"),
    "nvidia-device-plugin": ("gpu", "device-plugin"),
    "aws-dranet": ("nic", "claims"),
    "aws-efa-k8s-device-plugin": ("nic", "device-plugin"),
}
_NAMED = (":LaunchTemplate", ":PlacementGroup", ":RouteTableAssociation")
"""Resources of EC2 with a name of their own, or with none."""


def interfaces_are_the_machines(graph: Graph) -> Iterator[str]:
    """Every EFA device of every card in the cards' order, and IP on the first place of the first card alone."""
    for group, template, machine in gpu_groups(graph):
        if template is None or machine is None:
            yield f"{group.name}: no template, or no machine that is known"
            continue
        listed = [
            (each["networkCardIndex"], each["deviceIndex"], each["interfaceType"])
            for each in template.inputs.get("networkInterfaces", [])
        ]
        if listed != (wanted := _interfaces(machine)):
            yield f"{template.name}: lists {listed}, not {wanted}"
        if (devices := sum(kind != "interface" for _, _, kind in listed)) != machine.nics:
            yield f"{template.name}: {devices} EFA devices, {machine.name} has {machine.nics}"


def nodes_have_no_public_address(graph: Graph) -> Iterator[str]:
    """No node is on the internet, and what is for EFA alone has no address at all."""
    for template in graph.of_type(TEMPLATE):
        for i, each in enumerate(template.inputs.get("networkInterfaces", [])):
            alone = each["interfaceType"] == "efa-only"
            if (public := each.get("associatePublicIpAddress")) != (None if alone else "false"):
                yield f"{template.name}: interface {i} has associatePublicIpAddress {public}"
            if alone and (keys := [key for key in each if key.startswith(("ipv4", "ipv6", "privateIp"))]):
                yield f"{template.name}: interface {i} is for EFA alone and has {keys}"
    for subnet in graph.of_type(SUBNET):
        if subnet.inputs.get("mapPublicIpOnLaunch"):
            yield f"{subnet.name}: gives public addresses"


def credentials_stay_on_the_node(graph: Graph) -> Iterator[str]:
    """A pod does not reach the node's role: tokens alone, and one hop."""
    for template in graph.of_type(TEMPLATE):
        options = template.inputs.get("metadataOptions", {})
        if (options.get("httpTokens"), options.get("httpPutResponseHopLimit")) != ("required", 1):
            yield f"{template.name}: metadata by {options}"


def gpus_are_in_one_zone(graph: Graph) -> Iterator[str]:
    """EFA traffic does not leave a zone: all subnets of GPU nodes are in the stack's."""
    zones = {f"[id of {each.type} {each.name}]": each.inputs["availabilityZone"] for each in graph.of_type(SUBNET)}
    whole = graph.one(WHOLE).inputs if graph.of_type(WHOLE) else {}
    for each in whole.get("network", {}).get("existing", {}).get("gpuSubnets", []):
        zones[each["subnet"]] = each["zone"]
    for group, _, _ in gpu_groups(graph):
        found = {zones.get(subnet) for subnet in group.inputs["subnetIds"]}
        if found != {whole["zone"]}:
            yield f"{group.name}: in {found}, the stack in {whole['zone']}"


def efa_has_one_closed_group(graph: Graph) -> Iterator[str]:
    """All traffic from members and to members by the group's id, and nothing else: a rule by address counts as none."""
    groups = {_group_of_efa(graph)} if gpu_groups(graph) else set()
    for _, template, _ in gpu_groups(graph):
        if template is None:
            continue
        for i, each in enumerate(template.inputs.get("networkInterfaces", [])):
            lacks = groups - set(each.get("securityGroups", []))
            if lacks or (each["interfaceType"] == "efa-only" and set(each.get("securityGroups", [])) != groups):
                yield f"{template.name}: interface {i} is in {each.get('securityGroups')}, EFA in {groups}"
    for group in graph.of_type(SECURITY_GROUP):
        if (identity := f"[id of {group.type} {group.name}]") not in groups:
            continue
        if group.inputs.keys() & {"ingress", "egress"}:
            yield f"{group.name}: rules inside of the group, which undo those beside it"
        if any(key.startswith("kubernetes.io/cluster/") for key in group.inputs.get("tags", {})):
            yield f"{group.name}: load-balancer controllers stop at a node with two groups of the cluster's tag"
        for token in (INGRESS, EGRESS):
            rules = [rule.inputs for rule in graph.of_type(token) if rule.inputs["securityGroupId"] == identity]
            if [(rule.get("referencedSecurityGroupId"), rule["ipProtocol"]) for rule in rules] != [(identity, "-1")]:
                yield f"{group.name}: {token} {rules}"


def capacity_has_one_source(graph: Graph) -> Iterator[str]:
    """Each source says its own, in the place that EKS reads, and nothing of the others."""
    made = {each.name for each in graph.of_type("aws:ec2/placementGroup:PlacementGroup")}
    for group, template, machine in gpu_groups(graph):
        told = template.inputs if template else {}
        block = group.inputs.get("capacityType") == "CAPACITY_BLOCK"
        name = machine.name if machine else None
        in_template = (told.get("instanceType"), told.get("instanceMarketOptions", {}).get("marketType"))
        if in_template != ((name, "capacity-block") if block else (None, None)):
            yield f"{group.name}: its template says {in_template}"
        if group.inputs.get("instanceTypes") != (None if block else [name]):
            yield f"{group.name}: its types are {group.inputs.get('instanceTypes')}"
        reserved = bool(told.get("capacityReservationSpecification", {}).get("capacityReservationTarget"))
        if block != reserved and group.inputs.get("capacityType") != "ON_DEMAND":
            yield f"{group.name}: {group.inputs.get('capacityType')} {'with' if reserved else 'without'} a reservation"
        placed = told.get("placement", {}).get("groupName")
        if placed and (block or (reserved and placed in made)):
            yield f"{group.name}: placement group {placed} keeps its nodes out of what is reserved"


def devices_have_one_owner(graph: Graph) -> Iterator[str]:
    """Claims or device plugins on a node, never both, and GPUs and EFA devices alike."""
    existing = any("existing" in each.inputs.get("drivers", {}).values() for each in graph.of_type(WHOLE))
    owners: dict[str, list[tuple[str, str]]] = {group.inputs["nodeGroupName"]: [] for group, _, _ in gpu_groups(graph)}
    for release in graph.of_type("kubernetes:helm.sh/v3:Release"):
        for pool in chosen(chart_pods(release)):
            if pool in owners and (owner := _OWNERS.get(chart_of(release))):
                owners[pool].append(owner)
    for pool, found in owners.items():
        if len({how for _, how in found}) > 1 or len({what for what, _ in found}) < len(found):
            yield f"{pool}: {sorted(found)}"
        if len(found) < 2 and not existing:
            yield f"{pool}: nobody hands out some devices, only {found}"


def public_endpoint_is_narrow(graph: Graph) -> Iterator[str]:
    """The API is reached from inside; from outside by named networks alone, since EKS's own default is everybody."""
    for cluster in graph.of_type(CLUSTER):
        network = cluster.inputs["vpcConfig"]
        blocks = network.get("publicAccessCidrs", [])
        if not network.get("endpointPrivateAccess"):
            yield f"{cluster.name}: nodes reach it through the internet"
        if network.get("endpointPublicAccess", True) and not blocks:
            yield f"{cluster.name}: open to everybody"
        for block in blocks:
            if ip_network(block).prefixlen < _BROADEST:
                yield f"{cluster.name}: open to {block}"


def network_policies_are_enforced(graph: Graph) -> Iterator[str]:
    """The CNI of a cluster of ours enforces them; left to itself it takes each policy without a word."""
    addons = {each.inputs["addonName"]: each.inputs for each in graph.of_type("aws:eks/addon:Addon")}
    for cluster in graph.of_type(CLUSTER):
        told = json.loads(addons.get("vpc-cni", {}).get("configurationValues", "{}"))
        if told.get("enableNetworkPolicy") != "true":
            yield f"{cluster.name}: its CNI is told {told}"


def entry_is_explicit(graph: Graph) -> Iterator[str]:
    """Nobody administers a cluster by having made it, and somebody does by an entry."""
    for cluster in graph.of_type(CLUSTER):
        access = cluster.inputs.get("accessConfig", {})
        if access.get("authenticationMode") != "API" or access.get("bootstrapClusterCreatorAdminPermissions", True):
            yield f"{cluster.name}: {access}"
        if not graph.of_type("aws:eks/accessEntry:AccessEntry"):
            yield f"{cluster.name}: nobody may enter"


def subnets_hold_the_ceiling(graph: Graph) -> Iterator[str]:
    """Every subnet is in the VPC and holds as many nodes, with their pods, as the network was told; the pools fit."""
    for network in graph.of_type(NETWORK):
        ceiling = network.inputs.get("maxNodes", 250)
        groups = gpu_groups(graph)
        if (asked := sum(group.inputs["scalingConfig"]["maxSize"] for group, _, _ in groups)) > ceiling:
            yield f"{asked} nodes over a ceiling of {ceiling}"
        each = max((_addresses(machine) for _, _, machine in groups if machine), default=0)
        vpc = IPv4Network(graph.one("aws:ec2/vpc:Vpc").inputs["cidrBlock"])
        for name, block in ranges(graph):
            if block.subnet_of(vpc) is name.endswith("/services"):
                yield f"{name} {block}: the VPC is {vpc}"
            needed = ceiling * each if name.endswith("-gpu") else _SYSTEM_NODES * _SYSTEM_ADDRESSES
            if ("-cluster-" in name or name.endswith("-gpu")) and block.num_addresses - _RESERVED < needed:
                yield f"{name} {block}: {needed} addresses are needed"


def names_are_found(graph: Graph) -> Iterator[str]:
    """A node finds the API by name, and joins under its own."""
    for vpc in graph.of_type("aws:ec2/vpc:Vpc"):
        if not (vpc.inputs.get("enableDnsSupport") and vpc.inputs.get("enableDnsHostnames")):
            yield f"{vpc.name}: no DNS"


def roles_are_granted_what_is_listed(graph: Graph) -> Iterator[str]:
    """These roles have exactly these managed policies of the region's partition, and ours alone is that of a bucket."""
    found: dict[str, set[str]] = {role.name: set() for role in graph.of_type(ROLE)}
    for each in graph.of_type(ATTACHMENT):
        arn, role = each.inputs["policyArn"], each.inputs["role"]
        found.setdefault(role, set()).add(arn.rpartition("/")[2])
        if arn.split(":")[1] != (partition := _partition(graph)):
            yield f"{role}: {arn} is not of {partition}"
    for role, policies in found.items():
        if policies != GRANTED.get(_kind(graph, role)):
            yield f"{role}: is granted {sorted(policies)}"
    for resource in graph.resources:
        own = ("aws:iam/rolePolicy:", "aws:iam/policy:", "aws:iam/userPolicy:", "aws:iam/groupPolicy:")
        if resource.type == own[0] + "RolePolicy" and _kind(graph, resource.inputs["role"]) == "storage":
            if {each["Resource"] for each in json.loads(resource.inputs["policy"])["Statement"]} != _of_bucket(graph):
                yield f"{resource.name}: is of more than the one bucket"
        elif resource.type.startswith(own) or (resource.type == ROLE and resource.inputs.get("inlinePolicies")):
            yield f"{resource.name}: a policy of our own"


def roles_trust_one_service(graph: Graph) -> Iterator[str]:
    """One service takes each role."""
    for role in graph.of_type(ROLE):
        principals = [each.get("Principal") for each in json.loads(role.inputs["assumeRolePolicy"])["Statement"]]
        if principals != [{"Service": TRUSTED.get(_kind(graph, role.name))}]:
            yield f"{role.name}: trusts {principals}"


def statements_have_no_star(graph: Graph) -> Iterator[str]:
    """No policy that is written here grants, or grants to, whatever there is."""
    for resource in graph.resources:
        for text in _policies(resource.inputs):
            statements = json.loads(text)["Statement"]
            for statement in statements if isinstance(statements, list) else [statements]:
                for key in ("Action", "Resource", "Principal"):
                    # All objects of a bucket.
                    told = json.dumps(statement.get(key, "")).removesuffix('/*"')
                    if "*" in told:
                        yield f"{resource.name}: {key} {statement[key]}"
                if statement.keys() & {"NotAction", "NotResource", "NotPrincipal"}:
                    yield f"{resource.name}: {statement} grants all but something"


def data_is_closed_and_kept(graph: Graph) -> Iterator[str]:
    """No bucket can be made public, a file system is where the GPUs are; and neither goes with the stack unasked."""
    closed = {each.inputs["bucket"]: each.inputs for each in graph.of_type(OPENED)}
    ways = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
    asked = [
        of.get("deletable", False)
        for each in graph.of_type(STORAGE)
        for of in (each.inputs.get("objectStore"), each.inputs.get("lustre"))
        if of is not None
    ]
    for bucket in graph.of_type(BUCKET):
        if not all(closed.get(f"[bucket of {BUCKET} {bucket.name}]", {}).get(way) for way in ways):
            yield f"{bucket.name}: may be made public"
        if bucket.inputs["forceDestroy"] is not asked[0]:
            yield f"{bucket.name}: is emptied, or not, whatever was asked"
    for files in graph.of_type(FILES):
        nodes = [subnet for group, _, _ in gpu_groups(graph) for subnet in group.inputs["subnetIds"]]
        if files.inputs["subnetIds"] not in nodes:
            yield f"{files.name}: is not where the GPUs are"
    for data in (*graph.of_type(BUCKET), *graph.of_type(FILES)):
        if bool(data.options.get("protect")) is asked[0]:
            yield f"{data.name}: goes with the stack, or stays, whatever was asked"


def fixed_names_are_freed_first(graph: Graph) -> Iterator[str]:
    """A cluster's and a group's name is taken until the old one is gone."""
    for resource in (*graph.of_type(CLUSTER), *graph.of_type(GROUP)):
        named = resource.inputs.get("name") or resource.inputs.get("nodeGroupName")
        if named and not resource.options.get("deleteBeforeReplace"):
            yield f"{resource.name}: is created beside the old one, under its name"


def system_nodes_are_replaced_one_by_one(graph: Graph) -> Iterator[str]:
    """Some of a group's nodes may be away at once, or none is ever updated."""
    for group in graph.of_type(GROUP):
        if not group.inputs.get("updateConfig", {}).get("maxUnavailable"):
            yield f"{group.name}: updates {group.inputs.get('updateConfig')}"


def _interfaces(machine: EksMachine) -> list[tuple[int, int, str]]:
    """Card, device and kind of each, from the catalogue's count of EFA devices a card."""
    cards = machine.efa_per_card or ()
    if machine.layout == "D":
        return [(0, 0, "efa"), *((card, 0, "efa-only") for card in range(1, len(cards)))]
    return [(0, 0, "interface"), *((card, 0 if card else 1, "efa-only") for card, efa in enumerate(cards) if efa)]


def _addresses(machine: EksMachine) -> int:
    """What a node takes of its subnet: the CNI fills one interface of card 0 and keeps a second, where there is one."""
    taken = machine.layout != "D" and bool((machine.efa_per_card or (0,))[0])
    places = (machine.interfaces_per_card or _UNKNOWN_PLACES) - taken
    return min(places, 2) * (machine.ipv4_per_interface or _UNKNOWN_ADDRESSES)


def _group_of_efa(graph: Graph) -> str:
    """The id of EFA's group: of the one we make, or as the user named it."""
    existing = graph.one(WHOLE).inputs.get("network", {}).get("existing")
    return existing["securityGroup"] if existing else f"[id of {SECURITY_GROUP} {graph.stack}-efa]"


def _kind(graph: Graph, role: str) -> str:
    return role.removeprefix(f"{graph.stack}-")


def _of_bucket(graph: Graph) -> set[str]:
    """The bucket and its objects."""
    named = [
        each.inputs.get("objectStore", {}).get("bucket") or f"[bucket of {BUCKET} {graph.stack}-storage]"
        for each in graph.of_type(STORAGE)
    ]
    return {f"arn:{_partition(graph)}:s3:::{bucket}{of}" for bucket in named for of in ("", "/*")}


def _partition(graph: Graph) -> str:
    region = graph.one(WHOLE).inputs["region"]
    return {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(region.rpartition("-")[0].rpartition("-")[0], "aws")


def _policies(value: Any) -> Iterator[str]:
    """Every text of a value that is an IAM policy."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _policies(each)
    elif isinstance(value, str) and value.startswith("{") and '"Statement"' in value:
        yield value


def consoles_show_names(graph: Graph) -> Iterator[str]:
    """What EC2 and FSx know by an id alone has the resource's name as its tag Name."""
    for resource in graph.resources:
        name = resource.inputs.get("tags", {}).get("Name")
        if (
            resource.type.startswith(("aws:ec2/", "aws:fsx/"))
            and not resource.type.endswith(_NAMED)
            and name != resource.name
        ):
            yield f"{resource.urn}: its Name is {name}"
