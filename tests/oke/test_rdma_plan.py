"""How pods get the NICs and who hands out the GPUs: add-ons, fabric and warnings of each choice."""

from typing import Any

import pytest
from tests.oke.plans import IN_EXISTING, RACKS, STACK_POOL, places, refused, row, whole_plan

FEATURES, GPUS, NETWORK = "NodeFeatureDiscovery", "NvidiaGpuOperator", "NvidiaNetworkOperator"
WITHOUT, UNMERGED = row("BM.GPU.H200-NC.8").name, row("BM.GPU.H100T.8").name
SRIOV, DRANET, OPERATOR = {"nic_attachment": "sriov"}, {"nic_attachment": "dranet"}, {"gpu_plugin": "operator"}
CLAIMED = {**STACK_POOL, "gpu_allocation": "dra"}
GB200 = {**RACKS, "name": "gb200"}
UNTESTED: dict[str, Any] = {"acceptance": {"enabled": False}}
NO_PLUGIN = "oci.oraclecloud.com/disable-gpu-device-plugin"


def pools_of(*machines: str) -> list[dict[str, Any]]:
    """A pool of each machine."""
    image = {"id": "ocid1.image.oc1..a", "cuda": "13.0", "driver": "580"}
    return [{**STACK_POOL, "name": f"p{n}", "machine": each, "image": image} for n, each in enumerate(machines)]


@pytest.mark.parametrize(
    ("choice", "fabric", "addons"),
    [
        ({}, "roce-host", []),
        (DRANET, "roce", []),
        (SRIOV, "roce-rdma-vf", [FEATURES, NETWORK]),
        ({**SRIOV, "resource": "nvidia.com/mlnxnics"}, "roce-mlnxnics", [FEATURES, NETWORK]),
        (OPERATOR, "roce-host", [FEATURES, GPUS]),
        ({**SRIOV, **OPERATOR}, "roce-rdma-vf", [FEATURES, GPUS, NETWORK]),
    ],
)
def test_each_choice_has_its_fabric_and_an_operator_as_an_add_on(choice: Any, fabric: str, addons: list[str]):
    """Operators come after the one whose labels both read; an existing cluster gets none."""
    plan, existing = whole_plan([STACK_POOL], rdma=choice), whole_plan([STACK_POOL], rdma=choice, **IN_EXISTING)

    assert plan.pools[0].fabric.name == existing.pools[0].fabric.name == fabric
    assert [each.name for each in plan.cluster.addons] == addons and existing.cluster.addons == ()
    assert plan.pools[0].labels[NO_PLUGIN] == str(GPUS in addons).lower()


@pytest.mark.parametrize(
    ("choice", "pools", "found"),
    [
        (SRIOV, pools_of("BM.GPU.H100.8", "BM.GPU.B200.8"), []),
        (SRIOV, pools_of("BM.GPU.H100.8", WITHOUT, WITHOUT), ["rdma.nic_attachment"]),
        ({}, pools_of(WITHOUT), []),
        (DRANET, [CLAIMED], []),
        ({}, [CLAIMED], ["pools[0].gpu_allocation"]),
        ({**DRANET, "gpu_plugin": "oke"}, [CLAIMED], []),
        (
            {**DRANET, **OPERATOR},
            [CLAIMED, {**STACK_POOL, "name": "b"}, {**CLAIMED, "name": "c"}],
            ["rdma.gpu_plugin", "rdma.gpu_plugin"],
        ),
    ],
)
def test_a_shape_has_functions_and_gpus_have_one_owner(choice: Any, pools: list[dict[str, Any]], found: list[str]):
    """GPUs are claimed where NICs are; each shape and each pool is told once."""
    assert places(refused(whole_plan, pools, rdma=choice, **UNTESTED)) == found


@pytest.mark.parametrize(
    ("choice", "machines", "existing", "words"),
    [
        ({}, [UNMERGED], True, []),
        (DRANET, [UNMERGED], True, ["802.1X"]),
        (SRIOV, ["BM.GPU.H100.8", "BM.GPU.B200.8"], False, ["the operator finds virtual functions and makes none"]),
        (
            SRIOV,
            ["BM.GPU.H100.8", UNMERGED, UNMERGED],
            True,
            ["finds virtual functions", f"{UNMERGED}: ", "NVIDIA Network Operator must be there"],
        ),
    ],
)
def test_what_may_not_work_of_a_choice_is_warned_of_once(
    choice: Any, machines: list[str], existing: bool, words: list[str]
):
    plan = whole_plan(pools_of(*machines), rdma=choice, **UNTESTED, **(IN_EXISTING if existing else {}))
    about = ("802.1X", "virtual functions", "SR-IOV", "nicAttachment is sriov")
    warnings = [each for each in plan.warnings if any(word in each for word in about)]

    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))


def devices(pools: list[dict[str, Any]], **choices: Any) -> tuple[bool, bool] | None:
    """Whether NVIDIA's DRA driver hands out GPUs and IMEX channels, where it is installed."""
    drivers = whole_plan(pools, **choices).in_cluster.drivers
    if drivers is None or drivers.plan.gpu is None:
        return None
    resources = drivers.plan.gpu.values["resources"]
    return resources["gpus"]["enabled"], resources["computeDomains"]["enabled"]


def test_racks_get_imex_channels_by_claims_and_others_get_none():
    """OKE's plugin hands out the GPUs unless they are claimed; one rack beside others needs channels."""
    claims, rack = {"rdma": DRANET}, {**GB200, "gpu_allocation": "dra"}

    assert devices([GB200]) == (False, True)
    assert devices([STACK_POOL]) is None and devices([GB200], drivers={"gpu": "existing"}) is None
    assert devices([rack, CLAIMED], **claims) == devices([CLAIMED, rack], **claims) == (True, True)
    assert devices([CLAIMED], **claims) == (True, False)
