"""Which network interfaces a launch template lists for a machine, and what a node then has left for pods."""

from pulumi_offline.frozen import frozen
from ...catalog.eks import EksMachine, Layout

# Types that the VPC CNI's table does not list (p6e-gb200): as the other P types.
_UNKNOWN_ADDRESSES = 50
_INTERFACES_IN_USE = 2  # the CNI fills one interface with addresses and keeps a second one warm (WARM_ENI_TARGET=1)


@frozen
class Interface:
    """One interface of a launch template. The first is the node's primary one."""

    card: int
    """Network card index."""
    device: int
    """Device index."""
    kind: str
    """``interface`` (IP alone), ``efa-only`` (RDMA alone) or ``efa`` (both)."""

    @property
    def has_ip(self) -> bool:
        """Whether it takes IP traffic; ``efa-only`` has no address."""
        return self.kind != "efa-only"


def interfaces_of(machine: EksMachine) -> tuple[Interface, ...]:
    """The interfaces of the machine's layout class, as EC2's guide to EFA on accelerated types lists them.

    Card 0, device 0 always carries IP. A combined ``efa`` stands only where a card takes no second interface: on every
    card it would cost an address each, 32 on p5, and invite routes over many homes.
    """
    if machine.efa_per_card is None:
        raise ValueError(f"{machine.name}: no layout class")
    combined = machine.layout is Layout.D
    primary = Interface(0, 0, "efa" if combined else "interface")
    beside = [Interface(0, 1, "efa-only")] if machine.efa_per_card[0] and not combined else []
    others = [Interface(card, 0, "efa-only") for card, efa in enumerate(machine.efa_per_card) if card and efa]
    return (primary, *beside, *others)


def efa_on_card_0(machine: EksMachine) -> bool:
    """Whether an ``efa-only`` takes one of card 0's places, which are all that the VPC CNI gives pods."""
    return any(each.card == 0 and not each.has_ip for each in interfaces_of(machine))


def max_pods_of(machine: EksMachine) -> int | None:
    """The number of pods that a node has addresses for; ``None`` where the limits of the type are not published.

    nodeadm and EKS count every place of card 0 and overcommit where an ``efa-only`` has one: pods then hang in
    ContainerCreating.
    """
    places, addresses = machine.interfaces_per_card, machine.ipv4_per_interface
    if places is None or addresses is None:
        return None
    return (places - efa_on_card_0(machine)) * (addresses - 1) + 2


def addresses_of(machine: EksMachine) -> int:
    """The number of addresses that a node takes of its subnet, for itself and its pods."""
    places = (machine.interfaces_per_card or _INTERFACES_IN_USE + 1) - efa_on_card_0(machine)
    return min(places, _INTERFACES_IN_USE) * (machine.ipv4_per_interface or _UNKNOWN_ADDRESSES)
