"""Healthy logs of every fabric, launcher and age pass; one named change to each fails the gate that is meant for it."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import GATES, Verdict, judge
from tests.nccl import render
from tests.nccl.forms import FABRICS, NETWORKS, PREFIXES
from tests.nccl.render import Table

Lines = list[str]

TABLES = {
    "no root": Table(root=False),
    "no reduction, no root": Table(root=False, redop=False),
    "rounding errors": Table(old_errors=True, wrong="4e-07"),
    "-I 1": Table(per_iteration=True),
    "-S 1": Table(stamps=True),
    "-I 1 -S 1": Table(per_iteration=True, stamps=True),
    "tags inside rows": Table(label="[1,0]<stdout>:"),
    "labels inside rows": Table(label="[0]"),
    "no comment signs": Table(comments=False),
    "start and end announced": Table(announced=True),
}
FIRST = list({fabric.transport: form for form, fabric in reversed(FABRICS.items())}.values())
"""One form of each network; `make thorough` asks the others."""
OF_FORMS = pytest.mark.parametrize(
    "forms",
    [
        pytest.param(FIRST, id="one of each"),
        pytest.param([form for form in FABRICS if form not in FIRST], id="others", marks=pytest.mark.thorough),
    ],
)
COLLECTIVES = ("all_gather", "all_reduce", "reduce_scatter", "alltoall", "broadcast", "reduce", "sendrecv")


def verdict(lines: Lines, form: str = "gIB", collective: str = "all_gather", threshold: float = 257.0) -> Verdict:
    want = replace(render.want(form, collective=collective, threshold=threshold), collective=collective)
    return judge(read_bytes(render.joined(lines)), want)


def bad(outcome: Verdict) -> list[tuple[str, str]]:
    return [(gate.name, gate.seen) for gate in outcome.gates if not gate.passed]


@pytest.mark.parametrize("form", FABRICS)
def test_healthy_fabric_passes(form: str) -> None:
    """Every gate is shown and met."""
    outcome = verdict(render.log(form=form), form)

    assert bad(outcome) == []
    assert outcome.exit_code == 0
    assert outcome.largest is not None
    assert outcome.largest.out_of_place == 325.72


@OF_FORMS
@pytest.mark.parametrize("prefix", PREFIXES)
def test_healthy_log_behind_a_prefix_passes(prefix: str, forms: list[str]) -> None:
    """What launchers and log tools put before a line changes nothing."""
    for form in forms:
        lines = [PREFIXES[prefix](number, line) for number, line in enumerate(render.log(form=form))]

        assert bad(verdict(lines, form)) == [], form


@pytest.mark.parametrize("table", TABLES)
def test_healthy_table_passes(table: str) -> None:
    """Tables of every age and option."""
    assert bad(verdict(render.log(table=TABLES[table]))) == []


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_healthy_collective_passes(collective: str) -> None:
    """Each prints its rows in its own way: alltoall and sendrecv never check the in-place column, by design."""
    busbw = [render.BUSBW[0] / 8 if collective == "alltoall" else 300.0] * 4
    lines = render.log(busbw=busbw, collective=collective)

    assert bad(verdict(lines, "gIB", collective, threshold=30.0)) == []
    assert verdict(lines, "gIB", collective, threshold=301.0).failed[0].name == "bandwidth"


def test_sharp_alone() -> None:
    """NCCL connects what it needs: a run that only the switches add up for has no ring at all."""
    lines = [line for line in render.log(form="InfiniBand, SHARP") if "via NET/" not in line]

    assert bad(verdict(lines, "InfiniBand, SHARP")) == []
    off = [line.replace("/GDRDMA", "") if "node-1:703" in line or "node-1:711" in line else line for line in lines]
    outcome = verdict(off, "InfiniBand, SHARP")
    assert [(gate.name, gate.seen) for gate in outcome.reported] == [
        ("gdr", "2 of 32 channels without GDRDMA, all on node-1 rail 3")
    ]


def test_alltoallv_sends_unlike_sizes() -> None:
    """Its bandwidth is that of what was sent, and not of the announced size."""
    lines = render.log(busbw=[40.0] * 4, collective="alltoallv")
    other = [line.replace(line.split()[5], "99999.0") if " float " in line else line for line in lines]

    assert bad(verdict(other, "gIB", "alltoallv", threshold=30.0)) == []
    assert "rows" in dict(bad(verdict(other, "gIB", "all_gather", threshold=30.0)))


def test_buses_that_two_gpus_share() -> None:
    """Old nccl-tests print `[0x10]` for two GPUs of a p4d."""
    form = "AWS Libfabric, old"

    assert bad(verdict(render.log(form=form, short=True), form)) == []
    twice = swapped("device  1 [0x10]", "device  0 [0x10]")(render.log(form=form, short=True))
    assert [gate.name for gate in verdict(twice, form).failed] == ["gpus"]


def test_buses_in_several_domains() -> None:
    """GH200 and GB200 have a GPU a PCI domain, and the old list prints bus 01 for each; NCCL's own lines tell them."""
    lines = render.log()
    for n in range(16):
        lines = swapped(f"device {n % 8:2} [{render.bus(n % 8, False)}]", "device  0 [0x01]", only=f"Rank {n:2} ")(
            lines
        )
    outcome = verdict(lines)
    assert [gate.name for gate in outcome.reported] == ["gpus"]
    assert "not shown for node-0" in outcome.reported[0].seen

    init = "rank {n} nranks 16 cudaDev 0 nvmlDev {k} busId {k}01000 commId 0x5b - Init COMPLETE"
    said = [f"node-{n // 8}:{700 + n}:{900 + n} [0] NCCL INFO {init.format(n=n, k=n % 8)}" for n in range(16)]
    assert bad(verdict([*said, *lines])) == []
    twice = [line.replace("busId 501000", "busId 401000") for line in said]
    assert [gate.name for gate in verdict([*twice, *lines]).reported] == ["gpus"]


