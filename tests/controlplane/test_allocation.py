"""The real scheduler gives every pod the devices that our proof said it would get, on every machine."""

from collections.abc import Iterator

import pytest
from rdma_cluster.claims import NicDriver, Target

from .api import Api
from .cases import Case, cases
from .cluster import Cluster
from .scenarios import Answer, device_classes, names, run

Answers = dict[str, list[Answer]]


@pytest.fixture(scope="module")
def answers(api: Api, request: pytest.FixtureRequest) -> Iterator[Answers]:
    """The scheduler's answers to all cases that this run has selected, asked for at once."""
    selected = {item.name.partition("[")[2] for item in request.session.items}
    with Cluster(api) as cluster:
        cluster.create_all(device_classes([Target(driver) for driver in NicDriver]))
        yield run(cluster, [case.scenario for case in cases() if f"{case.name}]" in selected])


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_device_for_device(case: Case, answers: Answers):
    """On one node, pod after pod, the scheduler's devices are ours; and when we say full, it is."""
    *fitting, more = answers[case.name]
    ours = [allocation for window in case.proof.windows for allocation in window.allocations]

    for answer, allocation in zip(fitting, ours, strict=True):
        assert answer.placement.node == case.name, answer.placement.message
        assert answer.devices == names(allocation)
    assert more.placement.node is None
    assert "cannot allocate all claims" in more.placement.message
