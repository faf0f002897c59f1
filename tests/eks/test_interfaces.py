"""The interfaces of a launch template: EC2's guide to EFA on accelerated types, machine by machine."""

from collections import Counter

import pytest
from rdma_cluster.catalog.eks import EksMachine
from rdma_cluster.eks.plan.interfaces import interfaces_of, max_pods_of
from tests.eks.plans import WITH_EFA, row

# Machine: cards with an EFA device, cards in all, pods with the layout's interfaces. Read from Karpenter's and the VPC
# CNI's generated tables by hand, apart from the catalogue.
TABLE = {
    "p4d.24xlarge": (4, 4, 688),
    "p4de.24xlarge": (4, 4, 688),
    "p5.4xlarge": (1, 1, 89),
    "p5.48xlarge": (32, 32, 51),
    "p5e.48xlarge": (32, 32, 51),
    "p5en.48xlarge": (16, 16, 149),
    "p6-b200.48xlarge": (8, 8, 149),
    "p6-b300.48xlarge": (16, 17, 198),
    "p6e-gb200.36xlarge": (4, 17, None),
    "g5.48xlarge": (1, 1, 296),
    "g6e.24xlarge": (2, 2, 443),
    "g6e.48xlarge": (4, 4, 443),
    "g7e.48xlarge": (4, 4, 569),
    "trn2.48xlarge": (16, 16, 51),
    "hpc6id.32xlarge": (2, 2, 51),
    "hpc7a.96xlarge": (2, 2, 51),
    "hpc6a.48xlarge": (1, 1, 51),
}


def places(machine: EksMachine) -> list[tuple[int, int, str]]:
    """Card, device and kind of each interface, in the template's order."""
    return [(each.card, each.device, each.kind) for each in interfaces_of(machine)]


@pytest.mark.parametrize("name", TABLE)
def test_a_machine_is_as_published(name: str):
    """Every card's EFA device is attached, and pods get the addresses that are left."""
    efa, cards, pods = TABLE[name]
    machine = row(name)

    assert sum(kind != "interface" for _, _, kind in places(machine)) == efa
    assert machine.network_cards == cards
    assert max_pods_of(machine) == pods


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("p4d.24xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in (1, 2, 3))]),
        ("p5.48xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, 32))]),
        ("g5.48xlarge", [(0, 0, "interface"), (0, 1, "efa-only")]),
        ("p6-b300.48xlarge", [(0, 0, "interface"), *((card, 0, "efa-only") for card in range(1, 17))]),
        ("p6e-gb200.36xlarge", [(0, 0, "interface"), *((card, 0, "efa-only") for card in (1, 5, 9, 13))]),
        ("hpc6id.32xlarge", [(0, 0, "efa"), (1, 0, "efa-only")]),
    ],
    ids=["A", "A with 32 cards", "A1", "B", "C", "D"],
)
def test_each_layout_class_has_its_interfaces_in_order(name: str, expected: list[tuple[int, int, str]]):
    assert places(row(name)) == expected


@pytest.mark.parametrize("machine", WITH_EFA, ids=lambda machine: machine.name)
def test_ec2_takes_every_list_of_interfaces(machine: EksMachine):
    """The first interface has the address, no place is taken twice, and a card has one EFA device at the most."""
    listed = places(machine)
    cards = Counter(card for card, _, _ in listed)
    efa = Counter(card for card, _, kind in listed if kind != "interface")

    assert listed[0][:2] == (0, 0) and listed[0][2] != "efa-only"
    assert len({place[:2] for place in listed}) == len(listed)
    assert set(efa.values()) == {1}
    assert sum(efa.values()) == machine.nics and machine.efa_max is not None and machine.nics <= machine.efa_max
    assert machine.network_cards is not None and max(cards) < machine.network_cards
    if machine.interfaces_per_card is not None:
        assert max(cards.values()) <= machine.interfaces_per_card
    assert [each.card for each in interfaces_of(machine) if each.has_ip] == [0]


def test_a_machine_of_another_fabric_has_no_list_of_interfaces():
    with pytest.raises(ValueError, match="p6e-gb300r"):
        interfaces_of(row("p6e-gb300r.36xlarge"))
