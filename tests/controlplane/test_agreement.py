"""Our allocator and the real scheduler agree on claims that our generator would not make."""

from collections.abc import Iterator

import pytest
from rdma_cluster.claims import Target
from rdma_cluster.claims.allocator import Allocation, NoFit, allocate
from rdma_cluster.claims.cel import Aborted
from rdma_cluster.claims.device import Device
from rdma_cluster.fabrics import NIC_DRIVERS
from .api import Api
from .by_hand import drawn, limits, of_the_document
from .cluster import Cluster
from .scenarios import Answer, Scenario, device_classes, names, run

Answers = dict[str, list[Answer]]
DOCUMENT, LIMITS, DRAWN = (tuple(made()) for made in (of_the_document, limits, drawn))


@pytest.fixture(scope="module")
def answers(api: Api, request: pytest.FixtureRequest) -> Iterator[Answers]:
    """The scheduler's answers to all scenarios that this run has selected, asked for at once."""
    selected = {item.name.partition("[")[2] for item in request.session.items}
    scenarios = [scenario for scenario in (*DOCUMENT, *LIMITS, *DRAWN) if f"{scenario.name}]" in selected]
    with Cluster(api) as cluster:
        cluster.create_all(device_classes([Target(driver) for driver in NIC_DRIVERS.values()]))
        yield run(cluster, scenarios)


def ours(scenario: Scenario) -> list[Allocation | NoFit | Aborted]:
    """Our allocator's answer to each pod, after those before it."""
    devices = [device for each in scenario.slices for device in each.devices]
    in_use: set[Device] = set()
    found: list[Allocation | NoFit | Aborted] = []
    for claims in scenario.pods:
        try:
            answer = allocate(claims, devices, scenario.target.classes, in_use)
        except Aborted as error:
            answer = error
        if isinstance(answer, Allocation):
            in_use.update(answer.all())
        found.append(answer)
    return found


def check(scenario: Scenario, answers: Answers) -> None:
    """Pod for pod and device for device; an error where we say error, a plain no where we say no."""
    for claims, our, theirs in zip(scenario.pods, ours(scenario), answers[scenario.name], strict=True):
        said = theirs.placement.message
        if isinstance(our, Allocation):
            assert theirs.placement.node == scenario.name, (claims, said)
            assert theirs.devices == names(our), claims
        else:
            assert theirs.placement.node is None, (claims, our)
            assert theirs.devices == {}
            assert ("cannot allocate all claims" in said) == isinstance(our, NoFit), (claims, our, said)


@pytest.mark.parametrize("scenario", DOCUMENT, ids=lambda scenario: scenario.name)
def test_what_the_document_asks_fits_nowhere(scenario: Scenario, answers: Answers):
    """The scheduler refuses it as we do."""
    assert all(answer.placement.node is None for answer in answers[scenario.name])
    check(scenario, answers)


@pytest.mark.parametrize("scenario", LIMITS, ids=lambda scenario: scenario.name)
def test_our_maximum_is_the_schedulers(scenario: Scenario, answers: Answers):
    """One more than we say fits nowhere, and as many as we say do fit."""
    check(scenario, answers)


@pytest.mark.parametrize("scenario", DRAWN, ids=lambda scenario: scenario.name)
def test_claims_drawn_by_lot(scenario: Scenario, answers: Answers):
    """Whatever a claim says, both read it alike."""
    check(scenario, answers)
