"""A GKE cluster for GPU node pools, and the Kubernetes provider of everything on it."""

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
from ..base.key_docs import with_keys
from ..common.google.resources import service_account
from ..common.pools import SYSTEM_NODES
from ..component.account import signed_in
from ..component.frame import Opts, PlannedComponent, Shown, computed, inputs, outputs, plan_args, with_more
from ..incluster.kubeconfig import cluster_provider, exec_kubeconfig
from ..incluster.same_cluster import CreationId, same_cluster
from .plan.cluster import GkeClusterArgs, GkeClusterFeatures, GkeClusterPlan, GkeEndpoint, plan_cluster
from .plan.network import GkePrimaryNetwork
from .plan.sign_in import SIGN_IN

# What a node needs and no more: write logs and metrics, pull images. cluster-toolkit v1.95 grants these, and
# storage.objectViewer besides: the project's every bucket, to each pod that reaches the node's identity. Images have
# come from Artifact Registry alone since Container Registry ended
# (docs.cloud.google.com/artifact-registry/docs/transition/transition-from-gcr, 2026-11-23).
NODE_ROLES = (
    "roles/artifactregistry.reader",
    "roles/logging.logWriter",
    "roles/monitoring.metricWriter",
    "roles/monitoring.viewer",
    "roles/stackdriver.resourceMetadata.writer",
)

_METRICS = ["SYSTEM_COMPONENTS", "POD", "DAEMONSET", "DEPLOYMENT", "STATEFULSET", "STORAGE", "HPA", "JOBSET"]

# A private address is refused without a list of who may reach it ("Master authorized networks must be enabled if
# private endpoint is enabled"): whoever has a route to it. The API has newer fields for both, the provider not yet.
_PRIVATE_RANGES: "list[gcp.container.ClusterMasterAuthorizedNetworksConfigCidrBlockArgsDict]" = [
    {"cidr_block": "10.0.0.0/8"},
    {"cidr_block": "172.16.0.0/12"},
    {"cidr_block": "192.168.0.0/16"},
]

# Google's plugin that gets a token; it needs to know for which cluster.
_TOKEN = {
    "command": "gke-gcloud-auth-plugin",
    "installHint": "install gke-gcloud-auth-plugin: gcloud components install gke-gcloud-auth-plugin",
    "provideClusterInfo": True,
}

# Every cluster has a DNS endpoint, ``uid.us-central1.gke.goog``, whether or not it is open (Container API v1,
# DNSEndpointConfig.endpoint, 2026-11-27). The API's own ``id`` is in no answer of the provider.
_UID = ("controlPlaneEndpointsConfigs", 0, "dnsEndpointConfigs", 0, "endpoint")


