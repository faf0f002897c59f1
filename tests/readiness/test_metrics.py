"""The prover's figures over HTTP, and its health: a prover that is silent is started again by its kubelet."""

from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from typing import Any

import pytest
from tests.readiness.in_pod import load
from tests.readiness.nodes import NOW, SHOWN, failed, fleet, new, proven

metrics = load("metrics")
Ask = Callable[[str], tuple[int, str]]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the prover's clock."""
    now = [100.0]
    monkeypatch.setattr(metrics.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def served(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Ask]]:
    """Figures of one node, and a function that asks their server."""
    made: list[ThreadingHTTPServer] = []

    def server(_address: Any, handler: Any) -> ThreadingHTTPServer:
        made.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        return made[-1]

    def ask(path: str) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", made[0].server_address[1], timeout=10)
        connection.request("GET", path)
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        return answer.status, said

    monkeypatch.setattr(metrics, "ThreadingHTTPServer", server)
    shown = metrics.Metrics()
    shown.show(fleet.Seen([], [new('n"0')], now=7), {})
    shown.serve(9188, 150.0)
    yield shown, ask
    made[0].shutdown()
    made[0].server_close()


def test_figures_are_served_with_names_in_quotes(served: tuple[Any, Ask]):
    """A node that has just joined has no condition and is not proven."""
    code, said = served[1]("/metrics")

    assert code == 200 and served[1]("/else")[0] == 404
    assert 'rdma_cluster_node_proven{node="n\\"0",pool="a",reason=""} 0\n' in said
    assert "rdma_cluster_prover_last_look_timestamp_seconds 7\n" in said


def test_a_silent_prover_is_not_healthy_until_it_has_looked_again(served: tuple[Any, Ask], clock: list[float]):
    shown, ask = served
    codes = []
    for seconds in (0, 149, 1):
        clock[0] += seconds
        codes.append(ask("/healthz")[0])
    shown.alive()

    assert [*codes, ask("/healthz")[0]] == [200, 200, 500, 200]


def test_age_and_figure_are_of_nodes_that_have_them():
    """One node is proven with a figure, one without, and one has failed."""
    made = metrics.Metrics()
    assert made.text(0.0) == ""
    bare = fleet.Node("q", "a", "b", label="f00d", proof=load("proof").Proof(NOW, "up", "b", "f"))
    told = {"p": fleet.Condition(True, "FabricProven", ""), "f": fleet.Condition(False, "FabricFailed", "")}
    made.show(fleet.Seen([], [proven("p"), bare, failed("f")], now=NOW), told)
    lines = [line.removeprefix("rdma_cluster_") for line in made.text(NOW + 7.9).splitlines()]
    p, q, f = (f'node="{name}",pool="a"' for name in "pqf")

    assert [line for line in lines if not line.startswith("#")] == [
        f"prover_last_look_timestamp_seconds {NOW}",
        f'node_proven{{{p},reason="FabricProven"}} 1',
        f'node_proven{{{q},reason=""}} 0',
        f'node_proven{{{f},reason="FabricFailed"}} 0',
        *(f"node_failed{{{of}}} {int(of is f)}" for of in (p, q, f)),
        f"node_proof_age_seconds{{{p}}} {NOW + 7 - SHOWN.at}",
        f"node_proof_age_seconds{{{q}}} 7",
        f"node_proof_busbw_gbytes{{{p}}} {SHOWN.busbw}",
    ]
