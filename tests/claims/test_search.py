"""What the search for devices answers where nothing fits, and which states of it are alike."""

import pytest
from rdma_cluster.claims import Constraint, Request, Template
from rdma_cluster.claims.allocator import Allocation, NoFit, allocate, device_matches
from rdma_cluster.claims.cel import Aborted, CelError
from rdma_cluster.claims.device import Device, Version
from rdma_cluster.claims.symmetry import Kinds, typed
from rdma_cluster.claims.target import PCIE_ROOT
from tests.claims.test_allocator import CLASSES, PAIR, device, names, refused

GPUS = [device("gpu", f"g{index}", root) for index, root in enumerate("ab")]
NICS = [device("nic", f"n{index}", root) for index, root in enumerate("cd")]
ANY = Template("any", (Request("gpu", "gpu"), Request("nic", "nic")))


def asking(*requests: Request, constrained: bool = False) -> Template:
    """A claim of its own name."""
    return Template("t", requests, (Constraint(PCIE_ROOT),) if constrained else ())


@pytest.mark.parametrize(
    ("templates", "in_use", "reason"),
    [
        ([PAIR], [], "pair, request nic: no free device meets the constraints, whatever is taken before it"),
        ([ANY, PAIR], GPUS[:1], "pair, request gpu: no free device meets the constraints, whatever is taken before it"),
        ([asking(Request("gpu", "gpu", 3))], GPUS[:1], "t, request gpu: 2 devices match, 1 are free, asked for 3"),
        ([ANY], NICS, "any, request nic: 2 devices match, 0 are free, asked for 1"),
        (
            [asking(Request("one", "gpu", 2)), asking(Request("two", "nic", 5))], [],
            "t, request two: 2 devices match, 2 are free, asked for 5",
        ),
        ([asking(Request("gpu", "gpu", None))], GPUS[1:], "t, request gpu: asks for all, and g1 is in use"),
        (
            [asking(Request("gpu", "gpu", None, ('device.attributes["gpu"].?x.orValue(0) == 1',)))], [],
            "t, request gpu: asks for all, and no device matches",
        ),
        (
            [asking(Request("gpu", "gpu", 2), Request("nic", "nic", None), constrained=True)], [],
            "t, request gpu: no free device meets the constraints, whatever is taken before it",
        ),
        (
            [asking(Request("gpu", "gpu", None), Request("nic", "nic", 3))], [],
            "t, request nic: no free device meets the constraints, whatever is taken before it",
        ),
    ],
)  # fmt: skip
def test_why_nothing_fits(templates: list[Template], in_use: list[Device], reason: str) -> None:
    """The claim, the furthest request that was reached, and what it lacks."""
    assert refused(allocate(templates, GPUS + NICS, CLASSES, in_use)) == reason


def test_devices_of_each_request() -> None:
    """By claim and request, in the order in which they are asked for."""
    two = Template("two", (Request("nic", "nic", 2), Request("gpu", "gpu")))
    found = allocate([two, asking(Request("gpu", "gpu"))], GPUS + NICS, CLASSES)
    assert isinstance(found, Allocation)
    assert dict(found.devices) == {
        ("two", "nic"): tuple(NICS), ("two", "gpu"): (GPUS[0],), ("t", "gpu"): (GPUS[1],),
    }  # fmt: skip
    assert names(found) == ["n0", "n1", "g0", "g1"]


def test_32_devices_are_as_many_as_a_claim_holds() -> None:
    """Of all its requests together, numbers and All alike."""
    nodes = [device("nic", f"n{index}") for index in range(30)] + [device("gpu", f"g{index}") for index in range(3)]
    for gpus, fits in ((2, True), (3, False)):
        for template in (
            asking(Request("nic", "nic", 30), Request("gpu", "gpu", gpus)),
            asking(Request("nic", "nic", None), Request("gpu", "gpu", gpus)),
        ):
            if fits:
                assert len(names(allocate([template], nodes, CLASSES))) == 32
            else:
                with pytest.raises(Aborted, match=r"^t: 33 devices; a claim holds at most 32$"):
                    allocate([template], nodes, CLASSES)


def test_a_constraint_holds_for_the_requests_that_it_names() -> None:
    """Others of the claim are free of it; one that names none holds for all."""
    nodes = [device("gpu", "g0", "a"), device("nic", "n0", "b"), device("nic", "n1", "a")]
    requests = (Request("gpu", "gpu"), Request("nic", "nic"), Request("other", "nic"))
    named = Template("t", requests, (Constraint(PCIE_ROOT, ("gpu", "other")),))
    assert names(allocate([named], nodes, CLASSES)) == ["g0", "n0", "n1"]
    assert isinstance(allocate([Template("t", requests, (Constraint(PCIE_ROOT),))], nodes, CLASSES), NoFit)


