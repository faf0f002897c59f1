"""What keeps nodes ready, as it is planned: which pools, tested how and how often."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.addons.readiness.args import NodeReadinessArgs, OnFault, RenewWhen
from rdma_cluster.incluster.addons.readiness.plan import (
    ReadinessPlan,
    fingerprint_of,
    plan_readiness,
    plan_readiness_on,
    template_of,
)
from rdma_cluster.incluster.addons.readiness.policies import registration_policy
from rdma_cluster.incluster.plan.context import context_of
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.acceptance.plans import args as of_test, efa, only, pool as pool_args
from tests.incluster.pools import EFA, GIB, NAMED, NICS, PLUGGED

ARGS = NodeReadinessArgs(pools=[], pool_label="pool", taint={"key": "gpu", "value": "present"}, host="cos")
PYTHON = "python:3"
SINCE: Any = {"version": "1.36"}


def on(given: Any, pools: Sequence[GpuPool], errors: ErrorList) -> ReadinessPlan | None:
    """The plan of pools in the cluster that args of the component describe."""
    acceptance, at = given.get("acceptance", {}), errors.at("acceptance")
    return plan_readiness_on(given, pools, context_of(given), acceptance, errors, at)


def planned(*pools: GpuPool, **args: Any) -> ReadinessPlan:
    """The plan of these pools, handed over as a stack does."""
    given: Any = {**ARGS, **args}
    errors = ErrorList()
    made = on(given, pools, errors)
    assert made is not None, errors.found()
    return made


def refused(**args: Any) -> list[str]:
    """What is told; there is no plan."""
    given: Any = {**ARGS, **args}
    errors = ErrorList()
    assert on(given, [GIB], errors) is None
    return [str(error) for error in errors.found()]


def rings(made: ReadinessPlan) -> list[dict[str, Any]]:
    """What the prover is told of each pool, but for its tests."""
    assert made.prover is not None
    config = json.loads(made.prover.files["config.json"])
    assert config["poolLabel"] == "pool"
    return [{key: value for key, value in each.items() if key != "template"} for each in config["pools"]]


def test_what_the_prover_is_told_of_each_pool():
    """Devices of a node by whoever hands them out; a pool that nobody can test is held by nobody."""
    made = planned(EFA, NICS, PLUGGED, replace(NAMED, skip_reason="no nodes yet"), pull_secret_name="login")
    common = {"pullSecret": "login", "holds": True, "renewSeconds": 7 * 24 * 3600}

    assert rings(made) == [
        {
            **common,
            "name": "efa",
            "short": "efa",
            "fingerprint": made.fingerprints["efa"],
            "resources": {},
            "slices": {"aws-dranet": 32, "gpu.nvidia.com": 8},
        },
        {
            **common,
            "name": "nics",
            "short": "nics",
            "fingerprint": made.fingerprints["nics"],
            "resources": {"nvidia.com/gpu": 8},
            "slices": {"dranet": 8},
        },
        {
            **common,
            "name": "plugged",
            "short": "plugged",
            "fingerprint": made.fingerprints["plugged"],
            "resources": {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32},
            "slices": {},
        },
    ]
    assert made.skip_reason == {"named": "no nodes yet"}
    assert made.warnings == ("readiness: nodes of pool named take work as soon as they are Ready: no nodes yet",)


def test_what_is_counted_in_bytes_is_no_device():
    """A pod may ask for huge pages beside its NICs."""
    attachment = replace(FABRICS["efa-device-plugin"].nic_attachment, beside={"hugepages-2Mi": "5120Mi"})
    made = planned(replace(PLUGGED, fabric=replace(PLUGGED.fabric, nic_attachment=attachment)))

    assert rings(made)[0]["resources"] == {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}


@pytest.mark.parametrize(
    ("args", "seconds"),
    [
        ({}, 7 * 86400),
        ({"renew": {}}, 7 * 86400),
        ({"renew": {"every": "12h"}}, 12 * 3600),
        ({"renew": {"every": "1d"}}, 86400),
        ({"renew": {"every": "9999h", "when": RenewWhen.IDLE}}, 9999 * 3600),
        ({"renew": {"every": "12h", "when": RenewWhen.NEVER}}, 0),
    ],
)
def test_how_old_a_proof_may_be(args: dict[str, Any], seconds: int):
    """In hours or days; a week unless told otherwise, and any age where none is renewed."""
    made = planned(GIB, **args)

    assert (made.renew_seconds, rings(made)[0]["renewSeconds"]) == (seconds, seconds)


@pytest.mark.parametrize("every", ["0h", "01h", "10000h", "1w", "h", "1 h", ""])
def test_no_age(every: str):
    """Is told with one that is."""
    assert refused(renew={"every": every}) == [f"renew.every: got {every!r}; write hours or days, e.g. 12h or 7d"]


@pytest.mark.parametrize(("leave", "holds"), [(None, True), (False, True), (True, False)])
def test_nodes_that_were_there_before(leave: bool | None, holds: bool):
    """They are held, too, unless they are left."""
    made = planned(GIB, **({} if leave is None else {"leave_existing": leave}))

    assert rings(made)[0]["holds"] is holds
    assert rings(made)[0]["pullSecret"] == ""


@pytest.mark.parametrize(
    ("some", "slices", "mpi"),
    [((GIB,), True, False), ((EFA,), True, True), ((NAMED,), False, False), ((NAMED, PLUGGED, GIB), True, True)],
)
def test_rights_are_those_that_some_pool_needs(some: tuple[GpuPool, ...], slices: bool, mpi: bool):
    """To see ResourceSlices and to make MPIJobs; one pool that needs them is enough."""
    made = planned(*some).prover
    assert made is not None

    assert ("resourceslices" in str(made.cluster_rules), "mpijobs" in str(made.test_rules)) == (slices, mpi)


@pytest.mark.parametrize("some", [replace(GIB, skip_reason="no nodes"), replace(GIB, nodes=1)])
def test_nothing_can_be_proved(some: GpuPool):
    """Then there is no prover, and no node is tainted as it joins; faults are seen all the same."""
    made = planned(some, **SINCE)

    assert (made.prover, made.registration, made.fingerprints) == (None, None, {})
    assert list(made.skip_reason) == ["gib"]
    assert json.loads(made.watcher.files["faults.json"])["pools"]["gib"]["proved"] is False


@pytest.mark.parametrize(
    ("args", "taints"),
    [
        ({"version": "1.36"}, True),
        ({"version": "1.36", "taint_on_join": True}, True),
        ({"version": "1.36", "taint_on_join": False}, False),
        ({"version": "1.35"}, False),
    ],
)
def test_nodes_are_tainted_as_they_join(args: dict[str, Any], taints: bool):
    """From Kubernetes 1.36 on, unless their cloud does it; those of pools that are proved alone."""
    made = planned(GIB, replace(NAMED, skip_reason="no nodes"), **args)

    assert made.registration == (registration_policy("pool", ["gib"]) if taints else None)


def test_a_pool_whose_nodes_come_later_is_proved_then():
    """For whatever reason `up` cannot test it."""
    later = replace(GIB, skip_reason="flex-start", comes_later=True)

    assert list(planned(later).fingerprints) == ["gib"]
    assert list(planned(replace(later, comes_later=False)).fingerprints) == []


def test_a_proof_holds_while_what_is_proved_is_the_same():
    """However many nodes there are, whoever makes them anew, whether a test is asked for again."""
    before = planned(GIB).fingerprints
    alike = [replace(GIB, nodes=9), replace(GIB, fingerprint="other"), replace(GIB, channels=True)]

    assert all(planned(each).fingerprints == before for each in alike)
    for same in ({"rerun": "x"}, {"taint_suspects": True}):
        assert planned(GIB, acceptance=same).fingerprints == before
    for other in ({"waive": ["gdr"]}, {"also_run": ["alltoall"]}, {"images": {"python": PYTHON}}):
        assert planned(GIB, acceptance=other).fingerprints != before
    others = ({"other_taints": {"spot": "*"}}, {"taint": {"key": "k", "value": "v"}})
    assert all(planned(GIB, **each).fingerprints != before for each in others)


@pytest.mark.parametrize(
    ("args", "image"),
    [
        ({"acceptance": {"images": {"python": PYTHON}}, "registries": {"docker.io": "m"}}, PYTHON),
        ({"registries": {"docker.io": "m.example"}}, "m.example/library/python:"),
        ({"acceptance": {"images": {}}}, "docker.io/library/python:"),
    ],
)
def test_the_image_of_prover_and_watcher(args: dict[str, Any], image: str):
    """The judge's: the user's own, or the pinned one from its mirror."""
    made = planned(GIB, **args)
    assert made.prover is not None

    for pod in (made.prover.deployment, made.watcher.spec):
        (container,) = pod["template"]["spec"]["containers"]
        assert container["image"].startswith(image)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"acceptance": {"enabled": False}}, ["enabled: got true; nothing proves a node where acceptance.enabled is"]),
        ({"evict": True}, ["evict: got true; onFault is observe"]),
        ({"evict": True, "on_fault": OnFault.OBSERVE}, ["evict: got true; onFault is observe"]),
        ({"acceptance": {"waive": ["x"]}}, ["acceptance.waive[0]: got 'x'"]),
    ],
)
def test_what_keeps_no_node_ready(args: dict[str, Any], told: list[str]):
    """Is refused by its own key, once."""
    found = refused(**args)

    assert len(found) == len(told) and all(map(str.startswith, found, told)), found


@pytest.mark.parametrize("on_fault", OnFault)
def test_what_a_fault_does(on_fault: OnFault):
    """It taints where that is chosen, and ends pods only then; a repair is told of."""
    made = planned(GIB, on_fault=on_fault, evict=on_fault is not OnFault.OBSERVE)
    config = json.loads(made.watcher.files["faults.json"])

    assert made.on_fault is on_fault and made.watcher.acts == (on_fault is not OnFault.OBSERVE)
    assert (config["on_fault"], config["evict"]) == (on_fault.value, on_fault is not OnFault.OBSERVE)
    assert [each.partition(";")[0] for each in made.warnings] == (
        ["readiness.onFault is repair"] if on_fault is OnFault.REPAIR else []
    )
    assert json.loads(planned(GIB).watcher.files["faults.json"])["evict"] is False


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({}, ""),
        ({"pools": []}, "pools"),
        ({"pool_label": "a b"}, "pool_label"),
        ({"taint": {"key": "a b", "value": "c"}}, "taint"),
        ({"host": "windows"}, "host"),
        ({"version": "x"}, "version"),
        ({"registries": {"x y": "z"}}, "registries.x y"),
        ({"acceptance": {"waive": ["x"]}}, "acceptance.waive[0]"),
    ],
)
def test_a_component_of_its_own(wrong: dict[str, Any], path: str):
    """It checks what a stack checks by other keys, each by itself."""
    given: Any = {**ARGS, "pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 2}], **wrong}
    errors = ErrorList()
    made = plan_readiness(given, errors)

    assert (made is None) == bool(path)
    assert [str(each).partition(": ")[0].partition(".key")[0] for each in errors.found()] == [path] * bool(path)


@pytest.mark.parametrize(("given", "kind"), [(of_test(pool_args("a_b")), "Job"), (efa(), "MPIJob")])
def test_a_template_of_tests(given: dict[str, Any], kind: str):
    """What is filled in for other nodes, with the times of its parts, and names that are replaced."""
    test = only({**given, "also_run": ["alltoall", "sendrecv"]})
    made = test.job if kind == "Job" else test.mpi_job
    assert made is not None

    assert template_of(test) == {
        "name": made["metadata"]["name"],
        "host": f"nccl-{test.short}",
        "config": f"nccl-expect-{test.short}",
        "test": made,
        "service": test.service,
        "expectation": test.expectation.to_json(),
        "collectives": 3,
        "ready_seconds": 900 if kind == "Job" else 300,
        "pair_seconds": 600,
        "seconds": (900 if kind == "Job" else 300) + 60 + 3 * 630,
    }
    assert (made["kind"], made["metadata"]["name"]) == (kind, f"nccl-{test.short}-{fingerprint_of(test)}")
