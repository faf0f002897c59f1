"""An add-on fits the cluster that it is switched on in, and warns of what it leaves to the user."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.incluster.addons import Addons
from rdma_cluster.incluster.addons.readiness.args import RenewWhen
from rdma_cluster.incluster.plan.context import ClusterContext
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.plans import OFF, ON, OURS, addons, paths, refused
from tests.incluster.pools import CONTEXT, GIB, NAMED, NICS

MODEL = {"model": "meta-llama/Llama-3.1-405B-Instruct"}
WIDE = replace(GIB, disk_gb=2000)
MODERN = replace(CONTEXT, version="1.36", other_taints={"spot": "*"})
OPEN = replace(MODERN, enforces_policies=False)
SERVED = ["inference"] * 2
"""The warnings that every served model has."""


def takes(pool: str) -> dict[str, Any]:
    """Return queues that take a manager's jobs."""
    return {"enabled": True, "worker": {"queues": {"shared": pool}}}


@pytest.mark.parametrize(
    ("some", "context", "choice", "warned"),
    [
        # Kueue does not count the claims that injection adds; without claims there are none.
        (GIB, MODERN, {"queues": ON, "injection": ON}, ["queues"]),
        (NAMED, MODERN, {"queues": ON, "injection": ON}, []),
        (GIB, MODERN, {"queues": ON}, []),
        # A job that names no cloud gets no fabric without injection, and no GPU where GPUs are claimed.
        (NICS, MODERN, {"queues": takes("nics")}, ["queues.worker"]),
        (NICS, MODERN, {"queues": takes("nics"), "injection": ON}, ["queues"]),
        (GIB, MODERN, {"queues": takes("gib")}, ["queues.worker", "queues.worker"]),
        # Nodes that serve stay on the quota.
        (WIDE, MODERN, {"queues": ON, "inference": MODEL}, ["queues", *SERVED]),
        # Nothing may keep other pods away where the network is not ours.
        (WIDE, OPEN, {"inference": MODEL}, ["inference", *SERVED]),
        (WIDE, replace(MODERN, makes_namespaces=False), {"inference": MODEL}, ["inference", *SERVED]),
        (GIB, MODERN, {"injection": {**ON, "engine": "kyverno"}}, ["injection.engine is kyverno"]),
        # Warnings come add-on by add-on, in one order.
        (
            WIDE,
            OPEN,
            {"queues": takes("gib"), "inference": MODEL, "monitoring": ON},
            ["queues.worker", "queues.worker", "queues", "inference", *SERVED, "monitoring"],
        ),
    ],
)
def test_an_add_on_warns_of_what_it_leaves_to_the_user(
    some: GpuPool, context: ClusterContext, choice: dict[str, Any], warned: list[str]
):
    assert paths(list(addons(some, context=context, **choice).warnings)) == warned


def test_an_add_on_is_told_of_its_cluster():
    """It has pools, taints, mirrors and namespaces of the cluster, and the user's own options."""
    every: dict[str, Any] = {
        "injection": {**ON, "annotation": "own"},
        "queues": {**ON, "preemption": True},
        "monitoring": {**ON, "labels": {"a": "b"}},
        "readiness": {**ON, "leave_existing": True},
        "inference": {**MODEL, "start_minutes": 90},
    }
    mirrors = {"docker.io/vllm": "b.example", "registry.k8s.io": "b.example"}
    given: Any = {"acceptance": {}, "registries": mirrors, "claims": {"namespaces": ["team"]}}
    found = addons(WIDE, context=MODERN, **given, **every)
    assert found.injection and found.queues and found.monitoring and found.readiness and found.inference
    (flavor,) = found.queues.plan.stages[1]

    assert {key: getattr(found, key).options for key in every} == every
    assert found.injection.plan.scope.namespaces == found.queues.plan.namespaces == ("team",)
    assert [each["key"] for each in flavor["spec"]["tolerations"]] == ["gpu", "spot"]
    assert all(each.chart.chart.startswith("oci://b.example") for each in found.queues.plan.charts)
    assert "rdma-cluster-proofs" in found.monitoring.plan.monitors and found.inference.plan.namespace == "team"


@pytest.mark.parametrize(
    ("some", "choice", "path"),
    [
        (replace(WIDE, scales_from_zero=True), {"inference": MODEL}, "inference.pool"),
        (
            WIDE,
            {"inference": {**MODEL, "namespace": "x", "weights": {"storage": True}}, "storage": OURS},
            "inference.namespace",
        ),
        (
            WIDE,
            {"inference": {**MODEL, "weights": {"storage": True, "claim": "c"}}, "storage": OURS},
            "inference.weights.claim",
        ),
        (GIB, {"queues": ON, "claims": {"namespaces": ["kube-system"]}}, "claims.namespaces[0]"),
        (replace(GIB, scales_from_zero=True), {"queues": ON}, "queues.enabled"),
        (GIB, {"queues": {**ON, "ready_minutes": 0}}, "queues.ready_minutes"),
        # Keys of an add-on that is off are judged all the same.
        (GIB, {"injection": {**OFF, "annotation": "a b"}}, "injection.annotation"),
        (GIB, {"queues": {**OFF, "ready_minutes": 0}}, "queues.ready_minutes"),
        (GIB, {"monitoring": {**OFF, "labels": {"a b": "c"}}}, "monitoring.labels.a b"),
        (
            GIB,
            {"injection": OFF, "readiness": {**OFF, "renew": {"every": "x", "when": RenewWhen.IDLE}}},
            "readiness.renew.every",
        ),
    ],
)
def test_an_add_on_that_does_not_go_with_the_stack_is_refused_under_its_key(
    some: GpuPool, choice: dict[str, Any], path: str
):
    assert paths(refused(some, context=MODERN, **choice))[0] == path


@pytest.mark.parametrize(
    "choice",
    [
        {},
        dict.fromkeys(("injection", "queues", "monitoring", "readiness"), OFF),
        {"injection": {**OFF, "nemo": True}, "claims": {"pairs": []}},
        {"readiness": {**OFF, "leave_existing": True}, "acceptance": {"enabled": False}},
    ],
)
def test_what_is_off_asks_nothing_of_the_stack(choice: dict[str, Any]):
    """Neither an old version nor a pool that starts with no node is in its way."""
    assert addons(replace(GIB, scales_from_zero=True), context=CONTEXT, **choice) == Addons()
