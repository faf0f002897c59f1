"""One pool's test in a sandbox, as the plan has it: what its pods meet, and how its two containers end."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rdma_cluster.fabrics import Launcher
from rdma_cluster.incluster.plan.acceptance import PoolTest
from tests.acceptance.plans import args, containers, only, plan, pool
from tests.acceptance.sandbox import Ended, Sandbox
from tests.nccl.render import joined, log

QUICK = {"READY_SECONDS": "1", "PAIR_SECONDS": "2"}


class Bench:
    """One pool's test in a sandbox: pods on nodes of their own, each pair with the log of a healthy run."""

    # More than 6 parameters: each is what some tests vary.
    def __init__(
        self,
        root: Path,
        nodes: int,
        launcher: Launcher,
        waive: Sequence[str],
        taint_suspects: bool = False,
        also_run: Sequence[str] = (),
        held: bool = False,
    ):
        more: dict[str, Any] = {"also_run": list(also_run)} if also_run else {}
        if held:  # as the prover's own tests are
            more["fingerprints"] = {}
        given = args(pool(nodes=nodes), launcher=launcher, waive=list(waive), taint_suspects=taint_suspects, **more)
        self.test: PoolTest = only(given)
        self.nodes = nodes
        name = self.test.test["metadata"]["name"]
        indexed = launcher is Launcher.INDEXED_JOB
        self.lead = f"{name}-0" if indexed else f"{name}-launcher"
        self.members = [f"{name}-{i}" if indexed else f"{name}-worker-{i}" for i in range(nodes)]
        self.domain = "nccl-a" if indexed else name
        self.sandbox = Sandbox(root, plan(given).files, self.test.config["expectation.json"])
        for i in range(nodes):
            self.answer(i, f"node-{i}")
            self.pair(i, (i + 1) % nodes)

    def answer(self, member: int, node: str) -> None:
        self.sandbox.node(f"{self.members[member]}.{self.domain}", node)

    def silence(self, member: int) -> None:
        (self.sandbox.root / "nodes" / f"{self.members[member]}.{self.domain}").unlink()

    def pair(self, one: int, two: int, change: Callable[[str], str] = str, stuck: bool = False) -> None:
        """The log of a pair as the pods would write it: with their own names."""
        text = joined(log([self.members[one], self.members[two]])).decode()
        self.sandbox.log(self.members[one], self.members[two], change(text), stuck=stuck)

    def run_test(self, **env: str) -> Ended:
        more = {"HOSTNAME": self.lead, "JOB_COMPLETION_INDEX": "0", **QUICK, **env}
        return self.sandbox.run(containers(self.test)["test"], **more)

    def run_verdict(self, **env: str) -> Ended:
        return self.sandbox.run(containers(self.test)["verdict"], **env)

    def run(self) -> Ended:
        """Both containers, one after the other: the second one waits for the first anyway."""
        assert self.run_test().code == 0
        return self.run_verdict()
