"""The plan of what keeps nodes ready: which pools are proved, how often, and what a fault does."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.addons.readiness.args import NodeReadinessArgs, OnFault, RenewWhen
from rdma_cluster.incluster.addons.readiness.plan import ReadinessPlan, plan_readiness, plan_readiness_on
from rdma_cluster.incluster.plan.context import context_of
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import EFA, GIB, NAMED, NICS, PLUGGED

ARGS = NodeReadinessArgs(pools=[], pool_label="pool", taint={"key": "gpu", "value": "present"}, host="cos")
PYTHON = "python:3"


def on(given: Any, pools: Sequence[GpuPool], errors: ErrorList) -> ReadinessPlan | None:
    """The plan of pools in the cluster that args of the component describe."""
    acceptance, at = given.get("acceptance", {}), errors.at("acceptance")
    return plan_readiness_on(given, pools, context_of(given), acceptance, errors, at)


def planned(*pools: GpuPool, **args: Any) -> ReadinessPlan:
    """The plan of these pools, handed over as a stack does."""
    errors = ErrorList()
    made = on({**ARGS, **args}, pools, errors)
    assert made is not None, errors.found()
    return made


def rings(made: ReadinessPlan) -> list[dict[str, Any]]:
    """The pools of the prover's configuration."""
    assert made.prover is not None
    return json.loads(made.prover.files["config.json"])["pools"]


def test_the_prover_counts_a_nodes_devices_where_they_are_handed_out():
    """A claim's driver publishes slices, a device plugin counts on the node; a pool that nobody can test is no ring."""
    attachment = replace(FABRICS["efa-device-plugin"].nic_attachment, beside={"hugepages-2Mi": "5120Mi"})
    plugged = replace(PLUGGED, fabric=replace(PLUGGED.fabric, nic_attachment=attachment))
    made = planned(EFA, NICS, plugged, replace(NAMED, skip_reason="no nodes yet"), pull_secret_name="login")

    assert {each["name"]: (each["resources"], each["slices"]) for each in rings(made)} == {
        "efa": ({}, {"aws-dranet": 32, "gpu.nvidia.com": 8}),
        "nics": ({"nvidia.com/gpu": 8}, {"dranet": 8}),
        "plugged": ({"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}, {}),  # huge pages are no device
    }
    assert {each["name"]: each["fingerprint"] for each in rings(made)} == made.fingerprints
    assert {each["pullSecret"] for each in rings(made)} == {"login"}
    assert made.skip_reason == {"named": "no nodes yet"}
    (warning,) = made.warnings
    assert "pool named" in warning and "no nodes yet" in warning


def test_a_proof_is_renewed_after_hours_or_days_or_never():
    """An age has one to four digits, and begins with no zero; nodes from before are held unless they are left."""
    ages = {"12h": 12 * 3600, "1d": 86400, "9999h": 9999 * 3600}
    (made,) = rings(planned(GIB))
    assert (made["renewSeconds"], made["holds"]) == (7 * 86400, True)
    assert {every: rings(planned(GIB, renew={"every": every}))[0]["renewSeconds"] for every in ages} == ages
    (never,) = rings(planned(GIB, renew={"every": "12h", "when": RenewWhen.NEVER}, leave_existing=True))
    assert (never["renewSeconds"], never["holds"]) == (0, False)
    for wrong in ("0h", "01h", "10000h", "1w", "1 h", ""):
        assert on({**ARGS, "renew": {"every": wrong}}, [GIB], errors := ErrorList()) is None
        assert [str(each).partition(": ")[0] for each in errors.found()] == ["renew.every"]


@pytest.mark.parametrize(
    ("some", "slices", "mpi"),
    [((GIB,), True, False), ((NAMED,), False, False), ((NAMED, PLUGGED, GIB), True, True)],
    ids=["claims", "plugin", "mixed"],
)
def test_the_prover_has_the_rights_that_some_pool_needs(some: tuple[GpuPool, ...], slices: bool, mpi: bool):
    """It sees ResourceSlices and makes MPIJobs only where one pool at the least takes that."""
    made = planned(*some).prover
    assert made is not None

    assert ("resourceslices" in str(made.cluster_rules), "mpijobs" in str(made.test_rules)) == (slices, mpi)


@pytest.mark.parametrize("some", [replace(GIB, skip_reason="no nodes"), replace(GIB, nodes=1)], ids=["skipped", "one"])
def test_nodes_that_nobody_can_prove_are_not_held(some: GpuPool):
    """There is no prover and no taint as they join; faults are seen all the same."""
    made = planned(some, version="1.36")

    assert (made.prover, made.registration, made.fingerprints) == (None, None, {})
    assert list(made.skip_reason) == ["gib"]
    assert list(planned(replace(GIB, skip_reason="flex-start", comes_later=True)).fingerprints) == ["gib"]
    assert json.loads(made.watcher.files["faults.json"])["pools"]["gib"]["proved"] is False


@pytest.mark.parametrize(
    ("args", "taints"),
    [
        ({"version": "1.36"}, True),
        ({"version": "1.35"}, False),
        ({"version": "1.36", "taint_on_join": True}, True),
        ({"version": "1.36", "taint_on_join": False}, False),
    ],
)
def test_a_policy_taints_nodes_that_join_from_kubernetes_1_36_on(args: dict[str, Any], taints: bool):
    """It names the pools that are proved alone; where the cloud taints there is none."""
    made = planned(GIB, replace(NAMED, skip_reason="no nodes"), **args).registration

    assert (made is not None) is taints
    assert made is None or ("'gib'" in str(made), "named" in str(made)) == (True, False)


def test_a_proof_holds_while_what_is_proved_is_the_same():
    """The number of nodes, a new request for a test, images and taints change nothing; waivers and collectives do."""
    before = planned(GIB).fingerprints
    alike = [replace(GIB, nodes=9), replace(GIB, fingerprint="other"), replace(GIB, channels=True)]

    assert all(planned(each).fingerprints == before for each in alike)
    for same in ({"rerun": "x"}, {"taint_suspects": True}, {"images": {"python": PYTHON}}):
        assert planned(GIB, acceptance=same).fingerprints == before
    for other in ({"waive": ["gdr"]}, {"also_run": ["alltoall"]}):
        assert planned(GIB, acceptance=other).fingerprints != before
    others = ({"other_taints": {"spot": "*"}}, {"taint": {"key": "k", "value": "v"}})
    assert all(planned(GIB, **each).fingerprints == before for each in others)


@pytest.mark.parametrize("on_fault", OnFault)
def test_a_fault_taints_and_evicts_only_where_that_is_chosen(on_fault: OnFault):
    acts = on_fault is not OnFault.OBSERVE
    made = planned(GIB, on_fault=on_fault, evict=acts)
    config = json.loads(made.watcher.files["faults.json"])

    assert made.watcher.acts is config["evict"] is acts
    assert config["on_fault"] == on_fault.value
    assert len(made.warnings) == (on_fault is OnFault.REPAIR)
    assert json.loads(planned(GIB, on_fault=on_fault).watcher.files["faults.json"])["evict"] is False


@pytest.mark.parametrize("wrong", [{"pools": []}, {"pool_label": "a b"}, {"host": "windows"}, {"version": "x"}])
def test_the_component_alone_checks_what_a_stack_checks_by_other_keys(wrong: dict[str, Any]):
    given: Any = {**ARGS, "pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 2}]}
    errors = ErrorList()

    assert plan_readiness(given, errors) is not None
    assert plan_readiness({**given, **wrong}, errors) is None
    assert [str(each).partition(": ")[0] for each in errors.found()] == [*wrong]
