"""Passing over an item of a list hides nothing that comes after it."""

from collections.abc import Callable
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.config import plan_config
from rdma_cluster.incluster.plan.acceptance import plan_acceptance
from rdma_cluster.incluster.plan.claim_templates import plan_claim_templates
from rdma_cluster.incluster.plan.images import check_registries
from rdma_cluster.incluster.plan.statements import statements
from tests.acceptance.plans import args, pool

Of = Callable[[list[Any]], object]
NONE = "nobodys-machine"
LOCKED = {"quay.io/a/b:1": f"quay.io/a/b:1@sha256:{'0' * 64}"}


def reasons(ask: Callable[[ErrorList], object]) -> list[str]:
    """Why something is refused, wherever in the list it stands."""
    errors = ErrorList()
    ask(errors)
    return sorted(error.reason for error in errors.found())


def misspelt(keys: list[str]) -> list[str]:
    try:
        plan_config(dict.fromkeys(keys, "x"), {"gcp:project": "project"}, lambda args: args)
    except Refused as refused:
        return [str(error) for error in refused.errors]
    return []


def claimed(names: list[str]) -> list[str]:
    return reasons(lambda errors: plan_claim_templates({"machines": ["p5.48xlarge", *names]}, errors))


def proved(names: list[str]) -> list[str]:
    """The errors of a test of pools of these names, behind one that is called `a`."""
    pools = [pool("a"), *(pool(name, machine="a4-highgpu-8g" if name == "a" else NONE) for name in names)]
    given: Any = args(*pools)
    return [each for each in reasons(lambda errors: plan_acceptance(given, errors)) if "twice" not in each]


def stated(machines: list[str]) -> set[tuple[str, str]]:
    """What pools of these machines state of their hosts."""
    pools = [{"name": "p", "machine": machine, "nodes": 2} for machine in machines]
    return {(each.subject, each.value) for each in statements({"pools": pools, "pool_label": "pool"})}


def registered(lines: list[dict[str, str]]) -> list[str]:
    return reasons(lambda errors: check_registries({key: of for line in lines for key, of in line.items()}, errors))


@pytest.mark.parametrize(
    ("of", "passed", "other"),
    [
        pytest.param(misspelt, "gcp:project", "rdmacluster:pools", id="a key that is right"),
        pytest.param(misspelt, "rdma-cluster:pools", "rdmacluster:network", id="a key of ours"),
        pytest.param(claimed, "p5.48xlarge", NONE, id="a machine that is claimed already"),
        pytest.param(proved, "a", "b", id="a pool that is named twice"),
        pytest.param(stated, NONE, "p5.48xlarge", id="a machine that nobody knows"),
        pytest.param(registered, LOCKED, {"https://quay.io": "mirror.example"}, id="a line of a lock"),
    ],
)
def test_an_item_counts_behind_one_that_is_passed_over(of: Of, passed: Any, other: Any):
    assert of([other]) == of([passed, other]) != of([passed])
