"""How near to each other the nodes of a GKE pool are."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from rdma_cluster.gke.plan.placement import policy_name
from tests.gke.plans import ONE_RACK, RESERVED, pool, refused, stack_plan

A4, MEGA, RACK = "a4-highgpu-8g", "a3-megagpu-8g", "a4x-highgpu-4g"
SPOT, FLEX, QUEUED, ON_DEMAND = ({key: True} for key in ("spot", "flex_start", "queued", "on_demand"))
COMPACT, NONE = {"placement": "compact"}, {"placement": "none"}
DENSE = {"placement_policy": "dense"}


@pytest.mark.parametrize(
    ("machine", "capacity", "choice", "compact"),
    [
        (A4, ON_DEMAND, {}, True),
        (A4, ON_DEMAND, NONE, False),
        (A4, SPOT, COMPACT, True),
        (A4, RESERVED, NONE, False),
        (A4, RESERVED, DENSE, True),
        (A4, RESERVED, {**DENSE, **COMPACT}, True),
        (A4, FLEX, COMPACT, True),
        (MEGA, SPOT, COMPACT, True),
        (RACK, ONE_RACK, {}, False),
        (RACK, ONE_RACK, DENSE, True),
        (A4, RESERVED, {"placement_policy": "p" * 63}, True),
    ],
)
def test_nodes_are_compact_on_demand_or_where_a_policy_says_so(
    machine: str, capacity: dict[str, Any], choice: dict[str, Any], compact: bool
):
    """The nodes of a reservation go by the policy that it was made with."""
    (made,) = stack_plan(pool(machine, capacity=capacity, **choice)).pools

    assert (made.compact, made.placement_policy) == (compact, choice.get("placement_policy"))


@pytest.mark.parametrize(
    ("machine", "capacity", "choice"),
    [
        (A4, {"calendar": {"name": "r"}}, COMPACT),
        (A4, QUEUED, DENSE),
        (A4, RESERVED, {"placement_policy": "p" * 64}),
        (MEGA, FLEX, DENSE),
        (RACK, ONE_RACK, NONE),
    ],
)
def test_what_google_does_not_grant_is_refused_at_the_key_that_asks(
    machine: str, capacity: dict[str, Any], choice: dict[str, Any]
):
    key = "placement_policy" if "placement_policy" in choice else "placement"

    assert refused(stack_plan, pool(machine, capacity=capacity, **choice)) == [f"pools[0].{key}"]


@given(st.text("ab-", min_size=1, max_size=90))
def test_policies_of_racks_fit_and_stay_apart(name: str):
    """Pulumi adds eight characters, and Google takes 63."""
    made = [policy_name(f"a{name}{last}") for last in "xy"]

    assert len(set(made)) == 2 and max(map(len, made)) <= 55
    assert policy_name("a" * 55) == "a" * 55
