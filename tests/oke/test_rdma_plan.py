"""How pods get the NICs and who hands out the GPUs: add-ons, fabric and warnings of each choice."""

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.oke import OkeMachine
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.oke.plan.rdma import (
    OkeGpuPlugin,
    OkeNicAttachment,
    OkeRdma,
    OkeVfResource,
    RdmaPlan,
    check_allocation,
    plan_rdma,
    rdma_warnings,
)
from tests.oke.plans import row

H100, B200, WITHOUT, UNMERGED = (
    row(name) for name in ("BM.GPU.H100.8", "BM.GPU.B200.8", "BM.GPU.H200-NC.8", "BM.GPU.H100T.8")
)
FEATURES, GPUS, NETWORK = "NodeFeatureDiscovery", "NvidiaGpuOperator", "NvidiaNetworkOperator"
SRIOV, HOST, DRANET = OkeNicAttachment.SRIOV, OkeNicAttachment.HOST_NETWORK, OkeNicAttachment.DRANET


def planned(choice: OkeRdma, *machines: OkeMachine, claimed: tuple[str, ...] = (), existing: bool = False) -> RdmaPlan:
    """The plan of a choice that is allowed."""
    errors = ErrorList()
    plan = plan_rdma(choice, machines or (H100,), claimed, existing=existing, errors=errors)
    assert errors.found() == []
    return plan


def refused(choice: OkeRdma, *machines: OkeMachine, claimed: tuple[str, ...] = ()) -> list[str]:
    """Where a choice is refused, once for each reason."""
    errors = ErrorList()
    plan_rdma(choice, machines or (H100,), claimed, existing=False, errors=errors)
    return [str(error) for error in errors.found()]


@pytest.mark.parametrize(
    ("choice", "fabric", "addons", "own_plugin"),
    [
        ({}, "roce-host", (), False),
        ({"nic_attachment": DRANET}, "roce", (), False),
        ({"nic_attachment": SRIOV}, "roce-rdma-vf", (FEATURES, NETWORK), False),
        ({"nic_attachment": SRIOV, "resource": OkeVfResource.MLNXNICS}, "roce-mlnxnics", (FEATURES, NETWORK), False),
        ({"gpu_plugin": OkeGpuPlugin.OKE}, "roce-host", (), False),
        ({"gpu_plugin": OkeGpuPlugin.OPERATOR}, "roce-host", (FEATURES, GPUS), True),
        (
            {"nic_attachment": SRIOV, "gpu_plugin": OkeGpuPlugin.OPERATOR},
            "roce-rdma-vf",
            (FEATURES, GPUS, NETWORK),
            True,
        ),
    ],
)
def test_each_choice(choice: OkeRdma, fabric: str, addons: tuple[str, ...], own_plugin: bool):
    """Each operator is an add-on of its own, after the one whose labels both read; an existing cluster gets none."""
    plan, existing = planned(choice), planned(choice, existing=True)

    assert (plan.fabric.name, plan.addons, plan.own_gpu_plugin) == (fabric, addons, own_plugin)
    assert plan.nic_attachment is choice.get("nic_attachment", HOST)
    assert plan.vf_resource is choice.get("resource", OkeVfResource.RDMA_VF)
    assert (existing.fabric, existing.addons, existing.own_gpu_plugin) == (plan.fabric, (), own_plugin)


def test_virtual_functions_of_every_shape():
    """Each shape without them is named once; host networks ask for none."""
    words = "nic_attachment: got sriov; Oracle publishes no virtual functions for {}; choose host-network"

    assert refused({"nic_attachment": SRIOV}, H100, WITHOUT, B200, WITHOUT) == [words.format(WITHOUT.name)]
    assert refused({"nic_attachment": SRIOV}, H100, B200) == []
    assert refused({}, WITHOUT) == []


def test_gpus_have_one_owner():
    """Claimed pools and the operator's plugin exclude each other, pool by pool; OKE's own is turned off by itself."""
    claimed = ("pools[0]", "pools[2]")

    assert [each.split(";")[1] for each in refused({"gpu_plugin": OkeGpuPlugin.OPERATOR}, claimed=claimed)] == [
        f" the GPUs of {pool} are handed out by claims, and never by both" for pool in claimed
    ]
    assert refused({"gpu_plugin": OkeGpuPlugin.OKE}, claimed=claimed) == []
    assert refused({"gpu_plugin": OkeGpuPlugin.OPERATOR}) == []


@pytest.mark.parametrize("nic_attachment", [HOST, SRIOV, DRANET])
@pytest.mark.parametrize("allocation", GpuAllocation)
def test_gpus_are_claimed_where_nics_are(allocation: GpuAllocation, nic_attachment: OkeNicAttachment):
    """A device plugin goes with each of them."""
    errors = ErrorList()
    check_allocation(allocation, nic_attachment, errors)

    assert bool(errors) is (allocation is GpuAllocation.DRA and nic_attachment is not DRANET)


@pytest.mark.parametrize(
    ("choice", "machines", "existing", "words"),
    [
        ({}, [UNMERGED], True, []),
        ({"nic_attachment": DRANET}, [UNMERGED], True, ["a port that is moved into a pod answers 802.1X no more"]),
        ({"nic_attachment": SRIOV}, [H100, B200], False, ["the operator finds virtual functions and makes none"]),
        (
            {"nic_attachment": SRIOV},
            [H100, UNMERGED, UNMERGED],
            True,
            [
                "the operator finds virtual functions and makes none",
                "BM.GPU.H100T.8: its SR-IOV policy is on an unmerged branch",
                "rdma.nicAttachment is sriov on an existing cluster: its NVIDIA Network Operator must be there",
            ],
        ),
    ],
)
def test_warnings(choice: OkeRdma, machines: list[OkeMachine], existing: bool, words: list[str]):
    """What may not work of a choice, once for each shape, and nothing of another choice."""
    warnings = rdma_warnings(planned(choice), machines, existing)

    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))
