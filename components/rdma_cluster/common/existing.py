"""Networks and clusters that exist already, in place of ours: what then cannot be chosen any more."""

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList, show
from pulumi_offline.unknowns import known
from .pools import DEFAULT_MAX_NODES, MOST_NODES, Pool

_SERVER = re.compile(r"https://[-\w.]+(:\d+)?/?", re.ASCII)
OF_EXISTING_CLUSTER = "not allowed with an existing cluster, which has its own; remove one of the two"


def check_existing_cluster(args: Mapping[str, Any], choices: Sequence[str], errors: ErrorList) -> None:
    """An existing cluster has these ``choices`` of its own: none may stand in ``args``, a stack's ``kubernetes``, but a
    ``false`` that asks for nothing."""
    if "existing" in args:
        for key in choices:
            if key in args and args[key] is not False:
                errors.at(key).add(OF_EXISTING_CLUSTER)


def check_existing(kubernetes: Mapping[str, Any], network: Mapping[str, Any], errors: ErrorList) -> None:
    """An existing cluster has a name and a network, which only the user knows."""
    if "existing" in kubernetes and "name" not in kubernetes:
        errors.at("kubernetes", "name").add("missing; an existing cluster must be named")
    if "existing" in kubernetes and "existing" not in network:
        at = errors.at("network", "existing")
        at.add("missing; an existing cluster keeps the network it was made in, so name that")


def check_certificate(text: object, errors: ErrorList) -> None:
    """A cluster's CA certificate as kubeconfigs hold it; one that another resource will fill in is let through."""
    if not isinstance(text, str):
        return
    try:
        certificate = b64decode(text, validate=True)
    except ValueError:
        certificate = b""
    if not certificate:
        errors.add(f"got {show(text)}; write it in base64, as the certificate-authority-data of a kubeconfig")


def check_server(server: object, example: str, errors: ErrorList) -> None:
    """The URL of an existing cluster's API; one that another resource will fill in is let through."""
    if isinstance(server, str) and known(server) and not _SERVER.fullmatch(server):
        errors.add(f"got {server!r}; write its URL, {example}")


def check_kept(choice: Mapping[str, Any], key: str, errors: ErrorList) -> None:
    """What a storage names by ``key`` exists already, and no `destroy` deletes it."""
    if choice.get("deletable"):
        at = errors.at("deletable")
        at.add(f"got true; not allowed with {key}, which stays whatever becomes of the stack; remove it")


def private_api(network: str, place: str, ways: str = "peering, VPN") -> str:
    """The warning of a private API in a new ``network``; ``ways`` lead into it, which is also called ``place``."""
    return (
        f"the cluster's API is private and its {network} is new: what runs on the cluster is installed once this "
        f"machine reaches the {place} ({ways}), or at once with kubernetes.endpoint: public and publicCidrs"
    )


def check_addresses(network: Mapping[str, Any], kept: Sequence[str], errors: ErrorList) -> None:
    """An existing network has its addresses; ``kept`` are keys that may stand beside it all the same."""
    for key in sorted(network.keys() - {"existing", *kept}):
        errors.at(key).add("not allowed with an existing network, which has its addresses; remove one of the two")


def check_ceiling(
    pools: Sequence[Pool], network: Mapping[str, Any], errors: ErrorList, most: int = MOST_NODES, of: str = "cluster"
) -> None:
    """The subnets of a new network hold the nodes of all pools, and the pools are no more than ``of`` holds."""
    check_most(pools, errors, most, of)
    total = sum(pool["nodes"] for pool in pools)
    ceiling = network.get("max_nodes", DEFAULT_MAX_NODES)
    if most >= total > ceiling > 0:
        errors.add(
            f"{total} nodes in all, and the subnets are cut for {ceiling}; set network.maxNodes to "
            f"{total} or more before the first up, since subnets cannot grow later"
        )


def check_most(pools: Sequence[Pool], errors: ErrorList, most: int = MOST_NODES, of: str = "cluster") -> None:
    """The pools together are no more than ``of`` holds; what an existing subnet holds cannot be known here."""
    total = sum(pool["nodes"] for pool in pools)
    if total > most >= max(pool["nodes"] for pool in pools):
        errors.add(f"{total:,} nodes in all; a {of} holds {most:,} at the most")
