"""An AKS cluster for GPU node pools, and the Kubernetes provider of everything on it."""

import json
from base64 import b64decode
from collections.abc import Callable, Sequence
from typing import TypeVar

import pulumi
import pulumi_kubernetes as k8s
from pulumi_azure_native import authorization, containerservice, managedidentity

from ..clouds.pools import SYSTEM_NODES
from ..component import inputs, plan_args, waiting_for
from ..incluster.kubeconfig import cluster_provider, exec_kubeconfig
from ..key_docs import with_keys
from .metrics import managed_prometheus
from .plan import roles
from .plan.cluster import AksClusterArgs, AksEndpoint, AksPrincipalType, ClusterPlan, decide_cluster
from .plan.network import AksOutbound
from .plan.zones import ZONES, resource_group_of

T = TypeVar("T")

# The application that AKS's API servers are in Entra ID, the same for every cluster.
# https://azure.github.io/kubelogin/concepts/aks.html
_SERVER_ID = "6dae42f8-4368-4678-94ff-3960e28e3630"
# AKS refuses to change these, and azure-native replaces a cluster for others only (pulumi-azure-native@1b7112a
# provider/pkg/gen/replacement.go): so it is told.
_DECIDED_ONCE = (
    "apiServerAccessProfile.enablePrivateCluster",
    "agentPoolProfiles[*].availabilityZones",
    "agentPoolProfiles[*].vmSize",
    "agentPoolProfiles[*].vnetSubnetID",
)
_OUTBOUND = {
    AksOutbound.NAT_GATEWAY: "userAssignedNATGateway",
    AksOutbound.LOAD_BALANCER: "loadBalancer",
    AksOutbound.ROUTES: "userDefinedRouting",
}


