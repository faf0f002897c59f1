"""Simulated time passes for all at once, and a timeline says what was waited for."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from rdma_rehearsal.clock import Clock, at_work
from rdma_rehearsal.timeline import Log, Operation, Timeline, length
from tests.simulated.engine import urn

NETWORK, SUBNET = urn("gcp:compute/network:Network", "n"), urn("gcp:compute/subnetwork:Subnetwork", "s")
CLUSTER, JOB = urn("gcp:container/cluster:Cluster", "c"), urn("kubernetes:batch/v1:Job", "j")
PROVIDER, TESTS = urn("pulumi:providers:kubernetes", "c"), urn("rdma-cluster:index:NcclAcceptance", "t")


def test_time_passes_for_all_at_once():
    """An hour takes no hour."""
    clock = Clock(scale=100_000, settle=0.01)
    log = Log(clock)

    def wait(seconds: float) -> None:
        with log.operation("create", str(seconds)):
            clock.sleep(seconds)

    started = time.monotonic()
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(wait, (3600.0, 1800.0, 3600.0)))

    assert time.monotonic() - started < 5
    assert [each.end for each in log.take()] == [1800.0, 3600.0, 3600.0]
    assert log.take() == []


@pytest.mark.skipif(sys.platform != "linux", reason="no /proc: run on Linux")
def test_time_stands_still_while_a_process_below_is_at_work():
    """A program that imports has not asked for anything yet; one that only waits is not at work."""
    spin = "import time; end = time.monotonic() + 0.6\nwhile time.monotonic() < end: pass\ntime.sleep(60)"
    clock = Clock(scale=1000, settle=0.1, at_work=at_work)
    with subprocess.Popen([sys.executable, "-c", spin]) as process, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(clock.sleep, 60.0)
        time.sleep(0.3)
        assert clock.now() == 0
        waiting.result(timeout=60)
        process.kill()

    assert clock.now() == 60


def state(**needs: Any) -> list[dict[str, Any]]:
    """A state as the engine exports it."""
    return [
        {"urn": NETWORK},
        {"urn": SUBNET, "dependencies": [NETWORK], "propertyDependencies": {"network": [NETWORK]}},
        {"urn": CLUSTER, "dependencies": [SUBNET], "propertyDependencies": {"subnetwork": [SUBNET]}},
        {"urn": PROVIDER, "dependencies": [CLUSTER], "propertyDependencies": {"kubeconfig": [CLUSTER]}},
        {"urn": TESTS, "dependencies": [NETWORK], **needs},
        {"urn": JOB, "provider": f"{PROVIDER}::id", "parent": TESTS, "propertyDependencies": {"spec": None}},
    ]


OPERATIONS = [
    Operation("create", NETWORK, 100, 110, True),
    Operation("create", SUBNET, 110, 130, True),
    Operation("create", CLUSTER, 150, 250, True),
    Operation("create", JOB, 250, 255, True),
]


def test_the_way_names_what_each_step_waited_for():
    """It goes through a provider, which is no operation."""
    way = Timeline(OPERATIONS, state()).way

    told = [(each.begin, each.seconds, each.waited_for, each.because, each.idle) for each in way]
    assert told == [
        (0, 10, "", "", 0),
        (10, 20, NETWORK, "input network", 0),
        (50, 100, SUBNET, "input subnetwork", 20),
        (150, 5, CLUSTER, "provider", 0),
    ]


def test_the_chain_is_what_no_engine_can_shorten():
    """Idle time is not in it, nor, by data alone, what a program only declares."""
    pool = urn("gcp:container/nodePool:NodePool", "a4")
    operations = [*OPERATIONS, Operation("create", pool, 250, 290, True)]
    states = [*state(dependencies=[pool]), {"urn": pool, "propertyDependencies": {"cluster": [CLUSTER]}}]
    timeline = Timeline(operations, states)

    assert (timeline.at_once(0, 30), timeline.at_once(30, 50), timeline.at_once(151, 155)) == (1, 0, 2)
    assert (timeline.ready, length(timeline.chain), length(timeline.data)) == (190, 175, 170)
    assert [each.urn for each in timeline.chain] == [NETWORK, SUBNET, CLUSTER, pool, JOB]
    assert [each.urn for each in timeline.data] == [NETWORK, SUBNET, CLUSTER, pool]
