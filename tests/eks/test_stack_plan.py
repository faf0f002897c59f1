"""An EKS stack as a whole: what its parts decide for each other, and what a person is warned of."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.eks.plan import plan_rdma_cluster_args
from rdma_cluster.eks.plan.gpu_pools import gpu_pools
from rdma_cluster.eks.plan.network import EksNetworkPlan
from rdma_cluster.eks.plan.rdma_cluster import EksRdmaClusterPlan
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.fabrics.efa import EFA, EFA_DEVICE_PLUGIN
from tests.eks.plans import ADMIN, EXISTING, GB200, P5, stack_plan

PUBLIC = {"admins": [ADMIN], "endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
PLUGIN = {"gpu_allocation": GpuAllocation.DEVICE_PLUGIN}


def wrong(*pools: dict[str, Any], **more: Any) -> list[str]:
    """What is refused of a stack, by path and first words."""
    try:
        stack_plan(*pools, **more)
    except Refused as refused:
        return [line.partition(";")[0] for line in refused.lines]
    return []


def prints(made: EksRdmaClusterPlan) -> list[str]:
    """What makes the test of each pool run again."""
    return [pool.fingerprint for pool in made.in_cluster.pools]


def test_default():
    """Everything new; with a public endpoint there is nothing to warn of."""
    made = stack_plan()

    assert (made.storage, made.warnings, made.cluster.existing) == (None, (), None)
    assert isinstance(made.network, EksNetworkPlan)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"kubernetes": PUBLIC}, False),
        ({"kubernetes": {"admins": [ADMIN]}}, True),
        ({"kubernetes": {"admins": [ADMIN]}, "network": EXISTING["network"]}, False),
        (EXISTING, False),
    ],
)
def test_a_private_api_in_a_new_vpc(more: dict[str, Any], told: bool):
    """Nobody reaches it yet; a network that exists may have its way in."""
    warned = [each for each in stack_plan(**more).warnings if each.startswith("the cluster's API is private")]

    assert len(warned) == told


@pytest.mark.parametrize(
    ("pools", "version", "least"),
    [
        ([P5], "1.34", None),
        ([P5], "1.33", "claims for GPUs need EKS 1.34 or later"),
        ([{**P5, **PLUGIN}], "1.33", None),
        ([{**P5, **PLUGIN}], "1.32", "driver 580 in AWS's images needs EKS 1.33 or later"),
        ([{**P5, **PLUGIN}, {**P5, "name": "b"}], "1.33", "claims for GPUs need EKS 1.34 or later"),
    ],
)
def test_versions_that_pools_need(pools: list[dict[str, Any]], version: str, least: str | None):
    """Claims are younger than the driver of AWS's images; one pool with them is enough."""
    told = wrong(*pools, kubernetes={**PUBLIC, "version": version})

    assert told == ([f"kubernetes.version: got {version}; {least}".partition(";")[0]] if least else [])
    if least:
        with pytest.raises(Refused, match=least):
            stack_plan(*pools, kubernetes={**PUBLIC, "version": version})


def test_node_images_follow_a_version_that_is_known():
    """That of a cluster that exists is known only where the user names it."""
    newer = {**P5, "release_version": "1.36.0-20260101"}
    named = {**EXISTING["kubernetes"], "version": "1.35"}

    assert wrong(newer) == ["pools[0].release_version: got a node image of 1.36, the control plane is 1.35"]
    assert wrong(newer, **EXISTING) == []
    assert wrong(newer, **{**EXISTING, "kubernetes": named}) == wrong(newer)


def test_the_proof_runs_again_in_another_place():
    """Other subnets, services, tags or node images are other nodes; an add-on's version is none."""
    first = prints(stack_plan())
    zones = {"control_plane_zones": ["us-east-2b"]}
    others = [
        stack_plan(kubernetes={**PUBLIC, "name": "other"}),
        stack_plan(network={**zones, "cidr": "172.16.0.0/16"}),
        stack_plan(network={**zones, "max_nodes": 10}),
        stack_plan(network={**zones, "service_cidr": "10.100.0.0/16"}),
        stack_plan(tags={"team": "a"}),
        stack_plan({**P5, "release_version": "1.35.0-20260101"}),
        stack_plan({**P5, "release_version": "1.35.0-20260102"}),
        stack_plan(zone="us-east-2c"),
    ]

    assert len({str(prints(each)) for each in others} - {str(first)}) == len(others)
    addons = {"coredns": "v1.12.1-eksbuild.2"}
    assert prints(stack_plan(kubernetes={**PUBLIC, "addon_versions": addons})) == first
    assert prints(stack_plan(network={"control_plane_zones": ["us-east-2c"]})) == first


