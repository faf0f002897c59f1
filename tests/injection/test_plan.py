"""Which policies a cluster gets, for which pods, and which choices cannot be."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs
from rdma_cluster.incluster.addons.injection.plan import InjectionPlan, plan_injection
from tests.policies.expressions import undeclared

P5 = {"name": "p5", "machine": "p5.48xlarge"}
PLUGGED = {**P5, "name": "plugged", "fabric": "efa-device-plugin"}
P4D = {"name": "p4d", "machine": "p4d.24xlarge"}
LABEL, TYPE = "example.com/pool", "node.kubernetes.io/instance-type"
MACHINES = ("p5.48xlarge", "a4-highgpu-8g", "a3-megagpu-8g", "BM.GPU.H100.8", "Standard_ND96isr_H100_v5")


def plan(**more: Any) -> InjectionPlan:
    """The plan of a cluster with one pool of p5, unless others are given."""
    args = {"pools": [P5], "pool_label": LABEL, "version": "1.36", **more}
    return plan_from(FabricInjectionArgs, plan_injection, args)


@pytest.mark.parametrize(
    ("args", "api"),
    [
        ({"version": "1.36"}, "admissionregistration.k8s.io/v1"),
        ({"version": "1.36", "beta": True}, "admissionregistration.k8s.io/v1"),
        ({"version": "1.35", "beta": True}, "admissionregistration.k8s.io/v1beta1"),
        ({"version": "1.34", "beta": True}, "admissionregistration.k8s.io/v1beta1"),
        ({"version": "1.33", "engine": "kyverno", "claims": {"nics": False}}, "policies.kyverno.io/v1"),
    ],
)
def test_pods_are_changed_by_the_newest_api_that_a_cluster_has(args: dict[str, Any], api: str):
    """Kyverno has to be there first, which is warned of."""
    found = plan(**args)

    assert found.policies[0]["apiVersion"] == api
    assert any("Kyverno 1.17 or later" in each for each in found.warnings) is ("engine" in args)


@pytest.mark.parametrize("engine", ["native", "kyverno"])
def test_no_pod_starts_without_its_fabric(engine: str):
    """Policies look at new pods of the named namespaces alone, and where one fails no pod is made."""
    found = plan(engine=engine)
    policies = [each for each in found.policies if each["kind"].endswith("Policy")]
    bindings = [each for each in found.policies if each["kind"] == "ValidatingAdmissionPolicyBinding"]
    change, *refusing = (each["spec"] for each in policies)

    assert [each["kind"] for each in policies[1:]] == ["ValidatingAdmissionPolicy"] * 2
    assert [each["spec"]["validationActions"] for each in bindings] == [["Deny"]] * 2
    assert [each["spec"]["policyName"] for each in bindings] == [each["metadata"]["name"] for each in policies[1:]]
    for each in (change, *refusing):
        (rule,) = each["matchConstraints"]["resourceRules"]
        (selector,) = each["matchConstraints"]["namespaceSelector"]["matchExpressions"]
        assert (each["failurePolicy"], rule["operations"], rule["resources"]) == ("Fail", ["CREATE"], ["pods"])
        assert (selector["operator"], selector["values"]) == ("In", ["default"])
    assert change["reinvocationPolicy"] == "IfNeeded"
    if engine == "kyverno":
        assert change["autogen"]["podControllers"] == {"controllers": []}
        assert change["evaluation"]["background"]["enabled"] is False
    else:
        assert len(found.policies) == 2 * len(policies)


@pytest.mark.parametrize("engine", ["native", "kyverno"])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_name_in_a_policy_is_declared(machine: str, engine: str):
    """An API server refuses a policy with another."""
    found = plan(pools=[{"name": "a", "machine": machine}], engine=engine)
    specs = [each["spec"] for each in found.policies if each["kind"].endswith("Policy")]

    assert [wrong for spec in specs for wrong in undeclared(spec)] == []


@pytest.mark.parametrize(
    ("pool", "more", "offered"),
    [
        (P5, {"version": "1.35", "engine": "kyverno"}, False),
        (P5, {"version": "1.36"}, True),
        (PLUGGED, {"version": "1.35", "engine": "kyverno"}, True),
        (PLUGGED, {"every_pod": False}, False),
    ],
)
def test_a_way_without_the_fabric_is_offered_where_gpus_still_come(pool: Any, more: dict[str, Any], offered: bool):
    """They come by a plugin, or from 1.36 on by DRA for who asks for a resource."""
    assert bool(plan(pools=[pool], **{"every_pod": True, **more}).scope.way_out) is offered


def test_pools_that_give_the_same_share_a_policy():
    """Pods name a pool or the machine; those that name none mean the only machine that there is."""
    (alike,) = plan(pools=[P5, {**P5, "name": "more"}]).patterns
    both = plan(pools=[P5, P4D]).patterns

    assert {each["key"]: each["values"] for each in alike["names"]} == {LABEL: ["p5", "more"], TYPE: ["p5.48xlarge"]}
    assert (alike["only"], alike["nodeSelector"]) == (True, {TYPE: "p5.48xlarge"})
    assert [(each["only"], each["nodeSelector"]) for each in both] == [(False, {LABEL: "p5"}), (False, {LABEL: "p4d"})]


def test_two_ways_of_one_machine_are_named_by_pool_alone():
    """The machine's name would mean both."""
    found = plan(pools=[P5, PLUGGED, {**PLUGGED, "name": "more"}])

    assert [[each["key"] for each in of["names"]] for of in found.patterns] == [[LABEL], [LABEL]]
    assert [of["names"][0]["values"] for of in found.patterns] == [["p5"], ["plugged", "more"]]
    assert [of["nodeSelector"] for of in found.patterns] == [{LABEL: "p5"}, {LABEL: "plugged"}]
    assert len({of["name"] for of in found.patterns}) == 2


