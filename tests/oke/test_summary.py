"""What `plan` tells of an OKE stack: its own sections, and its own columns in those of all clouds."""

from typing import Any

from rdma_cluster.common.summary import Row
from rdma_cluster.oke.plan import summarise
from rdma_cluster.oke.plan.rdma_cluster import OkeRdmaClusterPlan
from tests.oke.plans import CLUSTER, IN_EXISTING, STACK_POOL, whole_plan

OWN = {**STACK_POOL, "name": "own", "image": {"id": "ocid1.image.oc1..a", "cuda": "12.8"}, "mode": "instances"}
LINK = "https://objectstorage.a-b-1.oraclecloud.com/p/x/n/y/b/z/o/mine-1.oci"
LINKED = {**STACK_POOL, "name": "linked", "image": {"url": LINK, "driver": "570"}}
PUBLIC = {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
ADOPTED = {"name": "named", "machine": "BM.GPU.H200.8", "nodes": 2, "cuda": "12.8"}
LUSTRE = {"lustre": {"capacity_gb": 31_200}}


def rows(plan: OkeRdmaClusterPlan, section: str) -> list[Row]:
    """The rows of a section."""
    return list(summarise(plan).rows_of(section))


def test_a_pool_tells_its_mode_and_its_rails_their_device_and_mtu():
    """H100 has two NICs a GPU; the device is the one that NCCL_IB_HCA names."""
    plan = whole_plan([OWN])
    first, *_, last = rows(plan, "rails")

    assert (rows(plan, "pools")[0]["mode"], rows(plan, "pools")[0]["rails"]) == ("instances", "16 x 200 Gb/s")
    assert [(each["rail"], each["gpu"], each["device"], each["mtu"]) for each in (first, last)] == [
        (0, 0, "mlx5_0", 4220),
        (15, 7, "mlx5_17", 4220),
    ]


def test_addresses_tell_who_reaches_each_subnet():
    """What the internet reaches has no IPv6 but the API; pods of flannel have a block inside the cluster."""
    whole = whole_plan(
        [STACK_POOL], network={"public_load_balancers": True}, kubernetes={**PUBLIC, "dual_stack": True}, storage=LUSTRE
    )
    told = {row["subnet"]: (", " in str(row["cidr"]), row["reached_from"]) for row in rows(whole, "addresses")}
    flannel = {row["subnet"]: row for row in rows(whole_plan([STACK_POOL], kubernetes={"cni": "flannel"}), "addresses")}

    assert told == {
        **dict.fromkeys(("VCN", "workers", "pods", "load-balancers", "operators"), (True, "private")),
        "api": (True, "internet"),
        "public-load-balancers": (False, "internet"),
        "lustre": (False, "private"),
        "services": (False, "inside the cluster"),
    }
    assert (flannel["pods"]["cidr"], flannel["pods"]["reached_from"]) == ("10.240.0.0/12", "inside the cluster")


def test_versions_tell_of_each_image_what_is_known():
    plan = whole_plan([STACK_POOL, OWN, LINKED], rdma={"gpu_plugin": "operator"})
    told = {row["part"]: row["version"] for row in rows(plan, "versions")}

    assert (told["OKE"], told["add-on NodeFeatureDiscovery"]) == ("1.36.1", "OKE's default")
    assert told["image of h100"].startswith("ubuntu-24.04-595, driver 595, CUDA ")
    assert (told["image of own"], told["image of linked"]) == ("by OCID, CUDA 12.8", "mine-1, driver 570")
    assert told["first boot of own"] == f"scripts {plan.pools[0].boot_digest}"
    assert "OKE" not in {row["part"] for row in rows(whole_plan([STACK_POOL], **IN_EXISTING), "versions")}


def test_policies_tell_who_makes_them_with_a_place_for_each_name_that_comes_later():
    join, of_tenancy = rows(whole_plan([OWN], storage=LUSTRE), "policies")
    (existing,) = rows(whole_plan([OWN], **IN_EXISTING, identity={"existing": True}), "policies")

    assert "dynamic-group <group> to {CLUSTER_JOIN} in compartment id <compartment>" in join["statement"]
    assert join["statement"].endswith("'<cluster>'") and existing["statement"].endswith(f"'{CLUSTER}'")
    assert [each["where"] for each in (join, of_tenancy)] == ["compartment", "tenancy"]
    assert (join["made"], existing["made"]) == ("yes", "by you")


def test_adopted_nodes_are_told_by_whatever_names_them_and_used_as_pools_are():
    """Their rails come once for each machine, and not where a pool of the stack tells them."""
    pool: dict[str, Any] = {"name": "pooled", "machine": "BM.GPU.H100.8", "node_pool": "ocid1.nodepool.oc1..a"}
    named = {"names": ["10.0.64.12", "10.0.64.13"], "labels": {"team": "a"}}
    plan = whole_plan([STACK_POOL], **IN_EXISTING, adopt=[{**ADOPTED, **named}, {**ADOPTED, **pool}])
    summary = summarise(plan)

    assert [tuple(row.values()) for row in rows(plan, "adopted")] == [
        ("named", "BM.GPU.H200.8", 2, "10.0.64.12, 10.0.64.13", "rdma-cluster/pool=named, team=a"),
        ("pooled", "BM.GPU.H100.8", 2, pool["node_pool"], "rdma-cluster/pool=pooled"),
    ]
    assert list(summary.to_dict()["rails"]) == ["BM.GPU.H100.8", "BM.GPU.H200.8"]
    assert [(use.pool, use.nodes, use.racks, use.offers) for use in summary.uses] == [
        ("h100", 2, (), ()),
        ("named", 2, (), ()),
        ("pooled", 2, (), ()),
    ]
    assert summary.uses[1].workload["nodeSelector"] == {"rdma-cluster/pool": "named"}
