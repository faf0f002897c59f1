"""What a stack's injection is made of: versions, namespaces, pools that share a policy, and what it names."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs, InjectionEngine
from rdma_cluster.incluster.addons.injection.plan import (
    InjectedPools,
    InjectionPlan,
    injected_pools,
    plan_injection,
    plan_injection_on,
)
from rdma_cluster.incluster.plan.claim_templates import ClaimOptions, claims_for, plan_claim_templates
from rdma_cluster.incluster.plan.pool import GpuPool
from rdma_cluster.incluster.plan.workload import workload_on
from tests.incluster.pools import BARE, DRA, GIB, MANAGED, NAMED, NICS, PLUGGED, WITH_FILES

KYVERNO = InjectionEngine.KYVERNO


def stack(*pools: GpuPool, claims: Any = None, templates: bool = True) -> InjectedPools:
    """Pools as a stack hands them over."""
    claimed = [each for each in pools if each.fabric is not NAMED.fabric and each.fabric is not PLUGGED.fabric]
    asked = claims_for(claimed, ClaimOptions(**(claims or {})), "1.36")
    workloads = {each.name: workload_on(each, BARE) for each in pools}
    made = plan_claim_templates(asked, ErrorList()) if claimed and templates else None
    return InjectedPools(pools, workloads, made)


def asked(*pools: GpuPool, claims: Any = None, **args: Any) -> tuple[InjectionPlan | None, list[str]]:
    """The plan of these pools, and what is refused."""
    options: Any = args
    context, errors = replace(BARE, version=args.pop("version", "1.36")), ErrorList()
    asked: ClaimOptions = claims or {}
    made = plan_injection_on(options, stack(*pools, claims=claims), context, asked, errors, errors.at("templates"))
    return made, [str(error) for error in errors.found()]


def planned(*pools: GpuPool, **args: Any) -> InjectionPlan:
    """The plan, which must be possible."""
    made, errors = asked(*pools, **args)
    assert made is not None, errors
    return made


@pytest.mark.parametrize(
    ("args", "api", "told"),
    [
        ({"version": "1.36"}, "v1", ""),
        ({"version": "1.36", "beta": True}, "v1", ""),
        ({"version": "1.37.1"}, "v1", ""),
        ({"version": "1.35", "beta": True}, "v1beta1", ""),
        ({"version": "1.34", "beta": True}, "v1beta1", ""),
        ({"version": "1.35"}, "", "engine: native needs Kubernetes 1.36 or later, got 1.35, where the policies are a"),
        ({"version": "1.33", "beta": True}, "", "engine: native needs Kubernetes 1.36 or later, got 1.33; raise it"),
        ({"version": "x"}, "", "version: got 'x'"),
        ({"version": "x", "engine": KYVERNO}, "", "version: got 'x'"),
        ({"version": "1.33", "engine": KYVERNO}, "v1", ""),
        ({"version": "1.33", "engine": KYVERNO, "beta": True}, "", "beta: is of the native engine"),
        ({"version": "1.36", "engine": KYVERNO, "beta": True}, "", "beta: is of the native engine"),
    ],
)
def test_which_api_serves_an_engine(args: dict[str, Any], api: str, told: str):
    """From 1.36 on the API server's own, from 1.34 behind a gate, Kyverno's always."""
    made, errors = asked(GIB, **args)

    assert (made is None) == bool(told) == len(errors)
    assert all(each.startswith(told) for each in errors)
    if made is not None:
        group = "policies.kyverno.io" if args.get("engine") else "admissionregistration.k8s.io"
        assert made.policies[0]["apiVersion"] == f"{group}/{api}"
        assert len(made.warnings) == bool(args.get("engine"))


@pytest.mark.parametrize(
    ("some", "version", "alone"),
    [
        ((GIB,), "1.36", False),
        ((GIB,), "1.35", True),
        ((NICS, GIB), "1.35", True),
        ((NICS,), "1.35", False),
        ((NICS,), "1.36", False),
    ],
)
def test_a_pod_without_the_fabric_gets_no_gpu(some: tuple[GpuPool, ...], version: str, alone: bool):
    """Where claims alone hand them out, before DRA serves who asks for a resource."""
    made = planned(*some, version=version, engine=KYVERNO, every_pod=True)

    assert (made.scope.claims_alone, bool(made.scope.way_out)) == (alone, not alone)


@pytest.mark.parametrize(
    ("args", "switches"),
    [
        ({}, ("rdma-cluster/inject",)),
        ({"annotation": "a"}, ("a",)),
        ({"annotation": "example.com/a_b.c"}, ("example.com/a_b.c",)),
        ({"nemo": False}, ("rdma-cluster/inject",)),
        (
            {"nemo": True},
            (
                "rdma-cluster/inject",
                "nmp.nvidia.com/enable-multi-node-networking",
                "nhx.nvidia.com/enable-multi-node-networking",
            ),
        ),
    ],
)
def test_what_switches_it_on(args: dict[str, Any], switches: tuple[str, ...]):
    """One annotation, and NeMo's two where they are asked for; no pod without one."""
    made = planned(GIB, **args)

    assert (made.scope.switches, made.scope.every_pod) == (switches, False)
    assert planned(GIB, every_pod=True).scope.every_pod


