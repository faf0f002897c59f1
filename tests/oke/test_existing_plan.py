"""The network of an OKE stack: what is made, what exists, and what each choice has to do with it."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.oke.plan.existing import plan_networks, services_of
from rdma_cluster.oke.plan.network import OkeNetworkPlan
from rdma_cluster.oke.plan.zones import Place
from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, ON_DEMAND, REGION, whole_plan

SUBNET = "ocid1.subnet.oc1..a"
GROUP = "ocid1.networksecuritygroup.oc1..a"
POOL: dict[str, Any] = {"name": "a", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}
THERE: dict[str, Any] = {
    "vcn": "ocid1.vcn.oc1..a",
    "api_subnet": SUBNET,
    "worker_subnet": SUBNET,
    "pod_subnet": SUBNET,
    "load_balancer_subnet": SUBNET,
    "cidrs": ["10.0.0.0/16"],
}
FLANNEL = {"cni": "flannel"}


def planned(
    choice: dict[str, Any],
    kubernetes: dict[str, Any] | None = None,
    pools: list[dict[str, Any]] | None = None,
    lustre: bool = False,
) -> tuple[OkeNetworkPlan | None, list[str]]:
    """The network of a stack's choice, and what is refused of it."""
    errors = ErrorList()
    given: Any = (choice, kubernetes or {}, [POOL] if pools is None else pools)
    plan = plan_networks(*given, place=Place(**IN_CLUSTER), lustre=lustre, errors=errors)
    return plan, [str(error) for error in errors.found()]


def refused(choice: dict[str, Any], kubernetes: dict[str, Any] | None = None, *pools: dict[str, Any]) -> list[str]:
    """What is refused of a choice."""
    return planned(choice, kubernetes, list(pools) or [POOL])[1]


def existing(**more: Any) -> dict[str, Any]:
    """A network that is there, with this changed."""
    return {"existing": {**THERE, **more}}


def test_a_new_network_is_of_the_stack():
    """Its region, its compartment, its CNI, its families, its callers and its file system."""
    kubernetes = {"cni": "flannel", "public_cidrs": ["203.0.113.7/32"]}
    plan, errors = planned({"cidr": "10.8.0.0/16", "max_nodes": 9}, kubernetes, lustre=True)

    assert errors == [] and plan is not None
    assert plan.args == {
        "cidr": "10.8.0.0/16",
        "max_nodes": 9,
        "region": REGION,
        "compartment": COMPARTMENT,
        "cni": "flannel",
        "dual_stack": False,
        "public_cidrs": ["203.0.113.7/32"],
        "lustre": True,
    }
    plain, _ = planned({}, {"dual_stack": True})
    assert plain is not None and "lustre" not in plain.args
    assert (plain.args["dual_stack"], plain.args["public_cidrs"], plain.args["cni"]) == (True, [], "vcn-native")


def test_what_exists_is_not_made():
    """An existing network as it is; in an existing cluster that adopts nodes alone nothing needs one."""
    there = {"existing": {"id": CLUSTER}, "name": "c"}

    assert planned(existing()) == (None, [])
    assert planned({}, there, pools=[]) == (None, [])
    assert planned(existing(), there) == (None, [])
    assert planned({}, {"existing": {"id": CLUSTER}}, pools=[]) == (None, [])
    assert [each.partition(":")[0] for each in refused({}, {"existing": {"id": CLUSTER}})] == [
        "kubernetes.name",
        "network.existing",
    ]


@pytest.mark.parametrize("pools", [[], [POOL]], ids=["adopted alone", "pools"])
@pytest.mark.parametrize("key", ["service_cidr", "pod_cidr"])
def test_an_existing_cluster_has_its_own_blocks(key: str, pools: list[dict[str, Any]]):
    """Of services and of pods, whether or not a pool joins it; a new cluster may be told them."""
    kubernetes = {"existing": {"id": CLUSTER}, "name": "c"}
    _, errors = planned({**existing(), key: "10.96.0.0/16"}, kubernetes, pools)

    assert errors == [f"network.{key}: not allowed with an existing cluster, which has its own; remove one of the two"]
    assert refused({**existing(), key: "10.96.0.0/16"}) == []


