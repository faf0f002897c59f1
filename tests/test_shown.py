"""`rdma-cluster plan` shows of a stack what its graph has, in columns that programs read."""

from ipaddress import ip_network
from re import sub
from typing import Any

import pytest
from rdma_cluster.base.config import value
from rdma_cluster.catalog import find
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.stack import summarise_stack
from tests.clouds import CloudTests, clouds
from tests.stacks import ROOT, graph_of

KUBERNETES = {
    "cluster": {"name", "zone", "version", "endpoint", "made"},
    "pools": {"name", "machine", "nodes", "capacity", "gpus", "rails", "allocation"},
}
COLUMNS = {
    "cluster": {"name", "zone", "made"},
    "pools": {"name", "machine", "nodes", "capacity", "gpus", "rails"},
    "price": {"pool", "region", "from_usd_an_hour", "to_usd_an_hour", "as_of", "basis"},
    "addresses": {"subnet", "cidr"},
    "acceptance": {"pool", "test", "threshold", "fails_after"},
    "versions": {"part", "version"},
}
"""What every cloud's sections have at the least: the plan's JSON is an interface."""
RAILS = {"rail", "gpu", "gpu_pci", "numa"}
FURTHER = {"gke": {"nic", "eth", "subnet", "cidr"}, "gce": {"nic", "subnet", "cidr"}, "eks": {"card", "device"}}
SOURCES = {"dedicated": "capacityTopology"}
"""Keys of capacity that plans call otherwise."""
INSIDE = {"services", "pods"}
"""Blocks that are the cluster's and no network's."""
CHARTS = "kubernetes:helm.sh/v3:Release"
CASES = [pytest.param(cloud, stack, id=stack) for cloud in clouds() for stack in cloud.stacks]


GRAPHS = [
    pytest.param(cloud, graph, id=f"{cloud.name}: {name}")
    for cloud in clouds()
    for name, graph in cloud.graphs.items()
    if name in cloud.stacks or any(word in each for each in graph for word in ("existing", "capacity"))
]
"""Stacks, and variants with what is there already or with other sources of nodes."""


def shown(cloud: CloudTests, stack: str, *overrides: str) -> dict[str, Any]:
    """The plan as JSON."""
    return summarise_stack(cloud.name, read_stack(stack, None, overrides)[1].config, stack).to_dict()


@pytest.fixture(autouse=True)
def project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where the stacks are."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(("cloud", "stack"), CASES)
def test_every_section_has_its_columns_in_each_row(cloud: CloudTests, stack: str):
    """The rails of a machine stand in their order."""
    plan = shown(cloud, stack)

    for section, columns in (COLUMNS | (KUBERNETES if cloud.has_kubernetes else {})).items():
        assert [row for row in plan[section] if not columns <= row.keys()] == [], section
        assert len({tuple(row) for row in plan[section]}) <= 1, section
    for name, rows in plan["rails"].items():
        machine = find(name)
        assert machine is not None and [row["rail"] for row in rows] == list(range(machine.nics))
        assert [row for row in rows if not RAILS | FURTHER.get(cloud.name, set()) <= row.keys()] == []


@pytest.mark.parametrize(("cloud", "graph"), GRAPHS)
def test_a_plan_shows_pools_and_sources_in_the_words_of_the_stack_file(cloud: CloudTests, graph: tuple[str, ...]):
    """It also says what is made and what is there already."""
    stack, *overrides = graph
    asked = {key.partition(":")[2]: value(text) for key, text in read_stack(stack, None, overrides)[1].config.items()}
    plan = shown(cloud, *graph)
    (cluster,) = plan["cluster"]
    kubernetes, pools = asked.get("kubernetes", {}), asked.get("pools", [])
    network = asked.get("network", {}).get("existing")

    assert [(row["name"], row["machine"], row["nodes"]) for row in plan["pools"]] == [
        (pool["name"], pool["machine"], pool["nodes"]) for pool in pools
    ]
    for row, pool in zip(plan["pools"], pools, strict=True):
        ((source, of),) = ((key, of) for key, of in pool["capacity"].items() if of and key != "maxRunHours")
        words = sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", SOURCES.get(source, source))
        assert row["capacity"].partition(" ")[0] == words
        assert not isinstance(of, dict) or any(each.rpartition("/")[2] in row["capacity"] for each in of.values())
        assert row.get("allocation") == pool.get("gpuAllocation", row.get("allocation"))
    if cloud.has_kubernetes:
        assert cluster["made"] == ("existing" if "existing" in kubernetes else "new")
        assert (cluster["name"], cluster["version"]) == (
            kubernetes.get("name", stack),
            kubernetes.get("version", cluster["version"]),
        )
        assert (cloud.name.upper() in {row["part"] for row in plan["versions"]}) is ("existing" not in kubernetes)
    subnets = {row["subnet"] for row in plan["addresses"]}
    assert (subnets <= INSIDE) is (network is not None or not pools)
    assert not (subnets & INSIDE and "existing" in kubernetes)


@pytest.mark.parametrize("cloud", clouds(), ids=str)
def test_every_block_of_addresses_in_the_graph_is_shown(cloud: CloudTests):
    stack = cloud.stacks[0]
    blocks = {ip_network(row["cidr"]) for row in shown(cloud, stack)["addresses"] if "/" in row["cidr"]}
    made = {block for _, block in cloud.ranges(graph_of(stack))}

    assert made - blocks == set()


@pytest.mark.parametrize("cloud", [cloud for cloud in clouds() if cloud.has_kubernetes], ids=str)
def test_pools_and_chart_versions_are_those_of_the_graph(cloud: CloudTests):
    stack = cloud.stacks[0]
    plan, graph = shown(cloud, stack), graph_of(stack)
    versions = " ".join(str(row["version"]) for row in plan["versions"])
    charts = {release.name: release.inputs["version"] for release in graph.of_type(CHARTS)}

    assert {row["name"]: row["nodes"] for row in plan["pools"]} == {
        pool.name: pool.nodes for pool in cloud.pools(graph)
    }
    assert {name: version for name, version in charts.items() if version.removeprefix("v") not in versions} == {}
