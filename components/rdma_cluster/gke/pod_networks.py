"""The objects by which pods of a GKE cluster name the networks of their node."""

from collections.abc import Sequence

import pulumi
import pulumi_kubernetes as k8s
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, inputs, plan_args, replaceable, waiting_for
from ..fabrics import PodNetwork
from .plan.network import GkeNodeNetwork
from .plan.pod_networks import GkePodNetworksArgs, plan_pod_networks

_GROUP = "networking.gke.io"
_API_VERSION = f"{_GROUP}/v1"
_PARAMETERS = "GKENetworkParamSet"


@with_keys
class GkePodNetworks(PlannedComponent[tuple[PodNetwork, ...], Sequence[GkeNodeNetwork]]):
    """A Network and its GKENetworkParamSet for each further network of the nodes; the cluster has multi-networking."""

    def __init__(self, name: str, args: GkePodNetworksArgs, opts: Opts = None):
        args, plan = plan_args(GkePodNetworksArgs, plan_pod_networks, args)
        self._make(name, plan, args["networks"], inputs(GkePodNetworksArgs, args), opts)

    def _make(
        self, name: str, plan: tuple[PodNetwork, ...], links: Sequence[GkeNodeNetwork], shown: Shown, opts: Opts
    ) -> None:
        """``links`` are the networks of the nodes, in the plan's order."""
        super().__init__("rdma-cluster:index:GkePodNetworks", name, shown, opts)
        # A network is never changed under the pods that use it, and its name is free only when it is gone.
        again = pulumi.ResourceOptions(parent=self, replace_on_changes=["spec"], delete_before_replace=True)
        child = replaceable(again)
        self.networks: list[pulumi.Resource] = []
        """The Networks, for node pools to come after."""
        for each, attached in zip(plan, links, strict=True):
            parameters = k8s.apiextensions.CustomResource(
                f"{name}-{each.name}",
                api_version=_API_VERSION,
                kind=_PARAMETERS,
                metadata={"name": each.name},
                spec={
                    "vpc": attached["network"],
                    "vpcSubnet": attached["subnetwork"],
                    "deviceMode": "RDMA" if each.rdma else "NetDevice",
                },
                opts=child,
            )
            network = k8s.apiextensions.CustomResource(
                f"{name}-{each.name}",
                api_version=_API_VERSION,
                kind="Network",
                metadata={"name": each.name},
                spec={"type": "Device", "parametersRef": {"group": _GROUP, "kind": _PARAMETERS, "name": each.name}},
                opts=waiting_for(child, [parameters]),
            )
            self.networks.append(network)
        self.register_outputs({})
