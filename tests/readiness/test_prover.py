"""The prover before an API server in memory: what it reads, what it writes, and that it may end at any step.

tests/controlplane/test_prover.py has a real one.
"""

import json
from functools import cache
from typing import Any

import pytest
from rdma_agent import names
from rdma_agent.names import STARTUP_TAINT
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons.readiness.args import NodeReadinessArgs
from rdma_cluster.incluster.addons.readiness.plan import plan_readiness
from tests.readiness.in_pod import load
from tests.readiness.server import EVENTS, JOBS, MPI_JOBS, POOL_LABEL, SLICES, TESTS, Server, pinned_to

prover, lease, metrics, proof, fill = (load(name) for name in ("prover", "lease", "metrics", "proof", "fill"))

GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
HELD = {"key": STARTUP_TAINT, "value": "unproven", "effect": "NoSchedule"}
NAMES = ("n0", "n1", "n2", "n3")
KINDS = {
    "tcpxo": {"machine": "a3-megagpu-8g", "host": "cos"},
    "gib": {"machine": "a4-highgpu-8g", "host": "cos"},
    "efa": {"machine": "p5.48xlarge", "host": "al2023"},
}
"""Pools whose devices are counted in a node's status, in slices, and whose tests are MPIJobs."""


@cache
def config_of(fabric: str) -> str:
    """The configuration that the plan writes for a pool of a fabric."""
    pool = {"name": "a", "machine": KINDS[fabric]["machine"], "nodes": len(NAMES), "fabric": fabric}
    taint = {"key": GPU["key"], "value": GPU["value"]}
    args = {"pools": [pool], "pool_label": POOL_LABEL, "host": KINDS[fabric]["host"], "version": "1.36", "taint": taint}
    made = plan_from(NodeReadinessArgs, plan_readiness, args).prover
    assert made is not None
    return made.files["config.json"]


