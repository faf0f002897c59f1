"""What a test keeps of its ranks, failures and hosts: few of many, each once; and which report is a log's twin."""

import pytest
from nccl_verdict.channels import LIMIT
from nccl_verdict.evidence import Nic
from nccl_verdict.failures import Failure
from nccl_verdict.header import Banner, Rank
from nccl_verdict.run import Run, without_twins
from tests.nccl.test_run_rows import GIB, MIB, of_rows, row

H200 = "NVIDIA H200"


def rank(number: int, host: str = "node-0", line: int = 1, group: int = 0, pci: str = "0000:8f:00") -> Rank:
    """A rank whose GPU has the number that is left of it on a node of eight."""
    return Rank(line, number, group, 700 + number, host, number % 8, pci, H200)


@pytest.mark.parametrize(
    ("run", "empty"),
    [
        (Run("run.log", collective="all_gather", concluded=7), True),
        (Run(banner=Banner(1, 8, 8, 2, True)), False),
        (Run(ranks={0: rank(0)}), False),
        (of_rows(row(1, GIB, 300.0)), False),
        (Run(started=1), False),
        (Run(failures=[Failure(1, "killed")]), False),
    ],
)
def test_one_fact_makes_a_test(run: Run, empty: bool) -> None:
    """A banner, a rank, a row, a start or a failure is a test that was begun; a name is none."""
    assert run.empty is empty


def test_hosts_and_processes() -> None:
    """Hosts are told by name, processes by host and pid, and groups once each."""
    run = Run(ranks={number: rank(number, f"node-{7 - number // 2}", group=number % 3) for number in range(16)})

    assert run.hosts == [f"node-{number}" for number in range(8)]
    assert run.processes == {(f"node-{7 - number // 2}", 700 + number) for number in range(16)}
    assert run.groups == 3


def test_a_rank_that_is_listed_again() -> None:
    """It names the same host, process and GPU; another one is a conflict, told by its line, and the first stays."""
    run = Run()
    first = rank(3)
    for line, again in enumerate((first, first, first._replace(group=1, device=5)), 1):
        run.add_rank(again._replace(line=line))
    assert run.conflicts == [] and run.ranks == {3: first}

    others = [
        first._replace(host="node-1"), first._replace(pid=1), first._replace(pci="0x10"), first._replace(model="A10"),
    ]  # fmt: skip
    for line, other in enumerate(others, 11):
        run.add_rank(other._replace(line=line))
    assert run.conflicts == [11, 12, 13, 14] and run.ranks == {3: first}


def test_few_lines_of_a_kind_are_kept() -> None:
    """The first eight, and none twice."""
    run = Run(ranks={0: rank(0)})
    for line in (2, 2, *range(3, 20)):
        run.add_rank(rank(0, "node-1", line))

    assert run.conflicts == [2, 3, 4, 5, 6, 7, 8, 9]


def test_more_ranks_than_are_kept() -> None:
    """The first that is not kept is told, and those that are kept may be listed again."""
    run = Run(ranks=dict.fromkeys(range(LIMIT - 1), rank(0)))
    for number, line in ((LIMIT - 1, 5), (0, 6), (LIMIT, 7), (LIMIT + 1, 8)):
        run.add_rank(rank(0, line=line)._replace(rank=number))

    assert (run.overflow, len(run.ranks)) == (7, LIMIT)


def test_failures_are_kept_once() -> None:
    """The same words of the same host and rank are one failure, whatever their lines; 32 are kept."""
    run = Run()
    first = Failure(1, "killed", "node-0", rank=1)
    different = [
        first, Failure(3, "hung", "node-0", rank=1), Failure(4, "killed", "node-1", rank=1),
        Failure(5, "killed", "node-0", rank=2),
    ]  # fmt: skip
    for failure in (first, Failure(2, "killed", "node-0", pid=9, rank=1), *different):
        run.add_failure(failure)
    assert run.failures == different

    for line in range(10, 50):
        run.add_failure(Failure(line, f"failure {line}"))
    assert [failure.line for failure in run.failures] == [1, 3, 4, 5, *range(10, 38)]


def test_warnings_are_kept_once() -> None:
    """Eight of them, the first ones."""
    run = Run()
    for number in (0, 0, *range(12)):
        run.add_warning(f"warning {number}")

    assert run.warnings == [f"warning {number}" for number in range(8)]


