"""What a user switches on beside the fabric: what each add-on is told of the cluster, and what is warned of."""

import json
from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.incluster.addons import Addons
from rdma_cluster.incluster.plan.context import ClusterContext
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import CONTEXT, GIB, NAMED, NICS, WITH_FILES
from tests.incluster.test_in_cluster import OURS, planned, refused

ON: Any = {"enabled": True}
MODEL = {"model": "meta-llama/Llama-3.1-405B-Instruct"}
WIDE = replace(GIB, disk_gb=2000)
MODERN = replace(CONTEXT, version="1.36", other_taints={"spot": "*"})
TAKES: Any = {"enabled": True, "worker": {"queues": {"shared": "gib"}}}
SERVED = ["inference"] * 2
"""What every served model is warned of."""
EXPORTER: Any = {"namespace": "gpu-operator", "labels": {"app": "dcgm"}}


def made(*pools: GpuPool, context: ClusterContext = MODERN, **choice: Any) -> Addons:
    """The add-ons of a cluster."""
    return planned(*pools, context=context, **choice).addons


def told(*pools: GpuPool, context: ClusterContext = MODERN, **choice: Any) -> list[str]:
    """What is warned of."""
    return [each.partition(":")[0] for each in made(*pools, context=context, **choice).warnings]


def test_nothing_is_switched_on():
    """Off, or not spoken of."""
    off: Any = {"enabled": False}

    assert made(GIB) == Addons()
    assert made(GIB, injection=off, queues=off, monitoring=off, readiness=off) == Addons()


@pytest.mark.parametrize(
    ("some", "context", "choice", "warned"),
    [
        # Claims that injection adds Kueue does not count; without claims there are none.
        (GIB, MODERN, {"queues": ON, "injection": ON}, ["queues"]),
        (NAMED, MODERN, {"queues": ON, "injection": ON}, []),
        (GIB, MODERN, {"queues": ON}, []),
        (GIB, MODERN, {"injection": ON}, []),
        # Jobs that name no cloud, of pods that get no fabric, and whose GPUs are claimed.
        (NICS, MODERN, {"queues": {**TAKES, "worker": {"queues": {"shared": "nics"}}}}, ["queues.worker"]),
        (NICS, MODERN, {"queues": {**TAKES, "worker": {"queues": {"s": "nics"}}}, "injection": ON}, ["queues"]),
        (GIB, MODERN, {"queues": TAKES}, ["queues.worker", "queues.worker"]),
        # Nodes that serve stay on the quota.
        (WIDE, MODERN, {"queues": ON, "inference": MODEL}, ["queues", *SERVED]),
        (WIDE, MODERN, {"inference": MODEL}, SERVED),
        # Whether anything keeps other pods away is known of a cluster of ours whose network does it.
        (WIDE, replace(MODERN, enforces_policies=False), {"inference": MODEL}, ["inference", *SERVED]),
        (WIDE, replace(MODERN, makes_namespaces=False), {"inference": MODEL}, ["inference", *SERVED]),
        (WIDE, replace(MODERN, enforces_policies=False), {"monitoring": ON}, ["monitoring"]),
        (GIB, MODERN, {"injection": {**ON, "engine": "kyverno"}}, ["injection.engine is kyverno"]),
        (GIB, MODERN, {"monitoring": ON}, ["monitoring"]),
    ],
)
def test_what_is_warned_of(some: GpuPool, context: ClusterContext, choice: dict[str, Any], warned: list[str]):
    """What an add-on alone, or two that do not know of each other, leave to the user."""
    assert told(some, context=context, **choice) == warned


def test_warnings_come_add_on_by_add_on():
    """In one order, whichever are there."""
    every = {"queues": TAKES, "inference": MODEL, "monitoring": ON}

    assert told(WIDE, context=replace(MODERN, enforces_policies=False), **every) == [
        *("queues.worker", "queues.worker", "queues", "inference", *SERVED, "monitoring")
    ]


def test_an_add_on_is_told_of_its_cluster():
    """Pools, label, taints, mirrors and namespaces, as far as it asks; its options stay the user's."""
    every: dict[str, Any] = {
        "injection": {**ON, "annotation": "own"},
        "queues": {**ON, "preemption": True},
        "monitoring": {**ON, "labels": {"a": "b"}},
        "readiness": {**ON, "leave_existing": True},
        "inference": {**MODEL, "start_minutes": 90},
    }
    mirrors = {"docker.io/vllm": "b.example", "registry.k8s.io": "b.example"}
    found = made(WIDE, acceptance={}, registries=mirrors, claims={"namespaces": ["team"]}, **every)
    assert found.injection and found.queues and found.monitoring and found.readiness and found.inference

    assert {key: getattr(found, key).options for key in every} == every
    assert found.injection.plan.scope.namespaces == found.queues.plan.namespaces == ("team",)
    assert found.queues.plan.new_namespaces == ()
    (flavor,) = found.queues.plan.stages[1]
    assert [each["key"] for each in flavor["spec"]["tolerations"]] == ["gpu", "spot"]
    assert [each.chart.chart.startswith("oci://b.example") for each in found.queues.plan.charts] == [True, True]
    assert "rdma-cluster-proofs" in found.monitoring.plan.monitors
    assert found.inference.plan.namespace == "team"
    assert [set(getattr(found, key).statements) for key in every] == [set(found.queues.statements)] * len(every)