@pytest.mark.parametrize(
    ("some", "args", "scope", "told"),
    [
        (GIB, {}, ("default",), ""),
        (GIB, {"claims": {"namespaces": ["a", "b"]}}, ("a", "b"), ""),
        (GIB, {"claims": {"namespaces": ["a", "b"]}, "namespaces": ["b"]}, ("b",), ""),
        (GIB, {"namespaces": ["default", "team"]}, None, "namespaces[1]: team has no claim templates and files"),
        (WITH_FILES, {"namespaces": ["team"]}, None, "namespaces[0]: team has no claim templates and files"),
        # Pods that name no object of ours may be anywhere.
        (NAMED, {"namespaces": ["team"]}, ("team",), ""),
        (NAMED, {"namespaces": ["Team"]}, None, "namespaces[0]: got 'Team'"),
        # One error of a namespace, not two.
        (GIB, {"namespaces": ["Team"]}, None, "namespaces[0]: got 'Team'"),
        (GIB, {"namespaces": ["default", "default"]}, None, "namespaces[1]: default is listed twice"),
        (GIB, {"namespaces": []}, None, "namespaces: empty"),
        (GIB, {"annotation": "a b"}, None, "annotation: got 'a b'"),
    ],
)
def test_whose_pods_are_looked_at(some: GpuPool, args: dict[str, Any], scope: tuple[str, ...] | None, told: str):
    """Those of namespaces that have what the fabric's pods name."""
    made, errors = asked(some, **args)

    assert (made and made.scope.namespaces) == scope
    assert len(errors) == bool(told) and all(each.startswith(told) for each in errors), errors


def names(made: InjectionPlan) -> dict[str, dict[str, list[str]]]:
    """By policy, the labels and values by which pods name its machine."""
    return {each["name"]: {by["key"]: list(by["values"]) for by in each["names"]} for each in made.patterns}


TYPE = "node.kubernetes.io/instance-type"
A4 = "a4-highgpu-8g"


def test_pools_that_give_the_same_share_a_policy():
    """Pods name a pool or the machine; which of the pools they get is the scheduler's choice."""
    made = planned(GIB, replace(GIB, name="more"), NAMED)

    assert names(made) == {
        A4: {"pool": ["gib", "more"], TYPE: [A4]},
        "a3-megagpu-8g": {"pool": ["named"], TYPE: ["a3-megagpu-8g"]},
    }
    assert [each["nodeSelector"] for each in made.patterns] == [{TYPE: A4}, {"pool": "named"}]
    assert [each["only"] for each in made.patterns] == [False, False]


