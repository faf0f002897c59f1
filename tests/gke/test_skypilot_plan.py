"""GKE for SkyPilot: its network mode, and what it must be told."""

from typing import Any

import pytest
from tests.gke.plans import RESERVED, pool, stack_plan

ULTRA, MEGA, HIGH = "a3-ultragpu-8g", "a3-megagpu-8g", "a3-highgpu-8g"
FLEX, QUEUED, SPOT = ({"flex_start": True}, {"queued": True}, {"spot": True})
BY_NAME = {"mode": "pod-networks"}


def test_skypilots_pods_name_networks_where_nobody_chose_a_mode():
    asked, by_name = stack_plan(pool(ULTRA), skypilot=True), stack_plan(pool(ULTRA), network=BY_NAME)

    assert asked.pod_networks == by_name.pod_networks != ()
    assert stack_plan(pool(ULTRA), skypilot=False).pod_networks == ()
    assert not any("SkyPilot" in each for each in stack_plan(pool(HIGH, capacity=QUEUED)).warnings)


def test_skypilot_is_told_of_pools_whose_nodes_come_when_a_job_asks():
    """A task of a queued pool waits in the pool's queue."""
    pools = {"now": None, "flex": FLEX, "later": QUEUED, "spot": SPOT}
    listed = [pool(ULTRA, name, capacity=capacity or RESERVED) for name, capacity in pools.items()]

    assert dict(stack_plan(*listed, skypilot=True).skypilot) == {
        "context": {"autoscaler": "gke"},
        "tasks": {
            "flex": {"kubernetes": {"dws": {"enabled": True}}},
            "later": {"kubernetes": {"dws": {"enabled": True}, "kueue": {"local_queue_name": "later"}}},
        },
    }
    assert dict(stack_plan(listed[0], listed[3], skypilot=True).skypilot) == {}
    assert dict(stack_plan(*listed).skypilot) == {}


UNSEEN, NO_QUEUE, DAEMON = "SkyPilot sees no network", "nobody makes the queue", "SkyPilot 0.14.1 brings daemon"


@pytest.mark.parametrize(
    ("machine", "capacity", "queues", "words"),
    [
        (ULTRA, SPOT, False, []),
        (ULTRA, FLEX, False, [UNSEEN]),
        (ULTRA, QUEUED, False, [UNSEEN, NO_QUEUE]),
        (ULTRA, QUEUED, True, [UNSEEN]),
        (HIGH, QUEUED, False, [UNSEEN, NO_QUEUE, DAEMON]),
    ],
)
def test_what_works_only_with_the_users_help_is_told(
    machine: str, capacity: dict[str, Any], queues: bool, words: list[str]
):
    warnings = stack_plan(pool(machine, capacity=capacity), skypilot=True, queues={"enabled": queues}).warnings
    told = [each for each in warnings if any(word in each for word in (UNSEEN, NO_QUEUE, DAEMON))]

    assert [each.startswith(f"pool a4: {word}") for word, each in zip(words, told, strict=True)] == [True] * len(words)


@pytest.mark.parametrize(("machine", "versions"), [(HIGH, ["v2.0.11", "v2.0.15"]), (MEGA, ["v1.0.17", "v1.0.21"])])
def test_versions_that_google_publishes_apart_are_told(machine: str, versions: list[str]):
    """SkyPilot 0.14.1 starts a daemon of its own beside our plugin, of which Google publishes another."""
    (told,) = (each for each in stack_plan(pool(machine), skypilot=True).warnings if DAEMON in each)

    assert all(version in told for version in versions)
