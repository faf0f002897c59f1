"""A healthy run of every transport passes; one named change to it fails the gate that is meant for it."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from rdma_cluster.nccl import GATES, Verdict, judge
from rdma_cluster.nccl.reader import read_bytes

from tests.nccl import render

Lines = list[str]


def verdict(lines: Lines, transport: str = "gIB", nics: int = 8) -> Verdict:
    return judge(read_bytes(render.joined(lines)), render.want(transport, nics=nics))


@pytest.mark.parametrize(
    ("transport", "nics"),
    [("gIB", 8), ("EFA", 32), ("InfiniBand", 8), ("RoCE", 16), ("GPUDirect-TCPX", 4), ("GPUDirect-TCPXO", 8)],
)
def test_healthy_run_passes(transport: str, nics: int) -> None:
    """Every gate is shown and met, on every transport."""
    outcome = verdict(render.log(transport=transport, nics=nics), transport=transport, nics=nics)
    assert [gate for gate in outcome.gates if not gate.passed] == []
    assert outcome.exit_code == 0
    assert outcome.largest is not None
    assert outcome.largest.out_of_place == 325.72


def without(word: str) -> Callable[[Lines], Lines]:
    return lambda lines: [line for line in lines if word not in line]


def swapped(old: str, new: str, only: str = "") -> Callable[[Lines], Lines]:
    return lambda lines: [line.replace(old, new) if only in line else line for line in lines]


def first_only(old: str, new: str) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        place = next(number for number, line in enumerate(lines) if old in line)
        return [*lines[:place], lines[place].replace(old, new), *lines[place + 1 :]]

    return change


CHANGES = {
    "socket fall-back of all": (swapped("gIB", "Socket"), {"socket", "transport"}),
    "socket fall-back of one process": (
        first_only("Using network gIB", "Using network Socket"),
        {"socket", "transport"},
    ),
    "one channel over sockets": (
        first_only("via NET/gIB/0/GDRDMA", "via NET/Socket/0"),
        {"socket", "transport", "gdr"},
    ),
    "GDR off": (swapped("/GDRDMA", ""), {"gdr"}),
    "GDR off on one channel": (first_only("/GDRDMA", ""), {"gdr"}),
    "GDR disabled for one NIC": (first_only("RDMA Enabled for", "RDMA Disabled for"), {"gdr"}),
    "no channel line of one node": (without("node-1:708:908 [0] NCCL INFO Channel"), {"gdr"}),
    "NCCL silent": (without("NCCL INFO"), {"socket", "transport", "nics", "gdr"}),
    "NCCL silent on one rank": (without("node-1:709:909"), {"transport", "gdr"}),
    "too few NICs on one node": (without("'mlx5_7'"), {"nics"}),
    "a NIC too many": (first_only("HCA 7 'mlx5_7'", "HCA 8 'mlx5_8'"), {"nics"}),
    "wrong data": (lambda lines: [*lines[:-3], lines[-3][:-1] + "3", *lines[-2:]], {"data"}),
    "out of bounds": (swapped("values : 0 OK", "values : 2 FAILED"), {"data"}),
    "data not checked": (swapped("    0 ", "  N/A ", only="float"), {"data"}),
    "truncated before the footer": (lambda lines: lines[:-2], {"finished", "data"}),
    "truncated inside the last row": (
        lambda lines: [*lines[:-3], lines[-3][:70]],
        {"finished", "rows", "data", "bandwidth"},
    ),
    "the test timed out": (
        lambda lines: [*lines[:-2], "node-0: Test timeout (600s) common.cu:523"],
        {"finished", "data"},
    ),
    "one node twice": (swapped("node-1", "node-0"), {"nodes", "ranks", "gpus"}),
    "one node posing as two": (
        lambda lines: [
            render.row(render.GIB << 3, 325.72, 325.72, 8) if "8589934592  " in line else line for line in lines
        ],
        {"implied_ranks"},
    ),
    "a rank lost": (without("#  Rank 15"), {"ranks", "gpus"}),
    "a GPU listed twice": (swapped("[0000:96:00]", "[0000:95:00]"), {"gpus"}),
    "another GPU model": (first_only("NVIDIA H200", "NVIDIA H100 80GB HBM3"), {"gpus"}),
    "below the floor at 1 GiB only": (
        lambda lines: [render.row(render.GIB, 256.9, 256.9, 16) if "1073741824  " in line else line for line in lines],
        {"bandwidth", "rows"},
    ),
    "skipped": (lambda lines: ["nccl-tests: skipped, no RDMA devices"], set(GATES)),
    "a row lost": (without("2147483648  "), {"rows"}),
    "masked figures": (swapped("325.72", "XXX.XX"), {"rows", "bandwidth"}),
    "a hole in the average": (swapped("bandwidth    : 323.8", "bandwidth    : 222.8"), {"rows"}),
    "no banner": (without("nThread"), {"rows"}),
    "the footer's OK over a bad row": (swapped("325.72", "  3.15"), {"bandwidth", "rows", "implied_ranks"}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_one_change_fails_its_gate(name: str) -> None:
    """The change fails what it should, whatever else it takes with it."""
    change, gates = CHANGES[name]
    changed = change(render.log())
    assert changed != render.log()
    outcome = verdict(changed)
    assert not outcome.passed
    assert gates <= {gate.name for gate in outcome.failed}
    assert outcome.exit_code in (1, 2)


def test_evidence_names_lines() -> None:
    """A failed gate says on which line of the log it was seen."""
    lines = CHANGES["socket fall-back of one process"][0](render.log())
    wrong = next(number for number, line in enumerate(lines, 1) if "network Socket" in line)
    gate = next(gate for gate in verdict(lines).gates if gate.name == "socket")
    assert gate.lines == (wrong,)


def test_bandwidth_names_its_column() -> None:
    """The gate says that it judges the out-of-place column, and a fast in-place column does not help."""
    lines = [
        render.row(8 * render.GIB, 100.0, 400.0, 16) if line.lstrip().startswith("8589934592 ") else line
        for line in render.log()
    ]
    gate = next(gate for gate in verdict(lines).gates if gate.name == "bandwidth")
    assert not gate.passed
    assert "100 GB/s out-of-place at 8 GiB" in gate.seen


def test_efa_provider_must_be_efa() -> None:
    """Libfabric over TCP is not EFA."""
    lines = swapped("provider is efa", "provider is tcp;ofi_rxm")(render.log(transport="EFA", nics=32))
    outcome = verdict(lines, transport="EFA", nics=32)
    assert [gate.name for gate in outcome.failed] == ["transport"]


def test_link_layer_must_be_the_fabrics() -> None:
    """An InfiniBand machine that shows RoCE devices uses other NICs than its rails."""
    outcome = verdict(render.log(transport="RoCE"), transport="InfiniBand")
    assert [gate.name for gate in outcome.failed] == ["transport"]


def test_number_of_tests_is_judged() -> None:
    """A whole test that is lost shows only when the number is wanted."""
    runs = read_bytes(render.joined(render.log() + render.log()))
    want = render.want()
    assert judge(runs, want).passed
    outcome = judge(runs, replace(want, tests=3))
    assert [gate.name for gate in outcome.failed] == ["ran"]
