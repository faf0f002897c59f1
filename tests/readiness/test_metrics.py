"""The prover's figures over HTTP, and its health: a prover that is silent is started anew."""

from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from http.server import ThreadingHTTPServer
from typing import Any

import pytest
from tests.readiness.in_pod import load

fleet, metrics, proof = load("fleet"), load("metrics"), load("proof")

NODE = fleet.Node('n"0', "a", "b")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the prover's clock."""
    now = [100.0]
    monkeypatch.setattr(metrics.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def asked(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that asks the figures' server, and the figures of one node."""
    made: list[ThreadingHTTPServer] = []

    def server(_address: Any, handler: Any) -> ThreadingHTTPServer:
        made.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        return made[-1]

    monkeypatch.setattr(metrics, "ThreadingHTTPServer", server)
    shown = metrics.Metrics()
    shown.show(fleet.Seen([], [NODE], now=7), {NODE.name: fleet.Condition(False, "Waiting", "words")})
    shown.serve(9188, 150.0)

    def ask(path: str) -> tuple[HTTPResponse, str]:
        connection = HTTPConnection("127.0.0.1", made[0].server_address[1], timeout=10)
        connection.request("GET", path)
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        return answer, said

    yield ask, shown
    made[0].shutdown()
    made[0].server_close()


def test_figures_are_served(asked: tuple[Callable[..., Any], Any]):
    """They are in Prometheus' text, with the names of nodes in quotes."""
    answer, said = asked[0]("/metrics")

    assert (answer.status, answer.getheader("Content-Type")) == (200, "text/plain; version=0.0.4")
    assert answer.getheader("Content-Length") == str(len(said.encode()))
    assert 'rdma_cluster_node_proven{node="n\\"0",pool="a",reason="Waiting"} 0\n' in said
    assert "rdma_cluster_prover_last_look_timestamp_seconds 7\n" in said
    assert asked[0]("/else")[0].status == 404


def test_a_silent_prover_is_not_healthy(asked: tuple[Callable[..., Any], Any], clock: list[float]):
    """It is healthy again once it has looked, be it in vain."""
    ask, shown = asked
    assert (ask("/healthz")[0].status, ask("/healthz")[1]) == (200, "ok")
    clock[0] += 149
    assert ask("/healthz")[0].status == 200
    clock[0] += 1
    assert (ask("/healthz")[0].status, ask("/healthz")[1]) == (500, "silent")
    shown.alive()

    assert ask("/healthz")[0].status == 200


def test_a_prover_that_has_not_looked_yet_shows_no_figure():
    assert metrics.Metrics().text(0.0) == ""


def test_age_and_figure_are_of_nodes_that_have_them():
    """One node is proven with a figure, one without, and one failed; one has just joined."""
    shown = proof.Proof(40, "up", "b", "f00d", busbw=190.5)
    nodes = [
        fleet.Node("p", "a", "b", label="f00d", proof=shown),
        fleet.Node("q", "a", "b", label="f00d", proof=proof.Proof(50, "up", "b", "f00d")),
        fleet.Node("f", "c", "b", label="failed", attempts=proof.Attempts("b", tests=1)),
    ]
    told = {
        "p": fleet.Condition(True, "FabricProven", "words"),
        "q": fleet.Condition(True, "ProvenAndDoubted", "words"),
        "f": fleet.Condition(False, "FabricFailed", "words"),
    }
    made = metrics.Metrics()
    made.show(fleet.Seen([], nodes, now=100), told)
    lines = made.text(107.9).splitlines()

    p, q, f = (f'node="{node.name}",pool="{node.pool}"' for node in nodes)
    assert [line for line in lines if not line.startswith("#")] == [
        "rdma_cluster_prover_last_look_timestamp_seconds 100",
        f'rdma_cluster_node_proven{{{p},reason="FabricProven"}} 1',
        f'rdma_cluster_node_proven{{{q},reason="ProvenAndDoubted"}} 1',
        f'rdma_cluster_node_proven{{{f},reason="FabricFailed"}} 0',
        f"rdma_cluster_node_failed{{{p}}} 0",
        f"rdma_cluster_node_failed{{{q}}} 0",
        f"rdma_cluster_node_failed{{{f}}} 1",
        f"rdma_cluster_node_proof_age_seconds{{{p}}} 67",
        f"rdma_cluster_node_proof_age_seconds{{{q}}} 57",
        f"rdma_cluster_node_proof_busbw_gbytes{{{p}}} 190.5",
    ]
    assert len([line for line in lines if line.startswith("# TYPE") and line.endswith(" gauge")]) == 5
