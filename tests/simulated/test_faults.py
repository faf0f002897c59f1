"""A simulated cloud fails on demand, once or until the fault is taken back."""

import pytest
from rdma_rehearsal.faults import Fault, Kind, read_fault
from tests.simulated.engine import Clouds, Failed
from tests.simulated.sound import NETWORK, POOL, network, pool

INPUTS, POOL_INPUTS = network(), pool()


def test_a_fault_before_a_creation_leaves_nothing_and_passes(clouds: Clouds):
    clouds.fault_plan.arm(Fault(Kind.BEFORE, "*"))
    provider = clouds.provider("gcp")

    with pytest.raises(Failed, match="Error 503") as failed:
        provider.create(NETWORK, "n", INPUTS)
    assert (failed.value.id, len(clouds.inventory)) == ("", 0)
    assert provider.create(NETWORK, "n", INPUTS)[0]


@pytest.mark.parametrize(("kind", "words"), [(Kind.AFTER, "Error 503"), (Kind.TIMEOUT, "timeout: 90s")])
def test_a_fault_after_a_creation_leaves_the_resource(kind: Kind, words: str, clouds: Clouds):
    """The engine keeps its id and makes it ready by an update; nothing is there twice."""
    clouds.fault_plan.arm(Fault(kind, "Network"))
    provider = clouds.provider("gcp")

    with pytest.raises(Failed, match=words) as failed:
        provider.create(NETWORK, "n", INPUTS, timeout=90)
    assert [(each.id, each.ready) for each in clouds.inventory] == [(failed.value.id, False)]
    provider.update(failed.value.id, NETWORK, "n", INPUTS, INPUTS)
    assert [each.ready for each in clouds.inventory] == [True]


@pytest.mark.parametrize(("kind", "left"), [(Kind.BEFORE, 1460), (Kind.AFTER, 8896)])
def test_a_change_in_place_fails_once(kind: Kind, left: int, clouds: Clouds):
    """The resource is as it was, or changed already and reported so; the next try succeeds."""
    provider = clouds.provider("gcp")
    old, new = INPUTS | {"mtu": 1460}, INPUTS | {"mtu": 8896}
    id_, _ = provider.create(NETWORK, "n", old)
    clouds.fault_plan.arm(Fault(kind, "*"), Fault(Kind.QUOTA, "*"))

    with pytest.raises(Failed, match="Error 503") as failed:
        provider.update(id_, NETWORK, "n", old, new)
    assert [each.inputs["mtu"] for each in clouds.inventory] == [left]
    assert failed.value.id == (id_ if kind is Kind.AFTER else "")

    clouds.fault_plan.arm()
    assert provider.update(id_, NETWORK, "n", old, new)["mtu"] == 8896
    assert [(each.id, each.ready) for each in clouds.inventory] == [(id_, True)]


def test_a_quota_holds_until_it_is_raised(clouds: Clouds):
    clouds.fault_plan.arm(Fault(Kind.QUOTA, NETWORK, 3))
    provider = clouds.provider("gcp")
    for name in ("a", "b"):
        provider.create(NETWORK, name, network(name))

    for _ in range(2):
        with pytest.raises(Failed, match="quotaExceeded"):
            provider.create(NETWORK, "c", network("c"))
    clouds.fault_plan.arm()
    assert provider.create(NETWORK, "c", network("c"))[0]


def test_too_few_nodes_fail_a_pool_until_there_are_more(clouds: Clouds):
    """The pool exists, and every `up` waits for its nodes in vain."""
    clouds.fault_plan.arm(Fault(Kind.CAPACITY, "NodePool"))
    provider = clouds.provider("gcp")

    with pytest.raises(Failed, match="was created in the error state") as failed:
        provider.create(POOL, "a4", POOL_INPUTS)
    with pytest.raises(Failed, match="was created in the error state") as again:
        provider.update(failed.value.id, POOL, "a4", POOL_INPUTS, POOL_INPUTS)
    assert again.value.id == failed.value.id
    clouds.fault_plan.arm()
    provider.update(failed.value.id, POOL, "a4", POOL_INPUTS, POOL_INPUTS)
    assert [each.ready for each in clouds.inventory] == [True]


def test_faults_are_read_as_they_are_written():
    """Type tokens have colons of their own."""
    assert read_fault("capacity:NodePool gke-a4").fits(POOL, "gke-a4")
    assert not read_fault("capacity:NodePool gke-a4").fits("kubernetes:core/v1:Service", "gke-a4")
    texts = ["capacity:NodePool#2", "before:gcp:compute/network:Network", "vanish:*"]

    assert [str(read_fault(each)) for each in texts] == texts
