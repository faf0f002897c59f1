"""Which traffic passes in the VCN: flows between its parts, and the rules of network security groups that let them.

RDMA traffic is on ports of its own and never crosses the VCN: no rule here concerns it. The flows are those that
Oracle's page "Network Resource Configuration" asks for (docs.oracle.com/iaas ContEng/Concepts/contengnetworkconfig.htm)
and Oracle's module makes (terraform-oci-oke@25ef9a0 modules/network, 2026-04-29).
"""

from collections.abc import Iterator, Sequence
from enum import Enum

from pulumi_offline.frozen import frozen
from ...incluster.plan.host_ports import TO_HOSTS

API_PORT = 6443
CONTROL_PORT = 12250
HEALTH_PORT = 10256
KUBELET_PORT = 10250
NODE_PORTS = (30000, 32767)
SSH_PORT = 22
LUSTRE_PORT = 988

ANYWHERE = "0.0.0.0/0"


class Group(str, Enum):
    """Parts of the VCN, each a network security group."""

    API = "api"
    WORKERS = "workers"
    PODS = "pods"
    LOAD_BALANCERS = "load-balancers"
    OPERATORS = "operators"
    LUSTRE = "lustre"


SERVICES = "services"
"""Oracle's services of the region, behind the service gateway."""


class Protocol(str, Enum):
    """IP protocols as OCI writes them: their numbers."""

    ALL = "all"
    ICMP = "1"
    ICMPV6 = "58"
    TCP = "6"
    UDP = "17"


@frozen
class SecurityRule:
    """One rule of a network security group."""

    group: Group
    egress: bool
    peer: str
    """A ``Group``'s value, ``services``, or a CIDR."""
    protocol: Protocol
    destination_ports: tuple[int, int] | None
    source_ports: tuple[int, int] | None
    stateless: bool
    why: str

    @property
    def name(self) -> str:
        """A name that stays when other rules come and go."""
        ports = self.destination_ports or self.source_ports
        peer = "anywhere" if self.peer == ANYWHERE else self.peer.replace("/", "-").replace(".", "-")
        parts = [self.group.value, "to" if self.egress else "from", peer]
        parts += [self.protocol.name.lower()] if self.protocol is not Protocol.ALL else []
        parts += [str(ports[0])] if ports else []
        parts += ["reply"] if self.source_ports else []
        return "-".join(parts)


@frozen
class _Flow:
    """Traffic that one part opens to another."""

    source: str
    target: str
    protocol: Protocol
    ports: tuple[int, int] | None
    why: str

    @property
    def may_be_stateless(self) -> bool:
        """Whether rules that let its replies back let in nothing else: those of a flow to all ports open all ports."""
        both_ways = self.source == self.target or self.protocol in (Protocol.ICMP, Protocol.ICMPV6)
        groups = isinstance(self.source, Group) and isinstance(self.target, Group)
        return groups and (self.ports is not None or both_ways)


# Each part of a network that has rules of its own.
def rules_of(
    *,
    vcn_native: bool,
    stateless: bool,
    dual_stack: bool,
    lustre: bool,
    callers: Sequence[str],
    host_ports: Sequence[int] = (),
) -> tuple[SecurityRule, ...]:
    """All rules, in a fixed order; ``callers`` are the blocks that reach a public API.

    ``host_ports`` are TCP ports of nodes that pods reach besides those that are always open to them.
    """
    flows = [*_flows(callers), *(_pod_flows(host_ports) if vcn_native else ())]
    flows += _ipv6_flows() if dual_stack else ()
    flows += _lustre_flows() if lustre else ()
    rules: dict[str, SecurityRule] = {}
    for flow in flows:
        for rule in _rules(flow, stateless):
            # Without state the replies to one flow may be what another one sends.
            rules.setdefault(rule.name, rule)
    return tuple(rules.values())


def _flows(callers: Sequence[str]) -> Iterator[_Flow]:
    api, workers, balancers, operators = Group.API, Group.WORKERS, Group.LOAD_BALANCERS, Group.OPERATORS
    yield _tcp(api, SERVICES, None, "control plane to Oracle's services")
    yield _tcp(api, api, API_PORT, "between API servers")
    # kubelet, and webhooks that serve on a port of their own choice on the host's network, or in flannel's overlay.
    yield _tcp(api, workers, None, "control plane to kubelet and to webhooks on nodes")
    yield _tcp(workers, api, API_PORT, "nodes to the Kubernetes API")
    yield _tcp(workers, api, CONTROL_PORT, "nodes to the control plane")
    yield _tcp(workers, SERVICES, None, "nodes to Oracle's services")
    yield _all(workers, workers, "between nodes")
    yield _all(workers, ANYWHERE, "nodes to registries, through the NAT gateway")
    yield _tcp(operators, api, API_PORT, "operators to the Kubernetes API")
    yield _tcp(operators, workers, SSH_PORT, "operators to nodes by ssh")
    yield _tcp(operators, SERVICES, None, "operators to Oracle's services")
    for block in callers:
        yield _tcp(block, api, API_PORT, "callers of the public Kubernetes API")
    for protocol in (Protocol.TCP, Protocol.UDP):
        yield _Flow(balancers, workers, protocol, NODE_PORTS, "load balancers to node ports")
    yield _tcp(balancers, workers, HEALTH_PORT, "load balancers to the health check of kube-proxy")
    # "Fragmentation needed": without it connections over a path of a smaller MTU hang. From outside of the VCN it comes
    # by itself, since rules for what is outside have state.
    yield _Flow(api, workers, Protocol.ICMP, None, "path MTU discovery")
    yield _Flow(workers, api, Protocol.ICMP, None, "path MTU discovery")


