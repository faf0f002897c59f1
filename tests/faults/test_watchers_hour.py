"""How often the watcher of faults looks and tells, and where it looks where nobody says otherwise."""

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_agent.faults import watcher as fault_watcher
from rdma_agent.faults.readings import Host, kernel_log
from rdma_cluster.catalog import Transport
from tests.faults.made_up import MACHINES, config_of

A4 = MACHINES[Transport.GIB]
NODE = {"metadata": {"name": "n1", "uid": "u1"}}


class Told:
    """An API server that keeps what is written."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def open(self, path: str, method: str, body: Any) -> io.BytesIO:
        assert (path, method) == ("/api/v1/namespaces/default/events", "POST")
        self.events.append(body)
        return io.BytesIO()


def condition(status: str, message: str = "") -> dict[str, Any]:
    """One that is new."""
    return {"type": "GpuLost", "status": status, "message": message}


def test_events_are_twelve_an_hour():
    """Those beyond are left out; an hour later there is room for as many."""
    api: Any = Told()
    watcher = fault_watcher.Watcher(api, "n1", config_of(A4), 0.0)
    for second in range(20):
        watcher._event(NODE, condition("True", "gone"), 1000.0 + second)
    assert len(api.events) == 12

    watcher._event(NODE, condition("True", "gone"), 4599.9)
    assert len(api.events) == 12
    watcher._event(NODE, condition("True", "gone"), 4600.0)
    assert len(api.events) == 13


@pytest.mark.parametrize(
    ("said", "type_", "reason", "message"),
    [
        (condition("True", "gone"), "Warning", "GpuLost", "gone"),
        (condition("False"), "Normal", "GpuLostOver", "no such fault any more"),
    ],
)
def test_the_event_of_a_fault(said: dict[str, Any], type_: str, reason: str, message: str):
    """A warning when it comes; when it goes, that it is over."""
    api: Any = Told()
    fault_watcher.Watcher(api, "n1", config_of(A4), 0.0)._event(NODE, said, 1000.0)
    (event,) = api.events

    assert (event["type"], event["reason"], event["message"]) == (type_, reason, message)
    assert event["source"] == {"component": "rdma-cluster/fault-watcher", "host": "n1"}
    assert event["metadata"]["generateName"] == "n1."


def test_where_it_looks(tmp_path: Path):
    """The host's own files and its kernel's log; at the counters that somebody judges, and at lost links."""
    pool = {"nics": [["0x15b3", "0x10"]], "expected": {"limits": [["symbol_error", 50, 300, "NicLinkErrors"]]}}
    nics, counters = (("0x15b3", "0x10"),), frozenset({"link_downed", "symbol_error"})
    parser = fault_watcher._parser()

    assert fault_watcher._host(parser.parse_args([]), pool) == Host(nics, counters, log=kernel_log)
    (tmp_path / "log").write_bytes(b"said\xff")
    words = ["--sys", "/s", "--proc", "/p", "--kernel-log", str(tmp_path / "log")]
    host = fault_watcher._host(parser.parse_args(words), pool)
    assert (host.sys, host.proc, host.log()) == (Path("/s"), Path("/p"), "said\ufffd")


@pytest.mark.parametrize(("rounds", "sleeps"), [("1", []), ("3", [30.0, 30.0])])
def test_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: str, sleeps: list[float]):
    """Half a minute lies between two; the last one is followed by none."""
    looks: list[tuple[float, float]] = []
    slept: list[float] = []

    class Looks:
        """A watcher that only counts."""

        def __init__(self, api: Any, node: str, config: dict[str, Any], started: float):
            self._started = started
            assert (node, config) == ("n1", {"label": "pool"})

        def look(self, host: Any, now: float) -> None:
            looks.append((self._started, now))

    clock = SimpleNamespace(time=lambda: 5000.0, monotonic=lambda: 40.0, sleep=slept.append)
    monkeypatch.setattr(fault_watcher, "time", clock)
    monkeypatch.setattr(fault_watcher, "Watcher", Looks)
    (tmp_path / "faults.json").write_text(json.dumps({"label": "pool"}))
    words = ["--node", "n1", "--config", str(tmp_path / "faults.json"), "--server", "http://127.0.0.1:1"]

    assert fault_watcher.main([*words, "--rounds", rounds]) == 0
    assert looks == [(4960.0, 40.0)] * int(rounds)
    assert slept == sleeps