@pytest.mark.parametrize("version", ["1.36", "latest"])
def test_what_is_no_version_is_told_once(version: str):
    """By the stack's own key: an add-on takes one that fits all."""
    context = replace(CONTEXT, version=version)

    assert made(NAMED, context=context, injection=ON).injection is not None
    assert refused(NAMED, context=replace(CONTEXT, version="1.35"), injection=ON)


@pytest.mark.parametrize("taints", [True, False])
def test_whose_nodes_the_prover_taints(taints: bool):
    """A cloud whose pools register with the taint needs no policy for it; tests pull by the stack's login."""
    context = replace(MODERN, pools_taint=taints)
    config = json.dumps({"auths": {"a.example": {"username": "u", "password": "p"}}})
    found = made(GIB, context=context, acceptance={}, readiness=ON).readiness
    login = made(GIB, context=context, acceptance={}, readiness=ON, pull_secret=config).readiness

    assert found and login and found.plan.prover and login.plan.prover
    assert (found.plan.registration is None) == taints
    assert "rdma-cluster-pull" not in found.plan.prover.files["config.json"]
    assert "rdma-cluster-pull" in login.plan.prover.files["config.json"]


def test_whose_exporter_is_watched():
    """The one that the cloud or an operator brings; proofs where a prover is."""
    bare = made(GIB, monitoring=ON).monitoring
    brought = made(GIB, context=replace(MODERN, gpu_exporter=EXPORTER), monitoring=ON).monitoring
    nobody = made(replace(GIB, skip_reason="no nodes"), acceptance={}, readiness=ON, monitoring=ON).monitoring

    assert bare and brought and nobody
    assert bare.plan.exports_gpus and not brought.plan.exports_gpus
    assert bare.plan.monitors.keys() == nobody.plan.monitors.keys()


@pytest.mark.parametrize(
    ("waived", "passed"),
    [
        ([], []),
        (["bandwidth"], []),
        (["gdr", "bandwidth", "socket"], ["gdr", "socket"]),
        (["transport"], ["transport"]),
    ],
)
def test_gates_that_a_model_may_lack(waived: list[str], passed: list[str]):
    """Those of the fabric's test that its use has, too."""
    found = made(WIDE, acceptance={"enabled": False, "waive": waived}, inference=MODEL).inference
    assert found is not None

    for gate in ("gdr", "bandwidth", "socket", "transport"):
        assert (f"'{gate}'" in str(found.plan.objects.check.job)) == (gate in passed)


@pytest.mark.parametrize(
    ("namespaces", "own", "where", "brings"),
    [
        (None, None, "default", False),
        (["team", "other"], None, "team", False),
        (["team", "other"], "other", "other", False),
        (["team"], "elsewhere", "elsewhere", True),
    ],
)
def test_where_a_model_is_served(namespaces: list[str] | None, own: str | None, where: str, brings: bool):
    """In the first of the claims' namespaces, where its files are already; elsewhere it brings them."""
    context = replace(MODERN, host="ubuntu-operator")
    claims = {} if namespaces is None else {"namespaces": namespaces}
    options = {**MODEL, **({"namespace": own} if own else {})}
    found = made(replace(WITH_FILES, disk_gb=2000), context=context, claims=claims, inference=options).inference

    assert found and (found.plan.namespace, bool(found.plan.files)) == (where, brings)


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
    ],
)
def test_add_ons_that_do_not_go_with_the_stack(some: GpuPool, choice: dict[str, Any], path: str):
    """Are refused under the key that is wrong."""
    assert refused(some, context=MODERN, **choice)[0].partition(": ")[0] == path


def test_a_pool_that_goes_beside_the_one_that_serves():
    """Is no obstacle."""
    beside = replace(NAMED, scales_from_zero=True)

    assert made(beside, WIDE, inference={**MODEL, "pool": "gib"}).inference is not None


def test_pools_of_one_queue():
    """Are refused, whichever came first."""
    (line,) = refused(replace(GIB, name="a_b"), replace(NAMED, name="a-b"), context=MODERN, queues=ON)

    assert line.startswith("queues: pools a-b and a_b would have one queue")