def test_who_fell_back_to_sockets() -> None:
    """By node, rank and rail, whether a process says so or one of its channels."""
    net = FABRICS["gIB"].network
    process = first_only(f"Using network {net}", "Using network Socket")(render.log())
    channel = first_only(f"via NET/{net}/3/GDRDMA", "via NET/Socket/0")(render.log())
    assert "sockets on node-0 rank 0 (rail 0)" in verdict(process).reported[0].seen
    assert "sockets on node-0 rank 3 (rail 3)" in verdict(channel).reported[0].seen
    assert verdict(channel).reported[0].host == "node-0"


def without(word: str) -> Callable[[Lines], Lines]:
    return lambda lines: [line for line in lines if word not in line]


def swapped(old: str, new: str, only: str = "") -> Callable[[Lines], Lines]:
    return lambda lines: [line.replace(old, new) if only in line else line for line in lines]


def first_only(old: str, new: str) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        place = next(number for number, line in enumerate(lines) if old in line)
        return [*lines[:place], lines[place].replace(old, new), *lines[place + 1 :]]

    return change


def slow_row(lines: Lines, size: int, busbw: float) -> Lines:
    return [render.row(size, busbw, busbw, 16) if line.lstrip().startswith(f"{size} ") else line for line in lines]


def with_last_row(lines: Lines, change: Callable[[str], str]) -> Lines:
    place = max(number for number, line in enumerate(lines) if " float " in line)
    return [*lines[:place], change(lines[place]), *lines[place + 1 :]]


def first_rows_swapped(lines: Lines) -> Lines:
    one, two = [number for number, line in enumerate(lines) if " float " in line][:2]
    return [lines[{one: two, two: one}.get(number, number)] for number in range(len(lines))]


