"""Where the nodes of an EKS pool come from and how near they are, and what its choices of nodes may be."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.eks.plan.devices import plan_drivers
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from tests.eks.plans import BLOCK, GB200, RESERVATION, pool_plan, refused

ARN = "arn:aws:resource-groups:us-east-2:111122223333:group/gpus"
GROUP = {"reservation": {"group": ARN}}
ON_DEMAND, SPOT = {"on_demand": True}, {"spot": True}
CLUSTER, NONE, MINE = {"placement": "cluster"}, {"placement": "none"}, {"placement_group": "mine"}


@pytest.mark.parametrize(
    ("capacity", "choice", "makes"),
    [
        (ON_DEMAND, {}, True),
        (ON_DEMAND, NONE, False),
        (ON_DEMAND, MINE, False),
        (ON_DEMAND, {**CLUSTER, **MINE}, False),
        (SPOT, {}, False),
        (SPOT, CLUSTER, True),
        (RESERVATION, {}, False),
        (RESERVATION, {**CLUSTER, **MINE}, False),
        (GROUP, {}, False),
        (BLOCK, {}, False),
        (BLOCK, NONE, False),
    ],
)
def test_a_placement_group_is_made_where_nothing_else_places_the_nodes(
    capacity: dict[str, Any], choice: dict[str, Any], makes: bool
):
    assert pool_plan(capacity=capacity, **choice).makes_group is makes


def test_a_capacity_block_has_no_placement_group_beside_it():
    """Its nodes are side by side already, and a group of its own keeps them out."""
    assert refused(pool_plan, capacity=BLOCK, **CLUSTER) == ["placement"]
    assert refused(pool_plan, capacity=BLOCK, **MINE) == ["placement_group"]


@pytest.mark.parametrize(
    ("capacity", "paths"),
    [
        ({"reservation": {"id": "cr-01234567", "zone": "us-east-2a"}}, []),
        ({"reservation": {"id": "cr-0123456"}}, ["reservation.id"]),
        ({"reservation": {"id": "cr-01234567", "group": ARN}}, ["reservation"]),
        ({"reservation": {"group": ARN.replace("east-2", "west-2")}}, ["reservation.group"]),
        ({"reservation": {"group": ARN.replace("aws:", "aws-cn:")}}, ["reservation.group"]),
    ],
)
def test_a_reservation_has_an_id_or_a_group_in_the_pools_zone(capacity: dict[str, Any], paths: list[str]):
    assert refused(pool_plan, capacity=capacity) == [f"capacity.{path}" for path in paths]


def test_a_pool_consumes_the_reservation_that_it_names():
    made = [pool_plan(capacity=each) for each in (RESERVATION, BLOCK, GROUP, ON_DEMAND)]

    assert [each.reservation for each in made] == ["cr-0123456789abcdef1", "cr-0123456789abcdef0", ARN, None]
    assert [each.by_group for each in made] == [False, False, True, False]


@pytest.mark.parametrize(
    ("choice", "region", "registry", "paths"),
    [
        ({}, "us-east-2", "602401143452.dkr.ecr.us-east-2.amazonaws.com", []),
        ({"registry": "mirror.example/eks"}, "xx-east-9", "mirror.example/eks", []),
        ({}, "xx-east-9", "", ["registry"]),
        # A region without a form has that error alone.
        ({}, "east", "", []),
    ],
)
def test_eks_images_come_from_awss_registry_or_the_users(
    choice: dict[str, Any], region: str, registry: str, paths: list[str]
):
    """Of a region that the catalogue lacks it must be named."""
    errors = ErrorList()
    drivers, found = plan_drivers({"gpu": ManagedBy.EXISTING, **choice}, region=region, errors=errors)

    assert (found, [str(each).partition(": ")[0] for each in errors.found()]) == (registry, paths)
    assert drivers == {"gpu": ManagedBy.EXISTING}


RACK = {key: GB200[key] for key in ("machine", "nodes", "capacity")}


@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ({"version": "1.35", "release_version": "1.32.9-20251023"}, []),
        ({"version": "1.35", "release_version": "1.31.0-20260101"}, ["release_version"]),
        ({"release_version": "1.35.0-20251022"}, ["release_version"]),
        ({**RACK, "release_version": "1.35.0-20251103"}, []),
        ({**RACK, "release_version": "1.35.0-20251102"}, ["release_version"]),
        # Nothing is published of the rack's addresses.
        ({**RACK, "max_pods": 500}, []),
        ({"max_pods": 52}, ["max_pods"]),
        ({"labels": {"eks.amazonaws.com/nodegroup": "x"}}, ["labels.eks.amazonaws.com/nodegroup"]),
    ],
)
def test_node_images_pods_and_labels_are_those_that_a_node_can_have(more: dict[str, Any], paths: list[str]):
    assert refused(pool_plan, **more) == paths
