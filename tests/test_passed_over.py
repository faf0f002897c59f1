"""What is passed over in a list hides nothing that comes after it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.config import plan_config
from rdma_cluster.conform.expected import Expected, ExpectedDaemon
from rdma_cluster.conform.judge import differences
from rdma_cluster.gke.plan.capacity import _path
from rdma_cluster.gke.plan.network import check_one_network
from rdma_cluster.incluster.plan.acceptance import plan_acceptance
from rdma_cluster.incluster.plan.claim_templates import plan_claim_templates
from rdma_cluster.incluster.plan.images import check_registries
from rdma_cluster.incluster.plan.in_cluster import _check_claims
from rdma_cluster.incluster.plan.resolve import resolve_all
from rdma_cluster.incluster.plan.statements import Statement, check_agreement, statements
from tests.acceptance.plans import args, pool
from tests.readiness.in_pod import load

Of = Callable[[list[Any]], object]
NONE = "nobodys-machine"
GPU_LOST = {"type": "GpuLost", "status": "True", "reason": "Xid79", "message": "0000:8f:00.0: XID 79"}


def reasons(ask: Callable[[ErrorList], object]) -> list[str]:
    """Why something is refused, wherever in the list it stands."""
    errors = ErrorList()
    ask(errors)
    return sorted(error.reason for error in errors.found())


def misspelt(keys: list[str]) -> list[str]:
    """What a stack's configuration is told of its keys."""
    try:
        plan_config(dict.fromkeys(keys, "x"), {"gcp:project": "project"}, lambda args: args)
    except Refused as refused:
        return [str(error) for error in refused.errors]
    return []


def claimed(names: list[str]) -> list[str]:
    """Claims for machines of these names."""
    return reasons(lambda errors: plan_claim_templates({"machines": ["p5.48xlarge", *names]}, errors))


def paired(fabrics: list[tuple[str, str]]) -> list[str]:
    """Claims of pairs in a stack with these machines, whose last is looked at first."""
    given: Any = [
        {"name": name.replace(".", "-"), "machine": name, "fabric": fabric, "nodes": 2}
        for name, fabric in reversed(fabrics)
    ]
    context: Any = SimpleNamespace(claimed_when="nothing else")
    pools = resolve_all(given, ErrorList())
    return reasons(lambda errors: _check_claims(context, pools, {"pairs": [1]}, errors))


def proved(names: list[str]) -> list[str]:
    """A test of pools of these names, behind one that is called `a`."""
    pools = [pool("a"), *(pool(name, machine="a4-highgpu-8g" if name == "a" else NONE) for name in names)]
    given: Any = args(*pools)
    return [each for each in reasons(lambda errors: plan_acceptance(given, errors)) if "twice" not in each]


def said(machines: list[str]) -> set[tuple[str, str]]:
    """What pools of these machines state."""
    pools = [{"name": "p", "machine": machine, "nodes": 2} for machine in machines]
    return {(each.subject, each.value) for each in statements({"pools": pools, "pool_label": "pool"})}


def networks(names: list[str]) -> list[str]:
    """Machines beside A4 whose networks are not its."""
    return reasons(lambda errors: check_one_network([(name, errors) for name in ("a4-highgpu-8g", *names)], mode=None))


def resumed(conditions: list[dict[str, str]]) -> object:
    """What a watcher takes over, of a node that started in 2023."""
    conditions = [{"lastTransitionTime": "2026-01-01T00:00:00Z"} | each for each in conditions]
    return load("fault_conditions").resumed(conditions, ["GpuLost"], 1_700_000_000.0)


def changed(conditions: list[dict[str, str]]) -> object:
    """What is written to a node without conditions."""
    return load("fault_conditions").changed(conditions, [])


def reported(hosts: list[tuple[str, ...]]) -> object:
    """The report of tests between hosts."""
    runs = [(SimpleNamespace(hosts=each, largest=None), True) for each in hosts]
    return load("mark_proofs").report_of(runs, [], 1.0)


