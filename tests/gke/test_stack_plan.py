"""A GKE stack as a whole: what its parts decide for each other, and what a person is warned of."""

from typing import Any

from rdma_cluster.common.fingerprint import fingerprint
from rdma_cluster.gke.plan import GkeRdmaClusterPlan
from tests.gke.plans import EXISTING, pool, stack_plan

WATCHED: dict[str, Any] = {"monitoring": {"enabled": True}}


def prints(made: GkeRdmaClusterPlan) -> list[str]:
    """What makes the test of each pool run again."""
    return [pool.fingerprint for pool in made.in_cluster.pools]


def test_a_stack_of_reserved_a4_nodes_is_new_and_warns_of_nothing():
    """Google is asked for the machine and for the reservation, unless the user says no."""
    made = stack_plan()

    assert (made.storage, made.pod_networks, dict(made.skypilot), made.warnings) == (None, (), {}, ())
    assert made.network is not None and not made.cluster.existing
    assert [each.function.rpartition(":")[2] for each in made.look_ups] == ["getMachineTypes", "getReservation"]
    assert stack_plan(look_ups=False).look_ups == ()


def test_other_nodes_are_proved_again():
    """Another cluster, zone, network or capacity has other nodes; what changes no node runs nothing."""
    first = prints(stack_plan())
    others = [
        prints(stack_plan(kubernetes={"name": "other"})),
        prints(stack_plan(network={"cidr": "172.16.0.0/12"})),
        prints(stack_plan(network={"max_nodes": 2})),
        prints(stack_plan(zone="us-west8-b")),
        prints(stack_plan(pool(capacity={"reservation": {"name": "other"}}))),
    ]

    assert len({str(each) for each in [first, *others]}) == 1 + len(others)
    assert prints(stack_plan(tags={"team": "a"}, look_ups=False)) == first


def test_no_release_proves_again_for_nothing():
    """A fingerprint is made of the pool, its zone, its cluster and its network, by these names."""
    made = stack_plan()
    cluster = "projects/my-project/locations/us-west8/clusters/gke"

    assert prints(made) == [
        fingerprint(made.pools[0], {"zone": "us-west8-c", "cluster": cluster, "network": made.network})
    ]


def test_the_exporter_of_an_existing_cluster_is_warned_of():
    told = [
        [each for each in stack_plan(**more).warnings if "GKE runs a DCGM exporter" in each]
        for more in ({**EXISTING, **WATCHED}, EXISTING, WATCHED)
    ]

    assert [len(each) for each in told] == [1, 0, 0]
