"""What `plan` tells of an OKE stack: its own sections, and its own columns in those of all clouds."""

from typing import Any

from rdma_cluster.common.summary import Row
from rdma_cluster.common.use import PoolUse
from rdma_cluster.oke.plan import summarise
from rdma_cluster.oke.plan.rdma_cluster import OkeRdmaClusterPlan
from tests.oke.plans import CLUSTER, ON_DEMAND, ZONE, whole_plan

H100: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}
OWN = {**H100, "name": "own", "image": {"id": "ocid1.image.oc1..a", "cuda": "12.8"}, "mode": "instances"}
LINKED = {
    **H100,
    "name": "linked",
    "image": {"url": "https://objectstorage.a-b-1.oraclecloud.com/p/x/n/y/b/z/o/mine-1.oci", "driver": "570"},
}
PUBLIC = {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
EXISTING: dict[str, Any] = {
    "kubernetes": {"existing": {"id": CLUSTER}, "version": "1.35.2", "name": "mine"},
    "network": {
        "existing": {
            "vcn": "ocid1.vcn.oc1..a",
            **dict.fromkeys(
                ("api_subnet", "worker_subnet", "pod_subnet", "load_balancer_subnet"), "ocid1.subnet.oc1..a"
            ),
            "cidrs": ["10.0.0.0/16"],
        }
    },
}
ADOPTED = {"name": "named", "machine": "BM.GPU.H200.8", "nodes": 2, "cuda": "12.8"}


def rows(plan: OkeRdmaClusterPlan, section: str) -> list[Row]:
    """The rows of a section."""
    return list(summarise(plan).rows_of(section))


def test_cluster():
    """Where it is, how its API and its pods are reached, and whether it is ours."""
    new, existing = whole_plan([H100], kubernetes=PUBLIC), whole_plan([H100], **EXISTING)

    assert rows(new, "cluster") == [
        {
            "name": "oke",
            "region": "eu-frankfurt-1",
            "zone": ZONE,
            "version": "1.36.1",
            "endpoint": "public",
            "pods": "vcn-native, host-network",
            "made": "new",
        }
    ]
    assert [rows(existing, "cluster")[0][key] for key in ("name", "version", "endpoint", "made")] == [
        "mine",
        "1.35.2",
        "private",
        "existing",
    ]


def test_pools_tell_their_mode():
    """Beside what pools of all clouds tell."""
    assert rows(whole_plan([OWN]), "pools") == [
        {
            "name": "own",
            "machine": "BM.GPU.H100.8",
            "nodes": 2,
            "capacity": "on-demand",
            "gpus": "8 x NVIDIA H100 80GB HBM3",
            "rails": "16 x 200 Gb/s",
            "mode": "instances",
            "allocation": "device-plugin",
        }
    ]


def test_rails_tell_device_and_mtu():
    """Two NICs a GPU on H100; the device is the one that NCCL_IB_HCA names, and 4220 bytes are Oracle's MTU."""
    first, *_, last = rows(whole_plan([H100]), "rails")

    assert first == {
        "rail": 0,
        "gpu": 0,
        "gpu_pci": "0000:0f:00.0",
        "root": 0,
        "numa": 0,
        "nic": "rdma0",
        "device": "mlx5_0",
        "mtu": 4220,
    }
    assert (last["rail"], last["gpu"], last["device"], last["mtu"]) == (15, 7, "mlx5_17", 4220)


def test_addresses_of_both_families():
    """What the internet reaches has no IPv6 but the API; with VCN-native pods their subnet is the VCN's."""
    kubernetes = {**PUBLIC, "dual_stack": True}
    lustre = {"lustre": {"capacity_gb": 31_200}}
    told = rows(
        whole_plan([H100], network={"public_load_balancers": True}, kubernetes=kubernetes, storage=lustre), "addresses"
    )

    assert [(row["subnet"], row["cidr"], row["reached_from"]) for row in told] == [
        ("VCN", "10.140.0.0/16, fd00:10:140::/56", "private"),
        ("workers", "10.140.64.0/24, fd00:10:140:3::/64", "private"),
        ("pods", "10.140.0.0/18, fd00:10:140:4::/64", "private"),
        ("api", "10.140.255.64/29, fd00:10:140::/64", "internet"),
        ("load-balancers", "10.140.255.0/27, fd00:10:140:1::/64", "private"),
        ("operators", "10.140.255.72/29, fd00:10:140:2::/64", "private"),
        ("public-load-balancers", "10.140.255.32/27", "internet"),
        ("lustre", "10.140.252.0/23", "private"),
        ("services", "10.96.0.0/16", "inside the cluster"),
    ]


def test_addresses_with_flannel():
    """Pods have a block of their own inside the cluster, and no subnet; without dual stack there is no IPv6."""
    told = rows(whole_plan([H100], kubernetes={"cni": "flannel"}), "addresses")

    assert [(row["subnet"], row["cidr"], row["reached_from"]) for row in told] == [
        ("VCN", "10.140.0.0/16", "private"),
        ("workers", "10.140.0.0/24", "private"),
        ("api", "10.140.255.64/29", "private"),
        ("load-balancers", "10.140.255.0/27", "private"),
        ("operators", "10.140.255.72/29", "private"),
        ("services", "10.96.0.0/16", "inside the cluster"),
        ("pods", "10.240.0.0/12", "inside the cluster"),
    ]


def test_what_exists_has_no_addresses_of_ours():
    """Neither a network nor the inside of a cluster that is there."""
    network = {"network": EXISTING["network"]}

    assert rows(whole_plan([H100], **EXISTING), "addresses") == []
    assert [row["subnet"] for row in rows(whole_plan([H100], **network), "addresses")] == ["services"]


def test_versions():
    """The cluster's and its add-ons' first; of each image what is known of it, and no more."""
    plan = whole_plan([H100, OWN, LINKED], rdma={"gpu_plugin": "operator"})
    boot = f"scripts {plan.pools[0].boot_digest}"

    assert [(row["part"], row["version"]) for row in rows(plan, "versions")] == [
        ("OKE", "1.36.1"),
        ("add-on NodeFeatureDiscovery", "OKE's default"),
        ("add-on NvidiaGpuOperator", "v25.10.1"),
        ("image of h100", "ubuntu-24.04-595, driver 595, CUDA 13.2"),
        ("first boot of h100", boot),
        ("image of own", "by OCID, CUDA 12.8"),
        ("first boot of own", boot),
        ("image of linked", "mine-1, driver 570"),
        ("first boot of linked", boot),
    ]
    assert [row["part"] for row in rows(whole_plan([H100], **EXISTING), "versions")] == [
        "image of h100",
        "first boot of h100",
    ]


def test_policies_tell_who_makes_them():
    """With a place for each name that is made; only the cluster that exists has one already."""
    join = (
        "Allow dynamic-group <group> to {{CLUSTER_JOIN}} in compartment id <compartment> where target.cluster.id = {}"
    )
    lustre = {"lustre": {"capacity_gb": 31_200}}

    assert rows(whole_plan([OWN], storage=lustre), "policies") == [
        {"statement": join.format("'<cluster>'"), "where": "compartment", "made": "yes"},
        {
            "statement": "Allow service lustrefs to use virtual-network-family in tenancy",
            "where": "tenancy",
            "made": "yes",
        },
    ]
    assert rows(whole_plan([OWN], **EXISTING, identity={"existing": True}), "policies") == [
        {"statement": join.format(f"'{CLUSTER}'"), "where": "compartment", "made": "by you"}
    ]


def test_adopted_nodes():
    """By whatever names them; their rails once for each machine, and not where a pool of the stack tells them."""
    pool, network = "ocid1.nodepool.oc1..a", "ocid1.clusternetwork.oc1..a"
    adopt = [
        {**ADOPTED, "names": ["10.0.64.12", "10.0.64.13"], "labels": {"team": "a"}},
        {**ADOPTED, "name": "pooled", "machine": "BM.GPU.H100.8", "node_pool": pool},
        {**ADOPTED, "name": "networked", "cluster_network": network},
    ]
    plan = whole_plan([H100], **EXISTING, adopt=adopt)
    summary = summarise(plan)

    assert [tuple(row.values()) for row in rows(plan, "adopted")] == [
        ("named", "BM.GPU.H200.8", 2, "10.0.64.12, 10.0.64.13", "rdma-cluster/pool=named, team=a"),
        ("pooled", "BM.GPU.H100.8", 2, pool, "rdma-cluster/pool=pooled"),
        ("networked", "BM.GPU.H200.8", 2, network, "rdma-cluster/pool=networked"),
    ]
    assert rows(plan, "adopted")[0].keys() == {"pool", "machine", "nodes", "which", "labels"}
    assert list(summary.to_dict()["rails"]) == ["BM.GPU.H100.8", "BM.GPU.H200.8"]
    assert [section.name for section in summary.sections][-3:] == ["adopted", "rails", "policies"]


def test_adopted_nodes_are_used_as_pools_are():
    """After them; nobody knows which of them share a rack, and nothing is claimed of them."""
    of_pool, of_adopted = summarise(
        whole_plan([H100], **EXISTING, adopt=[{**ADOPTED, "names": ["10.0.64.12", "10.0.64.13"]}])
    ).uses

    def said(use: PoolUse) -> tuple[object, ...]:
        return use.pool, use.machine.name, use.nodes, use.racks, use.gpu_by, use.nic_by, use.offers

    how = ("resource nvidia.com/gpu", "hostNetwork of the pod", ())
    assert said(of_pool) == ("h100", "BM.GPU.H100.8", 2, (), *how)
    assert said(of_adopted) == ("named", "BM.GPU.H200.8", 2, (), *how)
    assert of_adopted.workload["nodeSelector"] == {"rdma-cluster/pool": "named"}
