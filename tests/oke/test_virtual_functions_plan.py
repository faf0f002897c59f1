"""The custom resources of virtual functions, as Oracle's stack writes them (oci-hpc-oke@61d210a)."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.images import JUDGE_PYTHON
from rdma_cluster.catalog.oke import OkeMachine
from rdma_cluster.oke.plan.rdma import OkeNicAttachment, OkeVfResource, plan_rdma
from rdma_cluster.oke.plan.virtual_functions import (
    OkeVirtualFunctionsArgs,
    VirtualFunctionsPlan,
    plan_virtual_functions,
    virtual_functions_of,
)
from tests.oke.plans import refused, row

B200, H100, H200 = (row(name) for name in ("BM.GPU.B200.8", "BM.GPU.H100.8", "BM.GPU.H200.8"))
TYPE = "node.kubernetes.io/instance-type"
SPACE = "nvidia-network-operator"


def planned(*machines: str, **more: Any) -> VirtualFunctionsPlan:
    """The plan of the functions of these shapes."""
    return plan_from(OkeVirtualFunctionsArgs, plan_virtual_functions, {"machines": list(machines), **more})


def of_kind(plan: VirtualFunctionsPlan, kind: str) -> list[Any]:
    """The specs of all objects of a kind."""
    return [each["spec"] for each in plan.objects.values() if each["kind"] == kind]


def test_objects():
    """By name and kind: addresses, a policy of each shape, how many nodes drain at once, and the network."""
    plan = planned("BM.GPU.H100.8", "BM.GPU.B200.8", "BM.GPU.H100.8")
    said = {
        name: (each["apiVersion"], each["kind"], each["metadata"]["name"], each["metadata"]["namespace"])
        for name, each in plan.objects.items()
    }
    sriov = "sriovnetwork.openshift.io/v1"

    assert said == {
        "sriov-pool": ("nv-ipam.nvidia.com/v1alpha1", "IPPool", "sriov-pool", SPACE),
        "bm-gpu-h100-8": (sriov, "SriovNetworkNodePolicy", "bm-gpu-h100-8", SPACE),
        "bm-gpu-b200-8": (sriov, "SriovNetworkNodePolicy", "bm-gpu-b200-8", SPACE),
        "rdma-vf-drain": (sriov, "SriovNetworkPoolConfig", "rdma-vf", SPACE),
        "rdma-vf": (sriov, "SriovNetwork", "rdma-vf", SPACE),
    }
    assert of_kind(plan, "IPPool") == [{"subnet": "192.168.0.0/16", "perNodeBlockSize": 100, "gateway": "192.168.0.1"}]


def test_policy_of_a_shape():
    """One function of each RDMA port, which the host's own software has made, of Mellanox, on nodes of the shape."""
    (policy,) = of_kind(planned("BM.GPU.B200.8"), "SriovNetworkNodePolicy")

    assert policy == {
        "deviceType": "netdevice",
        "externallyManaged": True,
        "isRdma": True,
        "mtu": 4220,
        "nicSelector": {"rootDevices": list(B200.nic_pci or ()), "vendor": "15b3"},
        "nodeSelector": {TYPE: "BM.GPU.B200.8"},
        "numVfs": 1,
        "priority": 90,
        "resourceName": "rdma-vf",
    }
    assert len(policy["nicSelector"]["rootDevices"]) == 8


def test_network():
    """Addresses from our pool; sixteen ports share a subnet, so that each answers and sends for itself alone."""
    (network,) = of_kind(planned("BM.GPU.B200.8", resource="nvidia.com/mlnxnics"), "SriovNetwork")
    tuning, *others = json.loads(f"[{network.pop('metaPlugins')}]")

    assert network == {
        "resourceName": "mlnxnics",
        "networkNamespace": "default",
        "spoofChk": "off",
        "ipam": '{"type": "nv-ipam", "poolName": "sriov-pool"}',
    }
    assert (tuning["type"], tuning["mtu"], others) == ("tuning", 4220, [{"type": "rdma"}, {"type": "sbr"}])
    assert {key.rpartition(".")[2]: value for key, value in tuning["sysctl"].items()} == {
        "arp_announce": "2",
        "arp_filter": "1",
        "arp_ignore": "1",
        "rp_filter": "0",
        "accept_local": "1",
    }


