"""An AKS cluster for GPU node pools, and the Kubernetes provider of everything on it."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from pulumi_azure_native import containerservice, managedidentity, monitor
from ..base.key_docs import with_keys
from ..common.pools import SYSTEM_NODES
from ..component.account import signed_in
from ..component.frame import Opts, PlannedComponent, Shown, outputs, replaceable, waiting_for, with_more
from ..incluster.kubeconfig import cluster_provider, exec_kubeconfig
from ..incluster.same_cluster import CreationId, same_cluster
from . import role_assignments as roles
from .managed_cluster import ReadableManagedCluster, certificate
from .plan.access import AksEndpoint
from .plan.cluster import AksClusterArgs, AksClusterLinks, AksClusterPlan, plan_cluster
from .plan.network import AksOutbound, OverlayPlan
from .plan.sign_in import sign_in
from .plan.zones import ZONES

# AKS refuses to change it, and azure-native replaces a cluster for others only (pulumi-azure-native@1b7112a
# provider/pkg/gen/replacement.go): we name it to it.
_DECIDED_ONCE = ("apiServerAccessProfile.enablePrivateCluster",)
_TOKEN = {
    "command": "kubelogin",
    "args": ["get-token"],
    "installHint": "install kubelogin: az aks install-cli, or https://azure.github.io/kubelogin/install.html",
}
_OUTBOUND = {
    AksOutbound.NAT_GATEWAY: "userAssignedNATGateway",
    AksOutbound.LOAD_BALANCER: "loadBalancer",
    AksOutbound.ROUTES: "userDefinedRouting",
}

# Another one for each cluster that is made under a resource id (ManagedClusterProperties.resourceUID, 2025-09-01).
_UID = ("resourceUID",)
_READ = "Microsoft.ContainerService/managedClusters/read"


@with_keys
class AksCluster(PlannedComponent[AksClusterPlan, AksClusterLinks]):
    """A cluster with overlay networking whose API is private by default, its identities, roles and system nodes."""

    name: pulumi.Output[str]
    """Name of the cluster."""
    id: pulumi.Output[str]
    """Its resource id; empty for an existing cluster."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    oidc_issuer: pulumi.Output[str]
    """URL that issues the service accounts' tokens, for federated credentials; empty for an existing cluster."""
    provider: k8s.Provider
    """Provider for what runs on the cluster. Replaced only with the cluster."""

    def __init__(self, name: str, args: AksClusterArgs, opts: Opts = None):
        self._plan_alone(name, AksClusterArgs, plan_cluster, args, opts, name)

    def _make(self, name: str, plan: AksClusterPlan, links: AksClusterLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:AksCluster", name, shown, opts)
        child = on_it = pulumi.ResourceOptions(parent=self)

        self.cluster: containerservice.ManagedCluster | None = None
        """The cluster where it is ours; what runs on it is replaced and deleted with it."""
        self.pool_needs: list[pulumi.Resource] = []
        """Resources that each node pool depends on: they come before it and leave after it."""
        self.kubelet: managedidentity.UserAssignedIdentity | None = None
        """Identity that nodes run as; ``None`` on an existing cluster."""
        entries: list[pulumi.Resource] = []
        server: pulumi.Input[str]
        ca_certificate: pulumi.Input[str]
        if (existing := plan.existing) is not None:
            self.name = pulumi.Output.from_input(plan.name)
            self.id = self.oidc_issuer = pulumi.Output.from_input("")
            server, ca_certificate = existing["server"], existing["ca_certificate"]
            where = {"resourceGroupName": links["resource_group"], "resourceName": plan.name}
            asked = CreationId("azure-native:containerservice:getManagedCluster", where, _UID, _READ)
            on_it = with_more(child, depends_on=same_cluster(name, plan.name, asked, server, self))
        else:
            where = {"resource_group_name": links["resource_group"], "location": plan.location}
            self.cluster = cluster = self._cluster(name, plan, links, where, child)
            entries = roles.admins(name, plan, cluster, replaceable(child))
            if plan.metrics:
                _managed_prometheus(name, where, cluster, child)
            self.name, self.id = cluster.name, cluster.id
            self.oidc_issuer = cluster.oidc_issuer_profile.apply(lambda profile: profile.issuer_url if profile else "")
            server = pulumi.Output.format("https://{0}:443", cluster.fqdn)
            ca_certificate = certificate(links["resource_group"], cluster, child)

        token = signed_in(self, sign_in(plan.login), _TOKEN)
        self.kubeconfig = exec_kubeconfig(plan.name, server, token, ca_certificate)
        # The client is let in by a role, not by having made the cluster.
        self.provider = cluster_provider(name, self.kubeconfig, plan.identifier, waiting_for(on_it, entries))
        self.register_outputs(outputs(self))

    # Most of it is one resource, its properties in the API's order.
    def _cluster(
        self, name: str, plan: AksClusterPlan, links: AksClusterLinks, where: Any, child: pulumi.ResourceOptions
    ) -> containerservice.ManagedCluster:
        assert plan.overlay is not None
        control, kubelet = (
            managedidentity.UserAssignedIdentity(f"{name}-{part}", **where, opts=child)
            for part in ("control", "kubelet")
        )
        self.kubelet = kubelet
        # Nodes join the subnet, and run as the kubelet's identity: no more than that, and at no wider scope.
        subscription, own = plan.subscription, control.principal_id
        granted = [
            roles.grant(f"{name}-subnet", subscription, roles.NETWORK_CONTRIBUTOR, own, links["subnet"], child),
            roles.grant(f"{name}-kubelet", subscription, roles.MANAGED_IDENTITY_OPERATOR, own, kubelet.id, child),
        ]
        if (vault := plan.secrets_vault) is not None:
            granted.append(roles.grant(f"{name}-secrets", subscription, roles.KEY_VAULT_CRYPTO_USER, own, vault, child))
        self.pool_needs += roles.grants_of_pools(name, plan, own, kubelet.principal_id, replaceable(child))
        nodes_run_as: Any = {"resource_id": kubelet.id, "client_id": kubelet.client_id}
        nodes_run_as["object_id"] = kubelet.principal_id
        # Of the secrets in etcd, by the user's key: azure-aks-docs@fb060ab use-kms-etcd-encryption.md.
        encryption: Any = {}
        if (key := plan.secrets_key) is not None:
            kms = {"enabled": True, "key_id": key, "key_vault_network_access": "Public"}
            encryption = {"azure_key_vault_kms": kms}
        return ReadableManagedCluster(
            name,
            **where,
            resource_name_=plan.name,
            kubernetes_version=plan.version,
            dns_prefix=plan.dns_prefix,
            sku={"name": "Base", "tier": "Standard"},
            identity={
                "type": containerservice.ResourceIdentityType.USER_ASSIGNED,
                "user_assigned_identities": [control.id],
            },
            identity_profile={"kubeletidentity": nodes_run_as},
            # Entra ID and Azure's roles decide who enters; the cluster has no account of its own.
            enable_rbac=True,
            aad_profile={"managed": True, "enable_azure_rbac": True},
            disable_local_accounts=True,
            api_server_access_profile=_api_access(plan, links.get("egress_cidrs", ())),
            network_profile=_network_profile(plan, plan.overlay),
            agent_pool_profiles=[_system_pool(plan, links["subnet"])],
            oidc_issuer_profile={"enabled": True},
            security_profile={"workload_identity": {"enabled": True}, **encryption},
            storage_profile={"blob_csi_driver": {"enabled": True}} if plan.blobs else None,
            # A job of days must not lose its nodes to an upgrade, and a new kernel builds every driver anew.
            auto_upgrade_profile={"upgrade_channel": "none", "node_os_upgrade_channel": plan.node_os_upgrades.value},
            azure_monitor_profile={"metrics": {"enabled": True}} if plan.metrics else None,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=granted,
                protect=plan.protected,
                # Its name is taken until it is gone.
                delete_before_replace=True,
                replace_on_changes=list(_DECIDED_ONCE),
                # AKS returns all pools of the cluster in its list, in the order of their names, and azure-native
                # compares lists by position: what it finds of a pool is a change of another one. So the list is left
                # alone once the cluster is there (docs/notes/engine.md), and what AKS refuses to change stands here.
                ignore_changes=["agentPoolProfiles"],
                replacement_trigger=[plan.system_machine, _zones(plan), links["subnet"]],
                custom_timeouts=pulumi.CustomTimeouts(create="60m", update="60m", delete="60m"),
            ),
        )


