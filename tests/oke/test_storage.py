"""A file system of File Storage with Lustre: the sizes that are sold, what a stack needs for it, and when it comes."""

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.oke.plan.storage import (
    OkeLustrePlan,
    OkeStorageArgs,
    OkeStoragePlan,
    choose_storage,
    plan_storage,
    storage_warnings,
)
from rdma_cluster.oke.plan.zones import Place
from tests.oke.plans import COMPARTMENT, IN_CLUSTER, built, made, places, pool_plan, refused

LEAST = 31_200
PLACE = Place(**IN_CLUSTER)
FILES = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
NODES = "oci:Core/computeCluster:ComputeCluster"
ARGS: dict[str, Any] = {**IN_CLUSTER, "subnet": "s", "namespaces": ["a"], "lustre": {"capacity_gb": LEAST}}


def planned(**more: Any) -> OkeStoragePlan:
    """The plan of a file system."""
    return plan_from(OkeStorageArgs, plan_storage, {**ARGS, **more})


def chosen(choice: Any, own_network: bool = True) -> tuple[OkeStoragePlan | None, list[str]]:
    """The plan of a stack's choice, and where it is refused."""
    errors = ErrorList()
    plan = choose_storage(choice, place=PLACE, own_network=own_network, errors=errors)
    return plan, places([str(error) for error in errors.found()])


def test_a_file_system_has_the_least_throughput_and_is_protected_unless_somebody_chooses():
    fast = {"capacity_gb": LEAST, "mbps_per_tb": 1000, "deletable": True}

    assert planned().lustre == OkeLustrePlan(PLACE, LEAST, 125, protected=True)
    assert planned(lustre=fast).lustre == OkeLustrePlan(PLACE, LEAST, 1000, protected=False)


def test_a_volume_is_as_large_as_its_file_system_rounded_up():
    """31,200 GB are 29,058 GiB; a volume that is smaller than its file system is taken."""
    mounted = planned().store.mounted

    assert mounted is not None and (mounted.driver, mounted.fs_type) == ("lustre.csi.oraclecloud.com", "lustre")
    assert (mounted.capacity_gib - 1) << 30 < LEAST * 10**9 <= mounted.capacity_gib << 30


@pytest.mark.parametrize(
    ("size", "near"),
    [
        *((size, []) for size in (31_200, 41_600, 114_400, 124_800, 166_400, 790_400, 832_000)),
        (31_199, ["31,200"]),
        (31_201, ["31,200", "41,600"]),
        (135_200, ["124,800", "166,400"]),
        (832_001, ["832,000"]),
        (0, ["31,200"]),
    ],
)
def test_a_size_that_is_not_sold_is_refused_with_the_nearest(size: int, near: list[str]):
    """Sizes go in steps of 10,400 up to 124,800, and then of 41,600."""
    errors = refused(planned, lustre={"capacity_gb": size})

    assert places(errors) == (["lustre.capacity_gb"] if near else [])
    assert all(each in "".join(errors).rpartition("; ")[2] for each in near)


@pytest.mark.parametrize("throughput", [124, 125, 250, 500, 1000])
def test_throughput_is_one_of_four(throughput: int):
    errors = refused(planned, lustre={"capacity_gb": LEAST, "mbps_per_tb": throughput})

    assert places(errors) == (["lustre.mbps_per_tb"] if throughput == 124 else [])


def test_a_stack_has_a_file_system_in_its_own_network_or_a_store_that_exists():
    lustre = {"lustre": {"capacity_gb": LEAST}}
    plan, errors = chosen(lustre)
    there, _ = chosen({"existing": {"claim": "data"}}, own_network=False)

    assert plan is not None and plan.lustre is not None and errors == []
    assert chosen(lustre, own_network=False)[1] == ["lustre"]
    assert chosen({"object_store": {}}) == (None, ["object_store"])
    assert there is not None and (there.store.claim, there.lustre) == ("data", None)
    assert chosen({**lustre, "existing": {"claim": "data"}})[0] is None


@pytest.mark.parametrize(
    ("policies", "pools", "words"),
    [
        (True, ["listed"], []),
        (False, ["listed"], ["Allow service lustrefs to use"]),
        (True, ["listed", "newer", "arm"], ["the nodes of newer, arm are not known to have"]),
        (False, ["newer"], ["with identity.existing a policy", "the nodes of newer are not known to have"]),
    ],
)
def test_a_file_system_needs_a_policy_and_a_client_in_the_image(policies: bool, pools: list[str], words: list[str]):
    """Ubuntu 22.04 on x86 alone is listed; of a store that exists nothing is said."""
    plan = pool_plan()
    listed = replace(plan, name="listed", image=replace(plan.image, title="ubuntu-22.04-570"))
    arm = replace(listed, name="arm", machine=replace(plan.machine, architecture="arm64"))
    named = {"listed": listed, "newer": replace(plan, name="newer"), "arm": arm}
    warnings = storage_warnings(planned(), [named[name] for name in pools], policies=policies)

    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))
    there, _ = chosen({"existing": {"claim": "data"}})
    assert storage_warnings(there, [plan], policies=policies) == []


@pytest.mark.parametrize(("deletable", "options"), [(False, {"protect": True}), (True, {})])
def test_a_file_system_is_kept_unless_it_may_go(deletable: bool, options: dict[str, bool]):
    """Root of a pod is root of its files."""
    lustre = {"capacity_gb": 31_200, "mbps_per_tb": 250, "deletable": deletable}
    args = {**IN_CLUSTER, "subnet": "s", "groups": ["g"], "namespaces": ["a"], "lustre": lustre}
    files, of_files, _ = made(built("OkeStorage", args), "FileStorageLustreFileSystem", "oke-storage")

    assert (files["capacityInGbs"], files["performanceTier"]) == (31_200, "MBPS_PER_TB_250")
    assert (files["rootSquashConfiguration"], files["nsgIds"]) == ({"identitySquash": "NONE"}, ["g"])
    assert of_files.keys() - {"customTimeouts"} == options.keys()


def registered() -> tuple[list[str], tuple[str, ...]]:
    """Types in the order in which the engine hears of them, and what the file system depends on; nodes take a while."""
    from pulumi_offline.invoke_results import KNOWN
    from pulumi_offline.monitor import Monitor
    from pulumi_offline.project import Settings
    from pulumi_offline.runtime import run

    order: list[str] = []

    class Ordered(Monitor):
        def RegisterResource(self, request: Any) -> Any:
            order.append(request.type)
            return super().RegisterResource(request)

    async def late() -> str:
        await asyncio.sleep(0.1)
        return "nodes"

    def program() -> None:
        import pulumi
        import pulumi_oci as oci
        from rdma_cluster.oke.storage import OkeStorage

        name = pulumi.Output.from_input(late())
        nodes = oci.core.ComputeCluster("nodes", availability_domain="a", compartment_id=COMPARTMENT, display_name=name)
        OkeStorage("oke", ARGS, after=[nodes])  # ty: ignore[invalid-argument-type]

    monitor = Ordered(Settings("project", "dev"), KNOWN)
    run(nullcontext(program), monitor, Settings("project", "dev"))
    return [each for each in order if each in (FILES, NODES)], monitor.graph().one(FILES).dependencies


def test_a_file_system_comes_after_nodes_and_does_not_keep_them():
    """It waits by its subnet and not as a dependency, which a protected one would keep."""
    assert registered() == ([NODES, FILES], ())