@pytest.mark.parametrize(("more", "at_once"), [({}, "100%"), ({"drain_at_once": "1"}, "1")])
def test_new_nodes_drain_together(more: dict[str, str], at_once: str):
    """Nothing runs on them yet; whoever has nodes that work says how many."""
    (drain,) = of_kind(planned("BM.GPU.H100.8", "BM.GPU.B200.8", **more), "SriovNetworkPoolConfig")

    assert drain == {
        "maxUnavailable": at_once,
        "nodeSelector": {
            "matchExpressions": [{"key": TYPE, "operator": "In", "values": ["BM.GPU.H100.8", "BM.GPU.B200.8"]}]
        },
    }


def test_waiter_comes_from_a_mirror():
    """Like all that is fetched."""
    assert planned("BM.GPU.H100.8").waiter == JUDGE_PYTHON.image
    registry = JUDGE_PYTHON.image.partition("/")[0]
    mirrored = planned("BM.GPU.H100.8", registries={registry: "mirror.example/q"}).waiter
    assert mirrored == JUDGE_PYTHON.image.replace(registry, "mirror.example/q")


def of_stack(
    nic_attachment: OkeNicAttachment, *machines: OkeMachine, existing: bool = False
) -> VirtualFunctionsPlan | None:
    """The virtual functions of a stack of these machines."""
    errors = ErrorList()
    resource = {"resource": OkeVfResource.MLNXNICS} if nic_attachment is OkeNicAttachment.SRIOV else {}
    rdma = plan_rdma({"nic_attachment": nic_attachment, **resource}, machines, (), existing=existing, errors=errors)
    found = virtual_functions_of(rdma, list(machines), existing, {"a": "b"}, errors)
    assert errors.found() == []
    return found


def test_functions_of_a_stack():
    """Each shape once, under the name that pods ask for; one node at a time where nodes of others may run jobs."""
    new = of_stack(OkeNicAttachment.SRIOV, H100, B200, H100)
    existing = of_stack(OkeNicAttachment.SRIOV, H100, existing=True)

    assert new is not None and existing is not None
    args = {"machines": ["BM.GPU.H100.8", "BM.GPU.B200.8"], "registries": {"a": "b"}}
    assert new.args == {**args, "resource": OkeVfResource.MLNXNICS}
    assert existing.args == {**new.args, "machines": ["BM.GPU.H100.8"], "drain_at_once": "1"}
    assert new.objects == planned(*args["machines"], resource="nvidia.com/mlnxnics").objects


def test_other_stacks_have_none():
    """Those whose pods have the NICs themselves, and those without machines."""
    assert of_stack(OkeNicAttachment.HOST_NETWORK, H100) is None
    assert of_stack(OkeNicAttachment.DRANET, H100) is None
    assert of_stack(OkeNicAttachment.SRIOV) is None


@pytest.mark.parametrize(
    ("machines", "errors"),
    [
        (["BM.GPU.H100.8", "BM.GPU.B200.8"], []),
        (
            ["BM.GPU.H100.8", "BM.GPU.GB200-v3.4"],
            ["machines: their RDMA ports have MTUs of 4220 and 9000, and one network has one; keep shapes of one"],
        ),
        (["BM.GPU.H200-NC.8"], ["machines[0]: Oracle publishes no virtual functions for BM.GPU.H200-NC.8"]),
        ([], ["machines: empty; name at least one machine type, e.g. BM.GPU.H100.8"]),
    ],
)
def test_shapes_of_one_network(machines: list[str], errors: list[str]):
    """Each has functions, and all one MTU."""
    assert refused(planned, *machines) == errors
