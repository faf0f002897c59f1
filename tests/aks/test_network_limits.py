"""Addresses on AKS: each limit from both sides, of a network that is made and of one that is there."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.existing import plan_networks
from rdma_cluster.aks.plan.network import AksNetworkPlan, AksOutbound, OverlayPlan
from tests.aks.plans import ID, SUBNET, cluster_plan, network_plan, pool, refused

PUBLIC: dict[str, Any] = {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
EGRESS = ["198.51.100.4/32"]
THERE: dict[str, Any] = {"name": "mine", "existing": {"server": "s", "ca_certificate": "c"}}
OWN_BLOCK = "not allowed with an existing cluster, which has its own; remove one of the two"


def places(errors: list[str]) -> list[str]:
    """Where each error stands."""
    return [error.partition(": ")[0] for error in errors]


@pytest.mark.parametrize(("nodes", "fits"), [(0, False), (1, True), (4990, True), (4991, False)])
def test_nodes_of_a_cluster(nodes: int, fits: bool):
    """5,000 with the ten of the system."""
    words = f"max_nodes: got {nodes}; must be 1 to 4,990: a cluster holds 5,000 nodes, 10 of them for the system"

    assert refused(network_plan, max_nodes=nodes) == ([] if fits else [words])


@pytest.mark.parametrize(
    ("nodes", "prefix"),
    # Azure keeps five, the system has ten nodes, and eleven are for what else comes: 26 beside the GPU nodes.
    [(6, 27), (7, 26), (38, 26), (39, 25), (230, 24), (231, 23), (486, 23), (487, 22)],
)
def test_size_of_the_nodes_subnet(nodes: int, prefix: int):
    """The smallest that holds them."""
    assert network_plan(max_nodes=nodes).nodes == f"10.224.0.0/{prefix}"


@pytest.mark.parametrize(
    ("tib", "lustre"),
    [(0, ""), (1, "10.224.255.0/24"), (196, "10.224.255.0/24"), (197, "10.224.254.0/23"), (400, "10.224.254.0/23")],
)
def test_subnet_of_a_file_system(tib: int, lustre: str):
    """At the end of the network, by Azure's table; none without one."""
    assert network_plan(lustre_tib=tib).lustre == lustre


@pytest.mark.parametrize("tib", [-1, 401])
def test_a_file_system_whose_subnet_nobody_knows(tib: int):
    """Azure tells sizes up to 400 TiB."""
    assert refused(network_plan, lustre_tib=tib) == [
        f"lustre_tib: got {tib}; must be up to 400, for which Azure tells a subnet's size"
    ]


@pytest.mark.parametrize(
    ("args", "errors"),
    [
        ({"outbound": "load-balancer"}, []),
        ({"outbound": "routes"}, ["outbound"]),
        ({"outbound": "load-balancer", "lustre_tib": 8}, ["outbound"]),
        ({"outbound": "nat-gateway", "lustre_tib": 8}, []),
        ({"cidr": "10.224.0.0/23"}, []),
        ({"cidr": "10.224.0.0/24"}, ["cidr"]),
        ({"cidr": "10.224.0.0/23", "lustre_tib": 8}, ["cidr"]),
        ({"cidr": "10.224.0.0/22", "lustre_tib": 8}, []),
        ({"cidr": "8.8.8.0/22"}, ["cidr"]),
        ({"cidr": "172.16.0.0/15"}, ["cidr"]),
        ({"cidr": "172.18.0.0/16"}, []),
        ({"location": "East US"}, ["location"]),
        ({"max_nodes": 0, "cidr": "1.2.3.4"}, ["max_nodes", "cidr"]),
    ],
)
def test_what_is_refused_of_a_network(args: dict[str, Any], errors: list[str]):
    """Ways out, blocks and places, each at its key."""
    assert places(refused(network_plan, **args)) == errors


def test_a_network_by_its_choices():
    """Each becomes its own part of the plan."""
    plan = network_plan(location="eastus2", max_nodes=9, cidr="10.8.0.0/20", outbound="load-balancer")

    assert plan == AksNetworkPlan("eastus2", 9, "10.8.0.0/20", "10.8.0.0/26", AksOutbound.LOAD_BALANCER)


