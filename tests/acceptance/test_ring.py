"""Which nodes are tested against which, and what the pods and objects are called."""

import re
from collections import Counter

from hypothesis import example, given, strategies as st
from rdma_cluster.fabrics import Launcher
from rdma_cluster.incluster.plan.acceptance.pod import ring, short
from tests.acceptance.plans import args, containers, only, plan, pool

LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


@given(st.integers(2, 500))
@example(2)
@example(3)
@example(64)
def test_every_node_is_tested_beside_two_others(nodes: int):
    """Of two nodes there is one pair; in a round no node is in two tests."""
    rounds = ring(nodes)

    pairs = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert len(set(pairs)) == len(pairs) == (1 if nodes == 2 else nodes)
    assert Counter(node for pair in pairs for node in pair) == dict.fromkeys(range(nodes), 1 if nodes == 2 else 2)
    for pairs in rounds:
        assert len({node for pair in pairs for node in pair}) == 2 * len(pairs)
    assert len(rounds) == (1 if nodes == 2 else 2 + nodes % 2)


def test_rounds_reach_the_script():
    """A round is a line, and the judge wants as many tests as there are pairs."""
    test = only(args(pool(nodes=3)))

    (rounds,) = (each["value"] for each in containers(test)["test"]["env"] if each["name"] == "ROUNDS")

    assert rounds == "0,1\n1,2\n2,0"
    assert test.expectation.tests == 3
    assert test.expectation.nodes == 2


@given(st.text(min_size=1, max_size=80))
@example("a" * 40)
@example("a" * 36)
@example("My_Pool")
@example("-")
def test_any_pools_name_is_made_a_part_of_a_dns_label(name: str):
    """A good name stays as it is."""
    made = short(name)

    assert LABEL.fullmatch(f"p{made}")
    assert len(made) <= 36
    if made == name:
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", name)


@given(st.sets(st.text(alphabet="aB_-1", min_size=1, max_size=60), min_size=2, max_size=20))
def test_names_that_are_cut_or_bent_stay_apart(names: set[str]):
    assert len({short(name) for name in names}) == len(names)


@given(st.sampled_from(Launcher), st.integers(2, 1000), st.text(alphabet="ab-", min_size=30, max_size=63))
def test_every_name_is_a_dns_label(launcher: Launcher, nodes: int, name: str):
    """The host name of the last pod is the longest."""
    (test,) = plan(args(pool(name, nodes), launcher=launcher)).tests

    job = test.test["metadata"]["name"]
    last = f"{job}-worker-{nodes - 1}" if test.test["kind"] == "MPIJob" else f"{job}-{nodes - 1}"
    for each in (last, f"{job}-launcher", test.short, f"nccl-test-{test.short}"):
        assert LABEL.fullmatch(f"p{each}"[1:] if each[0].isalpha() else f"p{each}"), each
    if test.service:
        assert LABEL.fullmatch(test.service["metadata"]["name"])


def test_rounds_fit_into_a_variable():
    """Linux takes 128 KiB for one variable."""
    test = only(args(pool(nodes=5000)))

    env = {each["name"]: each.get("value", "") for each in containers(test)["test"]["env"]}

    assert len(env["ROUNDS"]) < 128 * 1024


def test_files_fit_into_a_config_map():
    """Kubernetes takes 1 MiB, and etcd 1.5 MiB with all that is around it."""
    files = plan(args(launcher=Launcher.MPI_JOB)).files

    assert sum(len(name) + len(text.encode()) for name, text in files.items()) < 1 << 19
    assert {"ring.sh", "worker.sh", "launcher.sh", "judge.sh", "run.py", "nccl_verdict.__main__.py"} <= files.keys()
    assert all(re.fullmatch(r"[-._a-zA-Z0-9]+", name) for name in files)