def _api_access(
    plan: AksClusterPlan, egress: Sequence[pulumi.Input[str]]
) -> "containerservice.ManagedClusterAPIServerAccessProfileArgsDict":
    if plan.endpoint == AksEndpoint.PUBLIC:
        # A block may be that of people and of nodes.
        blocks = list(dict.fromkeys([*plan.public_cidrs, *egress]))
        return {"enable_private_cluster": False, "authorized_ip_ranges": blocks}
    return {
        "enable_private_cluster": True,
        # Its name is public and tells the private address alone; a private zone of names would need a role on the
        # whole virtual network. azure-aks-docs@fb060ab private-clusters.md
        "enable_private_cluster_public_fqdn": True,
        "private_dns_zone": "none",
    }


def _network_profile(
    plan: AksClusterPlan, overlay: OverlayPlan
) -> "containerservice.ContainerServiceNetworkProfileArgsDict":
    return {
        "network_plugin": "azure",
        "network_plugin_mode": "overlay",
        "network_dataplane": "cilium",
        "network_policy": "cilium",
        "pod_cidr": overlay.pods,
        "service_cidr": overlay.services,
        "dns_service_ip": overlay.dns,
        "load_balancer_sku": "standard",
        "outbound_type": _OUTBOUND[plan.outbound],
        "advanced_networking": {"enabled": True, "observability": {"enabled": True}} if plan.metrics else None,
    }


