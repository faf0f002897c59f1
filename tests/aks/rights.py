"""Who may do what in Azure, and who reaches what."""

from collections.abc import Iterator

from pulumi_offline import Graph
from rdma_cluster.aks import role_assignments
from tests.rights.right import Right, plain

_ROLES = {value: name for name, value in vars(role_assignments).items() if name.isupper() and isinstance(value, str)}


def rights(graph: Graph) -> Iterator[Right]:
    """Role assignments, openings of networks and of the API, and the driver that AKS runs."""
    for each in graph.of_type("azure-native:authorization:RoleAssignment"):
        role = each.inputs["roleDefinitionId"].rpartition("/")[2]
        service = each.inputs["principalType"] == "ServicePrincipal"
        who = f"identity {plain(graph, each.inputs['principalId'])}" if service else "kubernetes.admins"
        yield Right(who, _ROLES.get(role, role), _scope(graph, each.inputs["scope"]))
    for group in graph.of_type("azure-native:network:NetworkSecurityGroup"):
        for rule in group.inputs.get("securityRules", []):
            yield Right(f"from {rule.get('sourceAddressPrefix')}", f"{rule}", f"security group {group.name}")
    for cluster in graph.of_type("azure-native:containerservice:ManagedCluster"):
        for block in cluster.inputs["apiServerAccessProfile"].get("authorizedIPRanges", []):
            yield Right(f"from {plain(graph, block)}", "TCP 443", "the Kubernetes API, from the internet")
        for driver, said in cluster.inputs.get("storageProfile", {}).items():
            if said["enabled"]:
                yield Right(f"add-on {driver}", "whatever AKS gives it", "the cluster")


def _scope(graph: Graph, scope: str) -> str:
    """What kind of thing it is: an id of the user's, or the output of one of ours."""
    if (made := plain(graph, scope)) != scope:
        kind = scope.rpartition(" ")[0].rpartition(":")[2]
        return f"{kind} {made}"
    parts = scope.split("/")
    return f"a {parts[-2]} of the user's"
