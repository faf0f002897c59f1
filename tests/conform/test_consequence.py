"""What follows from a difference: who is told that a promise is broken, and who only that a figure is to be mended."""

from rdma_cluster.conform.difference import CONSEQUENCES

NOTHING = "nothing of this stack rests on it"
TOLD = {"kubernetes newer", "daemon version", "nodes beyond", "cpus", "nic rate beyond"}
"""Where something follows, and no promise is broken: there is more than was planned, or another version."""


def test_what_breaks_a_promise():
    """All but what nothing rests on, and what is only told."""
    harmless = {kind for kind, each in CONSEQUENCES.items() if each.follows == NOTHING}

    assert {kind for kind, each in CONSEQUENCES.items() if not each.breaks} == harmless | TOLD
    assert not harmless & TOLD


def test_what_claims_decide():
    """Of each device's place: whether anything rests on it, the claims of the stack say."""
    decided = {kind for kind, each in CONSEQUENCES.items() if each.by_claims}

    assert decided == {kind for kind, each in CONSEQUENCES.items() if each.follows == NOTHING}
    assert decided == {
        *("gpu address", "gpu NUMA node", "gpu root"),
        *("nic name", "nic RDMA name", "nic address", "nic NUMA node", "nic root"),
        *("roots in one", "root name", "attribute missing"),
    }
