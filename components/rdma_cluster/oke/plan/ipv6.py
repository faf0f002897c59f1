"""The IPv6 addresses of a VCN with dual stack."""

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from ...faults import Faults

DEFAULT_CIDR = "fd00:10:140::/56"

# Private IPv6, which pods of a live OKE cluster were shown with (blog.pratiknborkar.com, oracle-kubernetes-engine-oke-
# dual-stack-ipv4-ipv6-pod-networking): a name with public addresses of both families is then reached over IPv4
# (RFC 6724), which NAT serves, while OCI's NAT gateway takes no IPv6 (docs.oracle.com/iaas Network/Concepts/ipv6.htm).
_PRIVATE = IPv6Network("fc00::/7")
_PREFIX = 56
_SUBNETS = ("api", "load-balancers", "operators", "workers", "pods")
"""Each has a /64, all that OCI takes, at its place here: none moves when another comes or goes."""


def vcn_block(args: Mapping[str, Any], dual_stack: bool, faults: Faults) -> IPv6Network | None:
    """The VCN's block of IPv6, where it has one."""
    text = args.get("ipv6_cidr", DEFAULT_CIDR)
    if not dual_stack:
        if "ipv6_cidr" in args:
            faults.add("not allowed without dual stack; remove it, or set dualStack: true")
        return None
    try:
        block = IPv6Network(text)
    except ValueError:
        block = None
    if block is None or block.prefixlen != _PREFIX or not block.subnet_of(_PRIVATE):
        faults.add(f"got {text!r}; write a private IPv6 /{_PREFIX} of {_PRIVATE}, e.g. {DEFAULT_CIDR}")
        return None
    return block


def subnets(block: IPv6Network, cuts: Mapping[str, IPv4Network]) -> dict[str, str]:
    """The block of each subnet that is there."""
    return {name: str(cut) for name, cut in zip(_SUBNETS, block.subnets(new_prefix=64), strict=False) if name in cuts}