def test_two_constraints_at_once() -> None:
    """A device is taken only where it meets both; what it fixed is free again when it is given back."""
    nodes = [
        Device("gpu", "g0", {PCIE_ROOT: "a", "x/y": 1}), Device("gpu", "g1", {PCIE_ROOT: "b", "x/y": 2}),
        Device("nic", "n0", {PCIE_ROOT: "a", "x/y": 2}), Device("nic", "n1", {PCIE_ROOT: "b", "x/y": 2}),
    ]  # fmt: skip
    both = Template("t", PAIR.requests, (Constraint(PCIE_ROOT), Constraint("x/y")))
    assert names(allocate([both], nodes, CLASSES)) == ["g1", "n1"]


def test_an_error_of_a_device_that_is_not_reached() -> None:
    """An error aborts when the search comes to its device; for All it aborts at once, and free or not."""
    failing = ('device.attributes["nic"].rail < 2',)
    nodes = [device("nic", "n0", rail=0), device("nic", "n1"), device("nic", "n2", rail=1)]
    two = asking(Request("nic", "nic", 2, failing))
    assert names(allocate([two], nodes, CLASSES, nodes[1:2])) == ["n0", "n2"]
    with pytest.raises(CelError, match="n1 of nic"):
        allocate([two], nodes, CLASSES)
    with pytest.raises(CelError, match="n1 of nic"):
        allocate([asking(Request("nic", "nic", None, failing))], nodes, CLASSES, nodes[1:2])


def test_a_device_that_all_must_have_stands_for_itself() -> None:
    """When the first NIC is given to another request, All lacks it; when the second one is, the first breaks a root."""
    every = Template(
        "t", (Request("one", "nic"), Request("gpu", "gpu"), Request("every", "nic", None)),
        (Constraint(PCIE_ROOT, ("gpu", "every")),),
    )  # fmt: skip
    nodes = [device("gpu", "g", "a"), device("nic", "n0", "b"), device("nic", "n1", "b")]
    with pytest.raises(Aborted, match=r"^t, request every: asks for all, and n0 breaks a constraint$"):
        allocate([every], nodes, CLASSES)


def test_a_device_must_pass_its_class_and_each_selector() -> None:
    """In this order: a selector that would fail is not asked of a device of another class."""
    failing = 'device.attributes["nic"].rail == 1'
    one = device("nic", "n", rail=1)
    assert device_matches(Request("r", "nic", 1, (failing,)), one, CLASSES)
    assert not device_matches(Request("r", "nic", 1, (failing, "false")), one, CLASSES)
    assert not device_matches(Request("r", "nic", 1, (failing,)), GPUS[0], CLASSES)
    with pytest.raises(CelError, match=r"^request r: the DeviceClass tpu does not exist$"):
        device_matches(Request("r", "tpu"), one, CLASSES)


def test_values_with_their_types() -> None:
    """A version is no string, and a missing attribute is nothing."""
    made = device("nic", "n", Version("1.0.0"))
    assert (typed(made, PCIE_ROOT), typed(made, "x/y")) == ((Version, "1.0.0"), None)
    assert typed(device("nic", "n", "1.0.0"), PCIE_ROOT) == (str, "1.0.0")


GPU_A, NIC_A, NIC_B, GPU_B = (
    device("gpu", "ga", "a"),
    device("nic", "na", "a"),
    device("nic", "nb", "b"),
    device("gpu", "gb", "b"),
)
MARKS = {GPU_A: "gpu", NIC_A: "nic", NIC_B: "nic", GPU_B: "gpu"}


def test_roots_that_are_left_alike_are_one_state() -> None:
    """Whichever root has a device less, in whatever order its devices stand; an empty one counts as one without any."""
    left = [Kinds(MARKS, [PCIE_ROOT], taken).state({}) for taken in ([GPU_A], [GPU_B], [NIC_A])]
    assert left[0] == left[1] != left[2]
    alone = {GPU_A: "gpu", NIC_A: "nic", NIC_B: "nic"}
    gone = [Kinds(alone, [PCIE_ROOT], [GPU_A, nic]).state({}) for nic in (NIC_A, NIC_B)]
    assert gone[0] == gone[1]


def test_states_of_two_attributes_are_told_apart_by_their_values() -> None:
    """Then no value can stand for another: free devices of each kind, and what constraints hold."""
    kinds = Kinds(MARKS, [PCIE_ROOT, "x/y"], [GPU_A])
    assert kinds.number == {GPU_A: 0, NIC_A: 1, NIC_B: 2, GPU_B: 3} and kinds.free == [0, 1, 1, 1]
    held = {(0, 0): (str, "a")}
    assert kinds.state(held) == ((0, 1, 1, 1), frozenset(held.items()))
    assert Kinds(MARKS, [PCIE_ROOT, "x/y"], [GPU_B]).state({}) != kinds.state({})


def test_devices_of_one_kind() -> None:
    """What requests and constraints see alike is one kind, and its free devices are counted."""
    twins = [device("nic", f"n{index}", "a") for index in range(3)]
    kinds = Kinds(dict.fromkeys([*twins, NIC_B], "nic"), [PCIE_ROOT], twins[:1])
    assert [kinds.number[each] for each in (*twins, NIC_B)] == [0, 0, 0, 1] and kinds.free == [2, 1]
    assert Kinds({twins[0]: "x", twins[1]: "y"}, [], ()).free == [1, 1]
