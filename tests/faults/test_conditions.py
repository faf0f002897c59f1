"""What becomes of findings: which count, in which words a node's conditions tell them, and what is written of these."""

from typing import Any

import pytest
from rdma_agent.faults.conditions import (
    CLEAR_SECONDS,
    LONGEST,
    MOST_FINDINGS,
    changed,
    conditions,
    resumed,
    settle,
    stamped,
)
from rdma_agent.faults.readings import Line
from rdma_agent.faults.rules import Finding

ONE, TWO = Finding("GpuError", "Xid79", "a", "XID 79"), Finding("GpuError", "Xid80", "", "XID 80")


@pytest.mark.parametrize(("seconds", "stays"), [(CLEAR_SECONDS - 1, True), (CLEAR_SECONDS, False)])
def test_a_fault_is_over_when_it_was_not_seen_for_a_while(seconds: int, stays: bool):
    """A fault that is seen again begins anew."""
    assert (ONE in settle({ONE: 0.0}, [], float(seconds))) is stays
    assert settle({ONE: 0.0}, [ONE], 99.0) == {ONE: 99.0}


def test_of_very_many_faults_the_newest_are_kept():
    """They stay in their own order."""
    many = {Finding("GpuError", "x", f"{i:03}", ""): float(i) for i in range(MOST_FINDINGS + 5)}
    kept = settle(many, [ONE], 100.0)

    assert len(kept) == MOST_FINDINGS and ONE in kept and list(kept) == sorted(kept)
    assert min(kept.values()) == 6.0


@pytest.mark.parametrize(
    ("active", "told"),
    [
        ([], ("False", "NoFault", "")),
        ([ONE], ("True", "Xid79", "a: XID 79")),
        ([ONE, ONE._replace(address="b")], ("True", "Xid79", "a: XID 79; b: XID 79")),
        ([ONE, TWO], ("True", "SeveralFaults", "a: XID 79; XID 80")),
        ([ONE._replace(condition="Unknown")], ("False", "NoFault", "")),
    ],
)
def test_a_condition_has_one_reason_where_there_is_one(active: list[Finding], told: tuple[str, str, str]):
    """What an earlier watcher told counts once."""
    (made, watched) = conditions(active, ["GpuError"], log_open=True)

    assert (made["status"], made["reason"], made["message"]) == told
    assert watched == {"type": "FaultsWatched", "status": "True", "reason": "Watching", "message": ""}


def test_a_long_message_is_cut_between_two_faults():
    """It says how many it leaves out; none of these is in it, however short."""
    texts = [ONE._replace(text=f"{i:03} {'x' * 96}", address="") for i in range(19)]
    texts.append(ONE._replace(text="short", address=""))
    message = conditions(texts, ["GpuError"], log_open=True)[0]["message"]
    shown = message.split("; ")

    assert len(shown) == 10 and shown[-1] == "and 11 more"
    assert LONGEST - 102 < len(message.rpartition("; and")[0]) <= LONGEST


def test_only_what_differs_is_written():
    """A fault that never was is no condition; the watcher itself always is one."""
    off, on = {"type": "A", "status": "False", "reason": "NoFault", "message": ""}, {"type": "B", "status": "True"}
    on |= {"reason": "r", "message": "m"}
    watched = {"type": "FaultsWatched", "status": "False", "reason": "KernelLogClosed", "message": "x"}

    assert changed([off, on, watched], []) == [on, watched]
    assert changed([off, on, watched], [off, on, {**watched, "status": "True"}]) == [watched]
    assert changed([off], [{**off, "status": "True"}]) == [off]
    for key in ("reason", "message"):
        assert changed([on], [on | {key: "other"}]) == [on]


def test_the_transition_is_the_time_of_another_status():
    """The heartbeat is now."""
    was = {"type": "A", "status": "True", "lastTransitionTime": "then"}
    same, other, new = ({"type": type_, "status": of} for type_, of in (("A", "True"), ("A", "False"), ("B", "True")))

    times = [each["lastTransitionTime"] for each in stamped([same, other, new], [was], "now")]
    assert times == ["then", "now", "now"]
    assert {each["lastHeartbeatTime"] for each in stamped([same, other], [was], "now")} == {"now"}
    assert stamped([same], [{"type": "A", "status": "True"}], "now")[0]["lastTransitionTime"] == "now"


SAID = {
    "type": "GpuError",
    "status": "True",
    "reason": "Xid119",
    "message": "0000:13:00.0: XID 119; words: of all; and 3 more",
    "lastTransitionTime": "1970-01-01T00:01:40Z",
}


@pytest.mark.parametrize(
    ("changes", "taken_up"),
    [
        ({}, True),
        ({"lastTransitionTime": "1970-01-01T00:00:40Z"}, True),
        ({"lastTransitionTime": "1970-01-01T00:00:39Z"}, False),
        ({"type": "Ready"}, False),
    ],
)
def test_a_watcher_takes_up_what_another_said_since_the_nodes_start(changes: dict[str, Any], taken_up: bool):
    """Conditions behind one that does not count are taken up as well."""
    other = {**SAID, "reason": "x", "message": "of another"}
    told, lines = resumed([SAID | changes, other], ["GpuError"], 40.0)
    first = [
        Finding("GpuError", "Xid119", "0000:13:00.0", "XID 119"),
        Finding("GpuError", "Xid119", "", "words: of all"),
    ]

    assert told == [*(first if taken_up else []), Finding("GpuError", "x", "", "of another")]
    at = {"1970-01-01T00:00:40Z": 0.0}.get(changes.get("lastTransitionTime", ""), 60.0)
    assert lines == ((Line(at, "xid", "0000:13:00.0", "119", True),) if taken_up else ())
