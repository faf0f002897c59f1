"""AKS components in a program of one's own."""

from typing import Any, cast

import pulumi
import pytest
from pulumi_offline import Graph, preview
from rdma_cluster import aks
from rdma_cluster.aks.plan.cluster import AksClusterArgs, AksExistingCluster
from rdma_cluster.aks.plan.network import AksHpcNetworkArgs
from rdma_cluster.aks.plan.node_pool import AksGpuNodePoolArgs
from tests.aks.plans import ID, RESERVATIONS, SUBNET

pytestmark = pytest.mark.variant

FEATURE = "azure-native:features:getSubscriptionFeatureRegistration"
NATIVE = "azure-native"


def graph(state: str | None = None, cluster: dict[str, Any] | None = None, pool: dict[str, Any] | None = None) -> Graph:
    """A network, a cluster on it and a pool in that; ``state`` is that of AKSInfinibandSupport."""

    def program() -> None:
        import pulumi_azure_native as azure

        provider = azure.Provider("azure", location="southcentralus", subscription_id=ID)
        opts = pulumi.ResourceOptions(providers=[provider])
        where = {"location": "southcentralus", "resource_group": "g"}
        network = aks.AksHpcNetwork("n", cast(AksHpcNetworkArgs, where), opts)
        base = {
            **where,
            "subscription": ID,
            "subnet": network.subnet,
            "outbound": network.outbound,
            **({"egress_cidrs": [network.egress_cidr]} if "endpoint" in (cluster or {}) else {}),
            "admins": [{"id": ID}],
        }
        made = aks.AksCluster("c", cast(AksClusterArgs, {**base, **(cluster or {})}), opts)
        nodes = {
            "name": "h100",
            "machine": "Standard_ND96isr_H100_v5",
            "nodes": 2,
            "capacity": {"on_demand": True},
            "resource_group": "g",
            "cluster": made.name,
            "subnet": network.subnet,
        }
        aks.AksGpuNodePool("p", cast(AksGpuNodePoolArgs, {**nodes, **(pool or {})}), opts)

    return preview(program, invokes={FEATURE: {"properties": {"state": state}}} if state else {})


def inputs(made: Graph, token: str, name: str) -> dict[str, Any]:
    """What one resource is made of."""
    return dict(made.one(f"{NATIVE}:{token}", name).inputs)


def test_network_is_closed_and_has_one_way_out():
    """An NSG without rules, a NAT gateway, no way out by chance."""
    made = graph()
    subnet = inputs(made, "network:Subnet", "n-nodes")

    assert subnet["natGateway"] == {"id": "[id of azure-native:network:NatGateway n-nat]"}
    assert subnet["networkSecurityGroup"] == {"id": "[id of azure-native:network:NetworkSecurityGroup n]"}
    assert subnet["defaultOutboundAccess"] is False
    assert "securityRules" not in inputs(made, "network:NetworkSecurityGroup", "n")
    assert inputs(made, "containerservice:ManagedCluster", "c")["networkProfile"]["outboundType"] == (
        "userAssignedNATGateway"
    )


