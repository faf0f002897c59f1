"""Who may do what in AWS, and who reaches what."""

import json
from collections.abc import Iterator

from pulumi_offline import Graph
from tests.rights.right import Right, plain

_ADDON = "aws:eks/addon:Addon"


def rights(graph: Graph) -> Iterator[Right]:
    """Roles' policies and who takes them, entries, add-ons, and openings of networks and of the API."""
    for role in graph.of_type("aws:iam/role:Role"):
        for statement in json.loads(role.inputs["assumeRolePolicy"])["Statement"]:
            yield Right(statement["Principal"]["Service"], "takes the role", plain(graph, role.name))
    for each in graph.of_type("aws:iam/rolePolicyAttachment:RolePolicyAttachment"):
        yield Right(f"role {plain(graph, each.inputs['role'])}", each.inputs["policyArn"].rpartition("/")[2], "AWS")
    for each in graph.of_type("aws:iam/rolePolicy:RolePolicy"):
        for statement in json.loads(each.inputs["policy"])["Statement"]:
            part = "its objects" if statement["Resource"].endswith("/*") else "itself"
            for action in statement["Action"]:
                yield Right(f"role {plain(graph, each.inputs['role'])}", action, f"the bucket {part}")
    for each in graph.of_type("aws:eks/accessPolicyAssociation:AccessPolicyAssociation"):
        policy = each.inputs["policyArn"].rpartition("/")[2]
        yield Right("kubernetes.admins", policy, each.inputs["accessScope"]["type"])
    for addon in graph.of_type(_ADDON):
        yield Right(f"add-on {addon.inputs['addonName']}", "whatever EKS gives it", "the cluster")
    for side, end in (("Ingress", "from"), ("Egress", "to")):
        for rule in graph.of_type(f"aws:vpc/securityGroup{side}Rule:SecurityGroup{side}Rule"):
            group = plain(graph, rule.inputs["securityGroupId"])
            peer = plain(graph, rule.inputs.get("referencedSecurityGroupId") or rule.inputs.get("cidrIpv4"))
            ports = f"{rule.inputs['ipProtocol']} {rule.inputs.get('fromPort', '')}".strip()
            yield Right(f"{end} {peer}", f"all traffic of protocol {ports}", f"security group {group}")
    for cluster in graph.of_type("aws:eks/cluster:Cluster"):
        for block in cluster.inputs["vpcConfig"].get("publicAccessCidrs", []):
            yield Right(f"from {block}", "TCP 443", "the Kubernetes API, from the internet")