@pytest.mark.parametrize(
    ("pool", "more", "namespaces"),
    [
        (P5, {}, ("default",)),
        (P5, {"claims": {"namespaces": ["a", "b"]}}, ("a", "b")),
        (P5, {"claims": {"namespaces": ["a", "b"]}, "namespaces": ["b"]}, ("b",)),
        (PLUGGED, {"namespaces": ["team"]}, ("team",)),
    ],
)
def test_pods_are_served_where_their_objects_are(pool: Any, more: dict[str, Any], namespaces: tuple[str, ...]):
    """Pods that name no object of ours may be anywhere."""
    assert plan(pools=[pool], **more).scope.namespaces == namespaces


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"version": "1.35"}, "engine"),
        ({"version": "1.33", "beta": True}, "engine"),
        ({"version": "x"}, "version"),
        ({"engine": "kyverno", "beta": True}, "beta"),
        ({"pools": []}, "pools"),
        ({"pools": [P5, P5]}, "pools[1].name"),
        ({"pools": [{**P5, "machine": "p5.47xlarge"}]}, "pools[0].machine"),
        ({"pools": [{**P5, "machine": "BM.GPU.GB200.4"}]}, "pools[0].fabric"),
        ({"taint": {"key": "a"}}, "taint"),
        ({"annotation": "a b"}, "annotation"),
        ({"namespaces": ["default", "default"]}, "namespaces[1]"),
        ({"namespaces": ["default", "team"]}, "namespaces[1]"),
        (
            {
                "pools": [{"name": "ib", "machine": MACHINES[-1], "fabric": "infiniband-rdma-ib"}],
                "namespaces": ["team"],
            },
            "namespaces[0]",
        ),
        ({"claims": {"pairs": [0]}}, "claims.pairs[0]"),
        ({"claims": {"whole": False, "groups": [], "gpus": [8]}}, "claims"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_at_its_key(more: dict[str, Any], place: str):
    """One error is told of it."""
    with pytest.raises(Refused) as refused:
        plan(**more)

    assert [str(error).partition(": ")[0] for error in refused.value.errors] == [place]
