"""Racks: a test by the NICs with NVLink off, and one over NVLink with a ComputeDomain, after it."""

import re
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.fabrics import GpuAllocation, Launcher
from rdma_cluster.incluster.plan.acceptance import PoolTest
from tests.acceptance.bench import Bench
from tests.acceptance.plans import args, containers, plan, pool

_RACK: dict[str, Any] = {
    "machine": "a4x-highgpu-4g",
    "fabric": "gib-arm64-managed",
    "gpu_allocation": GpuAllocation.DEVICE_PLUGIN,
    "channels": True,
}


def both_tests(**more: Any) -> list[PoolTest]:
    """The tests of a pool of three nodes of a rack."""
    return list(plan(args(pool("rack", nodes=3, **{**_RACK, **more}))).tests)


def env_of(test: PoolTest) -> dict[str, str]:
    """The variables that the script of the leading pod reads."""
    return {each["name"]: each.get("value", "") for each in containers(test)["test"]["env"]}


def claims_of(test: PoolTest) -> list[str]:
    """The templates of a pod's claims."""
    spec = test.test["spec"]["template"]["spec"]
    return [each["resourceClaimTemplateName"] for each in spec["resourceClaims"]]


def test_a_rack_is_proved_by_its_nics_and_then_over_nvlink():
    """NVLink is off in the first test, and the second has a channel beside the NICs."""
    nics, nvlink = both_tests()

    assert [env_of(test)["NVLINK"] for test in (nics, nvlink)] == ["0", "1"]
    assert [test.expectation.network.transport for test in (nics, nvlink)] == ["gIB", "NVLink"]
    assert claims_of(nics) == ["a4x-highgpu-4g-nics"]
    assert claims_of(nvlink) == ["a4x-highgpu-4g-nics", "nccl-rack-nvlink"]
    assert nics.compute_domain is None
    assert (nics.expectation.uses_wire, nvlink.expectation.uses_wire) == (True, False)
    assert "NVLINK" not in env_of(plan(args()).tests[0])
    assert (nics.test["spec"]["completions"], nvlink.test["spec"]["completions"]) == (3, 3)


def test_the_channel_is_the_domains():
    """The pods claim by the template that the ComputeDomain makes, in one namespace."""
    _, nvlink = both_tests()
    domain = nvlink.compute_domain
    assert domain is not None

    assert domain["spec"]["channel"]["resourceClaimTemplate"]["name"] in claims_of(nvlink)
    assert domain["metadata"]["namespace"] == nvlink.test["metadata"]["namespace"]


def test_the_tests_of_a_rack_have_other_names():
    """Pods find and avoid each other by them, and one test must not see the other's."""
    nics, nvlink = both_tests()
    assert nics.service is not None
    assert nvlink.service is not None

    assert nics.service["metadata"]["name"] != nvlink.service["metadata"]["name"]
    assert nics.service["spec"]["selector"] != nvlink.service["spec"]["selector"]
    assert nics.test["metadata"]["name"] != nvlink.test["metadata"]["name"]


@pytest.mark.parametrize(
    ("own", "waived"), [({}, [("bandwidth", "gdr"), ("gdr",)]), (["all_reduce:8G=300"], [("bandwidth", "gdr")] * 2)]
)
def test_bandwidth_that_is_waived_for_want_of_a_figure_of_the_nics_is_judged_over_nvlink(own: Any, waived: Any):
    """Where the NICs have a figure, here the user's, the waiver is of both."""
    racks = pool("rack", nodes=3, machine="Standard_ND128isr_GB300_v6", fabric="infiniband", channels=True)
    given = {"thresholds": {"Standard_ND128isr_GB300_v6": own}} if own else {}

    tests = plan(args(racks, waive=["bandwidth", "gdr"], **given)).tests

    assert [test.measure.waive for test in tests] == waived
    assert tests[1].expectation.thresholds["all_reduce"]


def test_own_thresholds_are_of_the_nics():
    """The user's figure is for one collective; NVLink keeps its own."""
    given = args(pool("rack", **_RACK), thresholds={"a4x-highgpu-4g": ["reduce_scatter:1G=100"]})
    nics, nvlink = plan(given).tests

    assert (nics.expectation.collective, nvlink.expectation.collective) == ("reduce_scatter", "all_gather")


def test_a_pool_may_not_be_called_like_the_test_over_nvlink():
    with pytest.raises(Refused) as caught:
        plan(args(pool("rack", **_RACK), pool("rack-nvlink", **_RACK)))

    assert "rack-nvlink" in str(caught.value)


@pytest.mark.parametrize("way", ["0", "1"])
def test_the_way_outlives_the_plugins_script(tmp_path: Path, way: str):
    """The choice holds whatever the pod's environment and the plugin's script say."""
    made = Bench(tmp_path / "root", 2, Launcher.INDEXED_JOB, [])
    made.sandbox.program("usr/local/gib/scripts/set_nccl_env.sh", "export NCCL_MNNVL_ENABLE=2\n")
    made.sandbox.change("bin/mpirun", "grep '^OMPI_'", "grep '^NCCL_MNNVL'")

    made.run_test(NVLINK=way, NCCL_MNNVL_ENABLE="2")

    (call,) = made.sandbox.lines("mpirun.calls")
    assert " -x NCCL_MNNVL_ENABLE " in call
    assert made.sandbox.lines("mpirun.env") == [f"NCCL_MNNVL_ENABLE={way}"]


@pytest.mark.parametrize(("domains", "wanted"), [("abab", ["0,2", "1,3"]), ("aaaa", [])])
def test_nodes_of_one_rack_are_paired_and_a_wrong_number_of_racks_is_told(
    tmp_path: Path, domains: str, wanted: list[str]
):
    """Pods come to nodes in any order; NVLink ends at a rack."""
    made = Bench(tmp_path / "root", 4, Launcher.INDEXED_JOB, [])
    (made.sandbox.root / "racks").mkdir()
    for member, rack in zip(made.members, domains, strict=True):
        (made.sandbox.root / f"racks/{member}.{made.domain}").write_text(f"uuid-{rack}.1\n")
    answers = 'case $2 in */rack) exec cat "$ROOT/racks/$host" ;; esac; exec cat "$ROOT/nodes/$host"'
    made.sandbox.change("bin/ssh", 'exec cat "$ROOT/nodes/$host"', answers)

    ended = made.run_test(NVLINK="1", RACKS="2")

    calls = [re.findall(r"-(\d+)\.nccl-a:", call) for call in made.sandbox.lines("mpirun.calls")]
    assert sorted(",".join(call[:2]) for call in calls) == wanted
    assert ("in 1 NVLink domains; wanted 2" in ended.out) is (not wanted)
