"""An OKE cluster for GPU pools, and the Kubernetes provider of everything on it."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pulumi_oci as oci

from ..component import Opts, computed, inputs, outputs, plan_args
from ..incluster.kubeconfig import cluster_provider, exec_kubeconfig
from ..key_docs import with_keys
from . import lookups
from .plan.cluster import OkeClusterArgs, OkeClusterPlan, OkeEndpoint, plan_cluster
from .plan.cni import OkeCniType
from .plan.network import SYSTEM_NODES, SYSTEM_PODS

CNI = {OkeCniType.VCN_NATIVE: "OCI_VCN_IP_NATIVE", OkeCniType.FLANNEL: "FLANNEL_OVERLAY"}

KUBE_PROXY = "ipvs"
"""How services reach their pods, on every node: as in Oracle's stack."""

_SYSTEM_SHAPE = "VM.Standard.E5.Flex"  # as in Oracle's stack, with its size
_SYSTEM_VOLUME_GB = 128
_TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="60m", delete="60m")


@with_keys
class OkeCluster(pulumi.ComponentResource):
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

    def __init__(self, name: str, args: OkeClusterArgs, opts: Opts = None, *, plan: OkeClusterPlan | None = None):
        args, plan = plan_args(OkeClusterArgs, plan_cluster, args, plan, name)
        super().__init__("rdma-cluster:index:OkeCluster", name, inputs(OkeClusterArgs, args), opts)
        self.cluster: oci.containerengine.Cluster | None = None
        """The cluster where it is ours: what runs on it goes with it."""
        self.addons: list[pulumi.Resource] = []
        """In order; what uses the add-ons depends on them."""
        endpoints: Any
        if plan.existing is not None:
            cluster_info = oci.containerengine.get_cluster_output(
                cluster_id=plan.existing, opts=pulumi.InvokeOutputOptions(parent=self)
            )
            self.id, endpoints = pulumi.Output.from_input(plan.existing), cluster_info.endpoints
        else:
            self.cluster = cluster = self._cluster(name, args, plan)
            system = self._system_nodes(name, args, plan, cluster)
            self.addons = self._addons(name, plan, cluster, system)
            self.id, endpoints = cluster.id, cluster.endpoints
        private = computed(endpoints, lambda known: str(known[0].private_endpoint), "")
        public = plan.endpoint is OkeEndpoint.PUBLIC
        self.name = pulumi.Output.from_input(plan.name)
        self.api_host = private.apply(lambda address: address.partition(":")[0])
        self.ca_certificate = lookups.ca_certificate(self.id, self)
        address = computed(endpoints, lambda known: str(known[0].public_endpoint), "") if public else private
        server = pulumi.Output.format("https://{0}", address)
        self.kubeconfig = exec_kubeconfig(plan.name, server, _token(args["region"], self.id), self.ca_certificate)
        self.provider = cluster_provider(name, self.kubeconfig, plan.identifier, pulumi.ResourceOptions(parent=self))
        self.register_outputs(outputs(self))

    def _cluster(self, name: str, args: OkeClusterArgs, plan: OkeClusterPlan) -> oci.containerengine.Cluster:
        return oci.containerengine.Cluster(
            name,
            name=plan.name,
            compartment_id=args["compartment"],
            vcn_id=args["vcn"],
            kubernetes_version=f"v{plan.version}",
            # Add-ons, self-managed nodes and workload identity are of enhanced clusters alone.
            type="ENHANCED_CLUSTER",
            endpoint_config={
                "subnet_id": args["api_subnet"],
                "is_public_ip_enabled": plan.endpoint is OkeEndpoint.PUBLIC,
                "nsg_ids": args.get("api_groups", []),
            },
            cluster_pod_network_options=[{"cni_type": CNI[plan.cni]}],
            options={
                "service_lb_subnet_ids": [args["load_balancer_subnet"]],
                "ip_families": ["IPv4", "IPv6"] if plan.dual_stack else None,
                "kubernetes_network_config": {"services_cidr": plan.service_cidr, "pods_cidr": plan.pod_cidr},
            },
            kms_key_id=args.get("secrets_key"),
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=args.get("protected"),
                # What runs on the cluster goes by the cluster's name: the old one goes before the new one comes.
                delete_before_replace=True,
                custom_timeouts=_TIMEOUTS,
            ),
        )

    def _system_nodes(
        self, name: str, args: OkeClusterArgs, plan: OkeClusterPlan, cluster: oci.containerengine.Cluster
    ) -> oci.containerengine.NodePool:
        """Nodes for pods without GPUs. Oracle's operators start only once one of them is there."""
        return oci.containerengine.NodePool(
            f"{name}-system",
            name="system",
            compartment_id=args["compartment"],
            cluster_id=cluster.id,
            kubernetes_version=cluster.kubernetes_version,
            node_shape=_SYSTEM_SHAPE,
            node_shape_config={"ocpus": 4, "memory_in_gbs": 16},
            node_source_details={
                "source_type": "IMAGE",
                "image_id": lookups.node_image(plan.version, args["compartment"], self),
                "boot_volume_size_in_gbs": str(_SYSTEM_VOLUME_GB),
            },
            node_config_details={
                "size": SYSTEM_NODES,
                "placement_configs": [
                    {
                        "availability_domain": lookups.availability_domain(args["zone"], args["tenancy"], self),
                        "subnet_id": args["worker_subnet"],
                    }
                ],
                "nsg_ids": args.get("worker_groups", []),
                "node_pool_pod_network_option_details": pod_network(
                    plan.cni, args.get("pod_subnet"), args.get("pod_groups", []), SYSTEM_PODS
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
        self,
        name: str,
        plan: OkeClusterPlan,
        cluster: oci.containerengine.Cluster,
        system: oci.containerengine.NodePool,
    ) -> list[pulumi.Resource]:
        """Each waits for the one before: both operators read the node labels that the first add-on sets."""
        resources: list[pulumi.Resource] = [system]
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


def pod_network(
    cni: OkeCniType, subnet: pulumi.Input[str] | None, groups: pulumi.Input[list[pulumi.Input[str]]], max_pods: int
) -> Any:
    """How the pods of a managed node get their addresses."""
    if cni is OkeCniType.FLANNEL:
        return {"cni_type": CNI[cni]}
    return {"cni_type": CNI[cni], "max_pods_per_node": max_pods, "pod_subnet_ids": [subnet], "pod_nsg_ids": groups}


def _token(region: str, cluster: pulumi.Output[str]) -> dict[str, object]:
    """The OCI CLI's command for a token."""
    return {
        "command": "oci",
        "args": ["ce", "cluster", "generate-token", "--cluster-id", cluster, "--region", region],
        "installHint": "install the OCI CLI: https://docs.oracle.com/iaas/Content/API/SDKDocs/cliinstall.htm",
    }
