"""Networks and plain GPU machines on Google Cloud, without Kubernetes."""

from typing import Any

import pulumi
import pulumi_gcp as gcp
from ..base.key_docs import with_keys
from ..common.google import STACK_KEYS
from ..common.google.names import GOOGLE
from ..common.google.resources import service_account
from ..component.account import provider_for
from ..component.frame import Opts, inputs, outputs, plan_args
from ..component.outputs import DockerWorkload, NamedMachine, PoolProof
from ..component.tagging import tagged
from .network import GceHpcNetwork
from .plan.network import GceNic
from .plan.rdma_cluster import GceNetworkOptions, GceRdmaClusterArgs, GceRdmaClusterPlan, plan_rdma_cluster
from .plan.vms import GcePool
from .vms import GceGpuVms, VmsLinks

# What a machine needs and no more: write logs and metrics, pull images.
_ROLES = ("roles/artifactregistry.reader", "roles/logging.logWriter", "roles/monitoring.metricWriter")


@with_keys
class GceRdmaCluster(pulumi.ComponentResource):
    """Plain machines whose GPUs talk by GPUDirect-TCPX."""

    machines: pulumi.Output[dict[str, list[NamedMachine]]]
    """Names and addresses of the machines, by pool."""
    workloads: pulumi.Output[dict[str, DockerWorkload]]
    """Arguments of ``docker run`` on the machines of a pool, by pool."""
    proofs: pulumi.Output[dict[str, PoolProof]]
    """Whether each pool's fabric is proven, and by what."""

    def __init__(
        self, name: str, args: GceRdmaClusterArgs, opts: Opts = None, *, plan: GceRdmaClusterPlan | None = None
    ):
        args, plan = plan_args(GceRdmaClusterArgs, plan_rdma_cluster, args, plan, name)
        opts = tagged(opts, args.get("tags", {}), GOOGLE)
        super().__init__("rdma-cluster:index:GceRdmaCluster", name, inputs(GceRdmaClusterArgs, args), opts)
        for warning in plan.warnings:
            pulumi.log.warn(warning, self)
        project = plan.args["project"]
        google = provider_for(self, name, gcp.Provider, STACK_KEYS, plan.args)
        child = pulumi.ResourceOptions(parent=self, providers=[google])
        networks, way_out = _networks(name, plan, child)
        account, rights = service_account(f"{name}-vms", project, f"{name}-vms", f"Machines of {name}", _ROLES, child)
        links = VmsLinks(networks, account.email, [*way_out, *rights])
        pools = {
            pool.name: GceGpuVms.planned(f"{name}-{pool.name}", pool, links, inputs(GcePool, listed), child)
            for listed, pool in zip(plan.args["pools"], plan.pools, strict=True)
        }

        machines: dict[str, Any] = {
            pool: [{"name": each.name, "address": each.network_interfaces[0].network_ip} for each in vms.machines]
            for pool, vms in pools.items()
        }
        self.machines = pulumi.Output.from_input(machines)
        self.workloads = pulumi.Output.all(**{pool: vms.workload for pool, vms in pools.items()})
        self.proofs = pulumi.Output.all(**{pool: vms.proof for pool, vms in pools.items()})
        self.register_outputs(outputs(self))


def _networks(
    name: str, plan: GceRdmaClusterPlan, child: pulumi.ResourceOptions
) -> tuple[list[GceNic], list[pulumi.Resource]]:
    """The networks of the NICs, the user's or new ones, and what machines need before they can fetch images."""
    choice = plan.args.get("network", {})
    if plan.network is None:
        return choice["existing"], []
    network = GceHpcNetwork.planned(name, plan.network, None, inputs(GceNetworkOptions, choice), child)
    return network.networks, [network]
