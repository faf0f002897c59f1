"""Healthy logs of every fabric, launcher and age pass, and what each fabric prints of itself is held against it."""

from dataclasses import replace

import pytest
from nccl_verdict.verdict import Verdict
from tests.nccl import judging, render
from tests.nccl.forms import FABRICS, NETWORKS
from tests.nccl.judging import LOG, Lines
from tests.nccl.log_changes import swapped
from tests.nccl.render import Table

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
COLLECTIVES = ("all_gather", "all_reduce", "reduce_scatter", "alltoall", "broadcast", "reduce", "sendrecv")
VERBS = [form for form, fabric in FABRICS.items() if fabric.transport in ("InfiniBand", "RoCE")]


def verdict(lines: Lines, form: str = "gIB", collective: str = "all_gather", threshold: float = 257.0) -> Verdict:
    want = replace(render.want(form, collective=collective, threshold=threshold), collective=collective)
    return judging.verdict(lines, want=want)


def bad(outcome: Verdict) -> list[tuple[str, str]]:
    return [(gate.name, gate.seen) for gate in outcome.gates if not gate.passed]


def told(outcome: Verdict) -> list[str]:
    return [gate.name for gate in outcome.reported]


@pytest.mark.parametrize("form", FABRICS)
def test_a_healthy_log_of_each_fabric_passes(form: str) -> None:
    outcome = verdict(render.log(form=form), form)

    assert bad(outcome) == []
    assert outcome.exit_code == 0
    assert outcome.largest is not None
    assert outcome.largest.out_of_place == 325.72


@pytest.mark.parametrize("table", TABLES)
def test_a_healthy_table_of_each_age_and_option_passes(table: str) -> None:
    assert bad(verdict(render.log(table=TABLES[table]))) == []


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_a_healthy_table_of_each_collective_passes(collective: str) -> None:
    """alltoall and sendrecv never check the in-place column, by design; a threshold holds for each of them."""
    busbw = [render.BUSBW[0] / 8 if collective == "alltoall" else 300.0] * 4
    lines = render.log(busbw=busbw, collective=collective)

    assert bad(verdict(lines, "gIB", collective, threshold=30.0)) == []
    assert verdict(lines, "gIB", collective, threshold=301.0).failed[0].name == "bandwidth"


def test_a_run_that_only_switches_add_up_for_needs_no_ring() -> None:
    """NCCL connects what it needs; a SHARP channel without GPUDirect is told like any other."""
    lines = [line for line in render.log(form="InfiniBand, SHARP") if "via NET/" not in line]
    off = [line.replace("/GDRDMA", "") if "node-1:703" in line or "node-1:711" in line else line for line in lines]
    (gate,) = verdict(off, "InfiniBand, SHARP").reported

    assert bad(verdict(lines, "InfiniBand, SHARP")) == []
    assert (gate.name, gate.host) == ("gdr", "node-1")
    assert "2 of 32 channels" in gate.seen


def test_alltoallv_sends_other_sizes_than_it_announces() -> None:
    """Its bandwidth is that of what was sent; of any other collective such a time is wrong."""
    lines = render.log(busbw=[40.0] * 4, collective="alltoallv")
    other = [line.replace(line.split()[5], "99999.0") if " float " in line else line for line in lines]

    assert bad(verdict(other, "gIB", "alltoallv", threshold=30.0)) == []
    assert "rows" in dict(bad(verdict(other, "gIB", "all_gather", threshold=30.0)))


def test_nccls_own_lines_tell_gpus_of_several_pci_domains_apart() -> None:
    """GH200 and GB200 have a GPU a PCI domain, and the old list prints bus 01 for each."""
    lines = LOG
    for n in range(16):
        one = swapped(f"device {n % 8:2} [{render.bus(n % 8, False)}]", "device  0 [0x01]", only=f"Rank {n:2} ")
        lines = one(lines)
    init = "rank {n} nranks 16 cudaDev 0 nvmlDev {k} busId {k}01000 commId 0x5b - Init COMPLETE"
    said = [f"node-{n // 8}:{700 + n}:{900 + n} [0] NCCL INFO {init.format(n=n, k=n % 8)}" for n in range(16)]
    twice = [line.replace("busId 501000", "busId 401000") for line in said]

    assert told(verdict(lines)) == ["gpus"]
    assert bad(verdict([*said, *lines])) == []
    assert told(verdict([*twice, *lines])) == ["gpus"]


@pytest.mark.parametrize("form", VERBS)
def test_nics_of_another_link_layer_are_not_the_rails(form: str) -> None:
    """An InfiniBand machine that uses RoCE devices uses other NICs than its rails, and the other way round."""
    other = "InfiniBand" if FABRICS[form].transport == "RoCE" else "RoCE"
    outcome = judging.verdict(render.log(form=form), want=replace(render.want(form), network=NETWORKS[other]))

    assert [gate.name for gate in outcome.failed] == ["transport"]
    assert "mlx5_" in outcome.failed[0].seen


@pytest.mark.parametrize("form", [f for f, each in FABRICS.items() if each.transport != "EFA" and not each.sharp])
def test_a_nic_that_carries_nothing_fails(form: str) -> None:
    fabric = FABRICS[form]
    idle = swapped(f"via NET/{fabric.network}/{fabric.used - 1}/", f"via NET/{fabric.network}/0/", only="node-1")

    assert "nics" in told(verdict(idle(render.log(form=form)), form))


@pytest.mark.parametrize("form", ["EFA", "AWS Libfabric", "EFA flush"])
def test_efa_counts_the_nics_that_libfabric_found(form: str) -> None:
    """One NIC less on one node fails; NCCL itself sees groups of them."""
    count = FABRICS[form].nics
    lines = swapped(f"(found {count} nics)", f"(found {count - 1} nics)", only="node-1")(render.log(form=form))
    (gate,) = verdict(lines, form).failed

    assert (gate.name, gate.host) == ("nics", "node-1")
    assert str(count - 1) in gate.seen


def test_libfabric_is_not_judged_where_another_network_is_used() -> None:
    """Azure's images hold the EFA plugin too: it finds verbs devices and is not used."""
    said = "NET/OFI Selected Provider is verbs;ofi_rxm (found 58 nics)"
    lines = [f"node-{n // 8}:{700 + n}:{900 + n} [{n % 8}] NCCL INFO {said}" for n in range(16)]

    assert bad(verdict([*lines, *render.log(form="InfiniBand")], "InfiniBand")) == []


@pytest.mark.parametrize("form", ["gIB", "InfiniBand, HPC-X v10"])
def test_one_way_of_gpudirect_that_works_is_enough(form: str) -> None:
    """A NIC in use fails where every way is disabled, and an unused one never does."""
    off = [
        line.replace("Enabled for HCA 3", "Disabled for HCA 3").replace("enabled for HCA 3", "disabled for HCA 3")
        for line in render.log(form=form)
    ]
    unused = [line.replace("for HCA 3 'mlx5_3", "for HCA 9 'mlx5_9") for line in off]

    assert [gate.name for gate in verdict(off, form).failed] == ["gdr"]
    assert bad(verdict(unused, form)) == []