_WARNED = "node-1:709:950 [1] transport/net_ib.cc:142 NCCL WARN NET/IB :"
CHANGES: dict[str, tuple[Callable[[Lines, str], Lines], set[str]]] = {
    "socket fall-back of all": (lambda lines, net: swapped(net, "Socket")(lines), {"socket", "transport"}),
    "socket fall-back of one process": (
        lambda lines, net: swapped(f"NET plugin {net}", "NET plugin Socket", only="node-0:700:")(
            first_only(f"Using network {net}", "Using network Socket")(lines)
        ),
        {"socket", "transport"},
    ),
    "one channel over sockets": (
        lambda lines, net: first_only(f"via NET/{net}/0/GDRDMA", "via NET/Socket/0")(lines),
        {"socket", "transport", "gdr"},
    ),
    "another plugin": (
        lambda lines, net: [re.sub(rf"(network|NET plugin) {re.escape(net)}", r"\1 UCX", line) for line in lines],
        {"transport"},
    ),
    "GDR off": (lambda lines, net: swapped("/GDRDMA", "")(lines), {"gdr"}),
    "GDR off on one channel": (lambda lines, net: first_only("/GDRDMA", "")(lines), {"gdr"}),
    "a channel line is lost": (
        lambda lines, net: [line for line in lines if "node-1:708:908 [0] NCCL INFO Channel" not in line],
        {"gdr"},
    ),
    "NCCL silent": (lambda lines, net: without("NCCL INFO")(lines), {"socket", "transport", "nics", "gdr"}),
    "NCCL silent on one rank": (lambda lines, net: without("node-1:709:909")(lines), {"transport", "gdr"}),
    "NCCL silent on one node": (lambda lines, net: without("node-1:7")(lines), {"transport", "nics", "gdr"}),
    "wrong data": (lambda lines, net: with_last_row(lines, lambda row: row[:-1] + "3"), {"data"}),
    "half an element wrong": (lambda lines, net: with_last_row(lines, lambda row: row[:-1] + "0.5"), {"rows"}),
    "out of bounds": (lambda lines, net: swapped("values : 0 OK", "values : 2 FAILED")(lines), {"data"}),
    "out of bounds without a number": (lambda lines, net: swapped(": 0 OK", ": 0 FAILED")(lines), {"data"}),
    "footer cut inside a word": (lambda lines, net: swapped("values : 0 OK", "values : 0 O")(lines), {"finished"}),
    "least average not reached": (
        lambda lines, net: [f"{line} FAILED" if "Avg bus" in line else line for line in lines], {"bandwidth"},
    ),
    "data not checked": (lambda lines, net: swapped("    0 ", "  N/A ", only="float")(lines), {"data"}),
    "truncated before the footer": (lambda lines, net: lines[:-2], {"finished", "data"}),
    "truncated inside the last row": (
        lambda lines, net: [*lines[:-3], lines[-3][:70]],
        {"finished", "rows", "data", "bandwidth"},
    ),
    "the test timed out": (
        lambda lines, net: [*lines[:-2], "node-0: Test timeout (600s) common.cu:523"],
        {"finished", "data"},
    ),
    "started and never concluded": (
        lambda lines, net: ["# Collective test starting: all_gather_perf", *lines],
        {"finished"},
    ),
    "one node twice": (lambda lines, net: swapped("node-1", "node-0")(lines), {"nodes", "ranks", "gpus"}),
    "one node posing as two": (
        lambda lines, net: [
            render.row(8 << 30, 325.72, 325.72, 8) if "8589934592  " in line else line for line in lines
        ],
        {"implied_ranks"},
    ),
    "a rank lost": (lambda lines, net: without("#  Rank 15")(lines), {"ranks", "gpus"}),
    "no list of devices": (lambda lines, net: without("#  Rank")(lines), {"nodes", "ranks", "gpus", "transport"}),
    "a GPU listed twice": (lambda lines, net: swapped("[0000:96:00]", "[0000:95:00]")(lines), {"gpus"}),
    "another GPU model": (lambda lines, net: swapped("00] ", "00] NVIDIA A10 ", only="Rank  3")(lines), {"gpus"}),
    "below the threshold at 1 GiB only": (lambda lines, net: slow_row(lines, 1 << 30, 256.9), {"bandwidth", "rows"}),
    "above the wire": (lambda lines, net: slow_row(lines, 4 << 30, 413.0), {"rows"}),
    "a time of another message": (
        lambda lines, net: with_last_row(lines, lambda row: row.replace(row.split()[6], "347.00")), {"rows"},
    ),
    "a time that is no number": (
        lambda lines, net: with_last_row(lines, lambda row: row.replace(row.split()[5], "nan", 1)), {"rows"},
    ),
    "an endless time": (
        lambda lines, net: with_last_row(lines, lambda row: row.replace(row.split()[9], "inf", 1)), {"rows"},
    ),
    "a rank's channels on the wrong node": (
        lambda lines, net: swapped("node-0:700:900 [0]", "node-1:708:908 [0]", only="INFO Channel")(lines), {"gdr"},
    ),
    "a NIC's channels are gone at both ends": (
        lambda lines, net: [line for line in lines if f"NET/{net}/1/" not in line and "SHARP/1/" not in line], {"nics"},
    ),
    "all channels on one NIC": (
        lambda lines, net: [re.sub(rf"(NET/{re.escape(net)}|SHARP)/\d+/", r"\1/0/", line) for line in lines], {"nics"},
    ),
    "a NIC that failed": (
        lambda lines, net: [*lines, f"{_WARNED} mlx5_3:1 async fatal event: local catastrophic error"], {"finished"},
    ),
    "a link that flapped": (
        lambda lines, net: [*lines, f"{_WARNED} mlx5_3:1 Got non-fatal async event: port error(10)"], {"finished"},
    ),
    "a process out of memory": (
        lambda lines, net: [*lines, "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0."], {"finished"},
    ),
    "skipped": (lambda lines, net: ["nccl-tests: skipped, no RDMA devices"], set(GATES) - {"affinity"}),
    "a row lost": (lambda lines, net: without("2147483648  ")(lines), {"rows"}),
    "a size twice, another not at all": (
        lambda lines, net: swapped("  2147483648      33554432", "  1073741824      16777216")(lines), {"rows"},
    ),
    "sizes that fall": (lambda lines, net: first_rows_swapped(lines), {"rows"}),
    "masked figures": (lambda lines, net: swapped("325.72", "XXX.XX")(lines), {"rows", "bandwidth"}),
    "a hole in the average": (lambda lines, net: swapped(" : 323.8", " : 222.8")(lines), {"rows"}),
    "no banner": (lambda lines, net: without("nThread")(lines), {"rows"}),
    "the footer's OK over a bad row": (
        lambda lines, net: swapped("325.72", "  3.15")(lines), {"bandwidth", "rows", "implied_ranks"},
    ),
}  # fmt: skip


