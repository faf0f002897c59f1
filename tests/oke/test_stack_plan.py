"""The plan of a whole OKE stack: what its parts hand to each other."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.common.fingerprint import fingerprint
from rdma_cluster.oke.plan import EXAMPLE, plan_rdma_cluster_args
from rdma_cluster.oke.plan.gpu_pools import nodes_of
from rdma_cluster.oke.plan.rdma_cluster import OkeRdmaClusterPlan
from tests.oke.plans import CLUSTER, COMPARTMENT, FABRIC, IN_CLUSTER, ON_DEMAND, RACKS, ZONE, refused, whole_plan

POOL: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}
B200 = {**POOL, "name": "b200", "machine": "BM.GPU.B200.8"}
GB200 = {**RACKS, "name": "gb200"}
GROUP, OTHER = "ocid1.computehostgroup.oc1..a", "ocid1.computehostgroup.oc1..b"
THERE: dict[str, Any] = {
    "kubernetes": {"existing": {"id": CLUSTER}, "version": "1.36.1", "name": "c"},
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
PUBLIC: dict[str, Any] = {"kubernetes": {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}}
LUSTRE = {"lustre": {"capacity_gb": 31_200}}


def statements(plan: OkeRdmaClusterPlan) -> str:
    """What IAM must say."""
    return "\n".join(each.text for each in plan.identity.statements)


def test_host_groups_of_managed_pools_need_a_policy():
    """Each once; self-managed nodes are launched by the user, who may."""
    on = {"placement": {"host_group": GROUP}}
    pools = [
        {**POOL, **on, "mode": "managed"},
        {**POOL, "name": "b"},
        {**POOL, "name": "c", "mode": "cluster-network", "placement": {"host_group": OTHER}},
        {**POOL, **on, "name": "d", "mode": "managed"},
    ]
    told = statements(whole_plan(pools))

    assert told.count("HOST_GROUP_LAUNCH_INSTANCE") == 1 and told.count(GROUP) == 1 and OTHER not in told
    assert "HOST_GROUP_LAUNCH_INSTANCE" not in statements(whole_plan([POOL]))


@pytest.mark.parametrize(
    ("kubernetes", "storage", "said"),
    [({}, {}, ""), ({"dual_stack": True}, {}, "use ipv6s"), ({}, LUSTRE, "service lustrefs")],
)
def test_policies_of_the_cluster_and_its_storage(kubernetes: dict[str, Any], storage: dict[str, Any], said: str):
    """Beside those of the pools' modes."""
    told = statements(whole_plan([POOL], kubernetes=kubernetes, **({"storage": storage} if storage else {})))

    assert "COMPUTE_CLUSTER_LAUNCH_INSTANCE" in told
    assert [word for word in ("use ipv6s", "service lustrefs") if word in told] == ([said] if said else [])


def proof(pool: dict[str, Any] = POOL, **choices: Any) -> str:
    """The digest of a pool's nodes: another one is proved anew."""
    (found,) = whole_plan([pool], **choices).in_cluster.pools
    return found.fingerprint


def others(choices: dict[str, Any], left_out: str) -> dict[str, Any]:
    """The choices but one."""
    return {key: value for key, value in choices.items() if key != left_out}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"kubernetes": {"name": "other"}}),
        ({}, {"network": {"cidr": "10.8.0.0/16"}}),
        ({}, {"network": {"max_nodes": 300}}),
        ({}, {"network": {"service_cidr": "10.97.0.0/16"}}),
        ({}, {"zone": "2"}),
        (
            {"kubernetes": {"dual_stack": True}},
            {"kubernetes": {"dual_stack": True}, "network": {"ipv6_cidr": "fd00:1::/56"}},
        ),
        ({}, {"pool": {"placement": {"host_group": GROUP}}}),
    ],
    ids=["cluster", "VCN", "subnets", "services", "domain", "IPv6", "pool"],
)
def test_other_nodes_are_proved_anew(before: dict[str, Any], after: dict[str, Any]):
    """Whatever replaces the cluster, its network or the nodes."""
    assert proof(**before) != proof({**POOL, **after.get("pool", {})}, **others(after, "pool"))


@pytest.mark.parametrize(
    "after",
    [
        {"kubernetes": {"version": "1.35.2"}},
        {"ssh_public_key": "ssh-ed25519 AAAA me"},
        {"pool": {"kubelet_args": ["--v=2"]}},
        {"pool": {"nodes": 4}},
        {"network": {"host_ports": [9100]}},
    ],
    ids=["version", "key", "first boot", "nodes", "rules"],
)
def test_nodes_that_stay_are_not(after: dict[str, Any]):
    """A new template or version is for nodes that come."""
    assert proof() == proof({**POOL, **after.get("pool", {})}, **others(after, "pool"))