class Life:
    """A prover, its server, and four nodes that have joined."""

    def __init__(self, fabric: str = "tcpxo"):
        self.server, self.config = Server(), json.loads(config_of(fabric))
        for name in NAMES:
            ready = {"type": "Ready", "status": "True", "lastTransitionTime": self.server.time}
            status = {"nodeInfo": {"bootID": f"boot-of-{name}"}, "conditions": [ready]}
            metadata, spec = {"labels": {POOL_LABEL: "a"}}, {"taints": [GPU, HELD]}
            self.server.put("/api/v1/nodes", name, metadata=metadata, spec=spec, status=status)
        self.server.put("/api/v1/nodes", "of-another-pool", metadata={"labels": {POOL_LABEL: "b"}})
        self.start()

    def start(self) -> None:
        """A prover that begins anew."""
        self.metrics = metrics.Metrics()
        held = lease.Lease(self.server, "rdma-readiness", "rdma-prover", "me")
        self.prover = prover.Prover(self.server, self.config, held, self.metrics)

    def plug(self) -> None:
        """Gives all nodes their devices."""
        (pool,) = self.config["pools"]
        for name in NAMES:
            self.server.node(name)["status"]["allocatable"] = {key: str(of) for key, of in pool["resources"].items()}
            for driver, count in pool["slices"].items():
                devices = [{"name": f"d{i}"} for i in range(count)]
                spec = {"driver": driver, "nodeName": name, "pool": {"name": name}, "devices": devices}
                self.server.put(SLICES, f"{name}-{driver}", spec=spec)

    def test_all(self, *bad: str) -> None:
        """Gives all nodes their devices, and lets their first test end."""
        self.plug()
        self.look(60)
        self.server.end_tests(bad=bad)

    def look(self, seconds: int = 15) -> None:
        """Lets the prover look after a while."""
        self.server.now += seconds
        self.prover.look(self.server.now)

    def states(self) -> dict[str, str]:
        """The reason of each node's condition."""
        return {name: self.condition(name).get("reason", "") for name in NAMES}

    def condition(self, name: str) -> dict[str, Any]:
        return self.server.condition(name, prover.CONDITION)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look is at another time."""
    stamps = iter(range(10**6))
    monkeypatch.setattr(prover, "stamp", lambda: f"at {next(stamps)}")


@pytest.mark.parametrize(("fabric", "tests"), [("tcpxo", JOBS), ("gib", JOBS), ("efa", MPI_JOBS)])
def test_nodes_that_join_are_tested_and_take_work(fabric: str, tests: str, capsys: pytest.CaptureFixture[str]):
    """One of four is bad: it is taken out, the others are proven, and each outcome is told once."""
    life = Life(fabric)
    life.look()
    assert set(life.states().values()) == {"Waiting"}
    waiting = life.condition("n0")

    life.plug()
    life.look(60)
    assert set(life.states().values()) == {"Testing"}
    assert life.condition("n0")["lastTransitionTime"] == waiting["lastTransitionTime"]
    (test,) = life.server.held[tests].values()
    assert sorted(pinned_to(test)) == [*NAMES]
    assert json.loads(test["metadata"]["annotations"][names.SUBJECTS]) == pinned_to(test)
    assert len(set(json.loads(test["metadata"]["annotations"][names.BOOTS]))) == len(NAMES)
    owner = {**{key: test[key] for key in ("apiVersion", "kind")}, **{k: test["metadata"][k] for k in ("name", "uid")}}
    (made,) = life.server.held[f"{TESTS}/configmaps"].values()
    assert made["metadata"]["ownerReferences"] == [owner]

    life.server.end_tests(bad=["n2"])
    life.look()
    assert life.states() == dict.fromkeys(NAMES, "FabricProven") | {"n2": "FabricFailed"}
    assert life.server.held[tests] == {}
    for name in NAMES:
        node, is_bad = life.server.node(name), name == "n2"
        fingerprint = life.config["pools"][0]["fingerprint"]
        assert node["spec"]["taints"] == [GPU, *([{**HELD, "value": "failed"}] if is_bad else [])]
        assert node["metadata"]["labels"][proof.FABRIC_LABEL] == ("failed" if is_bad else fingerprint)
        shown = proof.proof_of(node["metadata"]["annotations"])
        assert (shown is None) is is_bad
        assert shown is None or (shown.at, shown.by, shown.fingerprint) == (life.server.now - 15, "prover", fingerprint)
    events = {each["involvedObject"]["name"]: each["type"] for each in life.server.held[EVENTS].values()}
    assert events == dict.fromkeys(NAMES, "Normal") | {"n2": "Warning"}
    assert life.condition("n0")["message"].startswith("190 GB/s beside n")
    assert life.condition("n0")["lastTransitionTime"] != waiting["lastTransitionTime"]
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("node ")]
    assert [line.partition(":")[0] for line in told] == [f"node {name}" for name in NAMES]
    life.look()
    assert 'rdma_cluster_node_failed{node="n2",pool="a"} 1' in life.metrics.text(life.server.now)


def test_a_prover_with_nothing_to_do_renews_its_lease_alone():
    life = Life()
    life.test_all()
    life.look()
    life.server.writes.clear()

    life.look()

    assert {step.partition(" ")[0] for step in life.server.writes} == {"PUT"}


class Stopped(Exception):
    """The prover's process ends here."""


class Fatal(Server):
    """A server at whose n-th answer to a write the prover ends, before or after it is done."""

    def __init__(self, at: int, after: bool) -> None:
        super().__init__()
        self._left, self._after = at, after

    def open(self, path: str, method: str = "GET", body: Any = None, kind: str = "application/json") -> Any:
        self._left -= method != "GET"
        ends = method != "GET" and self._left == 0
        if ends and not self._after:
            raise Stopped
        answer = super().open(path, method, body, kind)
        if ends:
            raise Stopped
        return answer


