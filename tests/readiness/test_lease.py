"""Of several provers one works: whoever holds the Lease, until nobody has renewed it for its time."""

import copy
import io
from email.message import Message
from typing import Any
from urllib.error import HTTPError

import pytest
from tests.readiness.in_pod import load

lease = load("lease")


class Server:
    """One Lease, or none; the clock of all who look at it."""

    def __init__(self) -> None:
        self.held: dict[str, Any] | None = None
        self.now, self.fails = 1000.0, 0
        self.written: list[tuple[str, str, dict[str, Any]]] = []

    def get(self, path: str) -> dict[str, Any]:
        """As the API answers."""
        if self.held is None:
            raise HTTPError(path, 404, "none", Message(), io.BytesIO())
        return copy.deepcopy(self.held)

    def open(self, path: str, method: str, body: dict[str, Any]) -> io.BytesIO:
        """Write it, or fail as often as a test says."""
        self.written.append((method, path, copy.deepcopy(body)))
        if self.fails:
            raise HTTPError(path, self.fails, "no", Message(), io.BytesIO())
        self.held = {**copy.deepcopy(body), "spec": {**body["spec"], "renewTime": str(self.now)}}
        return io.BytesIO()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """Without a Lease."""
    made = Server()
    monkeypatch.setattr(lease.time, "monotonic", lambda: made.now)
    return made


def prover(server: Server, name: str) -> Any:
    """One that wants to work."""
    return lease.Lease(server, "rdma-acceptance", "prover", name)


def test_the_first_has_it_and_the_second_has_not(server: Server):
    """However long it is renewed."""
    one, two = prover(server, "one"), prover(server, "two")
    assert not one.is_held

    for _ in range(10):
        assert (one.hold(), two.hold()) == (True, False)
        assert (one.is_held, two.is_held) == (True, False)
        server.now += lease.SECONDS / 2
    assert server.held is not None and server.held["spec"]["holderIdentity"] == "one"
    assert server.held["spec"]["leaseDurationSeconds"] == lease.SECONDS
    assert [method for method, _, _ in server.written] == ["POST", *["PUT"] * 9]


def test_a_prover_holds_nothing_before_it_has_asked(server: Server):
    """On a machine that has just booted, too, whose clock begins at zero."""
    server.now = 1.0

    assert not prover(server, "one").is_held


def test_it_is_free_when_nobody_has_renewed_it_for_its_time(server: Server):
    """By the looker's own clock, from when it first saw it so."""
    one, two = prover(server, "one"), prover(server, "two")
    one.hold()
    server.now += 1000
    assert not two.hold()
    server.now += lease.SECONDS
    assert not two.hold()
    server.now += 1

    assert two.hold() and two.is_held
    assert not one.hold()


def test_whoever_cannot_renew_it_stops_before_another_begins(server: Server):
    """A quarter of its time before."""
    one = prover(server, "one")
    one.hold()
    server.now += lease.SECONDS - 16
    assert one.is_held
    server.now += 1

    assert not one.is_held


@pytest.mark.parametrize("holder", [None, ""])
def test_one_that_was_given_back_is_free(server: Server, holder: str | None):
    """At once."""
    server.held = {"metadata": {"name": "prover"}, "spec": {"holderIdentity": holder, "renewTime": "then"}}

    assert prover(server, "one").hold()


def test_another_was_faster(server: Server):
    """Its version has changed since it was read."""
    one = prover(server, "one")
    one.hold()
    server.fails = 409

    assert not one.hold()


@pytest.mark.parametrize("code", [403, 500])
def test_an_api_server_that_refuses_is_told(server: Server, code: int):
    """Whatever it is asked."""
    one = prover(server, "one")
    one.hold()
    server.fails = code

    with pytest.raises(HTTPError):
        one.hold()
