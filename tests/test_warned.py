"""Each warning is told of a stack that has its cause, and not of the neighbour that lacks it."""

import pytest
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.stack import plan_of
from tests.clouds import clouds
from tests.stacks import ROOT, cloud_of

GRAPHS = {cloud.name: cloud.graphs for cloud in clouds()}
SPOT = "one preempted spot node stops every job"
KYVERNO = "Kyverno 1.17 or later"
NO_PROMETHEUS = "a dashboard are installed and no Prometheus"
CLASS = "must exist, or pods stay pending"
SECRET = "pods wait for Secret hf-token"
PRIVATE = "the cluster's API is private and its"
SELLER = "may find no capacity"
UNSAID = "the CUDA of its nodes is not said"
INBOX = "rdmaDriver is inbox"
LUSTRE = "storage={lustre: {capacityGib: 9000}}"


def told(cloud: str, name: str, *more: str) -> list[str]:
    """The warnings of a stack or variant, with further values."""
    stack, *sets = GRAPHS[cloud][name]
    return list(plan_of(cloud_of(stack), read_stack(stack, None, [*sets, *more])[1].config, stack).warnings)


@pytest.mark.parametrize(
    ("cloud", "cause", "neighbour", "words"),
    [
        ("aks", ["aks"], ["aks-dranet"], "node problem detector checks neither GPUs nor InfiniBand"),
        ("aks", ["aks-dranet"], ["aks"], "role on the reservation may take 60 minutes"),
        ("aks", ["aks-dranet"], ["aks"], "has no room are made on demand"),
        ("aks", ["aks-dranet"], ["aks"], f"{INBOX}: others have run NCCL"),
        ("aks", ["aks-dranet"], ["aks"], "container toolkit of AKS's node images"),
        ("aks", ["aks-gb300"], ["aks"], "is newer than the API version that azure-native speaks"),
        ("aks", ["aks-gb300"], ["aks"], "were seen in different placement groups"),
        ("aks", ["every machine in a rack"], ["aks-gb300"], "is ordered in racks of 18 nodes; 2 nodes leave one"),
        ("aks", ["AKS's driver and device plugins"], ["aks"], "nvidia-peermem of AKS's driver"),
        ("aks", ["the kernel's InfiniBand driver and device plugins"], ["aks-dranet"], "picks NICs by PCI id"),
        ("aks", ["existing drivers"], ["aks-dranet"], CLASS),
        ("aks", ["private endpoint"], ["aks"], f"{PRIVATE} virtual network is new"),
        ("aks", ["spot"], ["aks"], SPOT),
        ("aks", ["monitoring"], ["aks"], NO_PROMETHEUS),
        ("aks", ["injection"], ["aks"], KYVERNO),
        ("aks", ["405B on H100"], ["aks"], SECRET),
        ("eks", ["a capacity block that is repaired"], ["eks"], "autoRepair reboots a node whose GPUs are at fault"),
        ("eks", ["a capacity block that is repaired"], ["eks"], "EKS's own switch"),
        ("eks", ["monitoring"], ["eks"], NO_PROMETHEUS),
        ("eks", ["jobs of a manager on eks"], ["eks"], "takes no jobs that name no cloud"),
        ("eks", ["injection and queues"], ["injection"], "claims that injection adds to its pods are not counted"),
        ("eks", ["spot"], ["eks"], SPOT),
        ("eks", ["spot"], ["eks"], "EFA keeps spot nodes in one zone"),
        ("eks", ["injection by device plugin"], ["eks"], KYVERNO),
        ("eks", ["existing drivers"], ["eks"], CLASS),
        ("eks", ["private endpoint"], ["eks"], f"{PRIVATE} VPC is new"),
        ("eks", ["every machine"], ["eks"], SELLER),
        ("eks", ["every machine"], ["eks"], "is sold in UltraServers of 9 or 18 nodes; 2 nodes leave one"),
        ("eks", ["405B on p5"], ["eks"], SECRET),
        ("gce", ["gce-a3-high"], ["gce"], SPOT),
        ("gce", ["on demand, four machines, no SSH"], ["gce"], SELLER),
        ("gke", ["gke-a3-high"], ["A3 High and Edge"], "SkyPilot 0.14.1 brings daemon"),
        ("gke", ["gke-a3-ultra"], ["gke"], SPOT),
        ("gke", ["monitoring"], ["gke"], NO_PROMETHEUS),
        ("gke", ["injection"], ["gke"], KYVERNO),
        ("gke", ["405B on A3 Ultra"], ["gke-a3-ultra"], "one node of a3-ultragpu-8g holds"),
        ("gke", ["405B on A4, from a volume, by all GPUs"], ["405B from Lustre"], "inference.split is tensor"),
        ("gke", ["networks by GKE"], ["gke"], "mode managed-auto was seen to hang"),
        ("gke", ["flex-start"], ["gke"], "growing from 0 nodes for resource claims"),
        ("gke", ["on demand"], ["gke"], SELLER),
        ("gke", ["bare metal"], ["gke-a4x"], "the whole rack of 18 nodes is kept for the pool; the other 1 stay idle"),
        ("gke", ["bare metal"], ["gke-a4x"], "the reservation names no subBlock"),
        ("gke", ["existing networks", LUSTRE], ["gke", LUSTRE], "needs private services access with a free /23"),
        ("gke", ["existing networks and cluster", LUSTRE], ["existing networks", LUSTRE], "the add-on LustreCsiDriver"),
        ("oke", ["oke-405b"], ["oke"], "whether this cluster's network enforces NetworkPolicies"),
        ("oke", ["oke-405b"], ["oke"], "onto its own disk, whose size is not known"),
        ("oke", ["oke-b200"], ["oke"], "no field for the agent's RDMA plugins in managed pools"),
        ("oke", ["oke-b200"], ["oke"], "the operator finds virtual functions and makes none"),
        (
            "oke",
            ["adopted, with virtual functions"],
            ["oke-b200"],
            "rdma.nicAttachment is sriov on an existing cluster",
        ),
        ("oke", ["adopted beside a pool"], ["oke"], UNSAID),
        ("oke", ["private endpoint"], ["oke"], f"{PRIVATE} VCN is new"),
        ("oke", ["dual stack"], ["oke"], "take up an IPv6 address at boot"),
        ("oke", ["claims"], ["oke"], "answers 802.1X no more"),
        ("oke", ["image by link"], ["oke"], "what is in the image is not said"),
        ("oke", ["405B on an image of 2025"], ["oke-405b"], "its link may be closed"),
        ("oke", ["405B from Lustre"], ["oke-405b"], "Oracle lists its driver for Ubuntu 22.04"),
        ("oke", ["Lustre by others' policies"], ["405B from Lustre"], "a policy of the tenancy must say"),
    ],
)
def test_a_warning_is_told_of_its_cause_alone(
    cloud: str, cause: list[str], neighbour: list[str], words: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(ROOT)

    assert [each for each in told(cloud, *cause) if words in each]
    assert [each for each in told(cloud, *neighbour) if words in each] == []


@pytest.mark.parametrize("cloud", ["aks", "eks", "oke"])
def test_a_private_api_on_an_existing_network_is_reached_from_there(cloud: str, monkeypatch: pytest.MonkeyPatch):
    """Whoever has the network has a way in, so nothing is told."""
    monkeypatch.chdir(ROOT)
    network = GRAPHS[cloud]["existing network"][1]

    assert [each for each in told(cloud, "private endpoint", network) if PRIVATE in each] == []