def test_names_of_what_counts():
    """They stay as they are: with another name every pool that there is would be tested anew."""
    plan = whole_plan([POOL], kubernetes={"dual_stack": True})
    (of_pool,) = plan.pools
    place = {
        "zone": ZONE,
        "cluster": f"oke/eu-frankfurt-1/{COMPARTMENT}/oke",
        "services": "10.96.0.0/16",
        "network": "10.140.0.0/16",
        "subnets": {
            "workers": "10.140.64.0/24",
            "pods": "10.140.0.0/18",
            "load-balancers": "10.140.255.0/27",
            "api": "10.140.255.64/29",
            "operators": "10.140.255.72/29",
        },
        "ipv6": "fd00:10:140::/56",
    }
    nodes = replace(of_pool, user_data="", boot_digest="", version="")

    assert nodes_of(of_pool, plan.cluster, plan.network) == fingerprint(nodes, place)
    nowhere = dict.fromkeys(place, None)
    assert nodes_of(of_pool, None, None) == fingerprint(nodes, {**nowhere, "zone": ZONE})


def test_an_existing_cluster_is_where_its_nodes_are():
    """A plan without a network or a block of services has a digest, too."""
    assert proof(**THERE) != proof(**THERE, zone="2")


@pytest.mark.parametrize(("nic_attachment", "longer"), [("host-network", 0), ("sriov", 1800)])
def test_virtual_functions_take_their_time(nic_attachment: str, longer: int):
    """The operator configures each node, for half an hour at the most; without it nobody waits longer."""
    usual, plan = whole_plan([POOL]), whole_plan([POOL], rdma={"nic_attachment": nic_attachment})

    def seconds(of: OkeRdmaClusterPlan) -> int:
        (test,) = of.in_cluster.acceptance.plan.tests
        return test.timeout_seconds

    assert seconds(plan) - seconds(usual) == longer


@pytest.mark.parametrize(
    ("args", "told"),
    [({}, True), (PUBLIC, False), (THERE, False), ({"network": THERE["network"]}, False)],
    ids=["private", "public", "existing cluster", "existing network"],
)
def test_who_reaches_a_private_api(args: dict[str, Any], told: bool):
    """A new network is reached by nobody yet; in an existing one whoever runs `up` may stand."""
    warnings = whole_plan([POOL], **args).warnings

    assert any(each.startswith("the cluster's API is private and its VCN is new") for each in warnings) is told


def test_dual_stack_of_no_pool_warns_of_nothing():
    """Which nodes have an address is asked of new ones."""
    adopt = [{"name": "a", "machine": "BM.GPU.H100.8", "nodes": 2, "names": ["a", "b"], "cuda": "12.8"}]
    there = {**THERE, "kubernetes": {**THERE["kubernetes"], "dual_stack": True}}

    assert not any("dualStack" in each for each in whole_plan([], adopt=adopt, **there).warnings)
    assert any("kubernetes.dualStack" in each for each in whole_plan([POOL], **there).warnings)


def test_who_makes_namespaces():
    """A new cluster has none of the user's."""
    claims = {"rdma": {"nic_attachment": "dranet"}, "claims": {"namespaces": ["team"]}}
    for args, made in (({}, True), (THERE, False)):
        found = whole_plan([POOL], **claims, **args).in_cluster.claims
        assert found is not None and bool(found.plan.new_namespaces) is made


def test_pools_or_adopted_nodes():
    """One of both there must be."""
    adopt = [{"name": "a", "machine": "BM.GPU.H100.8", "nodes": 2, "names": ["a", "b"]}]

    assert whole_plan([], adopt=adopt, **THERE).pools == ()
    with pytest.raises(Refused, match="pools: empty; list at least one pool"):
        whole_plan([], **THERE)


def test_each_image_is_imported_once():
    """With all shapes that boot it; an image that is there already is not."""
    plan = whole_plan([POOL, B200, {**POOL, "name": "own", "image": {"id": "ocid1.image.oc1..a", "cuda": "12.8"}}])

    assert [(image.title, image.shapes) for image in plan.images] == [
        ("ubuntu-24.04-595", ("BM.GPU.H100.8", "BM.GPU.B200.8"))
    ]


def test_pools_take_the_clusters_choices():
    """Its domain, version, CNI, families, and who hands out GPUs."""
    kubernetes = {"version": "1.35.2", "cni": "flannel"}
    (plan,) = whole_plan([POOL], kubernetes=kubernetes, rdma={"gpu_plugin": "operator"}, zone="2").pools
    (both,) = whole_plan([POOL], kubernetes={"dual_stack": True}).pools

    assert (plan.zone, plan.version, plan.cni.value, plan.dual_stack) == ("2", "1.35.2", "flannel", False)
    assert plan.labels["oci.oraclecloud.com/disable-gpu-device-plugin"] == "true"
    assert (both.version, both.cni.value, both.dual_stack, both.fabric.name) == (
        "1.36.1",
        "vcn-native",
        True,
        "roce-host",
    )