def test_pools_of_one_machine_in_two_ways():
    """Each way is a policy of its own, by pool alone: the machine's name would mean both."""
    made = planned(GIB, NICS, MANAGED, replace(NICS, name="more"))

    assert names(made) == {
        f"{A4}-gib-dra": {"pool": ["gib"]},
        f"{A4}-gib-device-plugin": {"pool": ["nics", "more"]},
        f"{A4}-gib-managed-dra": {"pool": ["managed"]},
    }
    # Of two pools no pod can be sent to both.
    assert [each["nodeSelector"] for each in made.patterns] == [{"pool": "gib"}, {"pool": "nics"}, {"pool": "managed"}]


@pytest.mark.parametrize(
    ("some", "only"), [((GIB,), True), ((GIB, replace(GIB, name="b")), True), ((GIB, NAMED), False)]
)
def test_pods_that_name_no_machine(some: tuple[GpuPool, ...], only: bool):
    """Mean the only one that there is."""
    assert planned(*some).patterns[0]["only"] is only


def test_a_name_as_kubernetes_takes_it():
    """Azure's sizes have capitals and underscores."""
    made = planned(WITH_FILES)

    assert [each["name"] for each in made.patterns] == ["standard-nd96isr-h100-v5"]


def test_gpus_alone_serve_no_pod_of_the_fabric():
    """A claim that holds no NIC is none of a policy's; one of all is enough."""
    none = {"pairs": [], "whole": False, "nics": False, "gpus": [8]}
    _, errors = asked(GIB, claims=none)

    assert errors == [
        f"templates: no claim template of {A4} holds its GPUs, so that its pods cannot be served; offer whole: true"
    ]
    assert planned(GIB, claims={**none, "whole": True}).patterns


def test_templates_with_errors_of_their_own():
    """Are told by whoever plans them; there is no policy, and no error more."""
    errors = ErrorList()
    context = replace(BARE, version="1.36")

    assert plan_injection_on({}, stack(GIB, templates=False), context, {}, errors, errors) is None
    assert plan_injection_on({}, stack(NAMED), context, {}, errors, errors) is not None
    assert not errors


def test_a_component_of_its_own():
    """It resolves its pools, which need no nodes, and plans the templates that their pods name."""
    errors = ErrorList()
    args: Any = {
        "pools": [
            {"name": "p5", "machine": "p5.48xlarge"},
            {"name": "plugged", "machine": "p5.48xlarge", "fabric": "efa-device-plugin"},
        ],
        "pool_label": "pool",
        "taint": {"key": "gpu", "value": "present"},
        "claims": {"namespaces": ["team"]},
        "version": "1.36",
    }
    made = injected_pools(args, errors)

    assert not errors and made.claims is not None
    assert [(each.name, each.fabric.name, each.allocation) for each in made.pools] == [
        ("p5", "efa", DRA),
        ("plugged", "efa-device-plugin", PLUGGED.allocation),
    ]
    assert made.claims.namespaces == ("team",)
    assert list(made.claims.by_machine) == ["p5.48xlarge"]
    assert made.workloads["p5"].taint == ("gpu", "present")
    assert made.workloads["p5"].claim_templates == ()
    plan = plan_injection(FabricInjectionArgs(**args), errors)
    assert plan is not None and len(plan.patterns) == 2


@pytest.mark.parametrize(
    ("taint", "told"),
    [(None, 0), ({}, 0), ({"key": "a", "value": "b"}, 0), ({"key": "a"}, 1), ({"key": "a", "value": "b", "c": "d"}, 1)],
)
def test_a_taint_has_a_key_and_a_value(taint: dict[str, str] | None, told: int):
    """And nothing else."""
    errors = ErrorList()
    args: Any = {"pools": [{"name": "p5", "machine": "p5.48xlarge"}], "pool_label": "pool"}
    injected_pools({**args, **({} if taint is None else {"taint": taint})}, errors)

    assert [error.path for error in errors.found()] == [("taint",)] * told


def test_plugged_pools_need_no_templates():
    """Errors of claims that nobody names are told by nobody."""
    errors = ErrorList()
    plugged = {"name": "plugged", "machine": "p5.48xlarge", "fabric": "efa-device-plugin"}
    args: Any = {"pools": [plugged], "pool_label": "pool", "claims": {"pairs": [0]}}

    assert injected_pools(args, errors).claims is None and not errors
