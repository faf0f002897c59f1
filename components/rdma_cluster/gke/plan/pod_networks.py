"""Networks by whose names pods take the NICs of their node: which objects a GKE cluster has for them."""

import re
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...common.names import check_once
from ...fabrics import PodNetwork

# https://docs.cloud.google.com/kubernetes-engine/docs/how-to/setup-multinetwork-support-for-pods: the name of a Device
# network has 41 characters at the most.
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,39}[a-z0-9])?")


@args_schema
class GkePodNetwork(TypedDict):
    """A network of the nodes, by the name that pods use."""

    name: str
    """What pods name. Example: ``vpc1``."""
    network: Link
    """Name of the VPC."""
    subnetwork: Link
    """Name of its subnet."""
    rdma: NotRequired[bool]
    """Give a pod the NIC's RDMA device, too. Default: false."""


@args_schema
class GkePodNetworksArgs(TypedDict):
    """All networks that nodes attach besides the primary one."""

    networks: list[GkePodNetwork]
    """In NIC order."""


def plan_pod_networks(args: GkePodNetworksArgs, errors: ErrorList) -> tuple[PodNetwork, ...] | None:
    """All choices of ``GkePodNetworks``. Returns ``None`` when an error was added."""
    networks = args["networks"]
    for i, each in enumerate(networks):
        name = each["name"]
        if not _NAME.fullmatch(name):
            errors.at("networks", i, "name").add(
                f"got {name!r}; write 1 to 41 lower-case letters, digits and hyphens, with a letter or digit "
                "first and last"
            )
    check_once([each["name"] for each in networks], "the name of network", "name", errors.at("networks"))
    if errors:
        return None
    return tuple(PodNetwork(of["name"], f"eth{i}", of.get("rdma", False)) for i, of in enumerate(networks, start=1))
