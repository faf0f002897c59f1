"""The steps of `rdma-cluster upgrade`, one `up` of the real engine each."""

import json
import re
from pathlib import Path

import pytest
from rdma_rehearsal.engine import Engine, resources
from rdma_rehearsal.faults import Fault, FaultPlan, Kind
from rdma_rehearsal.upgrade import Upgrade
from tests.cli.commands import command
from tests.rehearsal.stages import living, settings_of, up, wrong
from tests.stacks import ROOT
from tests.upgrades.edits import EDITS


@pytest.mark.parametrize("stack", EDITS)
def test_an_upgrade_keeps_its_nodes(stack: str):
    """To the next minor: each step changes something, converges through a fault at each of its changes, and makes no
    network, cluster or pool anew."""
    to, part, keys = EDITS[stack]

    code, out, err = command("upgrade", stack, "--to", to, "--part", part, "--rehearse", "--json")

    outcomes = json.loads(out)
    assert (code, err) == (0, ""), outcomes
    assert [each["what"] for each in outcomes][:: len(keys) + 1] == ["up", "destroy"]
    assert all("updated" in each["said"] for each in outcomes[1:-1]), outcomes
    # Each change fails before it is made, and once more when it is.
    assert all(int(re.findall(r"in (\d+) attempts", each["said"])[0]) >= 3 for each in outcomes[1:-1]), outcomes


def test_a_step_that_makes_a_pool_anew_is_found(tmp_path: Path):
    """And no step comes after it."""
    steps = [("another capacity", ["pools[0].capacity={spot: true}"]), ("more nodes", ["pools[0].nodes=4"])]

    outcomes = list(Upgrade(ROOT, lambda edits: settings_of("gke", *edits), steps).rehearse(tmp_path))

    assert [each.what for each in outcomes] == ["up", "another capacity", "destroy"]
    ((losses,),) = [wrong(outcomes).values()]
    assert [each.partition(": ")[2] for each in losses] == ["gcp:container/nodePool:NodePool gke-a4"]


def test_after_a_proof_that_fails_no_node_moves_again(tmp_path: Path):
    """The nodes have moved, their proof has not begun: the next `up` proves them, and leaves pool and cluster alone."""
    to, _, _ = EDITS["gke"]
    edits = (f"kubernetes.version='{to}'", f"pools[0].nodeVersion='{to}'")
    faults = FaultPlan()
    with living(ROOT, settings_of("gke", edits[0]), tmp_path, faults) as (engine, _):
        assert up(engine).code == 0
        unmoved = changed_at(engine)
        faults.arm(Fault(Kind.BEFORE, "Job gke-a4"))
        engine.configure(settings_of("gke", *edits))

        assert up(engine).code != 0
        moved = changed_at(engine)
        assert {name for name, when in moved.items() if when != unmoved[name]} == {"gke-a4"}

        faults.arm()
        assert up(engine).code == 0
        assert changed_at(engine) == moved
        assert engine.run("preview", "--expect-no-changes").code == 0


def changed_at(engine: Engine) -> dict[str, str]:
    """When the engine last changed each cluster and pool, by its name."""
    state = resources(engine.exported())
    return {each["urn"].rpartition("::")[2]: each["modified"] for each in state if "gcp:container/" in each["type"]}