@pytest.mark.parametrize("key", ["stateless_rules", "public_load_balancers"])
def test_choices_of_a_new_network(key: str):
    """What asks for nothing may stand beside an existing one."""
    assert refused({**existing(), key: False}) == []
    assert refused({**existing(), key: True}) == [
        f"network.{key}: not allowed with an existing network, which has its addresses; remove one of the two"
    ]


def test_choices_that_an_existing_network_has_are_told_in_one_order():
    """Whatever order they are written in."""
    choice = {"max_pods": 64, "cidr": "10.8.0.0/16", **existing(), "host_ports": [9100]}

    assert [each.partition(":")[0] for each in refused(choice)] == [
        "network.cidr",
        "network.host_ports",
        "network.max_pods",
    ]


def test_an_existing_network_has_what_the_cluster_needs():
    """Blocks to keep clear of, and a subnet for pods unless they have addresses of their own."""
    without = {key: value for key, value in THERE.items() if key != "pod_subnet"}
    missing = "network.existing.pod_subnet: missing; vcn-native pods take their addresses from a subnet of their own"

    assert refused({"existing": without}) == [missing]
    assert refused({"existing": without}, FLANNEL) == []
    assert refused(existing(cidrs=[])) == [
        "network.existing.cidrs: empty; name the blocks of the VCN, e.g. 10.0.0.0/16"
    ]


@pytest.mark.parametrize("key", ["vcn", "api_subnet", "worker_subnet", "pod_subnet", "load_balancer_subnet"])
def test_each_link_is_an_ocid_of_its_kind(key: str):
    """One of another kind is told where it stands."""
    kind = "vcn" if key == "vcn" else "subnet"
    (error,) = refused(existing(**{key: "ocid1.instance.oc1.eu-frankfurt-1.a"}))

    assert error.startswith(f"network.existing.{key}: got 'ocid1.instance.oc1.eu-frankfurt-1.a', an OCID of kind ")
    assert f"write one of kind {kind}, e.g. ocid1.{kind}.oc1.eu-frankfurt-1.aaaaexample" in error


@pytest.mark.parametrize("key", ["api_groups", "worker_groups", "pod_groups"])
def test_each_group_is_an_ocid_of_a_group(key: str):
    """The second of a list, too."""
    assert refused(existing(**{key: [GROUP, GROUP]})) == []
    (error,) = refused(existing(**{key: [GROUP, SUBNET]}))
    assert error.startswith(f"network.existing.{key}[1]: got 'ocid1.subnet.oc1..a', an OCID of kind subnet; ")


def test_blocks_that_rdma_ports_have():
    """Told at the block that overlaps them, whichever it is."""
    (error,) = refused(existing(cidrs=["10.0.0.0/16", "192.168.0.0/24"]))

    assert error.startswith("network.existing.cidrs[1]: 192.168.0.0/24 overlaps 192.168.0.0/16")


@pytest.mark.parametrize(
    ("cidrs", "pods", "told"),
    [
        (["10.0.0.0/16"], "10.0.64.0/18", []),
        (["10.1.0.0/16", "10.0.0.0/16"], "10.0.64.0/18", []),
        (
            ["10.1.0.0/16", "10.2.0.0/16"],
            "10.0.64.0/18",
            ["10.0.64.0/18 is in none of the VCN's blocks, 10.1.0.0/16, 10.2.0.0/16; make the two agree"],
        ),
        # A block without form is told once, as what it is.
        (["10.1.0.0/33"], "10.0.64.0/18", None),
    ],
)
def test_pods_are_within_the_vcn(cidrs: list[str], pods: str, told: list[str] | None):
    """In one of its blocks."""
    errors = refused(existing(cidrs=cidrs, pod_subnet_cidr=pods))
    of_pods = [each.partition(": ")[2] for each in errors if "pod_subnet_cidr" in each]

    assert of_pods == (told or [])
    assert refused(existing(cidrs=cidrs, pod_subnet_cidr=pods), FLANNEL) == [e for e in errors if "pod_sub" not in e]


