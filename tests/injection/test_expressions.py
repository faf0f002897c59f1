"""The policies' expressions name what is declared: the API server refuses others, and a policy with them."""

from typing import Any

import pytest
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs
from rdma_cluster.incluster.addons.injection.plan import plan_injection
from tests.policies.expressions import undeclared

MACHINES = ("p5.48xlarge", "a4-highgpu-8g", "a3-megagpu-8g", "BM.GPU.H100.8", "Standard_ND96isr_H100_v5")


def policies(machine: str, engine: str) -> list[dict[str, Any]]:
    """The policies for a machine's pods."""
    args = {"pools": [{"name": "a", "machine": machine}], "pool_label": "p", "version": "1.36", "engine": engine}
    plan = plan_from(FabricInjectionArgs, plan_injection, args)
    return [each["spec"] for each in plan.policies if each["kind"].endswith("Policy")]


@pytest.mark.parametrize("engine", ["native", "kyverno"])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_name_is_declared(machine: str, engine: str):
    assert [wrong for spec in policies(machine, engine) for wrong in undeclared(spec)] == []


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("variables.b", ["variables c: variables.b is declared nowhere before"]),
        ("variables.a.map(x, y)", ["variables c: y is bound nowhere"]),
        ("object.spec.?a.orValue([]).map(x, x.y) + x", ["variables c: x is bound nowhere"]),
        ("sise(variables.a)", ["variables c: no function sise"]),
        ("object.l.transformMapEntry(i, c, {c.name: k})", ["variables c: k is bound nowhere"]),
        ("objects.spec == 'variables.b' ? {a: JSONPatch{op: \"add\"}} : variables.a", None),
    ],
)
def test_what_is_not_declared_is_seen(expression: str, wrong: list[str] | None):
    """In its scope, and not in texts."""
    spec = {"variables": [{"name": "a", "expression": "1"}, {"name": "c", "expression": expression}]}
    found = list(undeclared(spec))

    assert found == (wrong or ["variables c: objects is bound nowhere", "variables c: a is bound nowhere"])


def test_conditions_come_before_variables():
    """https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#variable-composition"""
    condition = {"name": "m", "expression": "variables.a == 1"}
    spec = {"matchConditions": [condition], "variables": [{"name": "a", "expression": "1"}]}

    assert list(undeclared(spec)) == ["matchConditions m: variables.a is declared nowhere before"]
