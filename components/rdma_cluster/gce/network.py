"""The networks of plain machines with GPUDirect-TCPX."""

import pulumi
import pulumi_gcp as gcp

from ..component import inputs, outputs, plan_args
from ..google.network import ALL_PORTS, of_addresses, way_out
from ..key_docs import with_keys
from .plan.network import GceHpcNetworkArgs, GceNic, NetworkPlan, decide_network

_IAP = "35.235.240.0/20"
"""Where Identity-Aware Proxy comes from: https://docs.cloud.google.com/iap/docs/using-tcp-forwarding."""


@with_keys
class GceHpcNetwork(pulumi.ComponentResource):
    """A VPC with one subnet for each NIC; none is reachable from outside but by Identity-Aware Proxy."""

    networks: list[GceNic]
    """What a machine attaches, in NIC order: eth0's network, then rails 0, 1, ..."""

    def __init__(
        self,
        name: str,
        args: GceHpcNetworkArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: NetworkPlan | None = None,
    ):
        args, plan = plan_args(GceHpcNetworkArgs, decide_network, args, plan)
        super().__init__("rdma-cluster:index:GceHpcNetwork", name, inputs(GceHpcNetworkArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)
        project, networks = args["project"], []
        self.networks = []
        for nic, block in plan.subnets.items():
            network = gcp.compute.Network(
                f"{name}-{nic}",
                project=project,
                auto_create_subnetworks=False,
                routing_mode="REGIONAL",
                mtu=plan.mtu_bytes,
                opts=of_addresses(child, block),
            )
            nodes = gcp.compute.Subnetwork(
                f"{name}-{nic}",
                project=project,
                region=plan.region,
                network=network.id,
                ip_cidr_range=block,
                private_ip_google_access=True,
                opts=child,
            )
            gcp.compute.Firewall(
                f"{name}-{nic}",
                project=project,
                network=network.id,
                allows=ALL_PORTS,
                source_ranges=[block],
                opts=child,
            )
            networks.append(network)
            self.networks.append(GceNic(network=network.name, subnetwork=nodes.name))
        if plan.iap_ssh:
            gcp.compute.Firewall(
                f"{name}-iap-ssh",
                project=project,
                network=networks[0].id,
                allows=[{"protocol": "tcp", "ports": ["22"]}],
                source_ranges=[_IAP],
                opts=child,
            )
        way_out(f"{name}-nat", project, plan.region, networks[0], child)
        self.register_outputs(outputs(self))
