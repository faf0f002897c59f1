"""The networks of a stack: addresses for a new network, or an existing network and what it must be."""

from typing import NotRequired

from pulumi_offline.errors import ErrorList
from ...base.args import args_schema
from ...common.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_most
from .cluster import EksKubernetes, check_two_zones, check_zones
from .machines import BUILDABLE
from .network import EksAddresses, EksExistingNetwork, EksNetworkPlan, plan_subnets
from .node_pool import EksPool, check_one_zone
from .zones import check_id


@args_schema
class EksNetworkOptions(EksAddresses):
    """The addresses a stack may use, or the network it uses in place of a new one."""

    existing: NotRequired[EksExistingNetwork]
    """Use this network and make none."""


def plan_networks(
    *,
    choice: EksNetworkOptions,
    kubernetes: EksKubernetes,
    pools: list[EksPool],
    region: str,
    zone: str,
    errors: ErrorList,
) -> EksNetworkPlan | None:
    """Plan the subnets of a new network. Returns ``None`` where the network exists, or an error was added."""
    if "existing" in kubernetes and "service_cidr" in choice:
        errors.at("network", "service_cidr").add(OF_EXISTING_CLUSTER)
    if "existing" in choice:
        existing, at = choice["existing"], errors.at("network", "existing")
        check_addresses(choice, ("service_cidr",), errors.at("network"))
        check_most(pools, errors.at("pools"))
        # Subnets and the security group by their ids; their names are labels alone.
        check_id(existing["security_group"], "sg", at.at("security_group"))
        for key in ("cluster_subnets", "gpu_subnets", "system_subnets"):
            for i, subnet in enumerate(existing.get(key, [])):
                check_id(subnet["subnet"], "subnet", at.at(key, i, "subnet"))
        if not existing["dns"]:
            dns = at.at("dns")
            dns.add("got false; a node joins its cluster by name: turn on DNS support and DNS hostnames of the VPC")
        check_two_zones(existing["cluster_subnets"], at.at("cluster_subnets"))
        for key in ("cluster_subnets", "system_subnets"):
            check_zones(existing.get(key, []), region, at.at(key))
        check_one_zone(existing["gpu_subnets"], zone, at.at("gpu_subnets"))
        return None
    check_ceiling(pools, choice, errors.at("pools"))
    names = {pool["machine"] for pool in pools}
    machines = [row for name, row in BUILDABLE.items() if name in names]
    return plan_subnets(choice, machines, region=region, zone=zone, errors=errors.at("network"))
