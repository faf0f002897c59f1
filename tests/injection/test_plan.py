"""Which policies there are, and what a cluster cannot have."""

from typing import Any

import pytest
from rdma_cluster.args import plan_from
from rdma_cluster.errors import Refused
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs, InjectionEngine
from rdma_cluster.incluster.addons.injection.plan import plan_injection
from rdma_cluster.injection.expressions import literal

P5 = {"name": "p5", "machine": "p5.48xlarge"}
ARGS: dict[str, Any] = {"pools": [P5], "pool_label": "example.com/pool", "version": "1.36"}


def kinds(**more: Any) -> list[str]:
    """The objects of a plan, in their order."""
    plan = plan_from(FabricInjectionArgs, plan_injection, {**ARGS, **more})
    return [f"{each['apiVersion'].rpartition('/')[2]} {each['kind']}" for each in plan.policies]


def test_engines_differ_in_who_changes():
    """Who refuses is always the API server."""
    refusing = ["v1 ValidatingAdmissionPolicy", "v1 ValidatingAdmissionPolicyBinding"] * 2

    assert kinds() == ["v1 MutatingAdmissionPolicy", "v1 MutatingAdmissionPolicyBinding", *refusing]
    assert kinds(version="1.34", beta=True)[:2] == [
        "v1beta1 MutatingAdmissionPolicy",
        "v1beta1 MutatingAdmissionPolicyBinding",
    ]
    assert kinds(version="1.33", engine="kyverno", claims={"nics": False}) == ["v1 MutatingPolicy", *refusing]


def test_kyverno_is_asked_for():
    """That it has to be there is said, for pods are refused while it is not."""
    plan = plan_from(FabricInjectionArgs, plan_injection, {**ARGS, "engine": "kyverno"})

    assert plan.engine is InjectionEngine.KYVERNO
    assert "Kyverno 1.17 or later" in plan.warnings[0]


def test_switches():
    """An annotation of one's own, and NeMo's two names beside it."""
    plan = plan_from(FabricInjectionArgs, plan_injection, {**ARGS, "annotation": "example.com/fabric", "nemo": True})

    assert plan.scope.switches == (
        "example.com/fabric",
        "nmp.nvidia.com/enable-multi-node-networking",
        "nhx.nvidia.com/enable-multi-node-networking",
    )
    condition = plan.policies[0]["spec"]["matchConditions"][0]["expression"]
    assert all(switch in condition for switch in plan.scope.switches)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"version": "1.35"}, "engine: native needs Kubernetes 1.36 or later, got 1.35, where the policies are a beta"),
        ({"version": "1.33"}, "engine: native needs Kubernetes 1.36 or later, got 1.33; raise it, or take kyverno"),
        ({"version": "x"}, "version: got 'x'; a Kubernetes version is 1.36 or 1.36.2"),
        ({"engine": "kyverno", "beta": True}, "beta: is of the native engine"),
        ({"pools": []}, "pools: empty"),
        ({"pools": [P5, P5]}, "pools[1].name: p5 is listed twice"),
        ({"pools": [{"name": "-", "machine": "p5.48xlarge"}]}, "pools[0].name: got '-'; the value of a node label"),
        ({"pools": [{**P5, "machine": "p5.47xlarge"}]}, "pools[0].machine: unknown machine 'p5.47xlarge'; nearest are"),
        ({"pools": [{**P5, "fabric": "gib"}]}, "pools[0].fabric: got 'gib'; choose one of efa, efa-device-plugin"),
        ({"pools": [{**P5, "machine": "BM.GPU.GB200.4"}]}, "pools[0].fabric: no fabric is built for BM.GPU.GB200.4"),
        ({"taint": {"key": "a"}}, "taint: must have a key and a value"),
        ({"annotation": "a b"}, "annotation: got 'a b'; an annotation is a name"),
        ({"namespaces": ["team"]}, "namespaces[0]: team has no claim templates and files of the fabric"),
        ({"namespaces": []}, "namespaces: empty"),
        ({"claims": {"whole": False, "groups": []}}, "claims: no claim template of p5.48xlarge holds its GPUs"),
    ],
)
def test_what_cannot_be(more: dict[str, Any], words: str):
    """Is refused under its key, before there is a resource."""
    with pytest.raises(Refused) as refused:
        plan_from(FabricInjectionArgs, plan_injection, {**ARGS, **more})

    assert any(str(error).startswith(words) for error in refused.value.errors), refused.value


def test_pools_of_one_machine_share_a_policy():
    """Unless their pods get the fabric in different ways; then the instance type alone names none of them."""
    alike = plan_from(FabricInjectionArgs, plan_injection, {**ARGS, "pools": [P5, {**P5, "name": "p5b"}]})
    mixed = {**ARGS, "pools": [P5, {**P5, "name": "p5b", "fabric": "efa-device-plugin"}]}
    apart = plan_from(FabricInjectionArgs, plan_injection, mixed)

    (pattern,) = alike.patterns
    assert [each["values"] for each in pattern["names"]] == [["p5", "p5b"], ["p5.48xlarge"]]
    assert pattern["only"]
    assert [[name["key"] for name in each["names"]] for each in apart.patterns] == [["example.com/pool"]] * 2
    assert not any(each["only"] for each in apart.patterns)


def test_literals():
    """Texts with all that CEL would take for its own, and types side by side."""
    value = {"a": 'x"\\\n', "b": [True, 1, {"c": "d"}]}

    assert literal(value) == '{"a": dyn("x\\"\\\\\\n"), "b": dyn([dyn(true), dyn(1), dyn({"c": dyn("d")})])}'


@pytest.mark.parametrize(
    ("fabric", "version", "without"),
    [("efa", "1.35", False), ("efa", "1.36", True), ("efa-device-plugin", "1.35", True)],
)
def test_a_pod_without_the_fabric(fabric: str, version: str, without: bool):
    """Is offered where its GPUs still come: by a plugin, or by DRA for who asks for a resource, from 1.36 on."""
    more = {"pools": [{**P5, "fabric": fabric}], "version": version, "engine": "kyverno", "every_pod": True}
    plan = plan_from(FabricInjectionArgs, plan_injection, {**ARGS, **more})

    assert bool(plan.scope.way_out) == without
