"""The real scheduler gives every pod the devices that our proof said it would get, on every machine."""

from collections.abc import Iterator

import pytest
from rdma_cluster.catalog import Machine, machines
from rdma_cluster.claims import Target
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.fabrics import NIC_DRIVERS
from .api import Api
from .cases import Case, cases, targets, twins
from .cluster import Cluster
from .scenarios import Answer, device_classes, names, run

Answers = dict[str, list[Answer]]


@pytest.fixture(scope="module")
def answers(api: Api, request: pytest.FixtureRequest) -> Iterator[Answers]:
    """The scheduler's answers to all cases that this run has selected, asked for at once; twins share theirs."""
    selected = {item.name.partition("[")[2] for item in request.session.items}
    asked = {twins()[case.name] for case in cases() if f"{case.name}]" in selected}
    with Cluster(api) as cluster:
        cluster.create_all(device_classes([Target(driver) for driver in NIC_DRIVERS.values()]))
        yield run(cluster, [case.scenario for case in cases() if case.name in asked])


@pytest.mark.parametrize("machine", machines(), ids=lambda machine: machine.name)
def test_slices_are_valid(machine: Machine, api: Api):
    """The API server takes what we say a machine's drivers publish, whichever drivers they are."""
    for target in targets(machine).values():
        for published in resource_slices(machine, target, "node"):
            assert api.create(published.manifest(), dry_run=True)["spec"]["devices"]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_device_for_device(case: Case, answers: Answers):
    """On one node, pod after pod, the scheduler's devices are ours; and when we say full, it is."""
    node = twins()[case.name]
    *fitting, more = answers[node]
    ours = [allocation for window in case.solution.windows for allocation in window.allocations]

    for answer, allocation in zip(fitting, ours, strict=True):
        assert answer.placement.node == node, answer.placement.message
        assert answer.devices == names(allocation)
    assert more.placement.node is None
    assert "cannot allocate all claims" in more.placement.message