@with_keys
class AksCluster(pulumi.ComponentResource):
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

    def __init__(
        self,
        name: str,
        args: AksClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: ClusterPlan | None = None,
    ):
        if plan is None:
            args, plan = plan_args(AksClusterArgs, lambda checked, faults: decide_cluster(checked, name, faults), args)
        super().__init__("rdma-cluster:index:AksCluster", name, inputs(AksClusterArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)

        self.cluster: containerservice.ManagedCluster | None = None
        """The cluster where it is ours, for others to go and come with."""
        self.pool_needs: list[pulumi.Resource] = []
        """What must be there before a pool, and stay until after it: node pools depend on these."""
        self.kubelet: managedidentity.UserAssignedIdentity | None = None
        """The identity that nodes run as, where the cluster is ours."""
        entries: list[pulumi.Resource] = []
        existing = args.get("existing")
        server: pulumi.Input[str]
        ca_certificate: pulumi.Input[str]
        if existing is not None:
            self.name = pulumi.Output.from_input(plan.name)
            self.id = self.oidc_issuer = pulumi.Output.from_input("")
            server, ca_certificate = existing["server"], existing["ca_certificate"]
        else:
            self.cluster = cluster = self._cluster(name, args, plan, child)
            entries = self._admins(name, args, plan, cluster, child)
            if plan.metrics:
                managed_prometheus(name, args["resource_group"], plan.location, cluster, child)
            self.name, self.id = cluster.name, cluster.id
            self.oidc_issuer = cluster.oidc_issuer_profile.apply(lambda profile: profile.issuer_url if profile else "")
            server = pulumi.Output.format("https://{0}:443", cluster.fqdn)
            ca_certificate = _certificate(args["resource_group"], cluster, child)

        self.kubeconfig = exec_kubeconfig(plan.name, server, _token(plan), ca_certificate)
        # The client is let in by a role, not by having made the cluster.
        self.provider = cluster_provider(name, self.kubeconfig, plan.identifier, waiting_for(child, entries))
        self.register_outputs(
            {
                "name": self.name,
                "id": self.id,
                "kubeconfig": self.kubeconfig,
                "oidcIssuer": self.oidc_issuer,
                "provider": self.provider,
            }
        )

    def _cluster(
        self, name: str, args: AksClusterArgs, plan: ClusterPlan, child: pulumi.ResourceOptions
    ) -> containerservice.ManagedCluster:
        assert plan.overlay is not None
        group = args["resource_group"]
        control = managedidentity.UserAssignedIdentity(
            f"{name}-control", resource_group_name=group, location=plan.location, opts=child
        )
        self.kubelet = kubelet = managedidentity.UserAssignedIdentity(
            f"{name}-kubelet", resource_group_name=group, location=plan.location, opts=child
        )
        # Nodes join the subnet, and run as the kubelet's identity: no more than that, and at no wider scope.
        granted = [
            _grant(f"{name}-subnet", plan, roles.NETWORK_CONTRIBUTOR, control, args["subnet"], child),
            _grant(f"{name}-kubelet", plan, roles.MANAGED_IDENTITY_OPERATOR, control, kubelet.id, child),
        ]
        for place, reservation in _by_name(args.get("reservations", []), _group_name).items():
            # AKS asks for this role on the group's resource group, not on the group: it associates its scale sets.
            # azure-aks-docs@fb060ab use-capacity-reservation-groups.md
            scope = pulumi.Output.from_input(reservation).apply(resource_group_of)
            grant = _grant(f"{name}-reservation-{place}", plan, roles.CONTRIBUTOR, control, scope, child)
            self.pool_needs.append(grant)
        for each, registry in _by_name(args.get("container_registries", []), _last_name).items():
            self.pool_needs.append(_grant(f"{name}-registry-{each}", plan, roles.ACR_PULL, kubelet, registry, child))
        private = plan.endpoint == AksEndpoint.PRIVATE
        return containerservice.ManagedCluster(
            name,
            resource_group_name=group,
            location=plan.location,
            resource_name_=plan.name,
            kubernetes_version=plan.version,
            dns_prefix=plan.dns_prefix,
            sku={"name": "Base", "tier": "Standard"},
            identity={
                "type": containerservice.ResourceIdentityType.USER_ASSIGNED,
                "user_assigned_identities": [control.id],
            },
            identity_profile={
                "kubeletidentity": {
                    "resource_id": kubelet.id,
                    "client_id": kubelet.client_id,
                    "object_id": kubelet.principal_id,
                }
            },
            # Who enters is a matter of Entra ID and Azure's roles; there is no account that is the cluster's own.
            enable_rbac=True,
            aad_profile={"managed": True, "enable_azure_rbac": True},
            disable_local_accounts=True,
            api_server_access_profile={
                "enable_private_cluster": private,
                "authorized_ip_ranges": None if private else list(plan.public_cidrs),
                # Its name is public and tells the private address alone; a private zone of names would need a role on
                # the whole virtual network. azure-aks-docs@fb060ab private-clusters.md
                "enable_private_cluster_public_fqdn": True if private else None,
                "private_dns_zone": "none" if private else None,
            },
            network_profile={
                "network_plugin": "azure",
                "network_plugin_mode": "overlay",
                "network_dataplane": "cilium",
                "network_policy": "cilium",
                "pod_cidr": plan.overlay.pods,
                "service_cidr": plan.overlay.services,
                "dns_service_ip": plan.overlay.dns,
                "load_balancer_sku": "standard",
                "outbound_type": _OUTBOUND[args.get("outbound", AksOutbound.NAT_GATEWAY)],
                "advanced_networking": {"enabled": True, "observability": {"enabled": True}} if plan.metrics else None,
            },
            agent_pool_profiles=[_system_pool(args, plan)],
            oidc_issuer_profile={"enabled": True},
            security_profile={"workload_identity": {"enabled": True}},
            storage_profile={"blob_csi_driver": {"enabled": True}} if args.get("blobs") else None,
            # A job of days must not lose its nodes to an upgrade, and a new kernel builds every driver anew.
            auto_upgrade_profile={
                "upgrade_channel": "none",
                "node_os_upgrade_channel": plan.node_os_upgrades.value,
            },
            azure_monitor_profile={"metrics": {"enabled": True}} if plan.metrics else None,
            opts=pulumi.ResourceOptions.merge(
                child,
                pulumi.ResourceOptions(
                    depends_on=granted,
                    # Its name is taken until it is gone.
                    delete_before_replace=True,
                    replace_on_changes=list(_DECIDED_ONCE),
                    # Each in its own time: the autoscaler moves the system pool's count, AKS its patch version.
                    ignore_changes=["agentPoolProfiles[0].count"],
                    custom_timeouts=pulumi.CustomTimeouts(create="60m", update="60m", delete="60m"),
                ),
            ),
        )

    def _admins(
        self,
        name: str,
        args: AksClusterArgs,
        plan: ClusterPlan,
        cluster: containerservice.ManagedCluster,
        child: pulumi.ResourceOptions,
    ) -> list[pulumi.Resource]:
        return [
            authorization.RoleAssignment(
                f"{name}-admin-{who}",
                principal_id=admin["id"],
                principal_type=AksPrincipalType(admin.get("type", AksPrincipalType.GROUP)).value,
                role_definition_id=roles.definition(plan.subscription, roles.AKS_RBAC_CLUSTER_ADMIN),
                scope=cluster.id,
                opts=child,
            )
            for who, admin in _by_name(args.get("admins", []), lambda admin: admin["id"]).items()
        ]


def _by_name(items: Sequence[T], name_of: Callable[[T], object]) -> dict[str, T]:
    """A user's things by what each is, so that one that comes or goes moves no other, and none is there twice.

    What is known only later goes by its place.
    """
    named = [(name_of(item), item) for item in items]
    return {name if isinstance(name, str) else str(i): item for i, (name, item) in enumerate(named)}


def _last_name(resource: object) -> object:
    """The name of a thing with this id, as Azure compares names: without regard to case."""
    return resource.rpartition("/")[2].lower() if isinstance(resource, str) else None


def _group_name(resource: object) -> object:
    """The resource group that a thing is in, told from the same name in another subscription."""
    if not isinstance(resource, str):
        return None
    _, _, subscription, _, group, *_ = resource.split("/")
    return f"{subscription[:8]}-{group}".lower()


def _grant(
    name: str,
    plan: ClusterPlan,
    role: str,
    identity: managedidentity.UserAssignedIdentity,
    scope: pulumi.Input[str],
    child: pulumi.ResourceOptions,
) -> authorization.RoleAssignment:
    """A role for an identity of the cluster."""
    return authorization.RoleAssignment(
        name,
        principal_id=identity.principal_id,
        # Said, so that Azure does not look a brand-new identity up before it can be found.
        principal_type="ServicePrincipal",
        role_definition_id=roles.definition(plan.subscription, role),
        scope=scope,
        opts=child,
    )


def _system_pool(args: AksClusterArgs, plan: ClusterPlan) -> "containerservice.ManagedClusterAgentPoolProfileArgsDict":
    """The one pool that must stand in the cluster itself. GPU pools never do: a change there touches them all."""
    return {
        "name": "system",
        "mode": "System",
        "type": "VirtualMachineScaleSets",
        "vm_size": plan.system_machine,
        "os_type": "Linux",
        "os_sku": "Ubuntu",
        "vnet_subnet_id": args["subnet"],
        "availability_zones": list(ZONES) if plan.zone else None,
        # No CriticalAddonsOnly taint: the controllers of drivers and operators run here, and tolerate none.
        "count": 3,
        "enable_auto_scaling": True,
        "min_count": 3,
        "max_count": SYSTEM_NODES,
        "upgrade_settings": {"max_surge": "1"},
    }


def _certificate(
    group: pulumi.Input[str], cluster: containerservice.ManagedCluster, child: pulumi.ResourceOptions
) -> pulumi.Output[str]:
    """The API's CA certificate, base64: it is in the kubeconfig that AKS hands out, and nowhere else."""
    handed_out = containerservice.list_managed_cluster_user_credentials_output(
        resource_group_name=group,
        resource_name=cluster.name,
        format="exec",
        opts=pulumi.InvokeOutputOptions(parent=child.parent),
    )
    return handed_out.apply(lambda result: _read_certificate(result.kubeconfigs[0].value))


def _read_certificate(kubeconfig: str) -> str:
    import yaml

    text = b64decode(kubeconfig).decode()
    config = json.loads(text) if text.startswith("{") else yaml.safe_load(text)
    return config["clusters"][0]["cluster"]["certificate-authority-data"]


def _token(plan: ClusterPlan) -> dict[str, object]:
    """Kubelogin's command for a token."""
    return {
        "command": "kubelogin",
        "args": ["get-token", "--login", plan.login.value, "--server-id", _SERVER_ID],
        "installHint": "install kubelogin: az aks install-cli, or https://azure.github.io/kubelogin/install.html",
    }
