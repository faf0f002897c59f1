"""An OKE cluster for GPU pools, and the Kubernetes provider of everything on it."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pulumi_oci as oci
from ..base.key_docs import with_keys
from ..component.account import signed_in
from ..component.frame import Opts, PlannedComponent, Shown, computed, outputs
from ..incluster.kubeconfig import cluster_provider, exec_kubeconfig
from . import lookups
from .plan.cluster import OkeClusterArgs, OkeClusterPlan, OkeEndpoint, plan_cluster
from .plan.cni import OkeCniType
from .plan.network import SYSTEM_NODES, SYSTEM_PODS, OkeClusterNetwork
from .plan.node_pool import OkePoolLinks
from .plan.sign_in import SIGN_IN

CNI = {OkeCniType.VCN_NATIVE: "OCI_VCN_IP_NATIVE", OkeCniType.FLANNEL: "FLANNEL_OVERLAY"}

KUBE_PROXY = "ipvs"
"""How services reach their pods, on every node: as in Oracle's stack."""

_SYSTEM_SHAPE = "VM.Standard.E5.Flex"  # as in Oracle's stack, with its size
_SYSTEM_VOLUME_GB = 128
_TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="60m", delete="60m")


@with_keys
class OkeCluster(PlannedComponent[OkeClusterPlan, OkeClusterNetwork]):
    """An enhanced cluster whose API is private by default, with its system nodes and add-ons."""

    id: pulumi.Output[str]
    """OCID of the cluster."""
    name: pulumi.Output[str]
    """Name of the cluster."""
    api_host: pulumi.Output[str]
    """Private address of the Kubernetes API, without port."""
    ca_certificate: pulumi.Output[str]
    """Base64 CA certificate."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    provider: k8s.Provider
    """Provider for what runs on the cluster. Replaced only with the cluster."""

    def __init__(self, name: str, args: OkeClusterArgs, opts: Opts = None):
        self._plan_alone(name, OkeClusterArgs, plan_cluster, args, opts, name)

    def _make(self, name: str, plan: OkeClusterPlan, links: OkeClusterNetwork, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:OkeCluster", name, shown, opts)
        self.cluster: oci.containerengine.Cluster | None = None
        """The cluster where it is ours: what runs on it goes with it."""
        self.addons: list[pulumi.Resource] = []
        """Add-ons in the order of their installation; what uses them depends on them."""
        endpoints: Any
        if plan.existing is not None:
            cluster_info = oci.containerengine.get_cluster_output(
                cluster_id=plan.existing, opts=pulumi.InvokeOutputOptions(parent=self)
            )
            self.id, endpoints = pulumi.Output.from_input(plan.existing), cluster_info.endpoints
        else:
            self.cluster = cluster = self._cluster(name, plan, links)
            system = self._system_nodes(name, plan, links, cluster)
            self.addons = self._addons(name, plan, cluster, system)
            self.id, endpoints = cluster.id, cluster.endpoints
        private = computed(endpoints, lambda known: str(known[0].private_endpoint), "")
        public = plan.endpoint is OkeEndpoint.PUBLIC
        self.name = pulumi.Output.from_input(plan.name)
        self.api_host = private.apply(lambda address: address.partition(":")[0])
        self.ca_certificate = lookups.ca_certificate(self.id, self)
        address = computed(endpoints, lambda known: str(known[0].public_endpoint), "") if public else private
        server = pulumi.Output.format("https://{0}", address)
        token = signed_in(self, SIGN_IN, _token(plan.place.region, self.id))
        self.kubeconfig = exec_kubeconfig(plan.name, server, token, self.ca_certificate)
        self.provider = cluster_provider(name, self.kubeconfig, plan.identifier, pulumi.ResourceOptions(parent=self))
        self.for_pools = self._for_pools(links)
        """The cluster and the network that every pool joins."""
        self.register_outputs(outputs(self))

    def _for_pools(self, network: OkeClusterNetwork) -> OkePoolLinks:
        links = OkePoolLinks(
            cluster=self.id,
            api_host=self.api_host,
            ca_certificate=self.ca_certificate,
            subnet=network["worker_subnet"],
            groups=network.get("worker_groups", []),
            pod_groups=network.get("pod_groups", []),
        )
        if "pod_subnet" in network:
            links["pod_subnet"] = network["pod_subnet"]
        return links

    def _cluster(self, name: str, plan: OkeClusterPlan, network: OkeClusterNetwork) -> oci.containerengine.Cluster:
        return oci.containerengine.Cluster(
            name,
            name=plan.name,
            compartment_id=plan.place.compartment,
            vcn_id=network["vcn"],
            kubernetes_version=f"v{plan.version}",
            # Add-ons, self-managed nodes and workload identity are of enhanced clusters alone.
            type="ENHANCED_CLUSTER",
            endpoint_config={
                "subnet_id": network["api_subnet"],
                "is_public_ip_enabled": plan.endpoint is OkeEndpoint.PUBLIC,
                "nsg_ids": network.get("api_groups", []),
            },
            cluster_pod_network_options=[{"cni_type": CNI[plan.cni]}],
            options={
                "service_lb_subnet_ids": [network["load_balancer_subnet"]],
                "ip_families": ["IPv4", "IPv6"] if plan.dual_stack else None,
                "kubernetes_network_config": {"services_cidr": plan.service_cidr, "pods_cidr": plan.pod_cidr},
            },
            kms_key_id=plan.secrets_key,
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=plan.protected,
                # What runs on the cluster goes by the cluster's name: the old one goes before the new one comes.
                delete_before_replace=True,
                custom_timeouts=_TIMEOUTS,
            ),
        )

    def _system_nodes(
        self, name: str, plan: OkeClusterPlan, network: OkeClusterNetwork, cluster: oci.containerengine.Cluster
    ) -> oci.containerengine.NodePool:
        """Nodes for pods without GPUs. Oracle's operators start only once one of them is there."""
        image = lookups.node_image(plan.version, plan.place.compartment, self)
        domain = lookups.availability_domain(plan.place.zone, plan.place.tenancy, self)
        return oci.containerengine.NodePool(
            f"{name}-system",
            name="system",
            compartment_id=plan.place.compartment,
            cluster_id=cluster.id,
            kubernetes_version=cluster.kubernetes_version,
            node_shape=_SYSTEM_SHAPE,
            node_shape_config={"ocpus": 4, "memory_in_gbs": 16},
            node_source_details=node_source(image, _SYSTEM_VOLUME_GB),
            node_config_details={
                "size": SYSTEM_NODES,
                "placement_configs": [{"availability_domain": domain, "subnet_id": network["worker_subnet"]}],
                "nsg_ids": network.get("worker_groups", []),
                "node_pool_pod_network_option_details": pod_network(
                    plan.cni, network.get("pod_subnet"), network.get("pod_groups", []), SYSTEM_PODS
                ),
            },
            node_metadata={"oke-kubeproxy-proxy-mode": KUBE_PROXY, "areLegacyImdsEndpointsDisabled": "true"},
            opts=pulumi.ResourceOptions(
                parent=self,
                # A newer image is the user's choice and does not depend on the day on which `up` runs.
                ignore_changes=["nodeSourceDetails.imageId"],
                custom_timeouts=_TIMEOUTS,
            ),
        )

    def _addons(
        self, name: str, plan: OkeClusterPlan, cluster: oci.containerengine.Cluster, nodes: oci.containerengine.NodePool
    ) -> list[pulumi.Resource]:
        """Each waits for the one before: both operators read the node labels that the first add-on sets."""
        resources: list[pulumi.Resource] = [nodes]
        for addon in plan.addons:
            resources.append(
                oci.containerengine.Addon(
                    f"{name}-{addon.name}",
                    cluster_id=cluster.id,
                    addon_name=addon.name,
                    version=lookups.addon_version(addon, plan.version, self),
                    configurations=[{"key": key, "value": value} for key, value in addon.configuration.items()],
                    override_existing=True,
                    remove_addon_resources_on_delete=True,
                    opts=pulumi.ResourceOptions(parent=self, depends_on=resources[-1]),
                )
            )
        return resources[1:]


def node_source(image: pulumi.Input[str], volume_gb: int) -> Any:
    """What a managed node boots, and from how large a volume."""
    return {"source_type": "IMAGE", "image_id": image, "boot_volume_size_in_gbs": str(volume_gb)}


def pod_network(
    cni: OkeCniType, subnet: pulumi.Input[str] | None, groups: pulumi.Input[list[pulumi.Input[str]]], max_pods: int
) -> Any:
    """How the pods of a managed node get their addresses."""
    if cni is OkeCniType.FLANNEL:
        return {"cni_type": CNI[cni]}
    return {"cni_type": CNI[cni], "max_pods_per_node": max_pods, "pod_subnet_ids": [subnet], "pod_nsg_ids": groups}


def _token(region: str, cluster: pulumi.Output[str]) -> dict[str, object]:
    return {
        "command": "oci",
        "args": ["ce", "cluster", "generate-token", "--cluster-id", cluster, "--region", region],
        "installHint": "install the OCI CLI: https://docs.oracle.com/iaas/Content/API/SDKDocs/cliinstall.htm",
    }
