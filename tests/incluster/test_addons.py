"""What a user switches on beside the fabric: what each add-on is told of the cluster, and what is warned of."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.errors import ErrorList
from rdma_cluster.incluster.addons.plan import readiness_of
from rdma_cluster.incluster.plan.context import Addons, ClusterContext
from rdma_cluster.incluster.plan.dra_drivers import InstalledBy
from rdma_cluster.incluster.plan.pool import GpuPool

from tests.incluster.pools import CHOICE, CONTEXT, GIB, NAMED, NICS
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
    """Pools, label, taints, version, host and mirrors, as far as it asks; of the user's keys all but the switch."""
    mirrors = {"a.example": "b.example"}
    every: dict[str, Any] = {
        "injection": {**ON, "annotation": "own"},
        "queues": {**ON, "preemption": True},
        "monitoring": {**ON, "labels": {"a": "b"}},
        "readiness": {**ON, "leave_existing": True},
        "inference": {**MODEL, "start_minutes": 90},
    }
    found = made(WIDE, acceptance={}, registries=mirrors, claims={"namespaces": ["team"]}, **every)
    taint, pool = {"key": "gpu", "value": "present"}, WIDE.as_args()
    nodes = {**pool, "nodes": 2}
    assert found.injection and found.queues and found.monitoring and found.readiness and found.inference

    assert found.injection.args == {
        "annotation": "own",
        "pools": [pool],
        "pool_label": "pool",
        "taint": taint,
        "other_taints": {"spot": "*"},
        "version": "1.36",
        "claims": {"namespaces": ["team"]},
    }
    assert found.queues.args == {
        "preemption": True,
        "pools": [nodes],
        "pool_label": "pool",
        "taint": taint,
        "other_taints": {"spot": "*"},
        "registries": mirrors,
        "namespaces": ["team"],
        "create_namespaces": False,
    }
    assert found.monitoring.args == {
        "labels": {"a": "b"},
        "pools": [nodes],
        "pool_label": "pool",
        "host": "cos",
        "registries": mirrors,
        "renew_seconds": 7 * 86400,
    }
    assert found.readiness.args == {
        "leave_existing": True,
        "pools": [nodes],
        "pool_label": "pool",
        "taint": taint,
        "other_taints": {"spot": "*"},
        "host": "cos",
        "version": "1.36",
        "registries": mirrors,
        "acceptance": {},
        "taint_on_join": False,
    }
    assert found.inference.args == {
        **MODEL,
        "start_minutes": 90,
        "pools": [{**nodes, "disk_gb": 2000}],
        "pool_label": "pool",
        "taint": taint,
        "other_taints": {"spot": "*"},
        "version": "1.36",
        "registries": mirrors,
        "namespace": "team",
        "pod_files": InstalledBy.EXISTING,
    }


@pytest.mark.parametrize(("version", "passed"), [("1.36", "1.36"), ("1.35.2", "1.35.2"), ("latest", "1.36")])
def test_what_is_no_version_is_told_once(version: str, passed: str):
    """By the stack's own key: an add-on takes one that fits all."""
    found = made(NAMED, context=replace(CONTEXT, version=version), injection={**ON, "engine": "kyverno"})

    assert found.injection and found.injection.args.get("version") == passed


@pytest.mark.parametrize(("taints", "joins"), [(True, False), (False, None)])
def test_whose_nodes_the_prover_taints(taints: bool, joins: bool | None):
    """A cloud whose pools register with the taint needs no policy for it."""
    context = replace(MODERN, pools_taint=taints)
    found = readiness_of(context, [GIB], replace(CHOICE, readiness=ON), ErrorList())
    login = readiness_of(context, [GIB], replace(CHOICE, readiness=ON, pull_secret="x"), ErrorList())

    assert found and login
    assert found.args.get("taint_on_join") == joins
    assert (found.plan.registration is None) == taints
    assert found.args.get("pull_secret_name") is None
    assert login.args.get("pull_secret_name") == "rdma-cluster-pull"


def test_whose_exporter_is_watched():
    """The one that the cloud or an operator brings; proofs where a prover is."""
    bare = made(GIB, monitoring=ON).monitoring
    brought = made(GIB, context=replace(MODERN, gpu_exporter=EXPORTER), monitoring=ON).monitoring
    nobody = made(replace(GIB, skip_reason="no nodes"), acceptance={}, readiness=ON, monitoring=ON).monitoring

    assert bare and brought and nobody
    assert "managed_exporter" not in bare.args and "renew_seconds" not in bare.args
    assert brought.args.get("managed_exporter") == EXPORTER
    assert "renew_seconds" not in nobody.args


@pytest.mark.parametrize(
    ("waived", "passed"),
    [
        ([], None),
        (["bandwidth"], None),
        (["gdr", "bandwidth", "socket"], ["gdr", "socket"]),
        (["transport"], ["transport"]),
    ],
)
def test_gates_that_a_model_may_lack(waived: list[str], passed: list[str] | None):
    """Those of the fabric's test that its use has, too."""
    found = made(WIDE, acceptance={"enabled": False, "waive": waived}, inference=MODEL).inference

    assert found and found.args.get("waive") == passed


@pytest.mark.parametrize(
    ("namespaces", "own", "where", "files"),
    [
        (None, None, "default", InstalledBy.EXISTING),
        (["team", "other"], None, "team", InstalledBy.EXISTING),
        (["team", "other"], "other", "other", InstalledBy.EXISTING),
        (["team"], "elsewhere", "elsewhere", None),
    ],
)
def test_where_a_model_is_served(namespaces: list[str] | None, own: str | None, where: str, files: InstalledBy | None):
    """In the first of the claims' namespaces, where its files are already; elsewhere it brings them."""
    claims = {} if namespaces is None else {"namespaces": namespaces}
    found = made(WIDE, claims=claims, inference={**MODEL, **({"namespace": own} if own else {})}).inference

    assert found and (found.args.get("namespace"), found.args.get("pod_files")) == (where, files)


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
