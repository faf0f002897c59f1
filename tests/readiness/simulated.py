"""A cluster in which nodes join, break, reboot and take work, and a prover that may be stopped at any step."""

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from tests.readiness.in_pod import load
from tests.readiness.judged import report_of

fleet, proof, decide = load("fleet"), load("proof"), load("decide")

TICK, TEST_SECONDS = 15, 120
POOL = fleet.Pool("a", "f00d", gather_seconds=60)


@dataclass
class Machine:
    """What a node is in truth."""

    bad: bool
    joins: int
    devices_at: int
    boots: int = 0


@dataclass
class Cluster:
    """The API server's objects, the scheduler and the pods, without the network."""

    seed: int
    machines: dict[str, Machine]
    pool: Any = POOL
    now: int = 0
    nodes: dict[str, Any] = field(default_factory=dict)
    tests: dict[str, Any] = field(default_factory=dict)
    work: dict[str, int] = field(default_factory=dict)
    """Nodes that have work, and until when."""
    tested: Counter[str] = field(default_factory=Counter)
    made: int = 0
    stops: float = 0.0
    """How likely the prover is stopped before each step."""
    loses: float = 0.0
    """How likely a test ends without a verdict."""
    away: tuple[int, int] = (0, 0)
    """From when to when the API server does not answer."""
    load: float = 0.0
    """How likely an idle node that takes work gets some at a tick."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def run(self, seconds: int) -> None:
        """Lets time pass."""
        until = self.now + seconds
        while self.now < until:
            self._join()
            self._schedule()
            self._finish()
            if not self.away[0] <= self.now < self.away[1]:
                self.prove()
            self.now += TICK

    def prove(self) -> None:
        """One look of the prover, which may end before any step; the next one begins from the objects."""
        seen = fleet.Seen([self.pool], [*self.nodes.values()], [*self.tests.values()], now=self.now)
        actions, conditions = decide.decide(seen)
        assert conditions.keys() == self.nodes.keys()
        for action in actions:
            if self.random.random() < self.stops:
                return
            self._do(action)

    def _do(self, action: Any) -> None:
        match action:
            case fleet.Start(pool, names, subjects, boots):
                running = {name for test in self.tests.values() for name in test.nodes}
                assert not running & {*names}, "a node is in two tests"
                assert not self.work.keys() & {*names}, "a node with work on it is tested"
                self.made += 1
                self.tested.update(subjects)
                test = fleet.Test(f"t{self.made}", pool, names, subjects, boots, self.now)
                self.tests[test.name] = test
            case fleet.End(test, _):
                del self.tests[test]
            case fleet.SetMark(node, mark, _, _):
                self.nodes[node] = self.nodes[node].marked(mark)

    def _join(self) -> None:
        for name, machine in self.machines.items():
            if machine.joins <= self.now and name not in self.nodes:
                boot = f"{name}-{machine.boots}"
                attempts = proof.Attempts(boot)
                self.nodes[name] = fleet.Node(
                    name, self.pool.name, boot, self.now, "no devices", taint="unproven", attempts=attempts
                )
            elif name in self.nodes and self.nodes[name].waits_for and machine.devices_at <= self.now:
                self.nodes[name] = replace(self.nodes[name], waits_for="")

    def reboot(self, name: str) -> None:
        """The same object with another boot: kubelet registers no taint again."""
        self.machines[name].boots += 1
        self.work.pop(name, None)
        boot = f"{name}-{self.machines[name].boots}"
        node = self.nodes[name]
        attempts = node.attempts if node.attempts.boot == boot else proof.Attempts(boot)
        self.nodes[name] = replace(node, boot=boot, attempts=attempts, joined=self.now, busy=False)

    def _schedule(self) -> None:
        self.work = {name: until for name, until in self.work.items() if until > self.now}
        taken = {name for test in self.tests.values() if not test.ended for name in test.nodes}
        for name, node in self.nodes.items():
            if node.takes_work and name not in self.work and name not in taken and self.random.random() < self.load:
                assert not self.machines[name].bad, f"{name} is bad and takes work"
                assert node.is_proven, f"{name} is unproven and takes work"
                self.work[name] = self.now + self.random.randrange(60, 1200)
        self.nodes = {name: replace(node, busy=name in self.work) for name, node in self.nodes.items()}

    def _finish(self) -> None:
        bad = {name for name, machine in self.machines.items() if machine.bad}
        for name, test in self.tests.items():
            if not test.ended and self.now - test.started >= TEST_SECONDS:
                lost = self.random.random() < self.loses
                report = None if lost else report_of(test.nodes, bad, 380.0, 10.0, 350.0)
                message = "lost" if lost else "bandwidth: 10; wanted 300"
                self.tests[name] = replace(test, ended=self.now, report=report, message=message)


def joining(seed: int, count: int, bad: float = 0.1, over_seconds: int = 600) -> dict[str, Machine]:
    """Machines that join in random order, some of them bad."""
    chance = random.Random(seed)
    machines = {}
    for i in range(count):
        joins = chance.randrange(0, over_seconds)
        machines[f"n{i:03}"] = Machine(chance.random() < bad, joins, joins + chance.randrange(0, 240))
    return machines