@pytest.mark.parametrize(
    ("args", "errors"),
    [
        ({"service_cidr": "10.0.0.0/13"}, []),
        ({"service_cidr": "10.0.0.0/12"}, ["service_cidr: got 10.0.0.0/12; AKS takes a /13 to a /28"]),
        ({"service_cidr": "10.0.0.0/28"}, []),
        ({"service_cidr": "10.0.0.0/29"}, ["service_cidr: got 10.0.0.0/29; AKS takes a /13 to a /28"]),
        (
            {"service_cidr": "10.247.0.0/16"},
            ["service_cidr: 10.247.0.0/16 overlaps the pods' block, 10.244.0.0/14; take disjoint blocks"],
        ),
        (
            {"cidrs": ["10.1.0.0/16", "10.0.128.0/17"]},
            ["service_cidr: 10.0.0.0/16 overlaps the virtual network's block [1], 10.0.128.0/17; take disjoint blocks"],
        ),
        (
            {"cidrs": ["10.244.8.0/24"]},
            ["pod_cidr: 10.244.0.0/14 overlaps the virtual network's block [0], 10.244.8.0/24; take disjoint blocks"],
        ),
        ({"pod_cidr": "10.244.0.0/16", "max_nodes": 246}, []),
        (
            {"pod_cidr": "10.244.0.0/16", "max_nodes": 247},
            ["pod_cidr: 10.244.0.0/16 is too small for 257 nodes of a /24 each; take a /15 or larger"],
        ),
        ({"pod_cidr": "8.0.0.0/8", "service_cidr": "9.0.0.0/16"}, ["pod_cidr: got 8", "service_cidr: got 9"]),
    ],
)
def test_blocks_inside_of_the_cluster(args: dict[str, Any], errors: list[str]):
    """Pods with a /24 a node, services as AKS takes them, clear of each other and of the network."""
    told = refused(cluster_plan, **args)

    assert len(told) == len(errors)
    assert all(one.startswith(other) for one, other in zip(told, errors, strict=True))


@pytest.mark.parametrize(
    ("key", "remedy"),
    [
        ("cidrs", "GPU nodes cannot be in or beside it; name another network"),
        ("pod_cidr", "take another block, e.g. 10.244.0.0/14"),
        ("service_cidr", "take another block, e.g. 10.0.0.0/16"),
    ],
)
def test_what_to_do_about_a_block_of_azures(key: str, remedy: str):
    """An existing network cannot move, ours can."""
    (error,) = refused(cluster_plan, **{key: ["172.30.0.0/16"] if key == "cidrs" else "172.30.0.0/16"})

    assert error.endswith(f"got 172.30.0.0/16, which overlaps 172.30.0.0/16, which AKS keeps for itself; {remedy}")


def networks(
    choice: dict[str, Any], kubernetes: dict[str, Any], *nodes: int, lustre_tib: int = 0
) -> tuple[tuple[AksNetworkPlan | None, OverlayPlan | None], list[str]]:
    """The addresses of a stack whose pools have so many nodes, and what is refused of them."""
    errors = ErrorList()
    given: Any = {"choice": choice, "kubernetes": kubernetes, "pools": [pool(nodes=of) for of in nodes or (2,)]}
    found = plan_networks(**given, location="southcentralus", lustre_tib=lustre_tib, errors=errors)
    return found, [str(error) for error in errors.found()]


def existing(outbound: str = "nat-gateway", **more: Any) -> dict[str, Any]:
    """A network that is there."""
    return {"existing": {"subnet": SUBNET, "cidrs": ["10.1.0.0/16"], "outbound": outbound, **more}}


def test_addresses_of_a_stack():
    """A network and an overlay are made where there are none yet."""
    overlay = OverlayPlan("10.244.0.0/14", "10.0.0.0/16", "10.0.0.10")
    (made, inside), errors = networks({"max_nodes": 9}, {}, lustre_tib=8)

    assert errors == [] and made is not None and inside == overlay
    assert (made.location, made.max_nodes, made.lustre) == ("southcentralus", 9, "10.224.255.0/24")
    assert networks(existing(), {}) == ((None, overlay), [])
    assert networks(existing(), THERE) == ((None, None), [])