@with_keys
class GkeCluster(PlannedComponent[GkeClusterPlan, GkePrimaryNetwork]):
    """A private, VPC-native cluster with Dataplane V2, its system pool and its node service account."""

    name: pulumi.Output[str]
    """Name of the cluster."""
    endpoint: pulumi.Output[str]
    """Host name or address of the Kubernetes API."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    node_service_account: pulumi.Output[str]
    """E-mail of the account that nodes run as."""
    provider: k8s.Provider
    """Provider for what runs on the cluster. Replaced only with the cluster."""

    def __init__(self, name: str, args: GkeClusterArgs, opts: Opts = None):
        args, plan = plan_args(GkeClusterArgs, plan_cluster, args, None, name)
        self._make(name, plan, args, inputs(GkeClusterArgs, args), opts)

    def _make(self, name: str, plan: GkeClusterPlan, links: GkePrimaryNetwork, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:GkeCluster", name, shown, opts)
        child = on_it = pulumi.ResourceOptions(parent=self)
        token = signed_in(self, SIGN_IN, _TOKEN)

        self.cluster: gcp.container.Cluster | None = None
        """The cluster where it is ours; what runs on it is replaced and deleted with it."""
        if (existing := plan.existing) is not None:
            self.name = pulumi.Output.from_input(plan.name)
            self.endpoint = pulumi.Output.from_input(existing["endpoint"])
            self.node_service_account = pulumi.Output.from_input(existing.get("node_service_account", "default"))
            self.kubeconfig = exec_kubeconfig(plan.name, _url(self.endpoint), token, existing.get("ca_certificate"))
            where = {"name": plan.name, "location": plan.location, "project": plan.project}
            asked = CreationId("gcp:container/getCluster:getCluster", where, _UID, "container.clusters.get")
            on_it = with_more(child, depends_on=same_cluster(name, plan.name, asked, self.endpoint, self))
        else:
            account, _ = service_account(
                f"{name}-nodes", plan.project, plan.account_id, f"Nodes of GKE cluster {plan.name}", NODE_ROLES, child
            )
            self.cluster = cluster = self._cluster(name, plan, links, account, child)
            self._system_pool(name, plan, cluster, account, child)
            self.name = cluster.name
            self.node_service_account = account.email
            ca_certificate = None
            if plan.endpoint is GkeEndpoint.DNS:
                self.endpoint = cluster.control_plane_endpoints_config.dns_endpoint_config.endpoint.apply(str)
            else:
                self.endpoint = cluster.private_cluster_config.private_endpoint.apply(str)
                ca_certificate = computed(cluster.master_auth, lambda known: str(known.cluster_ca_certificate), "")
            self.kubeconfig = exec_kubeconfig(plan.name, _url(self.endpoint), token, ca_certificate)

        self.provider = cluster_provider(name, self.kubeconfig, plan.identifier, on_it)
        self.register_outputs(outputs(self))

    # One resource, its properties in the API's order.
    def _cluster(
        self,
        name: str,
        plan: GkeClusterPlan,
        links: GkePrimaryNetwork,
        account: gcp.serviceaccount.Account,
        child: pulumi.ResourceOptions,
    ) -> gcp.container.Cluster:
        by_address, features = plan.endpoint is GkeEndpoint.PRIVATE, plan.features
        return gcp.container.Cluster(
            name,
            project=plan.project,
            name=plan.name,
            location=plan.location,
            node_locations=[plan.zone] if plan.location != plan.zone else None,
            min_master_version=plan.version,
            release_channel={"channel": plan.release_channel},
            maintenance_policy={
                "daily_maintenance_window": {"start_time": "09:00"},
                # A job of days must not lose its nodes to an upgrade: patches of the control plane go on, nodes and
                # minors wait for their owner. A fixed date in the past, so that every preview is the same.
                "maintenance_exclusions": [
                    {
                        "exclusion_name": "no-minor-or-node-upgrades",
                        "start_time": "2025-12-01T00:00:00Z",
                        "exclusion_options": {
                            "scope": "NO_MINOR_OR_NODE_UPGRADES",
                            "end_time_behavior": "UNTIL_END_OF_SUPPORT",
                        },
                    }
                ],
            },
            network=links["network"],
            subnetwork=links["subnetwork"],
            networking_mode="VPC_NATIVE",
            ip_allocation_policy={
                "cluster_secondary_range_name": links["pod_range"],
                "services_secondary_range_name": links["service_range"],
            },
            datapath_provider="ADVANCED_DATAPATH",
            enable_multi_networking=features.get("multi_networking", True),
            enable_shielded_nodes=features.get("shielded_nodes"),
            private_cluster_config={
                "enable_private_nodes": True,
                "enable_private_endpoint": True if by_address else None,
            },
            control_plane_endpoints_config={
                "dns_endpoint_config": {
                    "allow_external_traffic": not by_address,
                    # Left to itself it takes Google's tokens alone (container.v1 DNSEndpointConfig).
                    **({"enable_k8s_tokens_via_dns": True} if features.get("kubernetes_tokens") else {}),
                },
                "ip_endpoints_config": {"enabled": by_address},
            },
            master_authorized_networks_config={"cidr_blocks": _PRIVATE_RANGES} if by_address else None,
            # https://docs.cloud.google.com/kubernetes-engine/docs/how-to/encrypting-secrets
            database_encryption=None
            if plan.secrets_key is None
            else {"state": "ENCRYPTED", "key_name": plan.secrets_key},
            workload_identity_config={"workload_pool": f"{plan.project}.svc.id.goog"},
            addons_config=_addons(features),
            logging_config={"enable_components": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
            monitoring_config={
                "enable_components": [*_METRICS, *(["DCGM"] if features.get("gpu_metrics", True) else [])],
                "managed_prometheus": {"enabled": True},
            },
            # The default pool lives for the minutes of the creation; it still needs an account that may exist.
            remove_default_node_pool=True,
            initial_node_count=1,
            node_config={"service_account": account.email},
            # The provider's own protection; ours is ``protected``, which previews know on every cloud.
            deletion_protection=False,
            opts=pulumi.ResourceOptions.merge(
                child,
                pulumi.ResourceOptions(
                    protect=plan.protected,
                    ignore_changes=["nodeConfig", "initialNodeCount"],
                    # Its name is its own until it is gone.
                    delete_before_replace=True,
                    custom_timeouts=pulumi.CustomTimeouts(create="60m", update="60m", delete="60m"),
                ),
            ),
        )

    def _system_pool(
        self,
        name: str,
        plan: GkeClusterPlan,
        cluster: gcp.container.Cluster,
        account: gcp.serviceaccount.Account,
        child: pulumi.ResourceOptions,
    ) -> None:
        gcp.container.NodePool(
            f"{name}-system",
            project=plan.project,
            # Named by us: a generated name would outgrow GKE's 40 characters with a long cluster name.
            name="system",
            cluster=cluster.name,
            location=plan.location,
            node_locations=[plan.zone],
            autoscaling={"total_min_node_count": 2, "total_max_node_count": SYSTEM_NODES, "location_policy": "ANY"},
            # They follow the control plane in the same `up`. A minor alone would be a difference at every preview.
            version=plan.version if plan.is_exact else None,
            management={"auto_repair": True, "auto_upgrade": True},
            network_config={"enable_private_nodes": True},
            node_config={
                "machine_type": "e2-standard-16",
                "image_type": "COS_CONTAINERD",
                "service_account": account.email,
                "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
                "workload_metadata_config": {"mode": "GKE_METADATA"},
                "gvnic": {"enabled": True},
                # GPU nodes have it off: their image loads modules that nobody signed, which drivers may be
                # (docs.cloud.google.com/kubernetes-engine/security/secure-modules-cos, 2026-11-23).
                "shielded_instance_config": {"enable_secure_boot": True, "enable_integrity_monitoring": True},
            },
            opts=pulumi.ResourceOptions.merge(
                child,
                # The autoscaler owns the count; the fixed name is free only when the old pool is gone.
                pulumi.ResourceOptions(ignore_changes=["nodeCount", "initialNodeCount"], delete_before_replace=True),
            ),
        )


def _addons(features: GkeClusterFeatures) -> "gcp.container.ClusterAddonsConfigArgsDict | None":
    """The CSI driver of the cluster's storage."""
    if features.get("gcs_fuse"):
        return {"gcs_fuse_csi_driver_config": {"enabled": True}}
    if features.get("lustre"):
        # Left to itself it spreads over all gVNICs of a node, which must then be in one VPC: ours are not.
        # docs.cloud.google.com/managed-lustre/docs/lustre-csi-driver-new-volume
        return {"lustre_csi_driver_config": {"enabled": True, "disable_multi_nic": True}}
    return None


def _url(host: pulumi.Output[str]) -> pulumi.Output[str]:
    return pulumi.Output.format("https://{0}", host)