def test_cluster_is_private_and_has_no_account_of_its_own():
    """By default; a public API is for named blocks alone."""
    private = inputs(graph(), "containerservice:ManagedCluster", "c")
    public = inputs(
        graph(cluster={"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}),
        "containerservice:ManagedCluster",
        "c",
    )

    assert private["apiServerAccessProfile"]["enablePrivateCluster"] is True
    assert "authorizedIPRanges" not in private["apiServerAccessProfile"]
    assert (private["disableLocalAccounts"], private["aadProfile"]["enableAzureRBAC"]) == (True, True)
    assert public["apiServerAccessProfile"] == {
        "enablePrivateCluster": False,
        "authorizedIPRanges": ["203.0.113.7/32", "[ipAddress of azure-native:network:PublicIPAddress n-nat]/32"],
    }


def test_a_block_of_people_and_of_nodes_is_named_once():
    """Of an office whose firewall is the nodes' way out, too."""
    office = {"outbound": "routes", "egress_cidrs": ["203.0.113.7/32"]}
    public = {"endpoint": "public", "public_cidrs": ["203.0.113.7/32", "203.0.113.8/32"]}
    made = inputs(graph(cluster={**public, **office}), "containerservice:ManagedCluster", "c")

    assert made["apiServerAccessProfile"]["authorizedIPRanges"] == ["203.0.113.7/32", "203.0.113.8/32"]


def test_roles_are_narrow():
    """The subnet, the kubelet's identity, a reservation's group, a registry: each identity, each scope, once."""
    registry = f"/subscriptions/{ID}/resourceGroups/r/providers/Microsoft.ContainerRegistry/registries/images"
    made = graph(cluster={"reservations": [RESERVATIONS], "container_registries": [registry]})
    scopes = {
        each.name: each.inputs["scope"] for each in made.resources if each.type.endswith("authorization:RoleAssignment")
    }

    assert scopes == {
        "c-subnet": "[id of azure-native:network:Subnet n-nodes]",
        "c-kubelet": "[id of azure-native:managedidentity:UserAssignedIdentity c-kubelet]",
        f"c-reservation-{ID[:8]}-r": f"/subscriptions/{ID}/resourceGroups/r",
        "c-registry-images": registry,
        f"c-admin-{ID}": "[id of azure-native:containerservice:ManagedCluster c]",
    }
    cluster = made.one("azure-native:containerservice:ManagedCluster", "c")
    assert {urn.rpartition("::")[2] for urn in cluster.dependencies} >= {"c-subnet", "c-kubelet"}


def test_roles_of_the_users_lists_go_by_what_they_are():
    """Another order moves nothing, and one role on one scope is granted once: Azure refuses a second."""
    group = f"/subscriptions/{ID}/resourceGroups/r"
    registries = [f"{group}/providers/Microsoft.ContainerRegistry/registries/{each}" for each in ("a", "b", "A")]
    lists: dict[str, list[Any]] = {
        "admins": [{"id": ID}, {"id": ID.replace("0", "2")}],
        "reservations": [RESERVATIONS, f"{RESERVATIONS}2", RESERVATIONS.replace("/r/", "/s/")],
        "container_registries": registries,
    }
    granted = [
        {each.name: each.inputs["roleDefinitionId"] for each in made.resources if each.type.endswith(":RoleAssignment")}
        for made in (graph(cluster=lists), graph(cluster={key: each[::-1] for key, each in lists.items()}))
    ]

    assert granted[0] == granted[1]
    assert len(granted[0]) == len(["subnet", "kubelet"]) + 2 + 2 + 2


def test_provider_waits_for_the_administrators():
    """The client is let in by a role."""
    made = graph()
    provider = made.one("pulumi:providers:kubernetes", "c")

    assert any(urn.endswith(f"RoleAssignment::c-admin-{ID}") for urn in provider.dependencies)
    assert provider.inputs["clusterIdentifier"] == f"aks/{ID}/southcentralus/c"
    assert provider.inputs["kubeconfig"] == "[secret]"


def test_metrics_bring_their_own_pipe():
    """One workspace, and a rule that is bound to the cluster."""
    made = graph(cluster={"metrics": True})

    assert inputs(made, "monitor:DataCollectionRuleAssociation", "c")["resourceUri"] == (
        "[id of azure-native:containerservice:ManagedCluster c]"
    )
    assert inputs(made, "containerservice:ManagedCluster", "c")["azureMonitorProfile"] == {"metrics": {"enabled": True}}
    network = inputs(made, "containerservice:ManagedCluster", "c")["networkProfile"]["advancedNetworking"]
    assert network == {"enabled": True, "observability": {"enabled": True}}
    assert not [each for each in graph().resources if ":monitor:" in each.type]


def test_existing_cluster():
    """A provider, and nothing of Azure's."""

    def program() -> None:
        existing = AksExistingCluster(server="https://c.hcp.southcentralus.azmk8s.io:443", ca_certificate="eA==")
        args = AksClusterArgs(
            subscription=ID,
            location="southcentralus",
            resource_group="g",
            subnet=SUBNET,
            name="mine",
            existing=existing,
        )
        aks.AksCluster("c", args)

    made = preview(program)
    assert {each.type for each in made.resources} == {"rdma-cluster:index:AksCluster", "pulumi:providers:kubernetes"}


def test_pool_is_one_scale_set():
    """Regular, fixed, in place of its predecessor, with the taint that operators tolerate."""
    made = graph("Registered", pool={"zone": "1"})
    pool = made.one("azure-native:containerservice:AgentPool", "p")

    assert (pool.inputs["type"], pool.inputs["count"]) == ("VirtualMachineScaleSets", 2)
    assert (pool.inputs["availabilityZones"], pool.inputs["enableAutoScaling"]) == (["1"], False)
    assert pool.inputs["upgradeSettings"] == {"maxSurge": "0", "maxUnavailable": "1"}
    assert pool.inputs["nodeTaints"] == ["nvidia.com/gpu=present:NoSchedule"]
    assert pool.options["deleteBeforeReplace"] is True
    assert {"availabilityZones", "gpuProfile", "vnetSubnetID"} <= set(pool.options["replaceOnChanges"])


@pytest.mark.parametrize(
    ("capacity", "said"),
    [
        ({"on_demand": True}, {"scaleSetPriority": "Regular"}),
        ({"spot": True}, {"scaleSetPriority": "Spot", "scaleSetEvictionPolicy": "Delete", "spotMaxPrice": -1}),
        (
            {"reservation": {"group": RESERVATIONS}},
            {"scaleSetPriority": "Regular", "capacityReservationGroupID": RESERVATIONS},
        ),
    ],
    ids=["on demand", "spot", "reservation"],
)
def test_capacity(capacity: dict[str, Any], said: dict[str, Any]):
    """Each source says its own, and nothing of the others."""
    pool = inputs(graph(pool={"capacity": capacity}), "containerservice:AgentPool", "p")
    of_capacity = {"scaleSetPriority", "scaleSetEvictionPolicy", "spotMaxPrice", "capacityReservationGroupID"}

    assert {key: pool[key] for key in of_capacity & pool.keys()} == said


def test_feature_in_the_wrong_state_stops_before_the_pool():
    """In a preview, too; the reason names the command."""
    with pytest.raises(pulumi.RunError, match="az feature register"):
        graph("NotRegistered")


def test_feature_that_cannot_be_looked_up_is_a_warning(caplog: pytest.LogCaptureFixture):
    """Somebody who may make clusters need not be allowed to read it."""
    made = graph()

    assert inputs(made, "containerservice:AgentPool", "p")["vmSize"] == "Standard_ND96isr_H100_v5"
    assert "could not be looked up" in caplog.text and "az feature show" in caplog.text


def test_feature_is_not_asked_for_when_told():
    """Nor warned of twice: the plan does it."""
    with pytest.raises(pulumi.RunError):
        graph("NotRegistered")
    assert graph("NotRegistered", pool={"infiniband_feature": "taken-as-right"}).resources
