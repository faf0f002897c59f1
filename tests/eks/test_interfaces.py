"""The interfaces of a launch template: EC2's guide to EFA on accelerated types, machine by machine."""

from collections import Counter

import pytest
from rdma_cluster.catalog.eks import EksMachine, Layout
from rdma_cluster.eks.plan.interfaces import addresses_of, efa_on_card_0, interfaces_of, max_pods_of
from tests.eks.plans import WITH_EFA, row

IDS = [machine.name for machine in WITH_EFA]

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
def test_machine_is_as_published(name: str):
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
def test_layout_class(name: str, expected: list[tuple[int, int, str]]):
    """Each class in full, in order."""
    assert places(row(name)) == expected


@pytest.mark.parametrize("machine", WITH_EFA, ids=IDS)
def test_ec2_takes_the_list(machine: EksMachine):
    """EC2's rules: one primary with an address, no place twice, an EFA device a card at the most, the type's limits."""
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
    # One address a node beside those of pods: `efa-only` has none, and no layout asks for more IP than card 0's.
    assert [each.card for each in interfaces_of(machine) if each.has_ip] == [0]


@pytest.mark.parametrize("machine", WITH_EFA, ids=IDS)
def test_pods_have_addresses(machine: EksMachine):
    """As many as on an ordinary node where card 0 has no EFA device of its own, else an interface's worth fewer."""
    most = max_pods_of(machine)
    if machine.max_pods is None or machine.ipv4_per_interface is None:
        assert most is None
        return

    lost = machine.ipv4_per_interface - 1 if efa_on_card_0(machine) else 0
    assert most == machine.max_pods - lost
    assert efa_on_card_0(machine) == (machine.layout in (Layout.A, Layout.A1))


def test_addresses_of_a_node():
    """One interface full of addresses, and a second one kept warm where card 0 has room."""
    taken = {name: addresses_of(row(name)) for name in ("p5.48xlarge", "p6-b200.48xlarge", "g7e.48xlarge")}

    assert taken == {"p5.48xlarge": 50, "p6-b200.48xlarge": 100, "g7e.48xlarge": 128}


def test_machine_without_a_layout():
    """EC2's second fabric has no such list."""
    with pytest.raises(ValueError, match=r"p6e-gb300r\.36xlarge: no layout class"):
        interfaces_of(row("p6e-gb300r.36xlarge"))
