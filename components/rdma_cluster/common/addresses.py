"""Address arithmetic: cut one block into subnets of the sizes that a node ceiling asks for."""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, ip_network
from itertools import combinations

from pulumi_offline.errors import ErrorList
from ..base.args import Link

RFC_1918 = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
_SHARED, _CLASS_E = IPv4Network("100.64.0.0/10"), IPv4Network("240.0.0.0/4")  # RFC 6598, RFC 1112
WITHOUT_CLASS_E = (*RFC_1918, _SHARED)
PRIVATE = (*WITHOUT_CLASS_E, _CLASS_E)
"""What Google's VPCs route privately (docs.cloud.google.com/vpc/docs/subnets). That AWS and Azure take class E, too, is
not verified."""
_SPECIAL = {
    IPv4Network("0.0.0.0/8"): "of this host",
    IPv4Network("127.0.0.0/8"): "loopback",
    IPv4Network("169.254.0.0/16"): "link-local",
    IPv4Network("198.18.0.0/15"): "for benchmarks",
    IPv4Network("224.0.0.0/4"): "multicast",
}
"""https://www.iana.org/assignments/iana-ipv4-special-registry/ (2026-11). Blocks for documentation are in our examples
and pass."""
_WIDEST_OUTSIDE = 8
"""No network of people or programs is larger than a /8; two of /1 are everybody."""


def prefix_for(addresses: int) -> int:
    """The longest prefix whose block holds ``addresses``."""
    return 32 - max(0, addresses - 1).bit_length()


def parse(text: str, errors: ErrorList, private: Sequence[IPv4Network] = PRIVATE) -> IPv4Network | None:
    """``text`` as an IPv4 block inside one of ``private``, those of the cloud, or ``None`` with an error added."""
    block = _ipv4(text, "10.0.0.0/13", "write an IPv4 one,", errors)
    if block is None:
        return None
    if not any(block.subnet_of(each) for each in private):
        errors.add(f"got {text}, which is {_kind(block)}; take it from {', '.join(map(str, private))}")
        return None
    return block


def _kind(block: IPv4Network) -> str:
    """What a block is that is not taken."""
    kinds = {**_SPECIAL, _SHARED: "shared by carriers (RFC 6598)", _CLASS_E: "reserved (class E)"}
    return next(
        (
            f"address space {kind}" if " " in kind else f"{kind} address space"
            for space, kind in kinds.items()
            if block.subnet_of(space)
        ),
        "public address space",
    )


def _ipv4(text: str, example: str, instead_of_ipv6: str, errors: ErrorList) -> IPv4Network | None:
    """``text`` as an IPv4 block, or ``None`` with an error added."""
    try:
        block = ip_network(text)
    except ValueError as error:
        reason = str(error).removeprefix(repr(text)).removeprefix(text).strip()
        errors.add(f"got {text!r}, which is no address block ({reason}); write e.g. {example}")
        return None
    if not isinstance(block, IPv4Network):
        errors.add(f"got {text}, an IPv6 block; {instead_of_ipv6} e.g. {example}")
        return None
    return block


def cut(block: IPv4Network, prefixes: Mapping[str, int], errors: ErrorList) -> dict[str, IPv4Network]:
    """One subnet of ``block`` for each name, of the prefix length given; none overlaps and no address lies between.

    The largest come first, so that each starts on its own boundary. Adds an error and returns nothing when the
    block is too small.
    """
    needed = sum(2 ** (32 - prefix) for prefix in prefixes.values())
    if needed > block.num_addresses:
        sizes = ", ".join(f"{name} /{prefix}" for name, prefix in prefixes.items())
        errors.add(
            f"{block} holds {block.num_addresses} addresses and {needed} are needed ({sizes}); "
            f"take a /{prefix_for(needed)} or larger"
        )
        return {}
    at = int(block.network_address)
    cuts = {}
    for name in sorted(prefixes, key=lambda name: prefixes[name]):
        cuts[name] = IPv4Network((at, prefixes[name]))
        at += cuts[name].num_addresses
    return {name: cuts[name] for name in prefixes}


def overlap(blocks: Mapping[str, IPv4Network]) -> list[tuple[str, str]]:
    """The pairs of names whose blocks share addresses."""
    return [(a, b) for a, b in combinations(blocks, 2) if blocks[a].overlaps(blocks[b])]


def check_callers(public: bool, cidrs: Sequence[Link], errors: ErrorList, without: str = "", most: int = 0) -> None:
    """The blocks that may reach a cluster's API: some where it is ``public``, else none, and each of the outside.

    ``without`` is what the cloud does where none is named, ``most`` how many it takes; 0 where no number is published.
    """
    if 0 < most < (count := len(cidrs)):
        errors.add(f"got {count} blocks; the cloud takes {most} at the most, so join neighbours into larger blocks")
    if public and not cidrs:
        errors.add(f"missing; name the blocks that may reach a public endpoint, e.g. 203.0.113.7/32{without}")
    if cidrs and not public:
        errors.add("not allowed with a private endpoint; remove it, or set endpoint: public")
    for i, cidr in enumerate(cidrs):
        check_outside(cidr, errors.at(i))


def check_outside(text: Link, errors: ErrorList) -> None:
    """A block of the outside that may reach us; never all of it, nor a half or a quarter. One known later passes.

    EKS takes no IPv6 for a cluster of IPv4 (docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html), and was
    seen to refuse private and reserved blocks.
    """
    if not isinstance(text, str):
        return
    block = _ipv4(text, "203.0.113.7/32", "the cluster is an IPv4 one, write", errors)
    if block is None:
        return
    if "/" not in text:
        errors.add(f"got {text}, which is an address; write the block of it alone, {text}/32")
    elif any(block.subnet_of(each) for each in (*PRIVATE, *_SPECIAL)):
        errors.add(f"got {text}, from which nothing comes over the internet; name public addresses")
    elif block.prefixlen < _WIDEST_OUTSIDE:
        errors.add(f"got {text}, which is everybody or nearly; name the networks that people and programs come from")
