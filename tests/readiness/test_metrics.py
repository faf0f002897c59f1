"""The prover's figures over HTTP, and its health: a prover that is silent is started anew."""

import threading
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
    """What the prover's clock says."""
    now = [100.0]
    monkeypatch.setattr(metrics.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def asked(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The figures of one node, and who asks their server."""
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
    """In Prometheus' text, names of nodes in quotes."""
    answer, said = asked[0]("/metrics")

    assert (answer.status, answer.getheader("Content-Type")) == (200, "text/plain; version=0.0.4")
    assert answer.getheader("Content-Length") == str(len(said.encode()))
    assert 'rdma_cluster_node_proven{node="n\\"0",pool="a",reason="Waiting"} 0\n' in said
    assert "rdma_cluster_prover_last_look_timestamp_seconds 7\n" in said
    assert asked[0]("/else")[0].status == 404


def test_a_silent_prover_is_not_healthy(asked: tuple[Callable[..., Any], Any], clock: list[float]):
    """Until it has looked again, be it in vain."""
    ask, shown = asked
    assert (ask("/healthz")[0].status, ask("/healthz")[1]) == (200, "ok")
    clock[0] += 149
    assert ask("/healthz")[0].status == 200
    clock[0] += 1
    assert (ask("/healthz")[0].status, ask("/healthz")[1]) == (500, "silent")
    shown.alive()

    assert ask("/healthz")[0].status == 200


def test_the_server_keeps_no_prover_alive_that_ends(asked: tuple[Callable[..., Any], Any]):
    """Its thread goes with the process."""
    asked[0]("/healthz")
    others = [each for each in threading.enumerate() if each is not threading.main_thread()]

    assert others and all(each.daemon for each in others if "serve_forever" in each.name)
    assert any("serve_forever" in each.name for each in others)


def test_who_has_not_looked_yet_shows_nothing():
    """No figure is better than one that means nothing."""
    assert metrics.Metrics().text(0.0) == ""


def test_no_port_is_no_server():
    """And no thread."""
    before = threading.active_count()
    metrics.Metrics().serve(0, 1.0)

    assert threading.active_count() == before


def test_a_node_without_a_condition_is_not_proven():
    """It has just joined."""
    shown = metrics.Metrics()
    shown.show(fleet.Seen([], [NODE], now=7), {})

    assert 'reason=""} 0' in shown.text(7.0)


def test_every_series_of_three_nodes():
    """One proven with a figure, one proven without, one that failed: age and figure are of those that have them."""
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
    named = [line.split()[1:3] for line in lines if line.startswith("#")]
    assert named == [[kind, name] for name in metrics._SAYS for kind in ("HELP", "TYPE")]
    assert {line.split()[3] for line in lines if line.startswith("# TYPE")} == {"gauge"}