@OF_FORMS
@pytest.mark.parametrize("name", CHANGES)
def test_one_change_fails_its_gate(name: str, forms: list[str]) -> None:
    """On every fabric the change fails what it should, whatever else it takes with it."""
    change, gates = CHANGES[name]
    for form in forms:
        healthy = render.log(form=form)
        changed = change(healthy, FABRICS[form].network)
        outcome = verdict(changed, form)

        assert changed != healthy
        assert not outcome.passed, form
        assert gates <= {gate.name for gate in outcome.failed}, form
        assert outcome.exit_code in (1, 2)


DEALT = {prefix: list(CHANGES)[number :: len(PREFIXES)] for number, prefix in enumerate(PREFIXES)}
"""Each change behind one prefix; `make thorough` asks the others."""


@pytest.mark.parametrize("dealt", [True, pytest.param(False, marks=pytest.mark.thorough)], ids=["dealt", "others"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_one_change_fails_its_gate_behind_a_prefix(prefix: str, dealt: bool) -> None:
    """A prefix hides nothing."""
    for name, (change, gates) in CHANGES.items():
        if (name in DEALT[prefix]) is not dealt:
            continue
        lines = [PREFIXES[prefix](number, line) for number, line in enumerate(change(render.log(), "gIB"))]
        outcome = verdict(lines)

        assert gates <= {gate.name for gate in outcome.failed}, name


VERBS = [form for form, fabric in FABRICS.items() if fabric.transport in ("InfiniBand", "RoCE")]


@pytest.mark.parametrize("form", VERBS)
def test_link_layer_must_be_the_fabrics(form: str) -> None:
    """An InfiniBand machine that uses RoCE devices uses other NICs than its rails, and the other way round."""
    other = "InfiniBand" if FABRICS[form].transport == "RoCE" else "RoCE"
    want = replace(render.want(form), network=NETWORKS[other])
    outcome = judge(read_bytes(render.joined(render.log(form=form))), want)

    assert [gate.name for gate in outcome.failed] == ["transport"]
    assert "link layer" in outcome.failed[0].seen


def test_front_end_nic_in_use_is_not_the_fabric() -> None:
    """Listed it is fine; in use it is told by its name and layer."""
    form = "InfiniBand, front end"
    lines = first_only("via NET/IB/7/GDRDMA", "via NET/IB/8/GDRDMA")(render.log(form=form))
    outcome = verdict(lines, form)

    assert [gate.name for gate in outcome.reported] == ["transport"]
    assert "RoCE of mlx5_an0" in outcome.reported[0].seen


@pytest.mark.parametrize("form", [f for f, each in FABRICS.items() if each.transport != "EFA" and not each.sharp])
def test_a_nic_that_carries_nothing(form: str) -> None:
    """What counts are the NICs in use, and the idle one is named."""
    fabric = FABRICS[form]
    last = fabric.used - 1
    lines = swapped(f"via NET/{fabric.network}/{last}/", f"via NET/{fabric.network}/0/", only="node-1")(
        render.log(form=form)
    )
    outcome = verdict(lines, form)

    assert "nics" in {gate.name for gate in outcome.reported}


@pytest.mark.parametrize("form", ["EFA", "AWS Libfabric", "EFA flush"])
def test_efa_counts_what_libfabric_found(form: str) -> None:
    """One NIC less on one node fails; NCCL itself sees groups of them."""
    count = FABRICS[form].nics
    lines = swapped(f"(found {count} nics)", f"(found {count - 1} nics)", only="node-1")(render.log(form=form))
    outcome = verdict(lines, form)

    assert [gate.name for gate in outcome.failed] == ["nics"]
    assert f"{count - 1} NICs found on node-1" in outcome.failed[0].seen


def test_libfabric_of_another_network_is_not_judged() -> None:
    """Azure's images hold the EFA plugin too: it finds verbs devices and is not used."""
    said = "NET/OFI Selected Provider is verbs;ofi_rxm (found 58 nics)"
    lines = [f"node-{n // 8}:{700 + n}:{900 + n} [{n % 8}] NCCL INFO {said}" for n in range(16)]

    assert bad(verdict([*lines, *render.log(form="InfiniBand")], "InfiniBand")) == []


def test_efa_provider_must_be_efa() -> None:
    """Libfabric over TCP is not EFA."""
    lines = swapped("provider is efa", "provider is tcp;ofi_rxm")(render.log(form="EFA"))

    assert [gate.name for gate in verdict(lines, "EFA").failed] == ["transport"]


@pytest.mark.parametrize("form", ["gIB", "InfiniBand, HPC-X v10"])
def test_gdr_disabled_for_a_nic_in_use(form: str) -> None:
    """By every way that is tried; one that works suffices."""
    healthy = render.log(form=form)
    off = [line.replace("Enabled for HCA 3", "Disabled for HCA 3").replace("enabled for HCA 3", "disabled for HCA 3")
           for line in healthy]  # fmt: skip

    assert [gate.name for gate in verdict(off, form).failed] == ["gdr"]
    unused = [line.replace("for HCA 3 'mlx5_3", "for HCA 9 'mlx5_9") for line in off]
    assert bad(verdict(unused, form)) == []


def test_ring_and_tree_may_share_a_line() -> None:
    """Sends and receives match, and nodes need not balance: no rule may demand it."""
    more = [
        "node-0:704:904 [4] NCCL INFO Channel 00/0 : 4[4] -> 12[4] [send] via NET/gIB/0/GDRDMA",
        "node-1:712:912 [4] NCCL INFO Channel 00/0 : 4[4] -> 12[4] [receive] via NET/gIB/0/GDRDMA",
    ]
    lines = render.log()

    assert bad(verdict([*lines[:-8], *more, *lines[-8:]])) == []