def test_a_rack_belongs_to_one_pool():
    """Told at the second, wherever it lists it; racks of different pools are fine."""
    fabrics = [{"id": FABRIC.format(i), "nodes": 18} for i in (3, 1)]
    with pytest.raises(Refused) as caught:
        whole_plan([GB200, {**GB200, "name": "b", "memory_fabrics": fabrics}])

    (error,) = caught.value.errors
    assert error.path == ("pools", 1, "memory_fabrics", 1, "id")
    fabrics[1] = {"id": FABRIC.format(4), "nodes": 18}
    assert len(whole_plan([GB200, {**GB200, "name": "b", "memory_fabrics": fabrics}]).pools) == 2


@pytest.mark.parametrize(("length", "fits"), [(100, True), (101, False)])
def test_name_of_a_stack(length: int, fits: bool):
    """OCI's shortest limit is above what we append to it."""
    args = {**IN_CLUSTER, "pools": [POOL]}

    assert (refused(plan_rdma_cluster_args, args, "a" * length) == []) is fits


def test_example():
    """What `init` writes is a stack that can be planned: two H100 nodes in a cluster network, behind a public API."""
    plan = plan_rdma_cluster_args(EXAMPLE, "example", camel=True)
    (of_pool,) = plan.pools

    assert {key: plan.args[key] for key in ("region", "tenancy", "compartment", "zone")} == IN_CLUSTER
    assert plan.cluster.endpoint.value == "public" and plan.network is not None
    assert plan.network.args.get("public_cidrs") == ["203.0.113.7/32"]
    assert (of_pool.name, of_pool.machine.name, of_pool.nodes) == ("h100", "BM.GPU.H100.8", 2)
    assert (of_pool.capacity.value, of_pool.mode.value) == ("on-demand", "cluster-network")


@pytest.mark.parametrize(
    ("args", "places"),
    [
        ({"region": "x", "zone": "1"}, ["region"]),
        ({"zone": "5"}, ["zone"]),
        ({"tenancy": "x", "compartment": "y"}, ["tenancy", "compartment"]),
        ({"tags": {"a": "b\n"}}, ["tags.a"]),
        ({"tags": {"a b": "c"}}, []),
        ({"ssh_public_key": "mine"}, ["ssh_public_key"]),
        ({"ssh_public_key": "ssh-ed25519 AAAA me"}, []),
        ({"rdma": {"resource": "nvidia.com/mlnxnics"}}, ["rdma.resource"]),
        ({"rdma": {"nic_attachment": "shared"}}, ["rdma.nic_attachment"]),
        ({"kubernetes": {"version": "1.36"}}, ["kubernetes.version"]),
        ({"network": {"service_cidr": "8.0.0.0/16"}}, ["network.service_cidr"]),
        ({"network": {"cidr": "10.8.0.0/15"}}, ["network.cidr"]),
        ({"identity": {"home_region": "x"}}, ["identity.home_region"]),
        ({"drivers": {"nic": "managed"}}, ["drivers.nic"]),
        ({"storage": {"object_store": {}}}, ["storage.object_store"]),
        ({**THERE, "storage": LUSTRE}, ["storage.lustre"]),
        ({"network": THERE["network"], "storage": LUSTRE}, ["storage.lustre"]),
        ({"adopt": [{"name": "a", "machine": "BM.GPU.H100.8", "nodes": 2, "names": ["a", "b"]}]}, ["adopt"]),
        ({"pools": [{**POOL, "gpu_allocation": "dra"}]}, ["pools[0].gpu_allocation"]),
        ({"pools": [{**POOL, "name": "system"}]}, ["pools[0].name"]),
        ({"pools": [POOL, POOL]}, ["pools[1].name"]),
        ({"pools": [{**POOL, "nodes": 1}, {**POOL, "name": "b"}]}, ["pools[0].nodes"]),
        ({"rdma": {"nic_attachment": "sriov"}, "pools": [POOL, {**RACKS, "name": "r"}]}, ["pools"]),
    ],
)
def test_what_is_refused(args: dict[str, Any], places: list[str]):
    """Each thing at its place, and nothing beside it."""
    found = [
        each.partition(": ")[0]
        for each in refused(plan_rdma_cluster_args, {**IN_CLUSTER, "pools": [POOL], **args}, "oke")
    ]

    assert found == places
