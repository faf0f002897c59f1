"""The search for devices says what is lacking, and counts and constrains what it takes."""

import pytest
from rdma_cluster.claims import Constraint, Request, Template
from rdma_cluster.claims.allocator import Allocation, NoFit, allocate, device_matches
from rdma_cluster.claims.cel import Aborted, CelError
from rdma_cluster.claims.device import Device
from rdma_cluster.claims.target import PCIE_ROOT
from tests.claims.nodes import CLASSES, PAIR, device, names, refused

GPUS = [device("gpu", f"g{index}", root) for index, root in enumerate("ab")]
NICS = [device("nic", f"n{index}", root) for index, root in enumerate("cd")]
ANY = Template("any", (Request("gpu", "gpu"), Request("nic", "nic")))


def asking(*requests: Request) -> Template:
    """Make a claim of these requests."""
    return Template("t", requests)


@pytest.mark.parametrize(
    ("templates", "in_use", "words"),
    [
        ([PAIR], [], ["pair, request nic", "constraints"]),
        ([ANY, PAIR], GPUS[:1], ["pair, request gpu", "constraints"]),
        ([asking(Request("gpu", "gpu", 3))], GPUS[:1], ["t, request gpu", "2 devices match", "1 are free", "for 3"]),
        ([asking(Request("gpu", "gpu", 2)), asking(Request("x", "nic", 5))], [], ["t, request x", "asked for 5"]),
        ([asking(Request("gpu", "gpu", None))], GPUS[1:], ["t, request gpu", "all", "g1 is in use"]),
        ([asking(Request("gpu", "gpu", None, ("false",)))], [], ["t, request gpu", "no device matches"]),
        ([asking(Request("gpu", "gpu", None), Request("nic", "nic", 3))], [], ["t, request nic", "constraints"]),
    ],
)
def test_a_refusal_names_the_request_and_what_it_lacks(
    templates: list[Template], in_use: list[Device], words: list[str]
):
    reason = refused(allocate(templates, GPUS + NICS, CLASSES, in_use))

    assert all(each in reason for each in words), reason


def test_devices_stand_under_their_claim_and_request():
    two = Template("two", (Request("nic", "nic", 2), Request("gpu", "gpu")))
    found = allocate([two, asking(Request("gpu", "gpu"))], GPUS + NICS, CLASSES)

    assert isinstance(found, Allocation)
    assert dict(found.devices) == {("two", "nic"): tuple(NICS), ("two", "gpu"): (GPUS[0],), ("t", "gpu"): (GPUS[1],)}


@pytest.mark.parametrize("nics", [30, None])
def test_a_claim_holds_32_devices_and_no_33rd(nics: int | None):
    """All requests of a claim count together; two claims of the same pod hold more."""
    nodes = [device("nic", f"n{index}") for index in range(30)] + [device("gpu", f"g{index}") for index in range(3)]
    full = asking(Request("nic", "nic", nics), Request("gpu", "gpu", 2))

    assert len(names(allocate([full], nodes, CLASSES))) == 32
    with pytest.raises(Aborted, match="33 devices; a claim holds at most 32"):
        allocate([asking(Request("nic", "nic", nics), Request("gpu", "gpu", 3))], nodes, CLASSES)
    assert len(names(allocate([full, Template("u", (Request("gpu", "gpu"),))], nodes, CLASSES))) == 33


def test_a_constraint_holds_for_the_requests_that_it_names():
    """Other requests of the claim are free of it; a constraint that names none holds for all."""
    nodes = [device("gpu", "g0", "a"), device("nic", "n0", "b"), device("nic", "n1", "a")]
    requests = (Request("gpu", "gpu"), Request("nic", "nic"), Request("other", "nic"))
    named = Template("t", requests, (Constraint(PCIE_ROOT, ("gpu", "other")),))

    assert names(allocate([named], nodes, CLASSES)) == ["g0", "n0", "n1"]
    assert isinstance(allocate([Template("t", requests, (Constraint(PCIE_ROOT),))], nodes, CLASSES), NoFit)


def test_a_device_must_meet_two_constraints_at_once():
    """What a device fixed is free again when the device is given back."""
    sets = [("gpu", "g0", "a", 1), ("gpu", "g1", "b", 2), ("nic", "n0", "a", 2), ("nic", "n1", "b", 2)]
    nodes = [Device(driver, name, {PCIE_ROOT: root, "x/y": value}) for driver, name, root, value in sets]
    both = Template("t", PAIR.requests, (Constraint(PCIE_ROOT), Constraint("x/y")))

    assert names(allocate([both], nodes, CLASSES)) == ["g1", "n1"]


def test_an_error_aborts_all_at_once():
    """A request for All looks at every device, also at those in use; a number looks at free ones only."""
    failing = ('device.attributes["nic"].rail < 2',)
    nodes = [device("nic", "n0", rail=0), device("nic", "n1"), device("nic", "n2", rail=1)]
    two = asking(Request("nic", "nic", 2, failing))

    assert names(allocate([two], nodes, CLASSES, nodes[1:2])) == ["n0", "n2"]
    for template, in_use in ((two, []), (asking(Request("nic", "nic", None, failing)), nodes[1:2])):
        with pytest.raises(CelError, match="n1 of nic"):
            allocate([template], nodes, CLASSES, in_use)


def test_a_device_must_pass_its_class_and_each_selector():
    """A selector that would fail is not asked of a device of another class."""
    failing = 'device.attributes["nic"].rail == 1'
    one = device("nic", "n", rail=1)

    assert device_matches(Request("r", "nic", 1, (failing,)), one, CLASSES)
    assert not device_matches(Request("r", "nic", 1, (failing, "false")), one, CLASSES)
    assert not device_matches(Request("r", "nic", 1, (failing,)), GPUS[0], CLASSES)
    with pytest.raises(CelError, match="request r: the DeviceClass tpu does not exist"):
        device_matches(Request("r", "tpu"), one, CLASSES)
