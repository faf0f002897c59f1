"""Of several provers one works: whoever holds the Lease, until nobody has renewed it for its time."""

from typing import Any
from urllib.error import HTTPError

import pytest
from rdma_agent.prover import lease
from tests.readiness.server import Server

LEASES = "/apis/coordination.k8s.io/v1/namespaces/rdma-acceptance/leases"
HELD = f"PUT {LEASES}/prover"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server without a Lease, and the clock of all who look at it."""
    made = Server()
    made.now = 1000
    monkeypatch.setattr(lease.time, "monotonic", lambda: made.now)
    return made


def prover(server: Server, name: str) -> lease.Lease:
    """A prover that wants to work."""
    return lease.Lease(server, "rdma-acceptance", "prover", name)


def test_the_first_prover_keeps_the_lease_however_long_it_renews_it(server: Server):
    one, two = prover(server, "one"), prover(server, "two")
    assert not one.is_held

    for _ in range(10):
        assert (one.hold(), two.hold()) == (True, False)
        assert (one.is_held, two.is_held) == (True, False)
        server.now += lease.SECONDS // 2
    assert server.held[LEASES]["prover"]["spec"]["holderIdentity"] == "one"
    assert server.writes == [f"POST {LEASES}", *[HELD] * 9]


def test_a_lease_is_free_when_nobody_has_renewed_it_for_its_time(server: Server):
    """The looker's own clock counts, from when it first saw the Lease so."""
    one, two = prover(server, "one"), prover(server, "two")
    one.hold()
    server.now += 1000
    assert not two.hold()
    server.now += lease.SECONDS
    assert not two.hold()
    server.now += 1

    assert two.hold() and two.is_held
    assert not one.hold()


def test_a_prover_that_cannot_renew_stops_before_another_begins(server: Server):
    """It stops a quarter of the time before."""
    one = prover(server, "one")
    one.hold()
    server.now += lease.SECONDS - 16
    assert one.is_held
    server.now += 1

    assert not one.is_held


@pytest.mark.parametrize("holder", [None, ""])
def test_a_lease_that_was_given_back_is_free_at_once(server: Server, holder: str | None):
    """What others wrote into it stays."""
    spec: dict[str, Any] = {"holderIdentity": holder, "renewTime": "then", "leaseTransitions": 3}
    server.put(LEASES, "prover", spec=spec)

    assert prover(server, "one").hold()
    written = server.held[LEASES]["prover"]
    assert (written["spec"]["holderIdentity"], written["spec"]["leaseTransitions"]) == ("one", 3)


def test_a_prover_that_another_outruns_does_not_hold_the_lease(server: Server):
    """The Lease's version has changed since it was read; any other error is no answer."""
    one = prover(server, "one")
    one.hold()
    server.fails = {HELD: 409}
    assert not one.hold()
    for code in (403, 500):
        server.fails = {HELD: code}
        with pytest.raises(HTTPError):
            one.hold()