@pytest.mark.parametrize("after", [False, True])
def test_a_prover_ends_at_any_step_and_another_goes_on(after: bool):
    """It ends before or after each of its writes, and the nodes are in the end what they are without."""
    steps = 0
    for at in range(1, 100):
        life = Life()
        fatal = Fatal(at, after)
        fatal.held, life.server = life.server.held, fatal
        life.start()
        life.plug()
        ended = False
        for _ in range(8):
            try:
                life.look(20)
            except Stopped:
                ended = True
                life.start()
            fatal.end_tests(bad=["n1"])
        assert life.states() == dict.fromkeys(NAMES, "FabricProven") | {"n1": "FabricFailed"}, at
        assert not fatal.held[JOBS]
        assert len({step for step in fatal.writes if step.startswith("DELETE")}) == 1
        steps += ended
        if not ended:
            break

    assert steps > 15


@pytest.mark.parametrize("step", [f"POST {TESTS}/configmaps", f"POST {JOBS}", "PATCH /api/v1/nodes/n0/status"])
def test_a_refused_write_ends_the_look(step: str):
    life = Life()
    life.plug()
    life.server.fails = {step: 500}

    with pytest.raises(OSError, match="500"):
        life.look(60)


def test_the_judges_words_are_cut_and_plain():
    """An API server takes no condition of any length, and a terminal obeys what is written to it."""
    life = Life()
    life.test_all("n1")
    (pod,) = [each for each in life.server.held[f"{TESTS}/pods"].values() if "containerStatuses" in each["status"]]
    ended = pod["status"]["containerStatuses"][1]["state"]["terminated"]
    ended["message"] += "\x1b" + 2000 * "ü"
    life.look()

    said = life.condition("n1")["message"]
    assert said.startswith("bandwidth: 3 GB/s?") and said.isascii() and len(said) == 600


class Over(Exception):
    """The prover has slept often enough."""


def test_it_looks_for_ever_and_ever_less_often_where_it_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    """After each failure the pause is twice as long, up to two minutes; the health check waits longer than that."""
    (tmp_path / "config.json").write_text(config_of("tcpxo"))
    outcomes = iter([None, *[OSError("away")] * 6, None, None])
    slept: list[float] = []
    alive: list[bool] = []

    def look(self: Any, now: int) -> None:
        if error := next(outcomes):
            raise error

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 9:
            raise Over

    monkeypatch.setattr(prover.Prover, "look", look)
    monkeypatch.setattr(prover.time, "sleep", sleep)
    monkeypatch.setattr(metrics.Metrics, "serve", lambda self, port, silence: alive.append(silence > 120 + 10))
    monkeypatch.setattr(metrics.Metrics, "alive", lambda self: alive.append(True))
    words = ["--config", str(tmp_path / "config.json"), "--server", "http://127.0.0.1:1", "--every", "10"]

    with pytest.raises(Over):
        prover.main(words)

    assert slept == [10, 20, 40, 80, 120, 120, 120, 10, 10]
    assert alive == [True] * 10


def test_a_prover_stops_between_two_writes_when_the_lease_ends(monkeypatch: pytest.MonkeyPatch):
    """Another one works by then, and does the rest; a prover without the Lease writes nothing."""
    life, held = Life(), iter([True, True])
    life.test_all()
    monkeypatch.setattr(lease.Lease, "hold", lambda self: next(held, False))
    monkeypatch.setattr(lease.Lease, "is_held", False)
    life.server.writes.clear()
    life.look()

    life.look()

    assert [step.partition("/")[0] for step in life.server.writes] == ["PATCH ", "POST "]


def test_a_prover_that_has_lost_the_lease_writes_nothing():
    life = Life()
    life.test_all()
    path = "/apis/coordination.k8s.io/v1/namespaces/rdma-readiness/leases"
    life.server.held[path]["rdma-prover"]["spec"]["holderIdentity"] = "another"
    life.server.writes.clear()

    life.look()

    assert life.server.writes == []
