"""The gates of a test's end and extent: it ran and ended, on these nodes, ranks and GPUs, as this collective."""

import pytest
from tests.nccl import render
from tests.nccl.judging import LOG, Failing, gate_of, thresholds, verdict, want
from tests.nccl.log_changes import matching, swapped, without
from tests.nccl.render import GIB

ROW, FOUR = " float ", "node-0, node-1, node-2, node-3 and 6 more"
TEN = render.log(render.hosts(10))
PORT_DOWN = "net_ib.cc:1 NCCL WARN NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)"
NAMED = ["# Collective test starting: all_gather_perf", *LOG, "# Collective test concluded"]
ONE_NIC = [line.replace(f"NET/gIB/{n}/", "NET/gIB/3/") for line in LOG for n in [line.partition("NET/gIB/")[2][:1]]]


def doubled(old: str, new: str, size: str) -> list[str]:
    """A log of broadcasts of which one row has another figure in place."""
    lines = render.log(collective="broadcast", busbw=[352.85] * 4)
    return [new.join(line.rsplit(old, 1)) if size in line else line for line in lines]


FAILING = {
    "a line beyond every bound": Failing("finished", "", [*LOG, "Out of bounds " + "x" * 20_000], evidence="xxx"),
    "a warning of nobody": Failing("finished", "mlx5_3 port 1", [*LOG, f"[1] {PORT_DOWN}"], evidence="NCCL WARN"),
    "a NIC that several GPUs use": Failing(
        "finished",
        "rail 0, rail 1, rail 2, rail 3 and 4 more",
        [*ONE_NIC, f"node-1:709:950 [1] {PORT_DOWN}"],
        cause="the link of mlx5_3:1 went down",
        host="node-1",
    ),
    "five ranks lost": Failing("ranks", "rank 3, 5, 7, 9 and 1 more", matching(r"#  Rank +(3|5|7|9|11) ", LOG)),
    "ranks of one node of three lost": Failing(
        "ranks",
        "23 ranks, 7/8 a node",
        without("#  Rank 23")(render.log(render.hosts(3))),
        want(nodes=3),
        cause="node-2",
    ),
    "rails apart": Failing(
        "ranks", "8 groups", render.log(split=8, busbw=[400.0]), evidence="Rank +(0|15) ", cause="NCCL_TESTS_SPLIT"
    ),
    "GPUs that are shared, by their buses": Failing(
        "gpus",
        "node-1",
        swapped("device  1 [0x10]", "device  0 [0x10]", only="node-1")(render.log(short=True)),
        cause="NCCL_DEBUG=INFO",
    ),
    "two collectives that it could be": Failing(
        "collective",
        "",
        LOG,
        want(thresholds=thresholds(all_reduce=(GIB, 1.0), all_gather=(GIB, 257.0))),
        cause="--collective",
    ),
    "rows of another": Failing("collective", "all_reduce", LOG, want(collective="all_reduce"), ROW),
    "a factor of no number of ranks": Failing(
        "implied_ranks",
        "0.5 at 8 GiB",
        doubled("352.85", "176.42", "8589934592  "),
        want(collective="broadcast"),
        "8589934592  ",
    ),
    "the largest of two rows of fewer ranks": Failing(
        "implied_ranks",
        "8 ranks at 2 GiB",
        [
            *render.log(busbw=[300.0] * 2)[:-4],
            *(render.row(n * GIB, 300.0, 300.0, 8) for n in (1, 2)),
            *render.footer([300.0]),
        ],
        evidence="2147483648  ",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_gate_of_the_extent_tells_what_it_saw(name: str) -> None:
    FAILING[name].check()


def test_a_model_is_known_without_its_vendor() -> None:
    assert gate_of("gpus", LOG, want(gpu_model="H200")).passed


def test_rows_tell_a_collective_that_the_log_does_not_name() -> None:
    found = gate_of("collective", LOG)

    assert found.passed
    assert "all_gather" in found.seen
    assert gate_of("collective", LOG, want(thresholds=thresholds(b=(GIB, 1.0), a=(GIB, 1.0)))).wanted == "a or b"


def test_a_warning_of_nccl_explains_a_failure_behind_it() -> None:
    warned = "node-1:709:950 [1] misc/ibvwrap.cc:174 NCCL WARN Call to ibv_reg_mr failed: Cannot allocate memory"
    (gate,) = verdict([*LOG[:-4], warned, "node-1: Test NCCL failure common.cu:958 'unhandled error'"]).reported

    assert "unhandled error on node-1" in gate.seen
    assert "Cannot allocate memory" in gate.cause


HUNG = [line for line in LOG[:-2] if " float " not in line]
"""A test that has listed its devices and prints no row."""
UNJOINED = [line for line in HUNG if "busbw" not in line and " via " not in line]
PLUGGED = [line.replace("k gIB", "k IB") if "node-1" in line else line for line in UNJOINED]
"""The second node lacks the plugin."""


@pytest.mark.parametrize(
    ("lines", "told", "not_told"),
    [
        ([line for line in HUNG if " Rank " not in line], ["image, ssh and mpirun come first"], ["joined"]),
        ([line for line in UNJOINED if "NCCL" not in line], ["printed nothing"], ["NICs"]),
        ([line for line in HUNG if "NCCL" not in line], ["probably hold no NICs of gIB"], ["other rails"]),
        (HUNG, ["do not reach each other"], ["hold no NICs"]),
        (PLUGGED, ["gIB on node-0", "IB on node-1", "lack the plugin"], ["first network, so"]),
        ([line.replace("node-1", "node-0") for line in HUNG], ["inside the one node"], ["hold no NICs"]),
    ],
    ids=["no devices", "no NCCL", "no NICs", "unreachable", "a plugin on some nodes", "one node"],
)
def test_a_test_without_rows_is_told_how_far_it_came(lines: list[str], told: list[str], not_told: list[str]) -> None:
    """What has been done is no cause: mpirun lists all devices, and NCCL joins the ranks before the table's head."""
    cause = gate_of("ran", lines).cause

    assert all(words in cause for words in told), cause
    assert not any(words in cause for words in not_told), cause


@pytest.mark.parametrize(
    ("tests", "logs", "passed"), [(None, 2, True), (2, 2, True), (2, 1, False), (1, 2, False), (2, 0, False)]
)
def test_as_many_tests_must_be_there_as_are_wanted(tests: int | None, logs: int, passed: bool) -> None:
    """A whole test that is lost shows only when the number is wanted; that, too, may be waived."""
    wanted = want(tests=tests)
    gate = verdict(*[LOG] * logs, want=wanted).gates[0]

    assert (gate.name, gate.passed) == ("ran", passed)
    assert passed or verdict(*[LOG] * logs, want=wanted, waive=("ran",)).gates[0].waived


def test_a_virtual_function_of_amds_is_its_model() -> None:
    """Azure's VMs print ``AMD Instinct MI300X VF`` (ROCm/rccl#1423)."""
    lines = [line.replace("NVIDIA H200", "AMD Instinct MI300X VF") for line in LOG]
    assert gate_of("gpus", lines, want(gpu_model="AMD Instinct MI300X")).passed
