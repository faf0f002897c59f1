"""Which policies there are, and what a cluster cannot have."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs, InjectionEngine
from rdma_cluster.incluster.addons.injection.plan import plan_injection
from rdma_cluster.injection.expressions import literal
from rdma_cluster.injection.policies import Scope

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


def shape(value: Any) -> Any:
    """What engines read besides expressions, which have tests of their own."""
    if isinstance(value, dict):
        return {key: "" if "xpression" in key and key != "matchExpressions" else shape(of) for key, of in value.items()}
    return [shape(each) for each in value] if isinstance(value, list) else value


RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
NAMESPACES = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["default"]}
ASKED = {
    "matchConstraints": {"namespaceSelector": {"matchExpressions": [NAMESPACES]}, "resourceRules": [RULE]},
    "matchConditions": [{"name": "is-concerned", "expression": ""}],
    "failurePolicy": "Fail",
}
CHANGING = {
    **ASKED,
    "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": ""}}],
    "reinvocationPolicy": "IfNeeded",
}
REFUSING = {
    **ASKED,
    "validations": [
        {"expression": "", "messageExpression": "", "reason": "Invalid"},
        {
            "expression": "",
            "message": "the pod asked for the fabric and was not given it: is the policy engine running?",
            "reason": "Invalid",
        },
    ],
}
UNKNOWN = (
    "the pod asks for the fabric of no machine, or of several; say in its nodeSelector example.com/pool=p5 or "
    "node.kubernetes.io/instance-type=p5.48xlarge"
)
WAY_OUT = 'for a pod without the fabric, give it the annotation rdma-cluster/inject: "false"'


def bound(kind: str, version: str, name: str, spec: dict[str, Any], **binding: Any) -> list[dict[str, Any]]:
    """A policy and what puts it in force."""
    of = {"apiVersion": f"admissionregistration.k8s.io/{version}", "metadata": {"name": name}}
    return [{**of, "kind": kind, "spec": spec},
            {**of, "kind": f"{kind}Binding", "spec": {"policyName": name, **binding}}]  # fmt: skip


@pytest.mark.parametrize("engine", ["native", "beta", "kyverno"])
def test_whole_policies(engine: str):
    """Of pods alone and as they are made, in the namespaces that are named; where a policy fails no pod is made."""
    more = {"native": {}, "beta": {"version": "1.34", "beta": True}, "kyverno": {"engine": "kyverno"}}[engine]
    fabric = {"pools": [{**P5, "fabric": "efa-device-plugin"}]}
    plan = plan_from(FabricInjectionArgs, plan_injection, {**ARGS, **fabric, **more, "every_pod": True})
    name, refusal = "rdma-injection-p5.48xlarge", "rdma-injection-refusal"
    kyverno = {
        "apiVersion": "policies.kyverno.io/v1", "kind": "MutatingPolicy", "metadata": {"name": name},
        "spec": {**CHANGING, "autogen": {"podControllers": {"controllers": []}},
                 "evaluation": {"background": {"enabled": False}}},
    }  # fmt: skip
    version = "v1beta1" if engine == "beta" else "v1"
    changing = bound("MutatingAdmissionPolicy", version, name, CHANGING)
    unknown = {"expression": "", "message": f"{UNKNOWN}; {WAY_OUT}", "reason": "Invalid"}
    deny = {"validationActions": ["Deny"]}
    policies = [dict(each) for each in plan.policies]
    for each in policies:
        each["spec"].pop("variables", None)

    assert [shape(each) for each in policies] == [
        *([kyverno] if engine == "kyverno" else changing),
        *bound("ValidatingAdmissionPolicy", "v1", f"{refusal}-p5.48xlarge", REFUSING, **deny),
        *bound("ValidatingAdmissionPolicy", "v1", refusal, {**ASKED, "validations": [unknown]}, **deny),
    ]


@pytest.mark.parametrize(
    ("every_pod", "claims_alone", "offered"),
    [(True, False, True), (True, True, False), (False, False, False), (False, True, False)],
)
def test_the_way_out(every_pod: bool, claims_alone: bool, offered: bool):
    """For pods that did not ask by themselves, and only where they would get GPUs."""
    assert Scope(every_pod=every_pod, claims_alone=claims_alone).way_out == ((WAY_OUT,) if offered else ())


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
    value = {"ä": 'x"\\\n', "b": [True, 1, {"c": "ö"}, ()]}

    assert literal(value) == '{"ä": dyn("x\\"\\\\\\n"), "b": dyn([dyn(true), dyn(1), dyn({"c": dyn("ö")}), dyn([])])}'


@pytest.mark.parametrize(
    ("fabric", "version", "without"),
    [("efa", "1.35", False), ("efa", "1.36", True), ("efa-device-plugin", "1.35", True)],
)
def test_a_pod_without_the_fabric(fabric: str, version: str, without: bool):
    """Is offered where its GPUs still come: by a plugin, or by DRA for who asks for a resource, from 1.36 on."""
    more = {"pools": [{**P5, "fabric": fabric}], "version": version, "engine": "kyverno", "every_pod": True}
    plan = plan_from(FabricInjectionArgs, plan_injection, {**ARGS, **more})

    assert bool(plan.scope.way_out) == without
