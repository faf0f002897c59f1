"""Where pods and services get their addresses: from the VCN, or from an overlay network of their own."""

from collections.abc import Mapping
from enum import Enum
from ipaddress import IPv4Network
from typing import Any

from pulumi_offline.errors import ErrorList
from ...catalog import oke_releases
from ...common import addresses

DEFAULT_SERVICE_CIDR = "10.96.0.0/16"
DEFAULT_FLANNEL_CIDR = "10.240.0.0/12"
_OF = {"service_cidr": "services", "pod_cidr": "pods"}


class OkeCniType(str, Enum):
    """Where pods get their addresses from. Fixed when a cluster is made."""

    VCN_NATIVE = "vcn-native"
    """From a subnet of the VCN."""
    FLANNEL = "flannel"
    """From an overlay network of their own."""


def check_dual_stack(dual_stack: bool, cni: OkeCniType, errors: ErrorList) -> None:
    """Nodes say to VCN-native pods which families they have; of flannel nothing is published.

    terraform-oci-oke@25ef9a0 modules/workers/instanceconfig.tf (2026-04-29); oracle/karpenter-provider-oci#68 has a
    cluster of 1.36.1 whose managed nodes have pods of both families. OKE takes it from Kubernetes 1.29 on.
    """
    if dual_stack and cni == OkeCniType.FLANNEL:
        errors.add(
            "got true with flannel, for which Oracle publishes no IPv6 settings of nodes; take cni: vcn-native, or "
            "remove dualStack"
        )


def plan_services(
    args: Mapping[str, Any], cni: OkeCniType, vcn: Mapping[str, IPv4Network], errors: ErrorList
) -> tuple[str, str | None]:
    """Blocks for services and, with flannel, for pods; apart from each other, the VCN, and RDMA's own."""
    blocks = {"service_cidr": parse_block(args.get("service_cidr", DEFAULT_SERVICE_CIDR), errors.at("service_cidr"))}
    flannel = cni == OkeCniType.FLANNEL
    if flannel:
        blocks["pod_cidr"] = parse_block(args.get("pod_cidr", DEFAULT_FLANNEL_CIDR), errors.at("pod_cidr"))
    elif "pod_cidr" in args:
        errors.at("pod_cidr").add("not allowed with vcn-native pods, which take addresses of the VCN; remove it")
    for key, block in blocks.items():
        check_not_rdma(block, errors.at(key))
    known = {**vcn, **{key: block for key, block in blocks.items() if block}}
    for first, second in addresses.overlap(known):
        if second in blocks:
            whose, block = _OF.get(first, "the VCN"), known[second]
            errors.at(second).add(f"{block} overlaps {known[first]}, the block of {whose}; take disjoint blocks")
    return str(blocks["service_cidr"]), str(blocks["pod_cidr"]) if flannel else None


def parse_block(text: str, errors: ErrorList) -> IPv4Network | None:
    """``text`` as a private block of a VCN or a cluster, or ``None`` with an error added.

    OCI keeps class E for itself: botocore odb CreateOdbNetworkInput.clientSubnetCidr, what OCI reserves (2026-11-21).
    """
    return addresses.parse(text, errors, addresses.WITHOUT_CLASS_E)


def check_not_rdma(block: IPv4Network | None, errors: ErrorList) -> None:
    """A block that no RDMA port of a node uses."""
    for taken, by in oke_releases.RDMA_RANGES.items():
        if block is not None and block.overlaps(IPv4Network(taken)):
            errors.add(f"{block} overlaps {taken}, the {by}; take another block")
