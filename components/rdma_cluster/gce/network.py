"""The networks of plain machines with GPUDirect-TCPX."""

import pulumi
import pulumi_gcp as gcp
from ..base.key_docs import with_keys
from ..common.google.resources import allow_inside, nat, vpc
from ..component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args, replaceable
from .plan.network import GceHpcNetworkArgs, GceNetworkPlan, GceNic, plan_network

_IAP = "35.235.240.0/20"
"""Where Identity-Aware Proxy comes from: https://docs.cloud.google.com/iap/docs/using-tcp-forwarding."""


@with_keys
class GceHpcNetwork(PlannedComponent[GceNetworkPlan, None]):
    """A VPC with one subnet for each NIC; none is reachable from outside but by Identity-Aware Proxy."""

    networks: list[GceNic]
    """What a machine attaches, in NIC order: eth0's network, then rails 0, 1, ..."""

    def __init__(self, name: str, args: GceHpcNetworkArgs, opts: Opts = None):
        args, plan = plan_args(GceHpcNetworkArgs, plan_network, args)
        self._make(name, plan, None, inputs(GceHpcNetworkArgs, args), opts)

    def _make(self, name: str, plan: GceNetworkPlan, links: None, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:GceHpcNetwork", name, shown, opts)
        child = pulumi.ResourceOptions(parent=self)
        project, networks = plan.project, []
        self.networks = []
        for nic, block in plan.subnets.items():
            network = vpc(f"{name}-{nic}", project, [block], child, mtu_bytes=plan.mtu_bytes)
            nodes = gcp.compute.Subnetwork(
                f"{name}-{nic}",
                project=project,
                region=plan.region,
                network=network.id,
                ip_cidr_range=block,
                private_ip_google_access=True,
                opts=child,
            )
            allow_inside(f"{name}-{nic}", project, network, [block], child)
            networks.append(network)
            self.networks.append(GceNic(network=network.name, subnetwork=nodes.name))
        if plan.iap_ssh:
            gcp.compute.Firewall(
                f"{name}-iap-ssh",
                project=project,
                network=networks[0].id,
                allows=[{"protocol": "tcp", "ports": ["22"]}],
                source_ranges=[_IAP],
                opts=replaceable(child),
            )
        nat(f"{name}-nat", project, plan.region, networks[0], child)
        self.register_outputs(outputs(self))