def test_no_release_proves_again_for_nothing():
    """The digests are those of 0.1.0, whatever a plan holds since then."""
    group = {**P5, "capacity": {"on_demand": True}, "placement_group": "mine"}

    assert prints(stack_plan({**P5, "release_version": "1.35.0-20260101"}, tags={"team": "a"})) == ["091a2322efa4396b"]
    assert prints(stack_plan(group)) == ["5e226da7bb65c68c"]


def test_pools_as_the_in_cluster_part_reads_them():
    """Each machine that can be built, with its own disk, levels and fabric."""
    listed: list[Any] = [
        {**P5, **PLUGIN},
        {**P5, "name": "none", "machine": "g7.8xlarge"},
        {**GB200, "nodes": 18},
        {"name": "a10g", "machine": "g5.8xlarge", "nodes": 1, "capacity": {"spot": True}},
    ]
    made = gpu_pools(listed, [None] * 4, {})
    layers = tuple(f"topology.k8s.aws/network-node-layer-{i}" for i in (1, 2, 3))

    assert [(each.name, each.machine.name, each.nodes) for each in made] == [
        ("p5", "p5.48xlarge", 2),
        ("gb", "p6e-gb200.36xlarge", 18),
        ("a10g", "g5.8xlarge", 1),
    ]
    assert [(each.fabric, each.allocation) for each in made] == [
        (EFA_DEVICE_PLUGIN, GpuAllocation.DEVICE_PLUGIN),
        (EFA, GpuAllocation.DRA),
        (EFA, GpuAllocation.DRA),
    ]
    assert [each.levels for each in made] == [layers, (), ()]
    assert [each.disk_gb for each in made] == [30_400, 22_500, 900]
    assert [(each.fingerprint, each.skip_reason, each.comes_later) for each in made] == [("", "", False)] * 3


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        ([450], None),
        ([451], "pool p0 has up to 451"),
        ([600, 2, 451], "2 pools (p0, p2) have up to 600"),
        ([451, 452, 453], "3 pools (p0, p1, p2) have up to 453"),
        ([500, 451, 451, 451], "4 pools (p0, p1, p2, ...) have up to 500"),
    ],
)
def test_large_node_groups(nodes: list[int], told: str | None):
    """Those above the quota, by name, and how many nodes the largest has."""
    pools = [{**P5, "name": f"p{i}", "nodes": count} for i, count in enumerate(nodes)]
    found = [each for each in stack_plan(*pools, network=EXISTING["network"]).warnings if "per managed node" in each]

    assert [each.partition(", and an account")[0] for each in found] == ([told] if told else [])


@pytest.mark.parametrize(("count", "existing", "told"), [(29, False, 0), (30, False, 1), (30, True, 0), (31, True, 1)])
def test_many_node_groups(count: int, existing: bool, told: int):
    """The system's is one of ours; of a cluster that exists the others are not seen."""
    pools = [{**P5, "name": f"p{i}", "nodes": 1} for i in range(count)]
    more = EXISTING if existing else {}
    found = [each for each in stack_plan(*pools, **more).warnings if "managed node groups per cluster" in each]

    assert len(found) == told


def test_namespaces_of_an_existing_cluster_are_there():
    """On a new cluster nobody else makes them."""
    made = [stack_plan(claims={"namespaces": ["team-a"]}, **more).in_cluster.claims for more in ({}, EXISTING)]

    assert [each and each.plan.new_namespaces for each in made] == [("team-a",), ()]


def test_skypilot():
    """Device plugins where nobody chose, and its label of the GPU; without it pools are as they were listed."""
    (asked,), (not_asked,) = (stack_plan(skypilot=asked).pools for asked in (True, False))

    assert (asked.gpu_allocation, not_asked.gpu_allocation) == (GpuAllocation.DEVICE_PLUGIN, GpuAllocation.DRA)
    assert asked.labels == {**not_asked.labels, "skypilot.co/accelerator": "h100"}


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"name": "system"}, ["pools[0].name: system is the name of the pool for the system nodes"]),
        ({"name": "systems"}, []),
        ({"nodes": 251}, ["pools: 251 nodes in all, and the subnets are cut for 250"]),
        ({"nodes": 250}, []),
    ],
)
def test_pools_of_ours_and_room_for_all(more: dict[str, Any], refused: list[str]):
    """The system's name is taken, and the subnets hold what they were cut for."""
    assert wrong({**P5, **more}) == refused