def _system_pool(
    plan: AksClusterPlan, subnet: pulumi.Input[str]
) -> "containerservice.ManagedClusterAgentPoolProfileArgsDict":
    """The system pool, which AKS wants in the cluster. No GPU pool is here: a change here touches all of them."""
    return {
        "name": "system",
        "mode": "System",
        "type": "VirtualMachineScaleSets",
        "vm_size": plan.system_machine,
        "os_type": "Linux",
        "os_sku": "Ubuntu",
        "vnet_subnet_id": subnet,
        "availability_zones": _zones(plan) or None,
        # No CriticalAddonsOnly taint: the controllers of drivers and operators run here, and tolerate none.
        "count": 3,
        "enable_auto_scaling": True,
        "min_count": 3,
        "max_count": SYSTEM_NODES,
        "upgrade_settings": {"max_surge": "1"},
    }


def _zones(plan: AksClusterPlan) -> list[str]:
    return list(ZONES) if plan.zone else []


def _managed_prometheus(name: str, where: Any, cluster: containerservice.ManagedCluster, child: Opts) -> None:
    """Azure's managed Prometheus: a workspace, and the rule that brings the cluster's metrics into it."""
    workspace = monitor.AzureMonitorWorkspace(name, **where, opts=child)
    endpoint = monitor.DataCollectionEndpoint(name, **where, kind="Linux", opts=child)
    rule = monitor.DataCollectionRule(
        name,
        **where,
        kind="Linux",
        data_collection_endpoint_id=endpoint.id,
        data_sources={"prometheus_forwarder": [{"name": "prometheus", "streams": ["Microsoft-PrometheusMetrics"]}]},
        destinations={"monitoring_accounts": [{"name": "workspace", "account_resource_id": workspace.id}]},
        data_flows=[{"streams": ["Microsoft-PrometheusMetrics"], "destinations": ["workspace"]}],
        opts=child,
    )
    monitor.DataCollectionRuleAssociation(name, resource_uri=cluster.id, data_collection_rule_id=rule.id, opts=child)
