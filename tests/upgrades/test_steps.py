"""An upgrade is a list of steps, or a refusal that says what to do first."""

from dataclasses import replace

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.catalog.machine import Source
from rdma_cluster.upgrades.record import Cell, CloudUpgrades, Outcome, Part, Roll
from rdma_cluster.upgrades.steps import Edit, PoolNow, StackNow, Step, plan_steps

HERE = Source("https://cloud.example/doc", "2026-11-23")
ROLL = Roll(surge=0, unavailable=2, pods="pods are evicted", source=HERE)
CELLS = {
    Part.KUBERNETES: Cell(Outcome.DONE, "w", HERE),
    Part.NODE_IMAGE: Cell(Outcome.DONE, "w", HERE),
    Part.DRIVER: Cell(Outcome.DONE, "w", HERE, installed="580.1", jobs="nothing"),
    Part.MACHINE: Cell(Outcome.REFUSED, "another machine is another pool", HERE),
    Part.NCCL_PLUGIN: Cell(Outcome.CLOUD, "by its own tool", HERE),
}
CLOUD = CloudUpgrades(
    "Service",
    "pool-label",
    CELLS,
    ROLL,
    {Part.KUBERNETES: "version", Part.NODE_IMAGE: "image"},
    system_nodes="they roll",
)
STACK = StackNow("1.35", (PoolNow("a", 4), PoolNow("b", 2)), existing=False)


def steps(part: Part, to: str, stack: StackNow = STACK, pool: str | None = None, exact: str = "") -> tuple[Step, ...]:
    """The steps of an upgrade."""
    return plan_steps(replace(CLOUD, exact=exact), part, to, stack, pool)


def refused(part: Part, to: str, stack: StackNow = STACK, pool: str | None = None, exact: str = "") -> str:
    """The reason why there are none."""
    with pytest.raises(Refused) as said:
        steps(part, to, stack, pool, exact)
    return str(said.value)


@pytest.mark.parametrize(
    ("now", "to", "exact", "words"),
    [
        ("1.35", "1.35", "", ""),
        ("1.35", "1.36", "", ""),
        ("1.35", "1.37", "", "go to 1.36 first, minor by minor"),
        ("1.35", "1.34", "", "none goes back"),
        ("1.35.3", "1.35.2", "", "none goes back"),
        ("1.35.3", "1.35.3", "", ""),
        ("1.35.3", "1.35.4", "", ""),
        ("1.35.3", "1.35", "", ""),
        ("1.35", "1.35.1", "", ""),
        ("1.35", "1.36.1", "1.36.2", ""),
        ("1.35", "1.36", "1.36.2", "write it in full, e.g. 1.36.2"),
        ("1.35", "x", "1.36.2", "got 'x'; write a version as 1.36.2"),
        ("1.35", "x", "", "got 'x'; write a version as 1.35"),
    ],
)
def test_a_control_plane_goes_forward_minor_by_minor(now: str, to: str, exact: str, words: str):
    """https://kubernetes.io/releases/version-skew-policy/."""
    stack = StackNow(now, STACK.pools, existing=False)
    if words:
        assert words in refused(Part.KUBERNETES, to, stack, exact=exact)
        return

    first, *others = steps(Part.KUBERNETES, to, stack, exact=exact)
    assert first.edits == (Edit(("kubernetes", "version"), to),)
    assert [each.edits for each in others] == [(Edit(("pools", i, "version"), to),) for i in (0, 1)]


def test_the_owner_of_an_existing_cluster_upgrades_it():
    assert "its owner upgrades it" in refused(Part.KUBERNETES, "1.36", StackNow("1.35", STACK.pools, existing=True))


def test_nodes_are_upgraded_pool_by_pool_in_the_order_of_the_file():
    """The control plane does not move with a node's image."""
    both = steps(Part.NODE_IMAGE, "new")
    (second,) = steps(Part.NODE_IMAGE, "new", pool="b")

    assert [str(edit) for each in both for edit in each.edits] == ["pools[0].image: new", "pools[1].image: new"]
    assert second == both[1]
    assert second.what == "pool b: 2 nodes, 2 at a time, none beyond those there are"
    assert second.before == "kubectl cordon -l pool-label=b"
    assert "uncordon -l pool-label=b" in second.resume and second.proof.startswith("the acceptance test of pool b")
    assert "got c; the stack has a, b" in refused(Part.NODE_IMAGE, "new", pool="c")


def test_a_part_that_comes_with_the_library_has_one_version_and_no_edit():
    (step,) = steps(Part.DRIVER, "580.1")

    assert (step.edits, step.jobs, "installs 580.1" in step.what) == ((), "nothing", True)
    assert "installs 580.1" in refused(Part.DRIVER, "580.2")


def test_a_part_that_is_not_upgraded_here_says_why_and_where_it_is():
    assert refused(Part.MACHINE, "x").startswith("--part: got machine; another machine is another pool (https://cloud")
    assert "got nccl-plugin; Service does it itself: by its own tool" in refused(Part.NCCL_PLUGIN, "x")