@pytest.mark.parametrize(
    ("name", "more", "refused"),
    [
        ("e" * 48, {}, []),
        ("e" * 49, {}, [f"name: got {'e' * 49!r}, with which the names of all resources begin"]),
        ("-e", {}, ["name: got '-e', with which the names of all resources begin"]),
        ("eks", {"tags": {"aws:x": "y"}}, ["tags.aws:x: "]),
        ("eks", {"region": "west"}, ["region: got 'west', which has no region's form"]),
        ("eks", {"zone": "us-west-2a"}, ["zone: got us-west-2a, which is not in us-east-2"]),
        ("eks", {"pools": [P5, P5]}, ["pools[1].name: p5 is the name of pools[0] already"]),
        ("eks", {"pools": []}, ["pools: empty"]),
        ("eks", {"kubernetes": EXISTING["kubernetes"]}, ["network.existing: missing"]),
        ("eks", {"drivers": {"nic": "managed"}}, ["drivers.nic: got managed"]),
        ("eks", {"drivers": {"registry": "https://x"}}, ["drivers.registry: got"]),
        ("eks", {"storage": {}}, ["storage: empty"]),
        ("eks", {"kubernetes": {**PUBLIC, "version": "1.9"}}, ["kubernetes.version: got 1.9"]),
        ("eks", {"network": {"control_plane_zones": []}}, ["network.control_plane_zones: got 0"]),
        (
            "eks",
            {"network": {"control_plane_zones": ["us-east-2b"], "service_cidr": "10.0.0.0/30"}},
            ["network.service_cidr: got 10.0.0.0/30"],
        ),
    ],
)
def test_every_rule_is_asked_once(name: str, more: dict[str, Any], refused: list[str]):
    """Of a stack whose other parts are right."""
    base: dict[str, Any] = {
        "region": "us-east-2",
        "zone": "us-east-2a",
        "kubernetes": PUBLIC,
        "network": {"control_plane_zones": ["us-east-2b"]},
        "acceptance": {"enabled": False},
        "pools": [P5],
    }
    found: list[str] = []
    try:
        plan_rdma_cluster_args({**base, **more}, name)
    except Refused as why:
        found = [line for line in why.lines if "overlaps" not in line and "claims for GPUs" not in line]

    assert [line.startswith(words) for line, words in zip(found, refused, strict=True)] == [True] * len(refused)


_SUBNETS = EXISTING["network"]["existing"]


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({}, []),
        ({"system_subnets": [{"subnet": "subnet-0000000d", "zone": "us-east-2b"}]}, []),
        ({"system_subnets": [{"subnet": "d", "zone": "us-east-2b"}]}, ["system_subnets[0].subnet: got 'd'"]),
        (
            {"system_subnets": [{"subnet": "subnet-0000000d", "zone": "x"}]},
            ["system_subnets[0].zone: got 'x', which has no zone's form"],
        ),
        ({"security_group": "efa"}, ["security_group: got 'efa'"]),
        ({"dns": False}, ["dns: got false"]),
        ({"gpu_subnets": []}, ["gpu_subnets: empty"]),
        (
            {"gpu_subnets": [{"subnet": "subnet-0000000c", "zone": "us-east-2b"}]},
            ["gpu_subnets[0].zone: got us-east-2b, the GPUs are in us-east-2a"],
        ),
        (
            {"gpu_subnets": [*_SUBNETS["gpu_subnets"], {"subnet": "g", "zone": "us-east-2a"}]},
            ["gpu_subnets[1].subnet: got 'g'"],
        ),
        (
            {"gpu_subnets": _SUBNETS["gpu_subnets"] * 2},
            ["gpu_subnets[1].subnet: subnet-0000000c is subnet [0] already"],
        ),
        ({"cluster_subnets": _SUBNETS["cluster_subnets"][:1]}, ["cluster_subnets: in one zone or none"]),
        (
            {"cluster_subnets": [*_SUBNETS["cluster_subnets"], {"subnet": "c", "zone": "us-east-2c"}]},
            ["cluster_subnets[2].subnet: got 'c'"],
        ),
    ],
)
def test_networks_that_exist(change: dict[str, Any], refused: list[str]):
    """Subnets and group by their ids, GPUs in one zone, the control plane in two, and names that are found."""
    told = wrong(network={"existing": {**_SUBNETS, **change}})

    assert told == [f"network.existing.{each}" for each in refused]


@pytest.mark.parametrize(
    ("network", "existing_cluster", "refused"),
    [
        ({**EXISTING["network"], "service_cidr": "10.100.0.0/16"}, False, []),
        ({**EXISTING["network"], "service_cidr": "10.100.0.0/16"}, True, ["network.service_cidr"]),
        ({**EXISTING["network"], "cidr": "10.0.0.0/16"}, False, ["network.cidr"]),
        ({**EXISTING["network"], "max_nodes": 9}, False, ["network.max_nodes"]),
    ],
)
def test_choices_beside_what_exists(network: dict[str, Any], existing_cluster: bool, refused: list[str]):
    """A network has its addresses, and a cluster its services."""
    kubernetes = EXISTING["kubernetes"] if existing_cluster else PUBLIC

    assert [line.partition(": ")[0] for line in wrong(kubernetes=kubernetes, network=network)] == refused
