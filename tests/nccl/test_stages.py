"""A test without rows is told by how far it came: what is first to break leads, and what follows says so."""

import re

import pytest
from nccl_verdict.text import cause_rows, next_step
from tests.nccl import render
from tests.nccl.judging import LOG, Lines, verdict, want
from tests.nccl.log_changes import without

FAILED = "node-1: Test NCCL failure common.cu:958 'unhandled system error (run with NCCL_DEBUG=INFO for details) / '"
ROWLESS = without(" float ")(LOG)[:-2]
BEGUN = [line for line in ROWLESS if "busbw" not in line and " via " not in line]
"""Devices listed, networks chosen, and nothing more."""
SOCKETS = [line.replace("network gIB", "network Socket") if "node-0" in line else line for line in BEGUN]
HEAD = [line for line in ROWLESS if "NCCL INFO" not in line and "busbw" not in line]
WARNED = "node-1:709:950 [1] net.cc:579 NCCL WARN "


def over(interface: str, address: str) -> Lines:
    """One node joins the others over an interface of its own."""
    said = f"Bootstrap: Using {interface}:{address}<0>"
    return [re.sub("Bootstrap: Using .*", said, line) if "node-1" in line else line for line in BEGUN]


@pytest.mark.parametrize(
    ("lines", "leads", "told", "then"),
    [
        pytest.param([*SOCKETS, FAILED], "socket", "node-0", "claims", id="a network that is not the fabric's"),
        pytest.param([*BEGUN, FAILED], "finished", "958", "", id="a failure, and nothing wrong before it"),
        pytest.param([*HEAD, WARNED + "Error: network gIB not found."], "ran", "network gIB not found", "gib",
                     id="a warning, and no network"),
        pytest.param(BEGUN, "ran", "never joined", "ping -c 3 10.0.0.0", id="no word of what stopped it"),
        pytest.param(over("docker0", "172.17.0.1"), "ran", "never joined", "NCCL_SOCKET", id="an inner interface"),
        pytest.param(ROWLESS, "ran", "never arrived", "mlx5_0", id="whole channels"),
        pytest.param([*BEGUN, WARNED + "Cannot initialize CollNet, using point-to-point network instead"], "ran",
                     "never joined", "", id="a warning with which NCCL goes on"),
    ],
)  # fmt: skip
def test_the_first_stage_that_breaks_leads(lines: Lines, leads: str, told: str, then: str) -> None:
    found = verdict(lines)

    assert found.reported[0].name == leads
    assert told in found.reported[0].seen
    assert then in next_step(found)
    assert {"rows", "data", "bandwidth"}.isdisjoint(gate.name for gate in found.reported)


@pytest.mark.parametrize(
    ("interface", "address", "told"),
    [("docker0", "172.17.0.1", "docker0 (172.17.0.1) on node-1"), ("eth0", "fd00::7", "NCCL_SOCKET_FAMILY")],
)
def test_an_address_that_others_do_not_reach_is_named(interface: str, address: str, told: str) -> None:
    causes = dict(cause_rows(verdict(over(interface, address))))
    assert told in causes["ran"]


def test_run_it_again_is_said_where_nothing_else_can_be() -> None:
    """With the collective, the sizes and the ranks of this expectation."""
    (last,) = [next_step(verdict(lines)) for lines in ([render.banner()],)]
    assert last.startswith("run it again: mpirun -np 16 -N 8 ... all_gather_perf -b 1G -e 8G -f 2 ")
    for lines in (BEGUN, ROWLESS, SOCKETS, over("docker0", "172.17.0.1")):
        assert "run it again" not in next_step(verdict(lines))


def test_a_fabric_whose_name_is_not_in_the_log_is_judged_by_evidence_alone() -> None:
    """Silence is no evidence of sockets: the gate that leads is that of the test itself."""
    assert verdict(HEAD).reported[0].name == "ran"


APART = [*render.log(["node-0"])[:1], *render.log(["node-0"])[:-2], *render.log(["node-9"])[3:11], *LOG[-2:]]
"""Two processes that run the same test each by itself: both announce it before either lists its devices."""


@pytest.mark.parametrize("logs", [(APART,), (render.log(["node-0"]), render.log(["node-9"]))], ids=["one log", "two"])
def test_tests_beside_each_other_are_named_as_parts_of_one(logs: tuple[Lines, ...]) -> None:
    found = verdict(*logs)
    nodes = next(gate for gate in found.reported if gate.name == "nodes")

    assert "MPI=1" in nodes.cause
    assert "libmpi" in nodes.then
    assert "missing" not in " ".join(cause for _, cause in cause_rows(found))


def test_one_cut_is_blamed_by_one_gate_alone() -> None:
    """The gate of speed says nothing of switches beside suspects that do."""
    left = {"n0", "n1", "n2"}
    pairs = [(f"n{a}", f"n{b}") for a in range(6) for b in range(a)]
    logs = [render.log([*pair], busbw=[90.0 if len(left & {*pair}) == 1 else 324.0] * 4) for pair in pairs]
    found = verdict(*logs, want=want())
    causes = dict(cause_rows(found))

    assert found.suspects[0].kind == "cut"
    assert "not the core of the switches" not in causes["bandwidth"]
    assert "cut n0 n1 n2 | n3 n4 n5" in causes["bandwidth"]