@pytest.mark.parametrize(
    ("choice", "kubernetes", "errors"),
    [
        ({}, PUBLIC, []),
        ({"outbound": "load-balancer"}, PUBLIC, []),
        (existing(), PUBLIC, ["network.existing.egress_cidrs"]),
        (existing(egress_cidrs=EGRESS), PUBLIC, []),
        (existing("load-balancer"), PUBLIC, []),
        (existing("load-balancer", egress_cidrs=EGRESS), PUBLIC, ["network.existing.egress_cidrs"]),
        (existing(egress_cidrs=EGRESS), {}, ["network.existing.egress_cidrs"]),
        (existing(egress_cidrs=EGRESS), THERE, ["network.existing.egress_cidrs"]),
        ({**existing(), "pod_cidr": "10.32.0.0/11"}, THERE, ["network.pod_cidr"]),
        ({**existing(), "service_cidr": "10.8.0.0/16"}, THERE, ["network.service_cidr"]),
        ({**existing(), "service_cidr": "10.8.0.0/16", "pod_cidr": "10.32.0.0/11", "max_nodes": 9}, {}, []),
        ({**existing(), "outbound": "nat-gateway", "cidr": "10.8.0.0/16"}, {}, ["network.cidr", "network.outbound"]),
        ({"max_nodes": 0}, {}, ["network.max_nodes"]),
        (existing(cidrs=[]), {}, ["network.existing.cidrs"]),
        (existing(cidrs=["10.1.0.0/16", "10.0.0.0/16"]), {}, ["network.service_cidr"]),
        (existing(cidrs=["10.1.0.0/16", "172.16.0.0/24"]), {}, ["network.existing.cidrs[1]"]),
        (existing(subnet=f"/subscriptions/{ID}"), {}, ["network.existing.subnet"]),
        ({"cidr": "10.244.0.0/16"}, {}, ["network.pod_cidr"]),
    ],
)
def test_what_is_refused_of_a_stacks_addresses(choice: dict[str, Any], kubernetes: dict[str, Any], errors: list[str]):
    """What an existing network or cluster has already, and ways by which nodes reach a public endpoint."""
    assert places(networks(choice, kubernetes)[1]) == errors


def test_words_of_an_existing_clusters_choices():
    """One reason for all of them."""
    choice = {**existing(egress_cidrs=EGRESS), "pod_cidr": "10.32.0.0/11"}

    assert networks(choice, THERE)[1] == [
        f"network.pod_cidr: {OWN_BLOCK}",
        f"network.existing.egress_cidrs: {OWN_BLOCK}",
    ]


@pytest.mark.parametrize(
    ("choice", "callers", "fits"),
    [
        ({}, 199, True),
        ({}, 200, False),
        ({"outbound": "load-balancer"}, 200, True),
        (existing("load-balancer"), 200, True),
        (existing(egress_cidrs=EGRESS), 199, True),
        (existing(egress_cidrs=EGRESS), 200, False),
    ],
)
def test_blocks_that_aks_lets_in(choice: dict[str, Any], callers: int, fits: bool):
    """Two hundred with those of the nodes; a load balancer's address is AKS's own."""
    kubernetes = {"endpoint": "public", "public_cidrs": [f"203.0.113.{i}/32" for i in range(callers)]}

    assert places(networks(choice, kubernetes)[1]) == ([] if fits else ["kubernetes.public_cidrs"])


@pytest.mark.parametrize(
    ("choice", "kubernetes", "nodes", "errors"),
    [
        ({"max_nodes": 9}, {}, (4, 5), []),
        ({"max_nodes": 9}, {}, (4, 6), ["pools"]),
        ({**existing(), "max_nodes": 9}, {}, (4, 5), []),
        ({**existing(), "max_nodes": 9}, {}, (4, 6), ["pools"]),
        # The pods' block of an existing cluster is its owner's.
        (existing(), THERE, (200, 51), []),
        (existing(), {}, (200, 51), ["pools"]),
        ({**existing(), "max_nodes": 4990, "pod_cidr": "10.32.0.0/11"}, {}, (4000, 990), []),
        (existing(), THERE, (4000, 990), []),
        (existing(), THERE, (4000, 991), ["pools"]),
        # One pool alone is told at its own place.
        (existing(), THERE, (5001,), []),
    ],
)
def test_nodes_of_all_pools(
    choice: dict[str, Any], kubernetes: dict[str, Any], nodes: tuple[int, ...], errors: list[str]
):
    """Together they fit what was cut for them, and a cluster without the system's nodes."""
    assert places(networks(choice, kubernetes, *nodes)[1]) == errors
