"""The objects by which pods of a GKE cluster name the networks of their node."""

import pulumi
import pulumi_kubernetes as k8s

from ..component import Opts, inputs, plan_args, replaceable, waiting_for
from ..key_docs import with_keys
from .plan.pod_networks import GkePodNetworksArgs, plan_pod_networks

_GROUP = "networking.gke.io"
_API_VERSION = f"{_GROUP}/v1"
_PARAMETERS = "GKENetworkParamSet"


@with_keys
class GkePodNetworks(pulumi.ComponentResource):
    """A Network and its GKENetworkParamSet for each further network of the nodes; the cluster has multi-networking."""

    def __init__(
        self, name: str, args: GkePodNetworksArgs, opts: Opts = None, *, plan: GkePodNetworksArgs | None = None
    ):
        args, plan = plan_args(GkePodNetworksArgs, plan_pod_networks, args, plan)
        super().__init__("rdma-cluster:index:GkePodNetworks", name, inputs(GkePodNetworksArgs, args), opts)
        # A network is never changed under the pods that use it, and its name is free only when it is gone.
        again = pulumi.ResourceOptions(parent=self, replace_on_changes=["spec"], delete_before_replace=True)
        child = replaceable(again)
        self.networks: list[pulumi.Resource] = []
        """The Networks, for node pools to come after."""
        for each in plan["networks"]:
            parameters = k8s.apiextensions.CustomResource(
                f"{name}-{each['name']}",
                api_version=_API_VERSION,
                kind=_PARAMETERS,
                metadata={"name": each["name"]},
                spec={
                    "vpc": each["network"],
                    "vpcSubnet": each["subnetwork"],
                    "deviceMode": "RDMA" if each.get("rdma", False) else "NetDevice",
                },
                opts=child,
            )
            network = k8s.apiextensions.CustomResource(
                f"{name}-{each['name']}",
                api_version=_API_VERSION,
                kind="Network",
                metadata={"name": each["name"]},
                spec={"type": "Device", "parametersRef": {"group": _GROUP, "kind": _PARAMETERS, "name": each["name"]}},
                opts=waiting_for(child, [parameters]),
            )
            self.networks.append(network)
        self.register_outputs({})