def driven(names: list[str]) -> list[str]:
    """Daemons that a cluster without any lacks."""
    daemons = tuple(ExpectedDaemon(name, "1", name, ()) for name in names)
    promised = Expected("", "pool", {}, (), daemons, (), ())
    shown: Any = {"daemons": [{"name": "there", "wanted": 1, "ready": 1}], "nodes": []}
    return [str(each) for each in differences(shown, promised)]


@pytest.mark.parametrize(
    ("of", "passed", "other"),
    [
        pytest.param(misspelt, "gcp:project", "rdmacluster:pools", id="a key that is right"),
        pytest.param(misspelt, "rdma-cluster:pools", "rdmacluster:network", id="a key of ours"),
        pytest.param(claimed, "p5.48xlarge", NONE, id="a machine that is claimed already"),
        pytest.param(
            paired, ("p5.48xlarge", "efa"), ("p4d.24xlarge", "efa-device-plugin"), id="a machine whose NICs are claimed"
        ),
        pytest.param(proved, "a", "b", id="a pool that is named twice"),
        pytest.param(said, NONE, "p5.48xlarge", id="a machine that nobody knows"),
        pytest.param(networks, "a4-highgpu-8g", "a3-megagpu-8g", id="a machine with the same networks"),
        pytest.param(resumed, {**GPU_LOST, "type": "Ready"}, GPU_LOST, id="another's condition"),
        pytest.param(
            resumed,
            {**GPU_LOST, "lastTransitionTime": "2020-01-01T00:00:00Z"},
            GPU_LOST,
            id="a condition of an earlier start",
        ),
        pytest.param(changed, {**GPU_LOST, "status": "False"}, GPU_LOST, id="a fault that never was"),
        pytest.param(reported, ("a",), ("a", "b"), id="a test of one node"),
        pytest.param(driven, "there", "not-there", id="a daemon that is there"),
    ],
)
def test_the_next_counts_all_the_same(of: Of, passed: Any, other: Any):
    """Behind it as without it."""
    assert of([other]) == of([passed, other]) != of([passed])


def test_every_machine_with_other_networks_is_told():
    """Not the first alone."""
    assert len(networks(["a3-megagpu-8g"])) == 1
    assert len(networks(["a3-megagpu-8g", "a3-edgegpu-8g"])) == 2


def test_registries_behind_a_line_of_a_lock():
    """They are judged as well."""
    lock = {"quay.io/a/b:1": f"quay.io/a/b:1@sha256:{'0' * 64}"}
    wrong = {"https://quay.io": "mirror.example"}

    assert reasons(lambda errors: check_registries(lock, errors)) == []
    assert reasons(lambda errors: check_registries(lock | wrong, errors)) == reasons(
        lambda errors: check_registries(wrong, errors)
    )


def test_a_statement_that_two_deny_is_refused_once():
    """By the first of them, in the order in which they were made."""
    own = [Statement(("host",), "the cloud", "gke")]
    others = {name: [Statement(("host",), "the cloud", "eks")] for name in ("Drivers", "Claims")}

    (told,) = reasons(lambda errors: check_agreement(own, others, errors))
    assert "eks for Drivers" in told


def test_a_text_that_does_not_fit_ends_the_message():
    """A shorter one behind it would look as if nothing were left out between."""
    conditions = load("fault_conditions")

    assert conditions._joined(["first", "x" * conditions.LONGEST, "last"]) == "first; and 2 more"


def test_a_part_of_a_reservation_behind_one_that_is_left_out():
    """It is judged as well, although it has no meaning without the other."""
    told = reasons(lambda errors: str(_path({"name": "r", "sub_block": "a/b"}, "us-central1-a", errors)))

    assert [each for each in told if "'a/b'" in each]


def test_every_daemon_that_is_missing_is_told():
    """Not the first alone."""
    assert len(driven(["one", "two", "there", "three"])) == 3