def _pod_flows(host_ports: Sequence[int]) -> Iterator[_Flow]:
    """Oracle's module lets pods reach every port of every node (nsg-workers.tf). In the host's network, though, stand
    pods of its RDMA shapes, privileged, whose ports between themselves take orders from whoever reaches them."""
    pods, workers = Group.PODS, Group.WORKERS
    yield _all(pods, pods, "between pods")
    for protocol in (Protocol.TCP, Protocol.UDP):
        yield _Flow(pods, workers, protocol, NODE_PORTS, "pods to node ports")
    yield _tcp(pods, workers, KUBELET_PORT, "metrics-server and Prometheus to kubelet")
    for port, why in TO_HOSTS.items():
        yield _tcp(pods, workers, port, why)
    for port in host_ports:
        yield _tcp(pods, workers, port, "pods to a port of nodes that the user opens")
    yield _all(workers, pods, "nodes and pods on the host's network to pods")
    yield _Flow(pods, workers, Protocol.ICMP, None, "path MTU discovery")
    yield _tcp(Group.API, pods, None, "control plane to webhooks in pods")
    yield _tcp(pods, Group.API, API_PORT, "pods to the Kubernetes API")
    yield _tcp(pods, Group.API, CONTROL_PORT, "pods to the control plane")
    yield _tcp(pods, SERVICES, None, "pods to Oracle's services")
    yield _all(pods, ANYWHERE, "pods to the internet, through the NAT gateway")
    yield _all(Group.LOAD_BALANCERS, pods, "load balancers to pods")
    yield _Flow(Group.API, pods, Protocol.ICMP, None, "path MTU discovery")
    yield _Flow(pods, Group.API, Protocol.ICMP, None, "path MTU discovery")


def _lustre_flows() -> Iterator[_Flow]:
    """Servers call clients back, too: oci-hpc-oke terraform/lustre.tf, docs.oracle.com/iaas lustre/security-rules.htm.

    The mount is the node's: pods on addresses of their own reach no server.
    """
    workers, lustre = Group.WORKERS, Group.LUSTRE
    yield _tcp(workers, lustre, LUSTRE_PORT, "nodes to Lustre")
    yield _tcp(lustre, workers, LUSTRE_PORT, "Lustre to nodes")
    yield _tcp(lustre, lustre, LUSTRE_PORT, "between Lustre's servers")


def _ipv6_flows() -> Iterator[_Flow]:
    """What IPv6 needs besides: rules between groups cover both families, but ICMP has another number in each."""
    for part in (Group.WORKERS, Group.PODS):
        yield _Flow(Group.API, part, Protocol.ICMPV6, None, "path MTU discovery of IPv6")
        yield _Flow(part, Group.API, Protocol.ICMPV6, None, "path MTU discovery of IPv6")
    for part in (Group.LOAD_BALANCERS, Group.PODS):
        yield _Flow(part, Group.WORKERS, Protocol.ICMPV6, None, "path MTU discovery of IPv6")


def _tcp(source: str, target: str, port: int | None, why: str) -> _Flow:
    return _Flow(source, target, Protocol.TCP, None if port is None else (port, port), why)


def _all(source: str, target: str, why: str) -> _Flow:
    return _Flow(source, target, Protocol.ALL, None, why)


def _rules(flow: _Flow, stateless: bool) -> Iterator[SecurityRule]:
    """A rule out of the source group and one into the target group; stateless flows need rules for replies, too.

    Only traffic between groups is stateless, to ports that are named: a rule that lets replies in lets in no more then.
    """
    plain = stateless and flow.may_be_stateless
    ends = ((flow.source, flow.target), (flow.target, flow.source))
    for egress, (group, peer) in zip((True, False), ends, strict=True):
        if isinstance(group, Group):
            yield SecurityRule(group, egress, peer, flow.protocol, flow.ports, None, plain, flow.why)
    if plain:
        for egress, (peer, group) in zip((True, False), ends, strict=True):
            why = f"{flow.why}: replies"
            yield SecurityRule(Group(group), egress, peer, flow.protocol, None, flow.ports, True, why)
