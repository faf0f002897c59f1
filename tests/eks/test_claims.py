"""The claims that EKS machines are offered: in the machine's own ratio, and as many as the plan says."""

import pytest
from rdma_cluster.catalog.eks import EksMachine
from rdma_cluster.claims import Target, solve
from rdma_cluster.fabrics.efa import AWS_DRANET
from rdma_cluster.incluster.plan.claim_templates import Offer
from tests.eks.plans import BLOCK, BUILDABLE, stack_plan

MOST_DEVICES = 32


def offers(name: str, **claims: object) -> tuple[Offer, ...]:
    """The claims that a pool of a machine is offered."""
    nodes = 9 if name.startswith("p6e") else 2
    pool = {"name": "x", "machine": name, "nodes": nodes, "capacity": BLOCK}
    decided = stack_plan(pool, claims=claims).in_cluster.claims
    assert decided is not None
    return decided.plan.by_machine[name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("p5.48xlarge", ["groups-1x4-1", "groups-1x4-2", "groups-1x4-4", "groups-1x4-8", "whole", "nics"]),
        ("p6-b200.48xlarge", ["pairs-1", "pairs-2", "pairs-4", "pairs-8", "whole", "nics"]),
        ("p4d.24xlarge", ["groups-2x1-1", "groups-2x1-2", "groups-2x1-4", "whole", "nics"]),
        ("p5en.48xlarge", ["groups-1x2-1", "groups-1x2-2", "groups-1x2-4", "groups-1x2-8", "whole", "nics"]),
        # No root is shared, so there is nothing to align by.
        ("p6e-gb200.36xlarge", ["whole", "nics"]),
    ],
)
def test_claims_take_gpus_and_nics_as_the_machine_has_them(name: str, expected: list[str]):
    """None is left over."""
    assert [offer.intent.slug for offer in offers(name)] == expected


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_the_allocator_finds_as_many_places_as_the_plan_promises(machine: EksMachine):
    """No claim is over the limit of devices."""
    target = Target(AWS_DRANET, kubernetes=(1, 35))

    for offer in offers(machine.name):
        assert solve(machine, offer.intent, target).copies == offer.pods_per_node
        for window in offer.windows:
            for template in window:
                assert sum(request.count or 0 for request in template.requests) <= MOST_DEVICES
                assert all(constraint.requests for constraint in template.constraints)


def test_a_whole_p5_is_two_claims():
    """40 devices do not fit in one, and no constraint reaches across."""
    (whole,) = [offer for offer in offers("p5.48xlarge") if offer.intent.slug == "whole"]
    ((gpus, nics),) = whole.windows

    assert [(r.device_class, r.count) for t in (gpus, nics) for r in t.requests] == [
        ("gpu.nvidia.com", 8),
        ("efa.networking.k8s.aws", 32),
    ]


def test_claims_that_a_user_asks_for_are_the_only_ones():
    asked = offers("p5.48xlarge", groups=[3], whole=False, nics=False)

    assert [(offer.intent.slug, offer.pods_per_node) for offer in asked] == [("groups-1x4-3", 2)]
