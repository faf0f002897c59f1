"""Networks by whose names pods take the NICs of their node: which objects a GKE cluster has for them."""

import re
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import Link, shape
from ...clouds.names import check_once
from ...faults import Faults

# https://docs.cloud.google.com/kubernetes-engine/docs/how-to/setup-multinetwork-support-for-pods: the name of a Device
# network has 41 characters at the most.
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,39}[a-z0-9])?")


@shape
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


@shape
class GkePodNetworksArgs(TypedDict):
    """All networks that nodes attach besides the primary one."""

    networks: list[GkePodNetwork]
    """In NIC order."""


def decide_pod_networks(args: GkePodNetworksArgs, faults: Faults) -> GkePodNetworksArgs | None:
    """All choices of ``GkePodNetworks``. Returns ``None`` when a fault was added."""
    networks = args["networks"]
    for i, each in enumerate(networks):
        name = each["name"]
        if not _NAME.fullmatch(name):
            faults.at("networks", i, "name").add(
                f"got {name!r}; write 1 to 41 lower-case letters, digits and hyphens, with a letter or digit "
                "first and last"
            )
    check_once([each["name"] for each in networks], "the name of network", "name", faults.at("networks"))
    return None if faults else args
