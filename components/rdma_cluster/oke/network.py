"""The network of an OKE cluster."""

from typing import Any

import pulumi
import pulumi_oci as oci
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, computed, outputs, replaceable
from .plan.network import OkeClusterNetwork, OkeHpcNetworkArgs, OkeNetworkPlan, plan_network
from .plan.security_rules import ANYWHERE, SERVICES, Group, Protocol, SecurityRule

_ALL_SERVICES = "All .* Services In Oracle Services Network"


@with_keys
class OkeHpcNetwork(PlannedComponent[OkeNetworkPlan, None]):
    """A VCN with a subnet and a network security group for each of its parts, and its ways out."""

    vcn: pulumi.Output[str]
    """OCID of the VCN."""
    subnets: dict[str, pulumi.Output[str]]
    """OCIDs of the subnets: ``api``, ``workers``, ``pods``, ``load-balancers``, ``operators``, ``lustre``, ..."""
    groups: dict[str, pulumi.Output[str]]
    """OCIDs of the network security groups: ``api``, ``workers``, ``pods``, ``load-balancers``, ``operators``, ..."""

    def __init__(self, name: str, args: OkeHpcNetworkArgs, opts: Opts = None):
        self._plan_alone(name, OkeHpcNetworkArgs, plan_network, args, opts)

    def _make(self, name: str, plan: OkeNetworkPlan, links: None, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:OkeHpcNetwork", name, shown, opts)
        child = pulumi.ResourceOptions(parent=self)

        vcn = oci.core.Vcn(
            name,
            compartment_id=plan.args["compartment"],
            cidr_blocks=[plan.cidr],
            is_ipv6enabled=True if plan.ipv6_cidr else None,
            # Addresses of the internet, which nothing here would let in.
            is_oracle_gua_allocation_enabled=False if plan.ipv6_cidr else None,
            ipv6private_cidr_blocks=[plan.ipv6_cidr] if plan.ipv6_cidr else None,
            display_name=name,
            # Nodes find each other and the API by name.
            dns_label=_dns_label(name),
            # No block with subnets in it moves; those of two VCNs may be the same.
            opts=pulumi.ResourceOptions(
                parent=self,
                replacement_trigger=", ".join(filter(None, (plan.cidr, plan.ipv6_cidr))),
                # It never changes: who renames the component keeps the VCN and all in it.
                ignore_changes=["dnsLabel"],
            ),
        )
        in_vcn: Any = {"compartment_id": plan.args["compartment"], "vcn_id": vcn.id}
        common: Any = {**in_vcn, "opts": child}
        found = oci.core.get_services_output(
            filters=[{"name": "name", "values": [_ALL_SERVICES], "regex": True}],
            opts=pulumi.InvokeOutputOptions(parent=self),
        )
        unknown = oci.core.outputs.GetServicesServiceResult(cidr_block="", description="", id="", name="")
        services = computed(found.services, lambda known: known[0], unknown)
        private = _private_routes(name, services, common)
        public = _public_routes(name, common) if plan.public else private
        # A subnet without a list of its own takes the VCN's, which lets ssh in from everywhere.
        closed = oci.core.SecurityList(f"{name}-closed", display_name=f"{name}-closed", **common)
        self.groups = _groups(name, plan, services, common)
        self.subnets = {
            part: oci.core.Subnet(
                f"{name}-{part}",
                **in_vcn,
                display_name=f"{name}-{part}",
                cidr_block=cidr,
                ipv6cidr_blocks=[plan.ipv6_cuts[part]] if part in plan.ipv6_cuts else None,
                dns_label=_dns_label(part),
                prohibit_public_ip_on_vnic=part not in plan.public,
                prohibit_internet_ingress=part not in plan.public,
                route_table_id=(public if part in plan.public else private).id,
                security_list_ids=[closed.id],
                # Two subnets never share an address, nor a name in the VCN.
                opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
            ).id
            for part, cidr in plan.cuts.items()
        }
        self.vcn = vcn.id
        self.for_cluster = self._for_cluster()
        """What a cluster attaches."""
        self.register_outputs(outputs(self))

    def _for_cluster(self) -> OkeClusterNetwork:
        links = OkeClusterNetwork(
            vcn=self.vcn,
            api_subnet=self.subnets["api"],
            worker_subnet=self.subnets["workers"],
            load_balancer_subnet=self.subnets["load-balancers"],
            api_groups=[self.groups["api"]],
            worker_groups=[self.groups["workers"]],
        )
        if "pods" in self.subnets:
            links["pod_subnet"] = self.subnets["pods"]
            links["pod_groups"] = [self.groups["pods"]]
        return links


def _private_routes(
    name: str, services: pulumi.Output[oci.core.outputs.GetServicesServiceResult], common: Any
) -> oci.core.RouteTable:
    """Routes of private subnets: to Oracle's services inside its network, to the rest through one NAT gateway."""
    nat = oci.core.NatGateway(f"{name}-nat", display_name=f"{name}-nat", **common)
    gateway = oci.core.ServiceGateway(
        f"{name}-services", display_name=f"{name}-services", services=[{"service_id": services.id}], **common
    )
    rules = [_route(nat.id, ANYWHERE), _route(gateway.id, services.cidr_block, "SERVICE_CIDR_BLOCK")]
    return oci.core.RouteTable(f"{name}-private", display_name=f"{name}-private", route_rules=rules, **common)


def _route(gateway: pulumi.Output[str], to: pulumi.Input[str], kind: str = "CIDR_BLOCK") -> Any:
    return {"network_entity_id": gateway, "destination": to, "destination_type": kind}


def _public_routes(name: str, common: Any) -> oci.core.RouteTable:
    gateway = oci.core.InternetGateway(f"{name}-internet", display_name=f"{name}-internet", enabled=True, **common)
    rules = [_route(gateway.id, ANYWHERE)]
    return oci.core.RouteTable(f"{name}-public", display_name=f"{name}-public", route_rules=rules, **common)


def _groups(
    name: str, plan: OkeNetworkPlan, services: pulumi.Output[oci.core.outputs.GetServicesServiceResult], common: Any
) -> dict[str, pulumi.Output[str]]:
    """The groups by name. Each waits for its rules, so that nothing starts in one that lets nothing through."""
    titles = {group.value: f"{name}-{group.value}" for group in plan.groups}
    security_group = oci.core.NetworkSecurityGroup
    ids = {group: security_group(title, display_name=title, **common).id for group, title in titles.items()}
    rules: dict[Group, list[pulumi.Output[str]]] = {group: [] for group in plan.groups}
    for rule in plan.rules:
        peer, peer_type = _peer(rule, ids, services)
        side = "destination" if rule.egress else "source"
        ends: Any = {side: peer, f"{side}_type": peer_type}
        rules[rule.group].append(
            oci.core.NetworkSecurityGroupSecurityRule(
                f"{name}-{rule.name}",
                network_security_group_id=ids[rule.group.value],
                direction="EGRESS" if rule.egress else "INGRESS",
                protocol=rule.protocol.value,
                description=rule.why,
                **ends,
                stateless=rule.stateless,
                # "Fragmentation needed and DF set".
                icmp_options={"type": 3, "code": 4} if rule.protocol is Protocol.ICMP else None,
                tcp_options=_ports(rule) if rule.protocol is Protocol.TCP else None,
                udp_options=_ports(rule) if rule.protocol is Protocol.UDP else None,
                opts=replaceable(common["opts"]),
            ).id
        )
    return {
        group.value: pulumi.Output.all(ids[group.value], *rules[group]).apply(lambda known: str(known[0]))
        for group in plan.groups
    }


def _peer(
    rule: SecurityRule,
    groups: dict[str, pulumi.Output[str]],
    services: pulumi.Output[oci.core.outputs.GetServicesServiceResult],
) -> tuple[pulumi.Input[str], str]:
    if rule.peer in groups:
        return groups[rule.peer], "NETWORK_SECURITY_GROUP"
    if rule.peer == SERVICES:
        return services.cidr_block, "SERVICE_CIDR_BLOCK"
    return rule.peer, "CIDR_BLOCK"


def _ports(rule: SecurityRule) -> Any:
    ranges = (("destination_port_range", rule.destination_ports), ("source_port_range", rule.source_ports))
    return {key: {"min": ports[0], "max": ports[1]} for key, ports in ranges if ports} or None


def _dns_label(name: str) -> str:
    """Letters and digits, a letter first, 15 at the most."""
    return "".join(each for each in name.lower() if each.isascii() and each.isalnum())[:15]