@pytest.mark.parametrize(
    ("nodes", "max_pods", "prefix", "fits"),
    [
        # 3 system nodes of 93 pods and three addresses that OCI keeps: 282 beside those of the pool.
        (2, 64, 23, True),  # 410 of 512
        (2, 110, 23, True),  # 502
        (3, 77, 23, False),  # 513
        (3, 76, 23, True),  # 510
        (4, 64, 23, False),  # 538
    ],
)
def test_pods_of_all_nodes_have_room(nodes: int, max_pods: int, prefix: int, fits: bool):
    """A subnet that is full to the last address fits; one more does not, and the size that does is told."""
    pool = {**POOL, "nodes": nodes, "max_pods": max_pods}
    errors = refused(existing(pod_subnet_cidr=f"10.0.64.0/{prefix}"), {}, pool)

    assert (errors == []) is fits
    assert all("take a /22 or larger, or lower maxPods of the pools" in each for each in errors)


def test_the_default_of_pods_is_counted():
    """64 a node, of each pool."""
    (error,) = refused(existing(pod_subnet_cidr="10.0.64.0/23"), {}, POOL, {**POOL, "name": "b"})

    assert "has addresses for 509 pods, and the nodes may hold 535" in error


@pytest.mark.parametrize(
    ("ceiling", "pods", "fits"), [(None, 64, True), (None, 65, False), (40, 40, True), (40, 41, False)]
)
def test_a_pools_pods_fit_the_subnet_that_is_cut_for_them(ceiling: int | None, pods: int, fits: bool):
    """Pods of flannel need none of it; a pool that says nothing takes the default of both."""
    choice = {} if ceiling is None else {"max_pods": ceiling}
    errors = refused(choice, {}, {**POOL, "name": "b"}, {**POOL, "max_pods": pods})

    assert [each.partition(": ")[0] for each in errors] == ([] if fits else ["pools[1].max_pods"])
    assert refused(choice, FLANNEL, {**POOL, "max_pods": pods}) == []


@pytest.mark.parametrize(("nodes", "fits"), [(9, True), (10, False)])
def test_nodes_of_all_pools_fit_the_subnet_that_is_cut_for_them(nodes: int, fits: bool):
    """Together; an existing network's subnets are not cut."""
    pools = [{**POOL, "nodes": 2}, {**POOL, "nodes": nodes - 2}]

    assert (refused({"max_nodes": 9}, {}, *pools) == []) is fits
    assert refused(existing(), {}, *pools) == []


def test_services_keep_clear_of_the_vcn():
    """Of the one that is made and of the one that is there, of the block that overlaps and of no other."""
    errors = ErrorList()
    choice: Any = {**existing(cidrs=["10.0.0.0/16", "wrong", "10.96.0.0/12"]), "pod_cidr": "10.240.0.0/12"}
    kubernetes: Any = FLANNEL
    blocks = services_of(choice, kubernetes, errors)

    assert blocks == ("10.96.0.0/16", "10.240.0.0/12")
    assert [str(each) for each in errors.found()] == [
        "service_cidr: 10.96.0.0/16 overlaps 10.96.0.0/12, the block of the VCN; take disjoint blocks"
    ]
    none: Any = {}
    assert services_of({"cidr": "10.8.0.0/16"}, none, ErrorList()) == ("10.96.0.0/16", None)
    of_new = ErrorList()
    services_of({"cidr": "10.96.0.0/16"}, none, of_new)
    assert [each.path for each in of_new.found()] == [("service_cidr",)]


def test_services_and_pods_keep_clear_of_each_other():
    """Told at the pods' block, as that of services."""
    with pytest.raises(Refused, match=r"network.pod_cidr: 10.96.0.0/12 overlaps 10.96.0.0/16, the block of services;"):
        whole_plan([POOL], kubernetes=FLANNEL, network={"pod_cidr": "10.96.0.0/12"})