def test_whose_link_does_not_count() -> None:
    """A NIC that a node lists and uses for no channel is no part of the test; one of its numbers in use makes it so."""
    run = Run()
    nics = run.evidence.nics
    nics["node-0", 0] = nics["node-1", 8] = Nic(("mlx5_0",), ("IB",), 1)
    nics["node-0", 8] = Nic(("mlx5_an0",), ("RoCE",), 1)
    nics["node-0", 2] = nics["node-0", 9] = Nic(("mlx5_2", "mlx5_3"), ("IB", "IB"), 1)
    run.evidence.channels.used["node-0"] = {0: 1, 9: 1}
    assert run.nic_numbers("node-0", "mlx5_3") == [2, 9]
    assert (run.nic_numbers("node-0", "mlx5_0"), run.nic_numbers("node-1", "mlx5_0")) == ([0], [8])

    def down(line: int, host: str, nic: str) -> Failure:
        return Failure(line, f"{nic} port error", host, nic=f"{nic}:1")

    counted = [
        down(1, "node-0", "mlx5_0"), down(2, "node-0", "mlx5_3"), down(3, "node-0", "mlx5_7"),
        down(4, "node-1", "mlx5_0"), Failure(5, "killed", "node-0"),
    ]  # fmt: skip
    for failure in (counted[0], down(9, "node-0", "mlx5_an0"), *counted[1:]):
        run.add_failure(failure)
    assert run.own_failures == counted


def test_whose_address_is_known() -> None:
    """An old list prints the bus alone: then NCCL's own address counts, unless groups number their ranks anew."""
    run = Run(ranks={0: rank(0, pci="0x8f"), 1: rank(1)})
    run.evidence.addresses[0] = "0000:8f:00"
    old, new = run.ranks.values()
    assert [run.address_of(old), run.address_of(new)] == ["0000:8f:00", "0000:8f:00"]
    assert run.gpu_of(old) == ("0000:8f:00", 0)

    run.ranks[2] = rank(2, group=1, pci="0x90")
    assert [run.address_of(old), run.address_of(new)] == ["", "0000:8f:00"]
    assert (run.gpu_of(old), run.gpu_of(run.ranks[2])) == (("0x8f", 0), ("0x90", 2))


def test_a_host_that_ran_into_other_text() -> None:
    """It is the longest listed one that it ends in; one that ends in none stays what it is."""
    run = Run(ranks={0: rank(0, "node-1"), 1: rank(1, "gpu-node-1"), 2: rank(2, "node-2")})
    hosts = ("floatgpu-node-1", "xnode-2", "stranger", "node-1")
    run.evidence.networks = {((host, 1), "IB"): line for line, host in enumerate(hosts, 1)}
    run.settle()

    assert run.evidence.networks == {
        (("gpu-node-1", 1), "IB"): 1, (("node-2", 1), "IB"): 2, (("stranger", 1), "IB"): 3, (("node-1", 1), "IB"): 4,
    }  # fmt: skip


def test_a_report_is_its_logs_twin() -> None:
    """Alike in ranks and sizes they are one test, which takes from the report what it lacks and keeps what it has."""

    def made(json: bool, **more: object) -> Run:
        run = of_rows(row(1, GIB, 300.0), ranks=2)
        run.is_json = json
        for key, value in more.items():
            setattr(run, key, value)
        return run

    log, report = made(False), made(True, collective="reduce", wrong=[1], masked=[1], process_seconds={0: 0.5})
    assert without_twins([report, log]) == [log]
    assert (log.collective, log.wrong, log.masked, log.process_seconds) == ("reduce", [1], [1], {0: 0.5})
    own = made(False, collective="all_gather", wrong=[7], masked=[8])
    assert without_twins([own, report]) == [own]
    assert (own.collective, own.wrong, own.masked) == ("all_gather", [7], [8])

    other_rank, other_size = made(True, ranks={0: rank(0)}), made(True, rows={MIB: row(1, MIB, 1.0)})
    none = [made(True, ranks={}), made(False, ranks={})]
    for apart in ([made(False), made(False)], [made(True), made(True)], [made(False), other_rank, other_size], none):
        assert without_twins(apart) == apart
